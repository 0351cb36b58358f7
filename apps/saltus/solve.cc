// saltus solve: a contact problem from a file, solved and judged.
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/base/timing.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/cones/fclib.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/report.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

struct SolveArguments {
  std::string file, output;
  std::string solver = "auto";
  double tolerance = 1e-8;
  int max_iterations = 10000;
  bool warm = false;
  std::string local_method = "angle", function = "alart-curnier";
  int threads = 1;
  bool associated = false;
  int facets = 0;  // 0: Coulomb's cone
  double cohesion = 0, compliance = 0;
};

const std::map<std::string, LocalMethod> kLocalMethods = {{"angle", LocalMethod::kAngle},
                                                          {"quartic", LocalMethod::kQuartic},
                                                          {"semismooth", LocalMethod::kSemismooth}};
const std::map<std::string, ConeFunction> kFunctions = {
    {"alart-curnier", ConeFunction::kAlartCurnier},
    {"natural-map", ConeFunction::kNaturalMap},
    {"fischer-burmeister", ConeFunction::kFischerBurmeister}};

constexpr char kExamples[] = R"(
Examples:
  saltus solve problem.h5
  saltus solve problem.h5 --solver nsgs --tol 1e-6 --max-iterations 500
  saltus solve problem.h5 -o solved.h5               problem and solution (r, u) in one file
FILE is a local or global problem in the HDF5 layout of FCLib. Solved means that both
  relative = |r - P(r - rho u^)| / |r|             <= TOL, with rho = d / tr(W_cc) of each contact
  absolute = |r - P(r - u^)| / max(|q|, |r|, |u|)  <= TOL / 10
hold, computed outside the solver. --associated, --facets, --cohesion and --compliance change the
law of the file's contacts, and the report says so.
Exit codes: 0 solved, 1 not solved, 2 bad input.)";

VectorX ChooseStart(const SolveArguments& arguments, int size) {
  const VectorX cold = VectorX::Zero(size);
  if (!arguments.warm) return cold;
  const std::vector<FclibSolution> guesses = ReadFclibGuesses(arguments.file, size);
  if (!guesses.empty() && guesses[0].r.size() == size) return guesses[0].r;
  const FclibSolution solution = ReadFclibSolution(arguments.file, size);
  if (solution.r.size() == size) return solution.r;
  throw InputError("--warm", "the file holds neither a guess nor a solution",
                   "leave --warm out to start from r = 0", {arguments.file});
}

/// The law that the options ask for, in place of Coulomb's.
void ChangeLaw(const SolveArguments& arguments, ConicProblem* problem) {
  for (Cone& cone : problem->cones) {
    cone.associated = arguments.associated;
    cone.cohesion = arguments.cohesion;
    if (arguments.facets > 0 && cone.dimension == 3) {
      cone.kind = ConeKind::kPolyhedralFriction;
      cone.facets = arguments.facets;
    }
  }
  if (arguments.compliance > 0) {
    problem->compliance = VectorX::Constant(problem->size(), arguments.compliance);
  }
}

std::string DescribeLaw(const SolveArguments& arguments, int dimension) {
  std::string law = arguments.associated
                        ? "associated (convex relaxation: sliding opens contacts), not Coulomb's"
                        : "Coulomb";
  if (arguments.facets > 0 && dimension == 3) {
    law += fmt::format(", pyramid of {} facets", arguments.facets);
  }
  if (arguments.cohesion > 0) law += fmt::format(", cohesion {} N s", arguments.cohesion);
  if (arguments.compliance > 0) law += fmt::format(", compliance {} 1/kg", arguments.compliance);
  return law;
}

void PrintReport(const SolveArguments& arguments, const FclibProblem& fclib,
                 const std::string& solver, const SolveReport& report,
                 const NaturalMapResidual& residual, double seconds) {
  const ConicProblem& problem = fclib.problem;
  fmt::print("problem     {}: {} of {} rows{}\n", arguments.file,
             FormatNumberOf(problem.cones.size(), "contact", "contacts"),
             problem.cones[0].dimension, fclib.v.constant.size() > 0 ? ", global" : "");
  fmt::print("law         {}\n", DescribeLaw(arguments, problem.cones[0].dimension));
  fmt::print("solver      {}\n", solver);
  fmt::print("status      {}{}{}\n", StatusName(report.status), *report.reason == '\0' ? "" : ": ",
             report.reason);
  fmt::print("iterations  {}\n", report.iterations);
  fmt::print("time        {:.3g} s\n", seconds);
  fmt::print("relative    {:<10.3g} of at most {:.3g}\n", residual.relative, arguments.tolerance);
  fmt::print("absolute    {:<10.3g} of at most {:.3g}\n", residual.absolute,
             arguments.tolerance / 10);
  if (residual.worst_block < 0) {
    fmt::print("worst       none: every contact is exact\n");
  } else {
    fmt::print("worst       contact {}: {:.3g} of the relative measure\n", residual.worst_block,
               residual.worst);
  }
}

