// The sphere pile against Bullet in one run: processor time per step, penetration, how far the
// contact problems were solved, growth with the number of spheres, allocations.
// `sphere_pile_bench [quick|compare|growth|steady]…` runs parts; `quick` compares half a second.
// `sphere_pile_bench run EDGE SECONDS` runs one pile of EDGE³ spheres, for profiles.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

#include "benchmarks/sphere_pile.h"
#include "benchmarks/sphere_pile_allocations.h"

namespace saltus::bench {
namespace {

std::shared_ptr<const Model> BuildPile(const SpherePile& pile, FrictionLaw law) {
  ModelBuilder builder;
  MaterialSpec stone{"stone", pile.density, pile.friction, 0, 0};
  stone.friction_law = law;
  builder.Add(stone);
  const double w = pile.half_floor();
  const std::pair<Vector3, double> walls[] = {{Vector3::UnitZ(), 0},
                                              {Vector3::UnitX(), -w},
                                              {-Vector3::UnitX(), -w},
                                              {Vector3::UnitY(), -w},
                                              {-Vector3::UnitY(), -w}};
  for (const auto& [normal, offset] : walls) {
    builder.AddGroundShape({HalfSpace{normal, offset}, Pose{}, "stone", 0});
  }
  int number = 0;
  for (const SpherePile::Center& c : pile.MakeCenters()) {
    RigidBodySpec body;
    body.name = "sphere_" + std::to_string(number++);
    body.position = {c.x, c.y, c.z};
    body.shapes.push_back({Sphere{pile.radius}, Pose{}, "stone", 0});
    builder.Add(body);
  }
  return builder.Build();
}

class Watch final : public Observer {
 public:
  Watch(long from_step, PileResult* result) : from_step_(from_step), result_(result) {
    result->residuals.reserve(4096);
  }

  void OnStep(const StepView& view) override {
    const long now = CountAllocations();
    const auto& contacts = view.report.contacts;
    if (view.step_index == from_step_) start_ = now;
    if (view.step_index > from_step_) {
      result_->allocations_per_step =
          static_cast<double>(now - start_) / static_cast<double>(view.step_index - from_step_);
    }
    if (view.step_index > from_step_ && contacts.size() == last_size_) {
      ++result_->steady_steps;
      steady_ += now - last_;
    }
    last_ = now;
    last_size_ = contacts.size();
    if (!contacts.empty()) result_->residuals.push_back(view.report.solver_residual);
    result_->contacts = 0;
    for (const ContactResult& c : contacts) result_->contacts += c.impulse[0] > 0;
    const auto sweeps = static_cast<double>(view.report.solver_iterations);
    visits_ += static_cast<double>(contacts.size()) * sweeps;
    loaded_visits_ += result_->contacts * sweeps;
  }

  void Finish(double seconds) {
    result_->contact_iterations = visits_ / seconds;
    result_->loaded_iterations = loaded_visits_ / seconds;
    if (result_->steady_steps > 0) {
      result_->steady_allocations =
          static_cast<double>(steady_) / static_cast<double>(result_->steady_steps);
    }
    std::sort(result_->residuals.begin(), result_->residuals.end());
  }

 private:
  long from_step_;
  long start_ = 0, last_ = 0, steady_ = 0;
  std::size_t last_size_ = 0;
  double visits_ = 0, loaded_visits_ = 0;
  PileResult* result_;
};

/// The p-th part of the sorted values lies below.
double Quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1))];
}

void Print(const char* name, int n, const PileResult& r, double reference) {
  std::printf("%6d  %-20s %9.3f ms  %6.2fx  %9.2e m  %6.0f  %7.1f  %6.1f  %6.1f  %5.1f\n",
              n * n * n, name, 1e3 * r.seconds_per_step,
              reference > 0 ? r.seconds_per_step / reference : 0.0, r.max_penetration, r.contacts,
              r.iterations_per_step, 1e-6 * r.contact_iterations, 1e-6 * r.loaded_iterations,
              r.allocations_per_step);
  std::fflush(stdout);
}

/// How far the steps of a run were solved.
void PrintResiduals(double tolerance, const PileResult& r) {
  const auto within = std::upper_bound(r.residuals.begin(), r.residuals.end(), tolerance);
  std::printf(
      "        residual at most %.0e in %ld of %zu steps; quartiles %.1e %.1e %.1e, worst %.1e\n",
      tolerance, static_cast<long>(within - r.residuals.begin()), r.residuals.size(),
      Quantile(r.residuals, 0.25), Quantile(r.residuals, 0.5), Quantile(r.residuals, 0.75),
      Quantile(r.residuals, 1));
  std::fflush(stdout);
}

}  // namespace

