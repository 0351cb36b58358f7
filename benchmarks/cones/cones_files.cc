// Times our contact solvers on FCLib files: one line of CSV for each solver and file.
//   cones_files FILE… [--solvers a,b,c] [--tol 1e-8] [--max-iterations 10000]
// Columns: code, solver, file, contacts, solved, CPU seconds (best of up to five cold starts),
// iterations, relative, absolute. `solved` is judged outside the solvers: relative ≤ tol and
// absolute ≤ tol / 10.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <time.h>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/fclib.h"

namespace {

using namespace saltus;

struct Arguments {
  std::vector<std::string> files, solvers;
  double tolerance = 1e-8;
  int max_iterations = 10000;
};

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const bool has_value = i + 1 < argc;
    if (flag == "--solvers" && has_value) {
      arguments.solvers = Split(argv[++i]);
    } else if (flag == "--tol" && has_value) {
      arguments.tolerance = std::atof(argv[++i]);
    } else if (flag == "--max-iterations" && has_value) {
      arguments.max_iterations = std::atoi(argv[++i]);
    } else {
      arguments.files.push_back(flag);
    }
  }
  if (arguments.solvers.empty()) {
    arguments.solvers = {"auto",
                         "nsgs",
                         "semismooth-newton",
                         "proximal-point",
                         "admm",
                         "prox",
                         "pgs",
                         "interior-point",
                         "de-saxce",
                         "lemke",
                         "block-pivoting",
                         "principal-pivoting",
                         "keller"};
  }
  return arguments;
}

// Of this process: other programs on the machine do not count.
double ReadCpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Measure(const std::string& name, const std::string& file, const FclibProblem& fclib,
             const Arguments& arguments) {
  ConicSolverOptions options;
  options.tolerance = arguments.tolerance;
  options.absolute_tolerance = arguments.tolerance / 10;
  options.max_iterations = arguments.max_iterations;
  options.effort = Effort::kHigh;
  constexpr int kRepeats = 5;
  constexpr double kEnough = 1.0;  // seconds of repeats
  double best = 1e300, spent = 0;
  VectorX r;
  int iterations = 0;
  for (int k = 0; k < kRepeats && spent < kEnough; ++k) {
    const auto solver = MakeConicSolver(name, options);
    r.setZero(fclib.problem.size());
    const double start = ReadCpuSeconds();
    iterations = solver->Solve(fclib.problem, &r).iterations;
    const double seconds = ReadCpuSeconds() - start;
    best = std::min(best, seconds);
    spent += seconds;
  }
  const NaturalMapResidual residual = CalcNaturalMapResidual(fclib.problem, r);
  fmt::print("saltus,{},{},{},{},{:.3e},{},{:.2e},{:.2e}\n", name,
             std::filesystem::path(file).stem().string(), fclib.problem.cones.size(),
             MeetsAim(residual, MakeTarget(options)) ? 1 : 0, best, iterations, residual.relative,
             residual.absolute);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  for (const std::string& file : arguments.files) {
    const FclibProblem fclib = ReadFclib(file);
    for (const std::string& solver : arguments.solvers) Measure(solver, file, fclib, arguments);
  }
  return 0;
}
