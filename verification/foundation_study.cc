// Convergence of Moreau–Jean on problems with exact or independent answers, printed as a page:
//   build/release/bin/foundation_study > verification/foundation.md      (`quick`: few steps)
// Exits with 1 if an observed order is not the one of theory.
#include <cstdio>
#include <cstring>

#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

struct Row {
  double h, error, momentum, energy, closure;
};

struct Study {
  const char* title;
  double order;      // of theory
  double tolerance;  // on the fitted order
  std::vector<Row> rows;
};

bool Print(const Study& study) {
  std::printf(
      "\n## %s\n\n| h [s] | error | order | momentum error | energy change [J] | closure |\n",
      study.title);
  std::printf("|---|---|---|---|---|---|\n");
  std::vector<double> h, error;
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    const Row& r = study.rows[i];
    h.push_back(r.h);
    error.push_back(r.error);
    double order = 0;
    if (i > 0) order = std::log(error[i - 1] / r.error) / std::log(h[i - 1] / r.h);
    std::printf("| %.3e | %.3e | %s | %.2e | %.2e | %.1e |\n", r.h, r.error,
                i > 0 ? std::to_string(order).substr(0, 5).c_str() : "", r.momentum, r.energy,
                r.closure);
  }
  const double fitted = FitOrder(h, error);
  const bool good = std::abs(fitted - study.order) < study.tolerance;
  std::printf("\nFitted order %.3f, theory %.0f (± %.2f): %s.\n", fitted, study.order,
              study.tolerance, good ? "holds" : "DOES NOT HOLD");
  return good;
}

// R1. Errors depend on where the impact falls inside a step, hence many steps and a wide tolerance.
Study StudyBall(int count) {
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, 1.1});
  ball.mass = 1;
  ball.inertia = 0.004 * Matrix3::Identity();
  const auto model =
      ModelBuilder().Add(MakeMaterial(0, 0.9)).AddGroundShape(MakeFloor()).Add(ball).Build();
  Study study{"Bouncing ball (R1), t = 1, one impact, θ = ½", 1, 0.3, {}};
  int n = 100;
  for (int k = 0; k < count; ++k, n = n * 3 / 2 + 1) {
    const RunResult run = RunModel(model, {}, 1.0 / n, 1);
    const double error = std::abs(run.state.q[2] - 0.1 - 0.7109491443330) +
                         std::abs(run.state.v[2] + 1.3940508556670);
    study.rows.push_back({1.0 / n, error, 0,
                          run.audit.final_energy.total() - run.audit.initial_energy.total(),
                          run.audit.RelativeClosure()});
  }
  return study;
}

// R5 (IFToMM A01), t = 10.
Study StudyPendulum(int count) {
  const auto model = ModelBuilder()
                         .Add(PointMassSpec{"bob", 1, {-1, 0, 0}, {0, 0, 0}, {}})
                         .Add(JointSpec{.name = "rod",
                                        .type = JointType::kDistance,
                                        .body_a = "ground",
                                        .body_b = "bob",
                                        .points = {{Vector3::Zero(), Vector3::Zero()}}})
                         .Build();
  Study study{"Pendulum on a distance joint (R5), t = 10, θ = ½", 2, 0.05, {}};
  for (int k = 0, n = 2000; k < count; ++k, n *= 2) {
    const RunResult run = RunModel(model, {}, 10.0 / n, 10);
    const double error =
        std::hypot(run.state.q[0] + 0.275087462576, run.state.q[2] + 0.961419205099);
    study.rows.push_back({10.0 / n, error, 0,
                          run.audit.final_energy.total() - run.audit.initial_energy.total(),
                          run.audit.RelativeClosure()});
  }
  return study;
}

