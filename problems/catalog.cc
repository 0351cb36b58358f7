#include "problems/catalog.h"

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"

#include "problems/impact_problems.h"
#include "problems/mechanisms.h"

namespace saltus {

const std::vector<ProblemInfo>& ListProblems() {
  static const std::vector<ProblemInfo> problems = {
      {"four-bar", "four-bar linkage in three angles, driven by a torque",
       [] { return MakeFourBar(); }, "hem5", 0.01, 2},
      {"four-bar-points", "the same in natural coordinates, two points",
       [] { return MakeFourBarPoints(); }, "hem5", 0.01, 2},
      {"four-bar-bodies", "the same in reference-point coordinates, three bodies",
       [] { return MakeFourBarBodies(); }, "hem5", 0.01, 2},
      {"slider-crank", "rigid slider-crank in two angles", [] { return MakeSliderCrank(); }, "hem5",
       0.01, 1},
      {"flexible-slider-crank", "slider-crank with an elastic rod and a prescribed crank speed",
       [] { return MakeFlexibleSliderCrank(); }, "hem5", 0.0005, 0.1},
      {"rotating-beam", "elastic beam of 30 segments on a turning hub: stiff",
       [] { return MakeRotatingBeam(); }, "alpha-index2", 0.01, 3},
      {"double-pendulum", "two bars with masses at their middle, in two angles",
       [] { return MakeDoublePendulum(); }, "dopri5", 0.01, 10},
      {"double-pendulum-points", "the same in Cartesian coordinates of the masses",
       [] { return MakeDoublePendulumPoints(); }, "rattle", 0.001, 10},
      {"bouncing-ball", "ball on a floor, infinitely many impacts in finite time",
       [] { return MakeBouncingBall({}); }, "moreau-jean", 0.001, 10},
      {"impact-oscillator", "driven oscillator that hits a stop",
       [] { return MakeImpactOscillator({}); }, "moreau-jean", 0.001, 25},
      {"bouncing-pendulum", "rod that hits a wall", [] { return MakeBouncingPendulum({}); },
       "moreau-jean", 0.001, 4},
      {"rocking-block", "block that lands on two corners", [] { return MakeRockingBlock({}); },
       "moreau-jean", 0.001, 4},
      {"two-ball-oscillator", "two balls and a spring above a floor",
       [] { return MakeTwoBallOscillator({}); }, "moreau-jean", 0.001, 4},
      {"sliding-particle", "particle on a rough floor", [] { return MakeSlidingParticle({}); },
       "moreau-jean", 0.001, 1},
      {"elastic-bar", "elastic bar that flies against a wall", [] { return MakeElasticBar({}); },
       "moreau-jean", 0.001, 3}};
  return problems;
}

const ProblemInfo& FindProblem(const std::string& name) {
  std::vector<std::string> names;
  for (const ProblemInfo& info : ListProblems()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InputError("problem", "there is no problem '" + name + "'", SuggestName(name, names));
}

}  // namespace saltus
