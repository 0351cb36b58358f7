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
  void OnEnd(const Checkpoint& checkpoint, const std::string& text) override {
    outcome = text;
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

}  // namespace
}  // namespace saltus
