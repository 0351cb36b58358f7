// The verdict: what is judged, by which limits, and in which words.
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

namespace saltus {
namespace {

RigidBodySpec MakeBox(const std::string& name, const Vector3& position) {
  RigidBodySpec box;
  box.name = name;
  box.position = position;
  box.shapes = {{Box{Vector3::Constant(0.1)}, {}, {}, 0}};
  return box;
}

Simulation MakeRun(const ModelBuilder& builder, const SimulationOptions& options,
                   const MoreauJeanOptions& scheme = {}) {
  return Simulation(std::make_unique<MultibodySystem>(builder.Build()),
                    std::make_unique<MoreauJean>(scheme), options);
}

ModelBuilder MakeOverlap() {
  ModelBuilder builder;
  builder.Add(MakeBox("a", {0, 0, 0.1})).Add(MakeBox("b", {0.1, 0, 0.1}));
  builder.AddGroundShape({HalfSpace{}, {}, {}, 0});
  return builder;
}

TEST(Verdict, ABallThatFallsIsGood) {
  RigidBodySpec ball = MakeBox("ball", {0, 0, 1});
  Simulation run = MakeRun(ModelBuilder().Add(ball), {.step = 1e-3, .until = 0.1});
  const RunOutcome outcome = run.Run();
  EXPECT_EQ(outcome.verdict, "good");
  EXPECT_TRUE(outcome.good());
}

TEST(Verdict, TheStartIsAudited) {
  Simulation run = MakeRun(MakeOverlap(), {.step = 1e-3, .until = 0.002});
  const RunOutcome outcome = run.Run();
  EXPECT_FALSE(outcome.good());
  EXPECT_NEAR(run.audit().max_penetration, 0.1, 1e-9);
  EXPECT_NE(outcome.verdict.find("look at: penetration 100 mm at a-b, t = 0 s"), std::string::npos)
      << outcome.verdict;
}

TEST(Verdict, LimitsCanBeSetAndTakenAway) {
  SimulationOptions options{.step = 1e-3, .until = 0.002};
  options.limits.max_penetration = std::numeric_limits<double>::infinity();
  Simulation tolerant = MakeRun(MakeOverlap(), options);
  const Verdict verdict = (tolerant.Run(), tolerant.MakeVerdict());
  for (const Violation& violation : verdict.violations) EXPECT_NE(violation.key, "max_penetration");

  options.limits = {};
  options.limits.max_penetration = 0.05;
  Simulation strict = MakeRun(MakeOverlap(), options);
  EXPECT_NE(strict.Run().violations.at(0).find("max_penetration = 1.000e-01 m exceeds its limit 5"),
            std::string::npos);
}

TEST(Verdict, LimitsAreRelativeToTheModel) {
  const Audit audit;
  VerdictBasis basis;
  basis.scale = {.smallest_shape = 0.02, .size = 3};
  EXPECT_DOUBLE_EQ(*FillLimits({}, audit, basis).max_penetration, 2e-6);
  EXPECT_DOUBLE_EQ(*FillLimits({}, audit, basis).max_constraint, 3e-6);
  // A scheme that does not hold positions stops a body up to a step late.
  basis.holds_positions = false;
  basis.step = 1e-3;
  Audit fast;
  fast.max_speed = 5;
  EXPECT_DOUBLE_EQ(*FillLimits({}, fast, basis).max_penetration, 2 * 1e-3 * 5);
}

TEST(Verdict, TheScaleIsThatOfShapesAndJoints) {
  RigidBodySpec slab = MakeBox("slab", {1, 0, 0});
  slab.shapes = {{Box{{0.5, 0.3, 0.01}}, {}, {}, 0}};
  const MultibodySystem system(ModelBuilder().Add(slab).Build());
  const ModelScale scale = CalcScale(system, system.MakeInitialState());
  EXPECT_DOUBLE_EQ(scale.smallest_shape, 0.02);
  EXPECT_GT(scale.size, 1.0);
  EXPECT_LT(scale.size, 3.0);
}

// A clamped beam under load: nothing moves, 10⁻¹⁶ J of rounding is no closure error.
TEST(Verdict, NothingMovesIsGood) {
  RigidBodySpec beam;
  beam.name = "beam";
  beam.mass = 10;
  beam.inertia = Vector3(0.1, 1, 1).asDiagonal();
  beam.position = {0.3, 0, 0};
  JointSpec clamp;
  clamp.name = "clamp";
  clamp.type = JointType::kFixed;
  clamp.body_a = "ground";
  clamp.body_b = "beam";
  clamp.at = Vector3::Zero();
  Simulation run = MakeRun(ModelBuilder().Add(beam).Add(clamp), {.step = 0.01, .until = 1});
  EXPECT_EQ(run.Run().verdict, "good");
  EXPECT_LT(run.audit().RelativeClosure(), 1e-9);
}

// What rounding explains is judged by the amount of energy, all else by the turnover.
TEST(Verdict, ClosureIsRelativeToTheTurnover) {
  Audit audit;
  audit.turnover = 2;
  audit.energy_scale = 100;
  EXPECT_DOUBLE_EQ(audit.CalcRelative(0.01), 0.005);
  EXPECT_DOUBLE_EQ(audit.CalcRelative(1e-14), 1e-16);
  EXPECT_EQ(audit.CalcRelative(0), 0);
  audit.turnover = 0;
  EXPECT_TRUE(std::isinf(audit.CalcRelative(0.01)));
}

// A contact adds up its path as long as it sticks; a slip starts it again.
TEST(Verdict, CreepIsSummedPerContact) {
  StepReport report;
  const auto add = [&report](std::uint64_t pair, bool sticks, double creep) {
    ContactResult contact;
    contact.key = {pair, 0};
    contact.sticks = sticks;
    contact.creep = creep;
    report.contacts.push_back(contact);
  };
  Audit audit;
  const auto step = [&](double time) {
    audit.AddStep(report, {}, {}, time);
    report.contacts.clear();
  };
  add(3, true, 1e-6);
  add(7, true, 2e-6);
  step(0.1);
  add(3, true, 1e-6);
  add(5, true, 1e-7);
  add(7, false, 0);
  step(0.2);
  add(3, true, 1.5e-6);
  add(7, true, 2e-6);
  step(0.3);
  EXPECT_DOUBLE_EQ(audit.max_creep, 3.5e-6);
  EXPECT_EQ(audit.creep_at.key.pair, 3u);
  EXPECT_EQ(audit.creep_at.time, 0.3);
  ASSERT_EQ(audit.creeping.size(), 2u);
  EXPECT_DOUBLE_EQ(audit.creeping[1].path, 2e-6);
}

TEST(Verdict, LengthsAreReadable) {
  EXPECT_EQ(FormatLength(0.072), "72 mm");
  EXPECT_EQ(FormatLength(3.1e-7), "3.1e-07 m");
  EXPECT_EQ(FormatLength(2.5e-5), "25 µm");
  EXPECT_EQ(FormatLength(1.5), "1.5 m");
}

/// Accepts nothing: every step says that Newton's method did not converge.
class Failing final : public Integrator {
 public:
  std::string name() const override { return "failing"; }
  const StepReport& Step(System&, double h, State* state) override {
    report_.status = StepStatus::kNewtonNotConverged;
    report_.culprit = "joint 'hinge'; try a smaller step or on_failure: halve";
    report_.step = h;
    state->time += h;
    return report_;
  }

