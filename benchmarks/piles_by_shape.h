// Piles of one shape for the benchmark: bodies fall from a grid, turned at random, into an open
// container of boxes.
//   density 1200 kg/m³, μ = 0.4, e = 0.1, h = 2 ms; n × n bodies a layer, 0.15 m apart, layers of
//   0.13 m; container 0.15 n + 0.05 m wide, walls of 50 mm.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/collision/shape.h"

namespace saltus::bench {

struct PlacedBody {
  Shape shape;
  Pose pose;
};

struct ShapePile {
  std::string kind = "box";  // box, capsule, cylinder, hull, sphere or mix
  int count = 60;
  int edge = 3;  // bodies along an edge of a layer
  double density = 1200, friction = 0.4, restitution = 0.1;
  double step = 2e-3, until = 1.6;  // s

  std::vector<PlacedBody> MakeBodies() const;
  std::vector<PlacedBody> MakeContainer() const;
};

struct PileRun {
  bool finished = false;
  std::string message;
  double seconds_per_step = 0;  // processor time
  double max_overlap = 0;       // m, by the certificate, at every 20th step and the last
  double reported_overlap = 0;  // m, by the program itself
  double final_speed = 0;       // m/s, of the fastest body
  double time = 0;              // s, reached
  long steps = 0;
  double newton_per_step = 0, sweeps_per_step = 0;
};

/// Of the calling process, s: unlike a clock on the wall it does not see other programs.
inline double ProcessorTime() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

PileRun RunBulletShapes(const ShapePile& pile);
/// @param rows  "midpoint" (the default) or "start"
PileRun RunSaltusShapes(const ShapePile& pile, const std::string& integrator,
                        const std::string& rows);

}  // namespace saltus::bench
