// Lasting contact under nonsmooth-alpha is of second order, (14)-(15) of nonsmooth_alpha.h: beads,
// discs and ladders that slide, roll and stick, against exact or finely integrated motions.
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/integrators/test/small_system.h"

namespace saltus {
namespace {

constexpr double kG = 9.81;

struct End {
  State state;
  double max_penetration = 0, impact_loss = 0, lasting = 0, max_creep = 0;
};

End RunSteps(const SmallSystem::Data& data, double until, int steps) {
  SmallSystem system(data);
  NonsmoothAlphaOptions options;
  options.solver_options.tolerance = 1e-12;
  NonsmoothAlpha integrator(options);
  End end;
  end.state = system.MakeInitialState();
  for (int n = 0; n < steps; ++n) {
    const StepReport& report = integrator.Step(system, until / steps, &end.state);
    EXPECT_TRUE(report.ok()) << "step " << n << ": " << report.culprit;
    if (!report.ok()) break;
    end.max_penetration = std::max(end.max_penetration, report.max_penetration);
    end.impact_loss += report.work.impact_loss;
    end.lasting += report.work.lasting;
    for (const ContactResult& c : report.contacts) {
      end.max_creep = std::max(end.max_creep, c.creep);
    }
  }
  return end;
}

/// Errors of q and of v after `until` with 50, 100 and 200 steps shrink by more than 3.5 each time,
/// or are rounding. The exact end is `q`, `v`.
void ExpectOrderTwo(const SmallSystem::Data& data, double until, const VectorX& q,
                    const VectorX& v) {
  double last_q = 0, last_v = 0;
  for (const int steps : {50, 100, 200}) {
    const End end = RunSteps(data, until, steps);
    const double error_q = (end.state.q - q).lpNorm<Eigen::Infinity>();
    const double error_v = (end.state.v - v).lpNorm<Eigen::Infinity>();
    if (steps > 50) {
      EXPECT_LT(error_q, std::max(last_q / 3.5, 1e-11)) << "q, " << steps << " steps";
      EXPECT_LT(error_v, std::max(last_v / 3.5, 1e-11)) << "v, " << steps << " steps";
    }
    EXPECT_LE(end.max_penetration, 1e-12);
    EXPECT_EQ(end.impact_loss, 0);
    last_q = error_q;
    last_v = error_v;
  }
}

/// The classical Runge–Kutta method for ẏ = f(y), fine enough to count as exact.
VectorX Integrate(const std::function<VectorX(const VectorX&)>& f, VectorX y, double until) {
  const int steps = 20000;
  const double h = until / steps;
  for (int n = 0; n < steps; ++n) {
    const VectorX a = f(y), b = f(y + 0.5 * h * a), c = f(y + 0.5 * h * b), d = f(y + h * c);
    y += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return y;
}

VectorX Down(const VectorX&, const VectorX&) { return Eigen::Vector2d(0, -kG); }

/// A bead inside (sign 1) or outside (−1) of the unit circle, at the angle φ from the lowest point.
SmallSystem::Data MakeBead(double angle, double rate, double mu, double sign) {
  SmallSystem::Data data;
  data.q = Eigen::Vector2d(std::sin(angle), -std::cos(angle));
  data.v = rate * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  data.mass = Eigen::Vector2d::Ones();
  data.force = Down;
  data.potential = [](const VectorX& q) { return kG * q[1]; };
  SmallSystem::ContactData contact;
  contact.gap = [sign](const VectorX& q) { return sign * (1 - q.norm()); };
  contact.rows = [sign](const VectorX& q) -> MatrixX {
    const Eigen::Vector2d n = -sign * q.normalized();
    MatrixX rows(2, 2);
    rows << n[0], n[1], -n[1], n[0];
    return rows;
  };
  contact.friction = mu;
  data.contacts = {contact};
  return data;
}

/// φ̈ of the bead: normal force sign(g cos φ + φ̇²).
void ExpectBeadOrderTwo(double angle, double rate, double mu, double sign, double until) {
  const VectorX y = Integrate(
      [&](const VectorX& s) -> VectorX {
        const double normal = sign * (kG * std::cos(s[0]) + s[1] * s[1]);
        const double slip = s[1] > 0 ? 1 : -1;
        return Eigen::Vector2d(s[1], -kG * std::sin(s[0]) - mu * normal * slip);
      },
      Eigen::Vector2d(angle, rate), until);
  const Eigen::Vector2d q(std::sin(y[0]), -std::cos(y[0]));
  const Eigen::Vector2d v = y[1] * Eigen::Vector2d(std::cos(y[0]), std::sin(y[0]));
  ExpectOrderTwo(MakeBead(angle, rate, mu, sign), until, q, v);
}

TEST(NonsmoothAlphaLasting, BeadInABowl) { ExpectBeadOrderTwo(1.2, 0, 0, 1, 1.3); }
TEST(NonsmoothAlphaLasting, BeadSlidingInABowl) { ExpectBeadOrderTwo(1.2, -0.5, 0.2, 1, 0.6); }
TEST(NonsmoothAlphaLasting, BeadOnADomeBeforeItLeaves) {
  ExpectBeadOrderTwo(M_PI - 0.3, -0.5, 0, -1, 0.4);
}

// It leaves where the normal force vanishes; then it falls. Through the transition the error stays
// below C h².
TEST(NonsmoothAlphaLasting, BeadLeavesADome) {
  double time = 0, h = 1e-5;
  Eigen::Vector2d s(M_PI - 0.3, -0.5);
  const auto rate = [](const Eigen::Vector2d& y) {
    return Eigen::Vector2d(y[1], -kG * std::sin(y[0]));
  };
  while (-(kG * std::cos(s[0]) + s[1] * s[1]) > 0) {
    const Eigen::Vector2d a = rate(s), b = rate(s + 0.5 * h * a);
    s += h * b;
    time += h;
  }
  const double until = time + 0.2, left = until - time;
  const Eigen::Vector2d v = s[1] * Eigen::Vector2d(std::cos(s[0]), std::sin(s[0]));
  Eigen::Vector2d q = Eigen::Vector2d(std::sin(s[0]), -std::cos(s[0])) + left * v;
  q[1] -= 0.5 * kG * left * left;
  for (const int steps : {50, 100, 200, 400}) {
    const End end = RunSteps(MakeBead(M_PI - 0.3, -0.5, 0, -1), until, steps);
    EXPECT_LE((end.state.q - q).norm(), 60 * std::pow(until / steps, 2) + 1e-5) << steps;
  }
}

// The energy of the frictionless bowl has no drift: 10 s at 4 ms.
TEST(NonsmoothAlphaLasting, BowlKeepsItsEnergy) {
  SmallSystem system(MakeBead(1.2, 0, 0, 1));
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  State state = system.MakeInitialState();
  const double bottom = -kG;
  const double start = system.CalcEnergy(0, state.q, state.v).total() - bottom;
  for (int n = 0; n < 2500; ++n) {
    const StepReport& report = integrator.Step(system, 4e-3, &state);
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report.impacts, 0);
    ASSERT_NEAR(system.CalcEnergy(0, state.q, state.v).total() - bottom, start, 2e-4 * start);
  }
  EXPECT_NEAR(system.CalcEnergy(0, state.q, state.v).total() - bottom, start, 1e-4 * start);
}

/// A block at a spring on a belt of speed v_b: x, y.
SmallSystem::Data MakeBelt(double speed) {
  SmallSystem::Data data;
  data.q = Eigen::Vector2d(0, 0);
  data.v = Eigen::Vector2d(speed, 0);
  data.mass = Eigen::Vector2d::Ones();
  data.force = [](const VectorX& q, const VectorX&) -> VectorX {
    return Eigen::Vector2d(-100 * q[0], -kG);
  };
  data.stiffness = [](const VectorX&, const VectorX&) -> MatrixX {
    MatrixX K = MatrixX::Zero(2, 2);
    K(0, 0) = 100;
    return K;
  };
  SmallSystem::ContactData floor;
  floor.gap = [](const VectorX& q) { return q[1]; };
  floor.rows = [](const VectorX&) -> MatrixX { return (MatrixX(2, 2) << 0, 1, 1, 0).finished(); };
  floor.friction = 0.3;
  data.contacts = {floor};
  return data;
}

// ẍ = −ω²x − μg while it slides forward: x = A cos ωt + B sin ωt − μg/ω².
TEST(NonsmoothAlphaLasting, BlockSlidesAtASpring) {
  const double w = 10, s = 0.3 * kG / 100, t = 0.05, v0 = 1.5;
  const double x = s * std::cos(w * t) + v0 / w * std::sin(w * t) - s;
  const double v = -s * w * std::sin(w * t) + v0 * std::cos(w * t);
  ExpectOrderTwo(MakeBelt(v0), t, Eigen::Vector2d(x, 0), Eigen::Vector2d(v, 0));
}

/// A disc (x, y, θ) of radius ½ and J = m r²/2 on a plane under the acceleration (gx, −gy).
SmallSystem::Data MakeDisc(double gx, double gy, double mu, const Vector3& v) {
  SmallSystem::Data data;
  data.q = Vector3(0, 0.5, 0);
  data.v = v;
  data.mass = Vector3(1, 1, 0.125);
  data.force = [=](const VectorX&, const VectorX&) -> VectorX { return Vector3(gx, -gy, 0); };
  SmallSystem::ContactData floor;
  floor.gap = [](const VectorX& q) { return q[1] - 0.5; };
  floor.rows = [](const VectorX&) -> MatrixX {
    return (MatrixX(2, 3) << 0, 1, 0, 1, 0, 0.5).finished();
  };
  floor.friction = mu;
  data.contacts = {floor};
  return data;
}

TEST(NonsmoothAlphaLasting, DiscSlidesExactly) {
  const double t = 0.4, a = 0.2 * kG;
  const End end = RunSteps(MakeDisc(0, kG, 0.2, {3, 0, 0}), t, 40);
  EXPECT_NEAR(end.state.q[0], 3 * t - 0.5 * a * t * t, 1e-12);
  EXPECT_NEAR(end.state.q[2], -0.5 * a * 0.5 / 0.125 * t * t, 1e-12);
}

// Rolling from v/3 μg on, at 2/3 of the speed.
TEST(NonsmoothAlphaLasting, DiscSlidesThenRolls) {
  const double v0 = 2, a = 0.2 * kG, roll = v0 / (3 * a), t = 0.8;
  const double x = v0 * roll - 0.5 * a * roll * roll + 2.0 / 3 * v0 * (t - roll);
  for (const int steps : {40, 80, 160}) {
    const End end = RunSteps(MakeDisc(0, kG, 0.2, {v0, 0, 0}), t, steps);
    EXPECT_NEAR(end.state.v[0], 2.0 / 3 * v0, 1e-12);
    EXPECT_NEAR(end.state.q[0], x, 3 * std::pow(t / steps, 2)) << steps;
  }
}

TEST(NonsmoothAlphaLasting, DiscRollsDownASlopeExactly) {
  const double slope = 0.3, t = 1, a = 2.0 / 3 * kG * std::sin(slope);
  const End end =
      RunSteps(MakeDisc(kG * std::sin(slope), kG * std::cos(slope), 0.5, {0, 0, 0}), t, 50);
  EXPECT_NEAR(end.state.q[0], 0.5 * a * t * t, 1e-12);
  EXPECT_NEAR(end.state.v[0], a * t, 1e-12);
}

// A point that slides on a slope with a speed across it: the slip direction turns.
TEST(NonsmoothAlphaLasting, SlipDirectionTurns) {
  const double slope = 0.4, mu = 0.5, gx = kG * std::sin(slope), gn = kG * std::cos(slope);
  SmallSystem::Data data;
  data.q = Vector3::Zero();
  data.v = Vector3(0, 2, 0);
  data.mass = Vector3::Ones();
  data.force = [=](const VectorX&, const VectorX&) -> VectorX { return Vector3(gx, 0, -gn); };
  SmallSystem::ContactData floor;
  floor.gap = [](const VectorX& q) { return q[2]; };
  floor.rows = [](const VectorX&) -> MatrixX {
    return (MatrixX(3, 3) << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
  };
  floor.friction = mu;
  data.contacts = {floor};
  const double until = 0.3;
  const VectorX y = Integrate(
      [&](const VectorX& s) -> VectorX {
        const Eigen::Vector2d v = s.tail<2>();
        const Eigen::Vector2d a = Eigen::Vector2d(gx, 0) - mu * gn * v.normalized();
        return Eigen::Vector4d(v[0], v[1], a[0], a[1]);
      },
      Eigen::Vector4d(0, 0, 0, 2), until);
  ExpectOrderTwo(data, until, Vector3(y[0], y[1], 0), Vector3(y[2], y[3], 0));
}

/// A ladder of length 2 (half length 1, m = 1, J = 1/3) between floor and wall; θ from the floor.
/// As a joint, the foot cannot leave the floor.
SmallSystem::Data MakeLadder(double angle, double mu, bool joint) {
  SmallSystem::Data data;
  data.q = Vector3(std::cos(angle), std::sin(angle), angle);
  data.v = Vector3::Zero();
  data.mass = Vector3(1, 1, 1.0 / 3);
  data.force = [](const VectorX&, const VectorX&) -> VectorX { return Vector3(0, -kG, 0); };
  SmallSystem::ContactData foot, head;
  foot.gap = [](const VectorX& q) { return q[1] - std::sin(q[2]); };
  foot.rows = [](const VectorX& q) -> MatrixX {
    return (MatrixX(2, 3) << 0, 1, -std::cos(q[2]), 1, 0, -std::sin(q[2])).finished();
  };
  head.gap = [](const VectorX& q) { return q[0] - std::cos(q[2]); };
  head.rows = [](const VectorX& q) -> MatrixX {
    return (MatrixX(2, 3) << 1, 0, std::sin(q[2]), 0, 1, std::cos(q[2])).finished();
  };
  foot.friction = head.friction = mu;
  data.contacts = {foot, head};
  if (!joint) return data;
  data.contacts = {head};
  data.num_constraints = 1;
  data.g = [](const VectorX& q) -> VectorX { return VectorX::Constant(1, q[1] - std::sin(q[2])); };
  data.G = [](const VectorX& q) -> MatrixX {
    return (MatrixX(1, 3) << 0, 1, -std::cos(q[2])).finished();
  };
  data.gamma = [](const VectorX& q, const VectorX& v) -> VectorX {
    return VectorX::Constant(1, std::sin(q[2]) * v[2] * v[2]);
  };
  data.geometric = [](const VectorX& q, const VectorX& lambda) -> MatrixX {
    MatrixX K = MatrixX::Zero(3, 3);
    K(2, 2) = -std::sin(q[2]) * lambda[0];
    return K;
  };
  return data;
}

/// The ladder slides down: foot outwards, head down. N_f = m(g + ÿ) − μN_h, N_h = m ẍ + μN_f.
void ExpectLadderOrderTwo(double mu, bool joint, double until) {
  const double angle = 1.2;
  const VectorX y = Integrate(
      [&](const VectorX& s) -> VectorX {
        const double c = std::cos(s[0]), n = std::sin(s[0]), w2 = s[1] * s[1];
        // Centre (cos θ, sin θ): ẍ = −n θ̈ − c ω², ÿ = c θ̈ − n ω². Unknowns θ̈, N_f, N_h, friction
        // of the foot −μN_f (it moves to +x), of the head +μN_h (it moves down).
        Matrix3 A;
        Vector3 b;
        A << n, -mu, 1, -c, 1, mu, 1.0 / 3, c - mu * n, -(n + mu * c);
        b << -c * w2, kG - n * w2, 0;
        const Vector3 x = A.partialPivLu().solve(b);
        return Eigen::Vector2d(s[1], x[0]);
      },
      Eigen::Vector2d(angle, 0), until);
  const double c = std::cos(y[0]), n = std::sin(y[0]);
  ExpectOrderTwo(MakeLadder(angle, mu, joint), until, Vector3(c, n, y[0]),
                 Vector3(-n * y[1], c * y[1], y[1]));
}

TEST(NonsmoothAlphaLasting, LadderBetweenFloorAndWall) { ExpectLadderOrderTwo(0, false, 0.5); }
TEST(NonsmoothAlphaLasting, LadderWithAJointAtTheFloor) { ExpectLadderOrderTwo(0, true, 0.5); }
TEST(NonsmoothAlphaLasting, LadderWithFriction) { ExpectLadderOrderTwo(0.1, false, 0.45); }

/// A disc of radius ¼ that rolls in the unit bowl; q: centre and angle.
SmallSystem::Data MakeRollingDisc(double angle, double mu) {
  SmallSystem::Data data;
  data.q = Vector3(0.75 * std::sin(angle), -0.75 * std::cos(angle), 0);
  data.v = Vector3::Zero();
  data.mass = Vector3(1, 1, 0.5 / 16);
  data.force = [](const VectorX&, const VectorX&) -> VectorX { return Vector3(0, -kG, 0); };
  SmallSystem::ContactData bowl;
  bowl.gap = [](const VectorX& q) { return 0.75 - q.head<2>().norm(); };
  bowl.rows = [](const VectorX& q) -> MatrixX {
    const Eigen::Vector2d n = -q.head<2>().normalized();
    return (MatrixX(2, 3) << n[0], n[1], 0, -n[1], n[0], -0.25).finished();
  };
  bowl.friction = mu;
  data.contacts = {bowl};
  return data;
}

// (m + J/r²) R φ̈ = −m g sin φ: a pendulum with 2/3 of the gravity; slip −R φ̇·t …: θ̇ = −R φ̇/r.
TEST(NonsmoothAlphaLasting, DiscRollsInABowl) {
  const double R = 0.75, until = 1.2;
  const VectorX y = Integrate(
      [&](const VectorX& s) -> VectorX {
        return Eigen::Vector2d(s[1], -2.0 / 3 * kG / R * std::sin(s[0]));
      },
      Eigen::Vector2d(1, 0), until);
  const double c = std::cos(y[0]), n = std::sin(y[0]);
  // Row t: −n_y ẋ + n_x ẏ − θ̇/4 = 0 with n = −q/R.
  const double spin = 4 * (R * y[1] * (-(-(-c)) * c + -n * n));
  const double turn = 4 * -R * (y[0] - 1);
  ExpectOrderTwo(MakeRollingDisc(1, 1), until, Vector3(R * n, -R * c, turn),
                 Vector3(R * c * y[1], R * n * y[1], spin));
}

// Sticking under a varying load: bounded, no creep.
TEST(NonsmoothAlphaLasting, BlockOnASlopeDoesNotCreep) {
  SmallSystem::Data data = MakeDisc(0, 0, 0.8, {0, 0, 0});
  data.force = [](const VectorX&, const VectorX&) -> VectorX {
    return Vector3(kG * std::sin(0.4), -kG * std::cos(0.4), 0);
  };
  data.contacts[0].rows = [](const VectorX&) -> MatrixX {
    return (MatrixX(2, 3) << 0, 1, 0, 1, 0, 0).finished();
  };
  for (const int steps : {200, 2000}) {
    const End end = RunSteps(data, 2, steps);
    EXPECT_LE(std::abs(end.state.q[0]), 1e-14);
    EXPECT_LE(end.max_creep, 1e-15);
  }
}

}  // namespace
}  // namespace saltus