void WriteSolved(const SolveArguments& arguments, const FclibProblem& problem, const VectorX& r) {
  std::error_code error;
  if (!fs::equivalent(arguments.file, arguments.output, error)) {
    fs::copy_file(arguments.file, arguments.output, fs::copy_options::overwrite_existing, error);
    if (error) {
      throw InputError("-o", "'" + arguments.output + "' cannot be written: " + error.message(),
                       "choose another place");
    }
    fs::permissions(arguments.output, fs::perms::owner_write, fs::perm_options::add, error);
  }
  WriteFclibSolution(MakeFclibSolution(problem, r), arguments.output);
}

int SolveFile(const SolveArguments& arguments) {
  FclibProblem fclib = ReadFclib(arguments.file);
  ChangeLaw(arguments, &fclib.problem);
  ConicSolverOptions options;
  options.tolerance = arguments.tolerance;
  options.absolute_tolerance = arguments.tolerance / 10;
  options.max_iterations = arguments.max_iterations;
  options.effort = Effort::kHigh;
  options.threads = arguments.threads;
  options.local_method = kLocalMethods.at(arguments.local_method);
  options.function = kFunctions.at(arguments.function);
  const std::unique_ptr<ConicSolver> solver = MakeConicSolver(arguments.solver, options);
  VectorX r = ChooseStart(arguments, fclib.problem.size());
  const Stopwatch stopwatch;
  const SolveReport report = solver->Solve(fclib.problem, &r);
  const double seconds = stopwatch.seconds();
  const NaturalMapResidual residual = CalcNaturalMapResidual(fclib.problem, r);
  PrintReport(arguments, fclib, solver->name(), report, residual, seconds);
  if (!arguments.output.empty()) {
    WriteSolved(arguments, fclib, r);
    fmt::print("solution    {}: /solution\n", arguments.output);
  }
  const bool solved =
      report.status != SolveStatus::kUnsupported && MeetsAim(residual, MakeTarget(options));
  if (!solved) {
    fmt::print(stderr, "saltus: error: {}: not solved: {}\n", arguments.file,
               report.ok() ? "the solver met its own test only" : StatusName(report.status));
  }
  return solved ? kExitGood : kExitFailed;
}

}  // namespace

void AddSolveCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<SolveArguments>();
  CLI::App* solve = app->add_subcommand("solve", "Solve a contact problem of a file (FCLib)");
  solve->footer(kExamples);
  solve->add_option("FILE", arguments->file, "problem (HDF5, FCLib)")->required();
  solve->add_option("--solver", arguments->solver, "see 'saltus list solvers' (default auto)");
  solve->add_option("--tol", arguments->tolerance, "tolerance, see below (default 1e-8)")
      ->check(CLI::Range(1e-16, 1.0));
  solve
      ->add_option("--max-iterations", arguments->max_iterations,
                   "sweeps, steps or pivots of the solver (default 10000)")
      ->check(CLI::Range(1, 100'000'000));
  solve->add_flag("--warm", arguments->warm,
                  "start from the first guess of the file, or from its solution");
  solve
      ->add_option("--local", arguments->local_method,
                   "exact local solver of nsgs: angle (default), quartic or semismooth")
      ->check(CLI::IsMember(kLocalMethods));
  solve
      ->add_option("--function", arguments->function,
                   "equations of semismooth-newton: alart-curnier (default), natural-map or "
                   "fischer-burmeister")
      ->check(CLI::IsMember(kFunctions));
  solve
      ->add_option("--threads", arguments->threads,
                   "number of threads; results do not depend on it (default 1)")
      ->check(CLI::Range(1, 4096));
  solve->add_flag("--associated", arguments->associated,
                  "solve the convex (associated) relaxation instead of Coulomb's law");
  solve
      ->add_option("--facets", arguments->facets,
                   "friction pyramid with this many facets instead of the cone (3D)")
      ->check(CLI::Range(3, 1000));
  solve->add_option("--cohesion", arguments->cohesion, "cohesion of each contact [N s] (default 0)")
      ->check(CLI::NonNegativeNumber);
  solve
      ->add_option("--compliance", arguments->compliance,
                   "compliance added to each row [1/kg] (default 0)")
      ->check(CLI::NonNegativeNumber);
  solve->add_option("-o,--output", arguments->output,
                    "write the problem with its solution there (may be FILE itself)");
  solve->callback([arguments, exit_code] { *exit_code = SolveFile(*arguments); });
}

}  // namespace saltus
