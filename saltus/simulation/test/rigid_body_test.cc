// Orders of convergence of the θ-scheme on rotations: torque-free asymmetric body, heavy top.
#include <gtest/gtest.h>

#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

// Independent solution: J = diag(1,2,3), Ω₀ = (0.1, 5, 0.1),
// Ω(2) = (−4.93364773, −0.81799762, 2.84961283).
TEST(TorqueFreeBody, ConvergesAtTheOrderOfTheory) {
  RigidBodySpec body;
  body.name = "body";
  body.mass = 1;
  body.inertia = Vector3(1, 2, 3).asDiagonal();
  body.angular_velocity = {0.1, 5, 0.1};
  const auto model = ModelBuilder().SetGravity(Vector3::Zero()).Add(body).Build();
  const Vector3 exact(-4.93364773, -0.81799762, 2.84961283);
  const Vector3 J(1, 2, 3);
  const double momentum = J.cwiseProduct(Vector3(0.1, 5, 0.1)).norm();
  const double energy = 0.5 * Vector3(0.1, 5, 0.1).dot(J.cwiseProduct(Vector3(0.1, 5, 0.1)));
  for (const double theta : {0.5, 0.7}) {
    MoreauJeanOptions options;
    options.theta = theta;
    std::vector<double> steps, errors, momentum_errors, energy_errors;
    for (int n = 400; n <= 6400; n *= 2) {
      const RunResult run = RunModel(model, options, 2.0 / n, 2);
      const Vector3 omega = run.state.v.tail<3>();
      steps.push_back(2.0 / n);
      errors.push_back((omega - exact).norm());
      momentum_errors.push_back(std::abs(J.cwiseProduct(omega).norm() - momentum));
      energy_errors.push_back(std::abs(run.audit.final_energy.kinetic - energy));
    }
    const double order = theta == 0.5 ? 2 : 1;
    EXPECT_NEAR(FitOrder(steps, errors), order, 0.1);
    if (theta == 0.5) {  // the angular momentum in space is kept by construction
      for (const double error : momentum_errors) EXPECT_LT(error, 1e-11);
      for (const double error : energy_errors) EXPECT_LT(error, 1e-10);
      continue;
    }
    EXPECT_GT(FitOrder(steps, momentum_errors), order - 0.1);
    EXPECT_GT(FitOrder(steps, energy_errors), order - 0.1);
  }
}

// Independent solution: x(0.5) = (−0.7024683, −0.02116518, −0.71140026).
TEST(HeavyTop, ConvergesAtOrderTwoOnASphericalJoint) {
  RigidBodySpec top;
  top.name = "top";
  top.mass = 15;
  top.inertia = Vector3(0.234375, 0.46875, 0.234375).asDiagonal();
  top.position = {0, 1, 0};
  top.angular_velocity = {0, 150, -4.61538};
  top.velocity = Vector3(top.angular_velocity).cross(Vector3(0, 1, 0));
  const auto model = ModelBuilder()
                         .SetGravity({0, 0, -9.81})
                         .Add(top)
                         .Add(JointSpec{.name = "tip",
                                        .type = JointType::kSpherical,
                                        .body_a = "ground",
                                        .body_b = "top",
                                        .points = {{Vector3::Zero(), Vector3(0, -1, 0)}}})
                         .Build();
  const Vector3 exact(-0.7024683, -0.02116518, -0.71140026);
  std::vector<double> steps, errors, energy_errors;
  for (int n = 1000; n <= 8000; n *= 2) {
    const RunResult run = RunModel(model, {}, 0.5 / n, 0.5);
    ASSERT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
    steps.push_back(0.5 / n);
    errors.push_back((run.state.q.head<3>() - exact).norm());
    energy_errors.push_back(
        std::abs(run.audit.final_energy.total() - run.audit.initial_energy.total()));
    EXPECT_LT(run.audit.max_constraint, 1e-12);
  }
  EXPECT_NEAR(FitOrder(steps, errors), 2, 0.15);
  EXPECT_GT(FitOrder(steps, energy_errors), 1.8);
}

}  // namespace
}  // namespace saltus
