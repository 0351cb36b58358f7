// What the narrow phases are asked and what they answer.
#pragma once

#include <ctime>
#include <vector>

#include "saltus/collision/collision_world.h"

namespace saltus::bench {

struct Query {
  Shape a, b;
  Pose pose_a, pose_b;
};

struct Answer {
  bool found = false;
  double distance = 0;                // signed, m
  Vector3 normal = Vector3::UnitZ();  // from a to b
  int points = 0;
};

/// Answers and seconds per query. `rounds`: how often each query is repeated for the clock.
struct Outcome {
  std::vector<Answer> answers;
  double seconds = 0;
};

/// Processor time of this program, s: other work of the machine does not count.
inline double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Outcome RunFcl(const std::vector<Query>& queries, int rounds);
Outcome RunBullet(const std::vector<Query>& queries, double margin, int rounds);

}  // namespace saltus::bench
