#include "saltus/cones/solvers/problem_dump.h"

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/cones/fclib.h"

namespace saltus {
namespace {

// Larger problems of free bodies are written as global ones: smaller files, and solvers find the
// bodies in them again (body_lu.h).
constexpr int kMaxLocalRows = 3000;

}  // namespace

SolveReport DumpingSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                        VectorX* r) {
  const VectorX start = r->size() == problem.size() ? *r : VectorX::Zero(problem.size());
  const SolveReport report = solver_->Solve(problem, target, r);
  ++calls_;
  const bool slow = !report.ok() || report.iterations >= dump_->slow_iterations;
  const bool wanted = dump_->when == DumpWhen::kAll || (dump_->when == DumpWhen::kSlow && slow) ||
                      (dump_->when == DumpWhen::kFailed && !report.ok());
  if (!wanted || problem.size() == 0) return report;
  const std::string path = fmt::format("{}_{:06}.h5", dump_->prefix, calls_);
  try {
    const FclibForm form = problem.size() > kMaxLocalRows ? FclibForm::kBodies : FclibForm::kLocal;
    WriteFclib(problem, path, {start, report.ok() ? *r : VectorX()}, form);
  } catch (const InputError&) {
    return report;
  }
  return report;
}

}  // namespace saltus
