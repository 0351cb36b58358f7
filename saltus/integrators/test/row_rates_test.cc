// Rates of rows against their closed forms.
#include "saltus/integrators/row_rates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "problems/impact_problems.h"

namespace saltus {
namespace {

// H = [0, 1, (b/2) sin θ ± (a/2) cos θ], so H' = δ_θ [0, 0, (b/2) cos θ ∓ (a/2) sin θ].
TEST(RowRates, OfTheRockingBlock) {
  EquationSystem block(MakeRockingBlock({.width = 1, .height = 1.5}));
  const VectorX q = Vector3(0.1, 0.7, 0.3), delta = Vector3(0.2, -0.4, 0.05);
  ContactSet contacts;
  block.FindContacts(0, q, 10, &contacts);
  ASSERT_EQ(contacts.contacts.size(), 2u);
  BlockMatrix M(block.pattern());
  RowRates rates;
  rates.Calc(block, 0, q, delta, M, SparseRows(0, 3), contacts);
  for (int i = 0; i < 2; ++i) {
    const double sign = i == 0 ? 1 : -1;
    const double* row = rates.contacts().values.data() + 3 * i;
    EXPECT_EQ(row[0], 0);
    EXPECT_EQ(row[1], 0);
    EXPECT_NEAR(row[2], delta[2] * (0.75 * std::cos(0.3) - sign * 0.5 * std::sin(0.3)), 1e-7);
  }
}

// G = [1, 0, l sin θ; 0, 1, −l cos θ].
TEST(RowRates, OfTheJointsOfAPendulum) {
  EquationSystem pendulum(MakeBouncingPendulum({}));
  const VectorX q = pendulum.MakeInitialState().q, delta = Vector3(0, 0.1, -0.3);
  SparseRows G;
  pendulum.CalcConstraintJacobian(0, q, &G);
  BlockMatrix M(pendulum.pattern());
  RowRates rates;
  rates.Calc(pendulum, 0, q, delta, M, G, ContactSet{});
  MatrixX expected = MatrixX::Zero(2, 3);
  expected(0, 2) = -0.3 * std::cos(q[2]);
  expected(1, 2) = -0.3 * std::sin(q[2]);
  EXPECT_LT((MatrixX(rates.G()) - expected).norm(), 1e-7);
}

// Beyond the jump of a row nothing is known: it counts as constant.
TEST(RowRates, RowsThatJumpCountAsConstant) {
  Equations equations = MakeBouncingBall({});
  equations.contacts[0].gap = [](const VectorX& q, double* rows) {
    rows[0] = q[0] > 1 ? 2 : 1;
    return q[0];
  };
  EquationSystem ball(equations);
  const VectorX q = VectorX::Constant(1, 1), delta = VectorX::Constant(1, 0.5);
  ContactSet contacts;
  ball.FindContacts(0, q, 10, &contacts);
  BlockMatrix M(ball.pattern());
  RowRates rates;
  rates.Calc(ball, 0, q, delta, M, SparseRows(0, 1), contacts);
  EXPECT_EQ(rates.contacts().values.at(0), 0);
}

}  // namespace
}  // namespace saltus
