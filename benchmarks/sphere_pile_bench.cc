// The sphere pile against Bullet in one run: time per step, penetration, growth with the number of
// spheres, allocations in a steady step. `sphere_pile_bench quick` runs a short version.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

#include "benchmarks/sphere_pile.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace saltus::bench {
namespace {

std::shared_ptr<const Model> BuildPile(const SpherePile& pile) {
  ModelBuilder builder;
  builder.Add(MaterialSpec{"stone", pile.density, pile.friction, 0, 0});
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
  Watch(long from_step, PileResult* result) : from_step_(from_step), result_(result) {}
  void OnStep(const StepView& view) override {
    if (view.step_index == from_step_) start_ = allocations;
    if (view.step_index > from_step_) {
      result_->allocations_per_step = static_cast<double>(allocations - start_) /
                                      static_cast<double>(view.step_index - from_step_);
    }
    result_->contacts = 0;
    for (const ContactResult& c : view.report.contacts) result_->contacts += c.impulse[0] > 0;
  }

 private:
  long from_step_;
  long start_ = 0;
  PileResult* result_;
};

void Print(const char* name, int n, const PileResult& r, double reference) {
  std::printf("%6d  %-14s %9.3f ms  %6.2fx  %9.2e m  %6.0f  %7.1f  %7.1f  %8.1e  %5ld\n", n * n * n,
              name, 1e3 * r.seconds_per_step, reference > 0 ? r.seconds_per_step / reference : 0.0,
              r.max_penetration, r.contacts, r.iterations_per_step, r.allocations_per_step,
              r.residual, r.flagged);
  std::fflush(stdout);
}

}  // namespace

PileResult RunSaltusPile(const SpherePile& pile, double tolerance) {
  MoreauJeanOptions options;
  options.theta = 1;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  options.projection_tolerance = 9e-7;
  options.solver = "nsgs";
  options.solver_options.tolerance = tolerance;
  options.solver_options.max_iterations = 2000;
  SimulationOptions run;
  run.step = pile.step;
  run.until = pile.until;
  run.on_failure = FailurePolicy::kFlag;
  Simulation simulation(std::make_unique<MultibodySystem>(BuildPile(pile)),
                        std::make_unique<MoreauJean>(options), run);
  PileResult result;
  Watch watch(static_cast<long>(0.75 * pile.until / pile.step), &result);
  simulation.AddObserver(&watch);
  const RunOutcome outcome = simulation.Run();
  if (!outcome.message.empty()) std::printf("saltus: %s\n", outcome.message.c_str());
  const Audit& audit = simulation.audit();
  result.seconds_per_step = audit.wall_time / static_cast<double>(audit.steps);
  result.max_penetration = audit.max_penetration;
  result.final_kinetic = audit.final_energy.kinetic;
  result.iterations_per_step =
      static_cast<double>(audit.solver_iterations) / static_cast<double>(audit.steps);
  result.residual = audit.max_cone_residual;
  result.flagged = audit.flagged;
  return result;
}

}  // namespace saltus::bench

int main(int argc, char** argv) {
  using namespace saltus::bench;
  const bool quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  std::printf(
      "spheres  code            per step   ratio  penetration contacts  its/step  "
      "alloc/step  residual  flagged\n");
  SpherePile pile;
  if (quick) pile.until = 0.5;
  double bullet = 0;
#ifdef SALTUS_HAS_BULLET
  const PileResult peer = RunBulletPile(pile);
  bullet = peer.seconds_per_step;
  Print("Bullet", pile.n, peer, bullet);
#endif
  Print("Saltus 1e-3", pile.n, RunSaltusPile(pile, 1e-3), bullet);
  Print("Saltus 1e-6", pile.n, RunSaltusPile(pile, 1e-6), bullet);
  if (quick) return 0;
  double first = 0;
  for (const int n : {5, 10, 20}) {
    SpherePile sized = pile;
    sized.n = n;
    const PileResult result = RunSaltusPile(sized, 1e-3);
    if (n == 5) first = result.seconds_per_step;
    Print("Saltus 1e-3", n, result, bullet);
    if (n > 5) {
      std::printf("        growth since 125 spheres: N^%.3f\n",
                  std::log(result.seconds_per_step / first) / (3 * std::log(n / 5.0)));
    }
  }
  return 0;
}