 private:
  StepReport report_;
};

RunOutcome RunFailing(FailurePolicy policy) {
  auto model = ModelBuilder().Add(PointMassSpec{.name = "bead", .position = {0, 0, 1}}).Build();
  SimulationOptions options{.step = 0.1, .until = 0.3};
  options.on_failure = policy;
  Simulation run(std::make_unique<MultibodySystem>(model), std::make_unique<Failing>(), options);
  return run.Run();
}

TEST(Failure, SmallerStepsAreAdvisedOnlyIfTheyWereNotTried) {
  const RunOutcome stopped = RunFailing(FailurePolicy::kStop);
  EXPECT_EQ(stopped.kind, RunOutcome::Kind::kFailed);
  EXPECT_NE(stopped.message.find("on_failure: halve tries it"), std::string::npos)
      << stopped.message;
  const RunOutcome halved = RunFailing(FailurePolicy::kHalve);
  EXPECT_EQ(halved.message.find("on_failure"), std::string::npos) << halved.message;
  EXPECT_EQ(halved.message.find("smaller step"), std::string::npos) << halved.message;
  EXPECT_NE(halved.message.find("joint 'hinge'"), std::string::npos);
  EXPECT_LT(halved.message.find("joint 'hinge'"), halved.message.find("do not help"));
}

TEST(Failure, AnAcceptedFailureIsInTheVerdict) {
  const RunOutcome flagged = RunFailing(FailurePolicy::kFlag);
  EXPECT_EQ(flagged.kind, RunOutcome::Kind::kFinished);
  EXPECT_FALSE(flagged.good());
  EXPECT_NE(flagged.verdict.find("3 of 3 steps failed and were accepted"), std::string::npos)
      << flagged.verdict;
}

TEST(Failure, TheDefaultHalves) {
  EXPECT_EQ(SimulationOptions{}.on_failure, FailurePolicy::kHalve);
}

}  // namespace
}  // namespace saltus
