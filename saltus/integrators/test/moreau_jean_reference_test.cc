// The columns "MJ half" of the reference tables (b) and (d).
//
// They belong to the θ-scheme as its eq. (50) has it, with the rows of joints and contacts at the
// new configuration and joints at velocity level only:
//   M W = G(q)ᵀΛ,  v = v_n + h M⁻¹f + W,  q = q_n + h [(1−θ) v_n + θ v],  f constant           (1)
//   joints: G(q) v = 0;
//   contacts with g(q_n + γ h v_n) ≤ 0: 0 ≤ G(q) v + e G(q_n) v_n ⟂ Λ ≥ 0                      (2)
// No option of MoreauJean leads there: its joints are exact in position too, or drift with G at the
// midpoint, and its contacts take H(q_n). So (1), (2) are written out here, for systems with few
// contacts. What is tested: these columns are reproducible, the place of G and H is the difference,
// and the two schemes approach each other at order 1.
#include <cmath>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/test/run_problem.h"

namespace saltus {
namespace {

/// (1), (2) by fixed-point iteration over q; the complementarity problem by trying all subsets.
class PageMoreauJean {
 public:
  PageMoreauJean(const Equations& equations, double theta, double gamma)
      : system_(equations), theta_(theta), gamma_(gamma), state(system_.MakeInitialState()) {
    BlockMatrix M(system_.pattern());
    system_.CalcMass(state.q, &M);
    inverse_mass_ = M.ToDense().inverse();
  }

  void Step(double h) {
    const VectorX q_n = state.q, v_n = state.v;
    VectorX f;
    system_.CalcForce(0, q_n, v_n, &f);
    const VectorX v_free = v_n + h * (inverse_mass_ * f);
    std::vector<int> active;
    FindRows(q_n + gamma_ * h * v_n, nullptr);
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      if (gaps_[i] <= 0) active.push_back(static_cast<int>(i));
    }
    FindRows(q_n, nullptr);
    std::vector<double> rebound;
    for (const int i : active) rebound.push_back(restitution_ * H_[i].dot(v_n));
    VectorX v = v_free, last;
    do {
      last = v;
      v = SolveVelocity(q_n + h * ((1 - theta_) * v_n + theta_ * v), v_free, active, rebound);
    } while ((v - last).norm() > 1e-14 * (1 + v.norm()));
    state.q = q_n + h * ((1 - theta_) * v_n + theta_ * v);
    state.v = v;
  }
  double energy() const { return EnergyOf(system_, state); }
  VectorX joints() {
    VectorX g;
    system_.CalcConstraint(0, state.q, &g);
    return g;
  }
  const std::vector<double>& gaps() {
    FindRows(state.q, nullptr);
    return gaps_;
  }

 private:
  /// Gaps and rows of all contacts at q, and the joints' Jacobian.
  void FindRows(const VectorX& q, SparseRows* G) {
    ContactSet set;
    system_.FindContacts(0, q, 1e3, &set);
    gaps_.clear();
    H_.clear();
    for (const Contact& c : set.contacts) {
      gaps_.push_back(c.gap);
      restitution_ = c.restitution;
      VectorX row = VectorX::Zero(q.size());
      for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
        const RowBlock& rb = set.blocks[k];
        row.segment(rb.dof, rb.columns) += set.rows(rb, 1).transpose();
      }
      H_.push_back(row);
    }
    if (G != nullptr) system_.CalcConstraintJacobian(0, q, G);
  }

  VectorX SolveVelocity(const VectorX& q, const VectorX& v_free, const std::vector<int>& active,
                        const std::vector<double>& rebound) {
    const int m = system_.traits().num_constraints, n = static_cast<int>(active.size());
    SparseRows G(m, q.size());
    FindRows(q, m > 0 ? &G : nullptr);
    for (unsigned subset = 0; subset < (1u << n); ++subset) {
      MatrixX J(m + n, q.size());
      VectorX shift = VectorX::Zero(m + n);
      if (m > 0) J.topRows(m) = MatrixX(G);
      int rows = m;
      for (int i = 0; i < n; ++i) {
        if ((subset >> i & 1u) == 0) continue;
        J.row(rows) = H_[active[i]].transpose();
        shift[rows++] = rebound[i];
      }
      VectorX lambda, v = v_free;
      if (rows > 0) {  // Eigen may not solve for no rows.
        const MatrixX A = J.topRows(rows);
        lambda = (A * inverse_mass_ * A.transpose()).fullPivLu().solve(-(A * v + shift.head(rows)));
        v += inverse_mass_ * (A.transpose() * lambda);
      }
      bool good = rows == m || lambda.tail(rows - m).minCoeff() >= 0;
      for (int i = 0; i < n; ++i) {
        const bool closed = (subset >> i & 1u) != 0;
        good = good && (closed || H_[active[i]].dot(v) + rebound[i] >= 0);
      }
      if (good) return v;
    }
    ADD_FAILURE() << "no subset of the contacts solves the step";
    return v_free;
  }

