// The loop from outside, and what an exception leaves behind.
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

namespace saltus {
namespace {

class Recorder final : public Observer {
 public:
  explicit Recorder(long throw_at = -1) : throw_at_(throw_at) {}
  void OnStart(const StepView& view) override {
    if (throw_at_ == 0) throw std::runtime_error("not even a start");
    times.push_back(view.state.time);
  }
  void OnStep(const StepView& view) override {
    if (view.step_index == throw_at_) throw std::runtime_error("enough\nand more");
    times.push_back(view.state.time);
  }
  void OnEnd(const Checkpoint& checkpoint, const RunOutcome& end_of_run) override {
    outcome = end_of_run.text();
    end = checkpoint.state.time;
  }

  std::vector<double> times;
  std::string outcome;
  double end = -1;

 private:
  long throw_at_;
};

Simulation MakeFallingPoint(double until) {
  auto model = ModelBuilder().Add(PointMassSpec{.name = "bead", .position = {0, 0, 1}}).Build();
  return Simulation(std::make_unique<MultibodySystem>(model),
                    std::make_unique<MoreauJean>(MoreauJeanOptions{}),
                    {.step = 0.1, .until = until});
}

TEST(Loop, FromOutsideEqualsRun) {
  Simulation whole = MakeFallingPoint(0.95), parts = MakeFallingPoint(0.95);
  Recorder seen, stepped;
  whole.AddObserver(&seen);
  parts.AddObserver(&stepped);
  EXPECT_TRUE(whole.Run().good());
  std::string failure;
  parts.Start();
  while (!parts.done()) ASSERT_TRUE(parts.Advance(&failure));
  EXPECT_TRUE(parts.Finish({}).good());
  EXPECT_EQ(seen.times, stepped.times);
  EXPECT_EQ(whole.state().q, parts.state().q);
  EXPECT_EQ(stepped.outcome, "finished");
  EXPECT_EQ(parts.MakeView().step_index, 10);
}

TEST(Loop, AnExceptionEndsTheRunForAllObservers) {
  Simulation simulation = MakeFallingPoint(1);
  Recorder good, thrower(4);
  simulation.AddObserver(&good);
  simulation.AddObserver(&thrower);
  EXPECT_THROW((void)simulation.Run(), std::runtime_error);
  EXPECT_EQ(good.times.size(), 5u);
  EXPECT_EQ(good.end, simulation.state().time);
  EXPECT_NE(good.outcome.find("by an error: enough"), std::string::npos) << good.outcome;
  EXPECT_EQ(good.outcome.find("and more"), std::string::npos);
}

TEST(Loop, AnExceptionAtTheStartEndsTheRunForThoseThatWereTold) {
  Simulation simulation = MakeFallingPoint(1);
  Recorder first, broken(0), last;
  for (Recorder* recorder : {&first, &broken, &last}) simulation.AddObserver(recorder);
  EXPECT_THROW((void)simulation.Run(), std::runtime_error);
  EXPECT_EQ(first.outcome, "stopped at t = 0.000000 s by an error: not even a start");
  EXPECT_EQ(broken.outcome, "");
  EXPECT_EQ(last.outcome, "");
}

/// Throws when it is asked for the n-th time.
class CountedStop final : public StopRequest {
 public:
  explicit CountedStop(int limit) : limit_(limit) {}
  void Check() const override {
    if (++count_ == limit_) throw Interrupted();
  }
  int count() const { return count_; }

 private:
  int limit_;
  mutable int count_ = 0;
};

/// Two spheres that fall on each other, and the solver may stop within a step.
Simulation MakeFallingSpheres(const StopRequest* stop, const SimulationOptions& options) {
  ModelBuilder builder;
  builder.Add(MaterialSpec{.name = "stone", .density = 1000, .friction = 0.5});
  builder.AddGroundShape({.shape = HalfSpace{}, .material = "stone"});
  for (int i = 0; i < 2; ++i) {
    RigidBodySpec ball{.name = "ball" + std::to_string(i),
                       .position = {0.01 * i, 0, 0.11 + 0.2 * i}};
    ball.shapes = {{.shape = Sphere{0.1}, .material = "stone"}};
    builder.Add(ball);
  }
  MoreauJeanOptions method;
  method.solver = "nsgs";
  method.solver_options.stop = stop;
  return Simulation(std::make_unique<MultibodySystem>(builder.Build()),
                    std::make_unique<MoreauJean>(method), options);
}

// Wherever the wish of the end meets a run, the run stands at its last whole step: what is left is
// that of an undisturbed run to this instant, bit for bit, and can be continued.
TEST(Loop, AnInterruptedStepLeavesNoTrace) {
  for (const bool adaptive : {false, true}) {
    SimulationOptions options{.step = 0.02, .until = 0.2};
    if (adaptive) options.adaptive = AdaptiveOptions{.tolerance = 1e-4};
    const CountedStop never(-1);
    Simulation whole = MakeFallingSpheres(&never, options);
    whole.Run(&never);
    ASSERT_GT(never.count(), 20);
    for (int limit = 1; limit <= never.count(); limit += 7) {
      const CountedStop stop(limit);
      Simulation cut = MakeFallingSpheres(&stop, options);
      Recorder seen;
      cut.AddObserver(&seen);
      const RunOutcome outcome = cut.Run(&stop);
      EXPECT_EQ(outcome.kind, RunOutcome::Kind::kInterrupted);
      EXPECT_EQ(seen.end, cut.state().time);
      EXPECT_EQ(seen.times.back(), cut.state().time);
      EXPECT_EQ(seen.outcome.find("interrupted at t = "), 0u);
      EXPECT_EQ(static_cast<std::size_t>(cut.checkpoint().step_index) + 1, seen.times.size());
      Simulation same = MakeFallingSpheres(nullptr, options),
                 rest = MakeFallingSpheres(nullptr, options);
      same.Start();
      std::string failure;
      for (long k = 0; k < cut.checkpoint().step_index; ++k) ASSERT_TRUE(same.Advance(&failure));
      EXPECT_TRUE(same.state().q == cut.state().q && same.state().v == cut.state().v);
      EXPECT_EQ(same.audit().steps, cut.audit().steps);
      EXPECT_EQ(same.audit().solver_iterations, cut.audit().solver_iterations);
      rest.Restore(cut.checkpoint());
      rest.Run();
      EXPECT_TRUE(whole.state().q == rest.state().q && whole.state().v == rest.state().v);
    }
  }
}

}  // namespace
}  // namespace saltus
