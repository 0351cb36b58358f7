// The sphere pile of the benchmark: n³ spheres fall from a grid into an open box.
//   radius 0.1 m, density 1000 kg/m³, μ = 0.5, e = 0; grid spacing 0.21 m, alternate layers shifted
//   by 0.01 m in x and y, first centre at z = 0.15 m; inner floor (0.22 n) × (0.22 n) m.
#pragma once

#include <vector>

namespace saltus::bench {

struct SpherePile {
  int n = 10;             // spheres along each edge
  double radius = 0.1;    // m
  double density = 1000;  // kg/m³
  double friction = 0.5;
  double step = 0.005;  // s
  double until = 2;     // s

  double half_floor() const { return 0.11 * n; }
  struct Center {
    double x, y, z;
  };
  std::vector<Center> MakeCenters() const {
    std::vector<Center> centers;
    for (int k = 0; k < n; ++k) {
      const double shift = k % 2 == 0 ? 0.0 : 0.01;
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          centers.push_back({(i - 0.5 * (n - 1)) * 0.21 + shift, (j - 0.5 * (n - 1)) * 0.21 + shift,
                             0.15 + 0.21 * k});
        }
      }
    }
    return centers;
  }
};

struct PileResult {
  double seconds_per_step = 0;
  double max_penetration = 0;     // m, over the run
  double final_kinetic = 0;       // J
  double contact_iterations = 0;  // per second of solver time; 0: not measured
  double iterations_per_step = 0;
  double allocations_per_step = 0;  // in the last quarter of the run
  double contacts = 0;              // at the end
  double residual = 0;              // largest natural-map residual
  long flagged = 0;                 // steps above tolerance
};

PileResult RunBulletPile(const SpherePile& pile);
PileResult RunSaltusPile(const SpherePile& pile, double tolerance);

}  // namespace saltus::bench
