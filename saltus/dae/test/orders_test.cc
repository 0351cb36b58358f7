// Fixed-step orders prove the coefficients.
#include "saltus/dae/half_explicit.h"
#include "saltus/dae/runge_kutta.h"
#include "saltus/dae/test/run_dae.h"

namespace saltus {
namespace {

/// Row sums are the nodes; Σ b_i c_i^{k−1} = 1/k and Σ b_i a_ij c_j^{k−1} = 1/(k(k+1)) up to the
/// order.
TEST(Tableaux, MeetTheOrderConditions) {
  for (const RungeKuttaTableau& tableau :
       {MakeRk4Tableau(), MakeRkf45Tableau(), MakeDopri5Tableau(), MakeHem4Tableau(),
        MakeHem5Tableau()}) {
    const auto check = [&](const std::vector<double>& b, int order) {
      for (int k = 1; k <= order; ++k) {
        double quadrature = 0, nested = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
          quadrature += b[i] * std::pow(tableau.nodes[i], k - 1);
          for (std::size_t j = 0; j < i; ++j) {
            nested += b[i] * tableau.a[i][j] * std::pow(tableau.nodes[j], k - 1);
          }
        }
        EXPECT_NEAR(quadrature, 1.0 / k, 2e-14) << "order " << k;
        if (k < order) {
          EXPECT_NEAR(nested, 1.0 / (k * (k + 1)), 2e-14) << "order " << k;
        }
      }
    };
    for (std::size_t i = 0; i < tableau.a.size(); ++i) {
      double sum = 0;
      for (const double a : tableau.a[i]) sum += a;
      EXPECT_NEAR(sum, tableau.nodes[i], 3e-13) << "row " << i;  // as printed for hem5
    }
    check(tableau.weights, tableau.order);
    if (!tableau.embedded.empty()) check(tableau.embedded, tableau.order == 5 ? 4 : 5);
  }
}

struct OrderCase {
  std::string solver;
  double expected;
  int first_steps;  // the coarsest run; each further one has √2 times as many
};

class Orders : public testing::TestWithParam<OrderCase> {};

/// Six step sizes; reference: hem5 with 3200 steps. The four-bar linkage passes near a dead point,
/// where orders show only with finer steps.
void ExpectOrder(Equations equations, double t_end, int refinement, const OrderCase& param) {
  EquationSystem system(std::move(equations));
  const DaePoint exact = RunFixed(&system, "hem5", t_end, 3200);
  std::vector<double> steps, q_errors, v_errors;
  double count = refinement * param.first_steps;
  for (int i = 0; i < 6; ++i, count *= std::sqrt(2.0)) {
    const int n = static_cast<int>(std::lround(count));
    const DaePoint end = RunFixed(&system, param.solver, t_end, n);
    steps.push_back(t_end / n);
    q_errors.push_back((end.q - exact.q).norm());
    v_errors.push_back((end.v - exact.v).norm());
  }
  EXPECT_GT(FitOrder(steps, q_errors), param.expected - 0.3) << q_errors.back();
  EXPECT_GT(FitOrder(steps, v_errors), param.expected - 0.3) << v_errors.back();
}

TEST_P(Orders, HoldOnTheSliderCrank) { ExpectOrder(MakeSliderCrank(), 0.5, 1, GetParam()); }
TEST_P(Orders, HoldOnTheFourBarInReferencePoints) {
  ExpectOrder(MakeFourBarBodies(), 0.4, 4, GetParam());
}
TEST_P(Orders, HoldWithoutJoints) { ExpectOrder(MakeDoublePendulum(), 0.7, 1, GetParam()); }

INSTANTIATE_TEST_SUITE_P(OfAllSolvers, Orders,
                         testing::Values(OrderCase{"rk4", 4, 10}, OrderCase{"rkf45", 4, 10},
                                         OrderCase{"dopri5", 5, 10}, OrderCase{"hem4", 4, 10},
                                         OrderCase{"hem5", 5, 10}, OrderCase{"phem56", 5, 10},
                                         OrderCase{"alpha-index2", 2, 40},
                                         OrderCase{"alpha-index3", 2, 40},
                                         OrderCase{"hht-i3", 2, 40}),
                         [](const auto& test) {
                           std::string name = test.param.solver;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace saltus