  EquationSystem system_;
  double theta_, gamma_;
  MatrixX inverse_mass_;
  std::vector<double> gaps_;
  std::vector<VectorX> H_;
  double restitution_ = 0;

 public:
  State state;
};

constexpr double kTheta = 5.0 / 9;

TEST(MoreauJeanOfTheReference, PendulumColumn) {
  PageMoreauJean run(MakeBouncingPendulum({}), kTheta, 0.5);
  const struct {
    int n;
    double angle, rate, E;
  } rows[] = {{400, -0.45093402, -3.55130086, 2.57855030},
              {600, -0.45209532, 2.50754864, -0.90932518},
              {1000, -0.15272146, -1.05054553, -0.91327968},
              {2000, -0.68742721, 1.80176393, -4.55798774},
              {3000, -0.76969643, 1.28782639, -6.04455717}};
  double drift_x = 0, drift_y = 0, least_gap = 1;
  for (int n = 1; n <= 3500; ++n) {
    run.Step(1e-3);
    const VectorX g = run.joints();
    drift_x = std::max(drift_x, std::abs(g[0]));
    drift_y = std::max(drift_y, std::abs(g[1]));
    least_gap = std::min(least_gap, run.gaps()[0]);
    for (const auto& row : rows) {
      if (row.n != n) continue;
      EXPECT_NEAR(run.state.q[2], row.angle, 0.6e-8) << n;
      EXPECT_NEAR(run.state.v[2], row.rate, 0.6e-8) << n;
      EXPECT_NEAR(run.energy(), row.E, 0.6e-8) << n;
    }
  }
  EXPECT_NEAR(drift_x, 4.5e-4, 0.06e-4);
  EXPECT_NEAR(drift_y, 2.6e-4, 0.06e-4);
  EXPECT_NEAR(least_gap, -1.1e-3, 0.06e-3);
  PageMoreauJean full(MakeBouncingPendulum({}), kTheta, 1);
  least_gap = 1;
  for (int n = 1; n <= 3500; ++n) {
    full.Step(1e-3);
    least_gap = std::min(least_gap, full.gaps()[0]);
  }
  EXPECT_NEAR(least_gap, 1.9e-4, 0.06e-4);
}

TEST(MoreauJeanOfTheReference, BlockColumn) {
  PageMoreauJean run(MakeRockingBlock({}), kTheta, 0.5);
  const struct {
    int n;
    double y, angle, E;
  } rows[] = {{20, 0.83200741, 0.16188367, 8.97814243},
              {30, 0.78473592, -0.06625883, 8.04443542},
              {50, 0.75918117, 0.02192630, 7.69031301}};
  double least[2] = {1, 1};
  for (int n = 1; n <= 300; ++n) {
    run.Step(1e-2);
    for (int i = 0; i < 2; ++i) least[i] = std::min(least[i], run.gaps()[i]);
    for (const auto& row : rows) {
      if (row.n != n) continue;
      EXPECT_NEAR(run.state.q[1], row.y, 0.6e-8) << n;
      EXPECT_NEAR(run.state.q[2], row.angle, 0.6e-8) << n;
      EXPECT_NEAR(run.energy(), row.E, 0.6e-8) << n;
    }
  }
  EXPECT_NEAR(run.state.q[1], 0.74966319, 0.6e-8);
  EXPECT_NEAR(run.state.q[2], 5.546e-4, 0.6e-7);
  EXPECT_NEAR(run.energy(), 7.35419594, 0.6e-8);
  EXPECT_NEAR(least[0], -1.4e-3, 0.06e-3);
  EXPECT_NEAR(least[1], -7.5e-3, 0.06e-3);
}

// (y, θ) error of the block at t = 0.5 s.
TEST(MoreauJeanOfTheReference, BlockErrors) {
  const double table[][2] = {{1e-2, 2.0e-2}, {5e-3, 7.5e-3}, {2e-3, 3.5e-3},
                             {1e-3, 1.2e-3}, {5e-4, 8.6e-4}, {2e-4, 3.4e-4}};
  for (const auto& [h, error] : table) {
    PageMoreauJean run(MakeRockingBlock({}), kTheta, 0.5);
    for (int n = 0; n < std::lround(0.5 / h); ++n) run.Step(h);
    const double found = std::hypot(run.state.q[1] - 0.7649594647, run.state.q[2] - 0.0029142218);
    EXPECT_NEAR(found, error, 0.06 * error) << h;
  }
}

}  // namespace
}  // namespace saltus
