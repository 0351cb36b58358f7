// Newton's method of nonsmooth-alpha converges quadratically at impacts of curved contacts in
// space: the rows of contacts and joints turn with the bodies, as (20) of nonsmooth_alpha.h says.
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

struct History {
  int step = 0;
  std::vector<double> errors;  // of q and v after 1, 2, … iterations, against the end of the step
};

/// The step among `count` in which Newton's method takes the most iterations, and its errors.
History FindHardestStep(MultibodySystem* system, double h, int count) {
  NonsmoothAlphaOptions options;
  options.solver_options.tolerance = 1e-14;
  options.newton_tolerance = 1e-13;
  State state = system->MakeInitialState(), start;
  NonsmoothAlpha integrator(options);
  History hardest;
  int most = 0;
  for (int n = 0; n < count; ++n) {
    const State before = state;
    const StepReport& report = integrator.Step(*system, h, &state);
    EXPECT_TRUE(report.ok()) << n;
    if (report.newton_iterations <= most) continue;
    most = report.newton_iterations;
    hardest.step = n;
    start = before;
  }
  NonsmoothAlpha exact(options);
  State end = start;
  (void)exact.Step(*system, h, &end);
  for (int k = 1; k <= most; ++k) {
    options.max_newton_iterations = k;
    NonsmoothAlpha short_of(options);
    State now = start;
    (void)short_of.Step(*system, h, &now);
    VectorX difference;
    system->CalcDifference(end.q, now.q, &difference);
    hardest.errors.push_back(difference.norm() + h * (now.v - end.v).norm());
  }
  return hardest;
}

/// Each error is below a multiple of the square of the one before, down to rounding, or to the
/// share of 1e-3 (and what follows from it) that the passes of an iteration leave.
void ExpectQuadratic(const History& history, double multiple) {
  const std::vector<double>& errors = history.errors;
  ASSERT_GE(errors.size(), 3u);
  ASSERT_GT(errors[0], 1e-5);  // there is something to converge
  for (std::size_t k = 1; k < errors.size(); ++k) {
    const double last = errors[k - 1];
    EXPECT_LE(errors[k], std::max({multiple * last * last, 3e-4 * last, 1e-13}))
        << "iteration " << k + 1 << " of step " << history.step;
  }
}

// Corners of a box that turns about all axes, with friction.
TEST(AlphaNewton, TumblingBox) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.4, 0.3)).AddGroundShape(MakeFloor());
  RigidBodySpec box = MakeBody("box", Box{Vector3(0.3, 0.2, 0.1)}, {0, 0, 0.6});
  box.orientation = Quaternion(Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()));
  box.angular_velocity = Vector3(3, -2, 4);
  box.velocity = Vector3(1, 0.5, -1);
  builder.Add(box);
  MultibodySystem system(builder.Build());
  for (const double h : {1e-2, 5e-3}) {
    ExpectQuadratic(FindHardestStep(&system, h, static_cast<int>(1 / h)), 50);
  }
}

// A ball on a rod, free to turn about a point, glances off a ball that is fixed.
TEST(AlphaNewton, PendulumAgainstSphere) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.3, 0.5));
  ShapeSpec obstacle;
  obstacle.shape = Sphere{0.3};
  obstacle.pose.p = Vector3(0.35, 0.1, -0.9);
  obstacle.material = "stuff";
  builder.AddGroundShape(obstacle);
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {1, 0, 0});
  ball.angular_velocity = Vector3(4, 0, 0.3);
  ball.velocity = Vector3(0, 0.3, 0);
  builder.Add(ball);
  builder.Add(JointSpec{.name = "pivot",
                        .type = JointType::kSpherical,
                        .body_a = "ground",
                        .body_b = "ball",
                        .at = Vector3(0, 0, 0)});
  MultibodySystem system(builder.Build());
  for (const double h : {1e-2, 5e-3}) {
    ExpectQuadratic(FindHardestStep(&system, h, static_cast<int>(1 / h)), 50);
  }
}

}  // namespace
}  // namespace saltus