// Independent solution: J = diag(1, 2, 3), Ω(2) = (−4.93364773, −0.81799762, 2.84961283).
Study StudyTorqueFree(int count, double theta) {
  RigidBodySpec body;
  body.name = "body";
  body.mass = 1;
  body.inertia = Vector3(1, 2, 3).asDiagonal();
  body.angular_velocity = {0.1, 5, 0.1};
  const auto model = ModelBuilder().SetGravity(Vector3::Zero()).Add(body).Build();
  const Vector3 J(1, 2, 3), exact(-4.93364773, -0.81799762, 2.84961283);
  const Vector3 momentum = J.cwiseProduct(body.angular_velocity);  // world axes; R(0) = I
  Study study{theta == 0.5 ? "Torque-free asymmetric body, t = 2, θ = ½"
                           : "Torque-free asymmetric body, t = 2, θ = 0.7",
              theta == 0.5 ? 2.0 : 1.0,
              0.1,
              {}};
  MoreauJeanOptions options;
  options.theta = theta;
  for (int k = 0, n = 400; k < count; ++k, n *= 2) {
    const RunResult run = RunModel(model, options, 2.0 / n, 2);
    const Vector3 omega = run.state.v.tail<3>();
    const Quaternion R(run.state.q[3], run.state.q[4], run.state.q[5], run.state.q[6]);
    study.rows.push_back({2.0 / n, (omega - exact).norm(),
                          (R * J.cwiseProduct(omega) - momentum).norm(),
                          run.audit.final_energy.total() - run.audit.initial_energy.total(),
                          run.audit.RelativeClosure()});
  }
  return study;
}

// Independent solution: x(0.5) = (−0.7024683, −0.02116518, −0.71140026).
Study StudyHeavyTop(int count) {
  RigidBodySpec top;
  top.name = "top";
  top.mass = 15;
  top.inertia = Vector3(0.234375, 0.46875, 0.234375).asDiagonal();
  top.position = {0, 1, 0};
  top.angular_velocity = {0, 150, -4.61538};
  top.velocity = Vector3(top.angular_velocity).cross(Vector3(0, 1, 0));
  const auto model = ModelBuilder()
                         .Add(top)
                         .Add(JointSpec{.name = "tip",
                                        .type = JointType::kSpherical,
                                        .body_a = "ground",
                                        .body_b = "top",
                                        .points = {{Vector3::Zero(), Vector3(0, -1, 0)}}})
                         .Build();
  const Vector3 exact(-0.7024683, -0.02116518, -0.71140026);
  // Angular momentum about the vertical through the tip is kept by the exact motion.
  const auto vertical = [&](const State& s) {
    const Quaternion R(s.q[3], s.q[4], s.q[5], s.q[6]);
    const Vector3 spin = R * (*top.inertia * Vector3(s.v.tail<3>()));
    return 15 * Vector3(s.q.head<3>()).cross(Vector3(s.v.head<3>())).z() + spin.z();
  };
  Study study{
      "Heavy top on a spherical joint, t = 0.5, θ = ½ (momentum: vertical component)", 2, 0.15, {}};
  const double before = vertical(MultibodySystem(model).MakeInitialState());
  for (int k = 0, n = 1000; k < count; ++k, n *= 2) {
    const RunResult run = RunModel(model, {}, 0.5 / n, 0.5);
    study.rows.push_back({0.5 / n, (run.state.q.head<3>() - exact).norm(),
                          std::abs(vertical(run.state) - before),
                          run.audit.final_energy.total() - run.audit.initial_energy.total(),
                          run.audit.RelativeClosure()});
  }
  return study;
}

}  // namespace
}  // namespace saltus

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  std::printf("# Moreau–Jean: observed orders\n\n");
  std::printf(
      "Made by `build/release/bin/foundation_study > verification/foundation.md`. "
      "References: exact (R1), IFToMM A01 (R5), independent solutions (rotations). "
      "Closure: unexplained energy over turnover.\n");
  bool good = true;
  good = Print(saltus::StudyBall(14)) && good;
  good = Print(saltus::StudyPendulum(quick ? 3 : 6)) && good;
  good = Print(saltus::StudyTorqueFree(quick ? 3 : 6, 0.5)) && good;
  good = Print(saltus::StudyTorqueFree(quick ? 3 : 6, 0.7)) && good;
  good = Print(saltus::StudyHeavyTop(quick ? 3 : 5)) && good;
  return good ? 0 : 1;
}
