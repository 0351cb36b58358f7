// Contact problems of ten thousand contacts and more, by the default solver to 1e-6: time, residual
// as judged outside the solver, and how the time grows. `large_problems quick` leaves out the pile.
//
// Walls and random problems start cold. Piles start from the impulses of their last step, as they
// do in a run: while they collapse, under Coulomb's law and under its convex relaxation, and when
// they have come to rest.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>

#include "saltus/cones/solvers/cascade.h"
#include "saltus/cones/solvers/interior_point.h"
#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/test/brick_wall.h"
#include "saltus/cones/test/random_problems.h"

#include "benchmarks/cones/settled_pile.h"

namespace saltus::bench {
namespace {

constexpr double kTolerance = 1e-6;

// CPU time: other programs on the machine do not count.
double ReadClock() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void Measure(const char* name, const ConicProblem& problem, const VectorX& start) {
  ConicSolverOptions options;
  options.tolerance = kTolerance;
  options.max_iterations = 10000;
  Cascade solver("auto", options, ListAutoStages);
  VectorX r = start;
  const double begin = ReadClock();
  const SolveReport report = solver.Solve(problem, &r);
  const double seconds = ReadClock() - begin;
  std::printf("%-34s %8zu %10.2f %12.1e %10d   %s\n", name, problem.cones.size(), seconds,
              CalcNaturalMapResidual(problem, r).relative, report.iterations,
              StatusName(report.status));
  std::fflush(stdout);
}

void MeasureWall(const char* name, int columns, int courses, double push) {
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBrickWall({.num_columns = columns, .num_courses = courses, .push = push}, &A, &problem);
  Measure(name, problem, VectorX::Zero(problem.size()));
}

// Random bodies in a row, a problem made from a known solution.
void MeasureRow(const char* name, double contacts_per_body, double friction,
                std::optional<test::ContactState> state) {
  test::Random random(7);
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBodyRow({.num_contacts = 10000,
                     .contacts_per_body = contacts_per_body,
                     .friction = friction,
                     .state = state},
                    &random, &A, &problem);
  Measure(name, problem, VectorX::Zero(problem.size()));
}

// Steps of the interior point for a wall whose top course is pushed, from the impulses of the wall
// at rest and from zero.
void MeasureWarmStart(double push) {
  BodyDelassus A, A_pushed;
  ConicProblem at_rest, pushed;
  test::MakeBrickWall({.num_columns = 10, .num_courses = 10, .push = 0}, &A, &at_rest);
  test::MakeBrickWall({.num_columns = 10, .num_courses = 10, .push = push}, &A_pushed, &pushed);
  ConicSolverOptions options;
  options.tolerance = 1e-8;
  InteriorPointSolver solver(options);
  VectorX warm, cold;
  if (!solver.Solve(at_rest, &warm).ok()) std::printf("the wall at rest was not solved\n");
  const int from_rest = solver.Solve(pushed, &warm).iterations;
  const int from_zero = solver.Solve(pushed, &cold).iterations;
  std::printf(
      "interior-point, top course pushed by %g N: %d steps from the wall at rest, %d from 0\n",
      push, from_rest, from_zero);
}

void MeasurePile(const char* name, int n, double time, double tolerance, bool associated = false) {
  SettledPile pile(n);
  NsgsOptions options;
  options.tolerance = tolerance;
  options.max_iterations = 60;
  NsgsSolver solver(options);
  pile.Advance(static_cast<int>(time / 0.005), &solver);
  pile.Pose();
  ConicProblem problem = pile.problem();
  for (Cone& cone : problem.cones) cone.associated = associated;
  Measure(name, problem, pile.impulses());
}

int Main(bool quick) {
  std::printf("%-34s %8s %10s %12s %10s   %s\n", "problem", "contacts", "CPU s", "residual",
              "iterations", "status");
  MeasureWall("wall, 1000 contacts", 10, 10, 0);
  MeasureWall("wall, 10 000 contacts", 30, 30, 0);
  MeasureWall("wall, top course pushed", 30, 30, 2e4);
  MeasureWall("wall, 30 000 contacts", 90, 30, 0);
  using test::ContactState;
  MeasureRow("random, 1 a body, mu 0.8, slip", 1, 0.8, ContactState::kSlip);
  MeasureRow("random, 1 a body, mu 0.8, mixed", 1, 0.8, {});
  MeasureRow("random, 2 a body, mu 0.5, mixed", 2, 0.5, {});
  MeasureRow("random, 3 a body, mu 0.5, stick", 3, 0.5, ContactState::kStick);
  MeasureRow("random, 3 a body, mu 0.5, slip", 3, 0.5, ContactState::kSlip);
  MeasureRow("random, 3 a body, mu 0.5, mixed", 3, 0.5, {});
  if (!quick) {
    MeasureRow("random, 4 a body, mu 0.5, mixed", 4, 0.5, {});
    MeasureRow("random, 4 a body, mu 0.8, slip", 4, 0.8, ContactState::kSlip);
    MeasureWall("wall, 100 000 contacts", 290, 30, 0);
    MeasurePile("1000 spheres that collapse", 10, 0.5, 1e-3);
    MeasurePile("2744 spheres that collapse", 14, 0.5, 1e-3);
    MeasurePile("2744 spheres that collapse, convex", 14, 0.5, 1e-3, true);
    MeasurePile("1000 spheres at rest", 10, 8, 1e-4);
    MeasurePile("2744 spheres at rest", 14, 8, 1e-4);
    MeasurePile("2744 spheres at rest, convex", 14, 8, 1e-4, true);
  }
  for (const double push : {10.0, 100.0, 1000.0, 1e4}) MeasureWarmStart(push);
  return 0;
}

}  // namespace
}  // namespace saltus::bench

int main(int argc, char** argv) {
  return saltus::bench::Main(argc > 1 && std::strcmp(argv[1], "quick") == 0);
}
