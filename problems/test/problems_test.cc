// Every problem keeps the contract of System; the exact ball agrees with the printed numbers.
#include <gtest/gtest.h>

#include "saltus/dynamics/test/system_contract.h"

#include "problems/impact_problems.h"

namespace saltus {
namespace {

void Check(Equations equations) {
  EquationSystem system(std::move(equations));
  for (const unsigned seed : {1u, 2u, 3u}) {
    CheckSystemContract(&system, MakeContractPoint(system, seed));
  }
}

TEST(Problems, KeepTheContract) {
  Check(MakeBouncingBall({}));
  Check(MakeBouncingPendulum({}));
  Check(MakeRockingBlock({}));
  Check(MakeTwoBallOscillator({}));
  Check(MakeSlidingParticle({}));
  ElasticBarData bar;
  bar.elements = 7;
  Check(MakeElasticBar(bar));
  bar.lumped = true;
  Check(MakeElasticBar(bar));
}

// R1 of the references.
TEST(Problems, ExactBallAgreesWithThePrintedNumbers) {
  const BouncingBallData data;
  EXPECT_NEAR(CalcBouncingBall(data, 1).height, 0.7109491443330, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 1).velocity, -1.3940508556670, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 2).height, 0.0136843622851, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 2).velocity, 3.1872221811425, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 5).height, 0.1215486548391, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 5).velocity, -1.1184100332989, 1e-12);
  EXPECT_EQ(CalcBouncingBall(data, 8.5790).height, 0);
}

// Mass and stiffness of the bar: total mass, rigid motions free of force.
TEST(Problems, BarHasItsMassAndNoForceInRigidMotion) {
  for (const bool lumped : {false, true}) {
    ElasticBarData data;
    data.elements = 5;
    data.lumped = lumped;
    EquationSystem bar(MakeElasticBar(data));
    BlockMatrix M(bar.pattern());
    bar.CalcMass(bar.equations().q0, &M);
    EXPECT_NEAR(M.ToDense().sum(), 10, 1e-14);
    VectorX f;
    bar.CalcForce(0, VectorX::Constant(6, 0.3), bar.equations().v0, &f);
    EXPECT_EQ(f.norm(), 0);
    EXPECT_NEAR(bar.CalcEnergy(0, bar.equations().q0, bar.equations().v0).total(), 500, 1e-12);
  }
}

}  // namespace
}  // namespace saltus
