// Random scenes of boxes in which earlier versions accepted steps that end with boxes inside
// each other, at every step size: a loaded contact was lost from iterate to iterate.
#include <gtest/gtest.h>

#include "saltus/simulation/test/random_bodies.h"

namespace saltus {
namespace {

/// 200 steps. No accepted one overlaps, by a test of its own.
BodySteps RunSoundly(unsigned seed) {
  const RandomBodies scene = MakeRandomBodies(seed);
  MultibodySystem system(scene.model);
  NonsmoothAlpha integrator(scene.options);
  State state = system.MakeInitialState();
  BodySteps count;
  for (int n = 0; n < 200; ++n) {
    StepBodies(scene, CalcBoxOverlap, &integrator, &system, scene.h, 6, &state, &count);
  }
  EXPECT_LE(count.overlap, 1e-11);
  return count;
}

/// And failed steps are recovered by halving.
void ExpectSound(unsigned seed) {
  const BodySteps count = RunSoundly(seed);
  EXPECT_EQ(count.lost, 0) << count.culprit;
  EXPECT_LE(count.failures, 4) << count.culprit;
  EXPECT_LE(count.iterations, 4 * count.steps);
}

TEST(AlphaStress, Seed158LosesNoEndOfAnEdge) { RunSoundly(158); }
TEST(AlphaStress, Seed233LosesNoContact) { ExpectSound(233); }
TEST(AlphaStress, Seed295LosesNoContact) { ExpectSound(295); }
TEST(AlphaStress, Seed305LosesNoEndOfAnEdge) { RunSoundly(305); }
TEST(AlphaStress, Seed440LosesNoContact) { ExpectSound(440); }

}  // namespace
}  // namespace saltus