PileResult RunSaltusPile(const SpherePile& pile, const SaltusSetup& setup) {
  MoreauJeanOptions options;
  options.theta = 1;
  options.contact_rows = MoreauJeanOptions::Rows::kStart;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  options.projection_tolerance = 9e-7;
  options.solver = "nsgs";
  options.solver_options.tolerance = setup.tolerance;
  options.solver_options.max_iterations = setup.max_iterations;
  SimulationOptions run;
  run.step = pile.step;
  run.until = pile.until;
  run.on_failure = FailurePolicy::kFlag;
  const FrictionLaw law = setup.associated ? FrictionLaw::kAssociated : FrictionLaw::kCoulomb;
  Simulation simulation(std::make_unique<MultibodySystem>(BuildPile(pile, law)),
                        std::make_unique<MoreauJean>(options), run);
  PileResult result;
  Watch watch(static_cast<long>(0.75 * pile.until / pile.step), &result);
  simulation.AddObserver(&watch);
  const double start = ProcessorTime();
  const RunOutcome outcome = simulation.Run();
  const double seconds = ProcessorTime() - start;
  watch.Finish(seconds);
  if (!outcome.message.empty()) std::printf("saltus: %s\n", outcome.message.c_str());
  const Audit& audit = simulation.audit();
  result.seconds_per_step = seconds / static_cast<double>(audit.steps);
  result.max_penetration = audit.max_penetration;
  result.final_kinetic = audit.final_energy.kinetic;
  result.iterations_per_step =
      static_cast<double>(audit.solver_iterations) / static_cast<double>(audit.steps);
  result.flagged = audit.flagged;
  return result;
}

namespace {

/// Soft beside real contacts (5.6e6 N/m for hard plastic by Hertz, (6 E*² R* F)^⅓): 200 N, five
/// times the weight of one sphere, moves its surface by 0.7 mm, 0.7 % of its radius.
constexpr double kSpring = 3e5;  // N/m

void CompareWithBullet(const SpherePile& pile, double* bullet) {
#ifdef SALTUS_HAS_BULLET
  const PileResult peer = RunBulletPile(pile);
  *bullet = peer.seconds_per_step;
  Print("Bullet", pile.n, peer, *bullet);
#endif
  const struct {
    const char* name;
    SaltusSetup setup;
  } rows[] = {{"Saltus 1e-3", {1e-3, 2000, 0}},
              {"Saltus 1e-6, springs", {1e-6, 20000, kSpring}},
              {"Saltus 1e-6, convex", {1e-6, 20000, 0, true}},
              {"Saltus 1e-6, 200 its", {1e-6, 200, 0}},
              {"Saltus 1e-6", {1e-6, 2000, 0}}};
  for (const auto& row : rows) {
    const PileResult result = RunSaltusPile(pile, row.setup);
    Print(row.name, pile.n, result, *bullet);
    PrintResiduals(row.setup.tolerance, result);
  }
}

/// The least of several runs: all take the same steps, and what other programs do to the memory
/// only adds to the time of a run.
PileResult RunRepeatedly(const SpherePile& pile, int repeats) {
  PileResult best = RunSaltusPile(pile, SaltusSetup{});
  for (int i = 1; i < repeats; ++i) {
    best.seconds_per_step =
        std::min(best.seconds_per_step, RunSaltusPile(pile, SaltusSetup{}).seconds_per_step);
  }
  return best;
}

void PrintGrowth(const SpherePile& pile, double bullet) {
  PileResult first;
  const struct { int n, repeats; } sizes[] = {{5, 9}, {10, 3}, {20, 3}};
  for (const auto& [n, repeats] : sizes) {
    SpherePile sized = pile;
    sized.n = n;
    const PileResult result = RunRepeatedly(sized, repeats);
    Print("Saltus 1e-3", n, result, bullet);
    if (n == sizes[0].n) {
      first = result;
      continue;
    }
    const double size = 3 * std::log(static_cast<double>(n) / sizes[0].n);
    std::printf("        growth since 125 spheres: time N^%.3f, of which sweeps N^%.3f\n",
                std::log(result.seconds_per_step / first.seconds_per_step) / size,
                std::log(result.iterations_per_step / first.iterations_per_step) / size);
  }
}

/// The pile of 125 long enough to settle.
void PrintSteadyState(const SpherePile& pile) {
  SpherePile settled = pile;
  settled.n = 5;
  settled.until = 10;
  const PileResult result = RunSaltusPile(settled, SaltusSetup{});
  std::printf("settled pile of 125, 10 s: kinetic energy %.1e J at the end\n",
              result.final_kinetic);
  std::printf(
      "        allocations in the last quarter: %.2f per step; %.2f where the number of contacts\n"
      "        stayed as it was (%ld steps)\n",
      result.allocations_per_step, result.steady_allocations, result.steady_steps);
}

}  // namespace
}  // namespace saltus::bench

int main(int argc, char** argv) {
  using namespace saltus::bench;
  const auto asked = [&](const char* part) {
    return argc < 2 || std::any_of(argv + 1, argv + argc,
                                   [&](const char* a) { return std::strcmp(a, part) == 0; });
  };
  SpherePile pile;
  if (argc > 1 && asked("quick")) pile.until = 0.5;
  std::printf(
      "Processor time per step; ratio to Bullet; contacts loaded at the end; sweeps per step;\n"
      "million contact-iterations per second of the run, of all and of loaded contacts;\n"
      "allocations per step in the last quarter.\n"
      "spheres  code                    per step    ratio  penetration contacts  sweeps     M/s  "
      "loaded  alloc\n");
  if (argc == 4 && std::strcmp(argv[1], "run") == 0) {
    pile.n = std::atoi(argv[2]);
    pile.until = std::atof(argv[3]);
    Print("Saltus 1e-3", pile.n, RunSaltusPile(pile, SaltusSetup{}), 0);
    return 0;
  }
  double bullet = 0;
  if (asked("compare") || asked("quick")) CompareWithBullet(pile, &bullet);
  if (asked("growth")) PrintGrowth(pile, bullet);
  if (asked("steady")) PrintSteadyState(pile);
  return 0;
}
