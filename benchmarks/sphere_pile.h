// The sphere pile of the benchmark: n³ spheres fall from a grid into an open box.
//   radius 0.1 m, density 1000 kg/m³, μ = 0.5, e = 0; grid spacing 0.21 m, alternate layers shifted
//   by 0.01 m in x and y, first centre at z = 0.15 m; inner floor (0.22 n) × (0.22 n) m.
#pragma once

#include <ctime>
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
  double seconds_per_step = 0;  // processor time
  double max_penetration = 0;   // m, over the run
  double final_kinetic = 0;     // J
  double contacts = 0;          // at the end
  double iterations_per_step = 0;
  // Contacts × sweeps per second of the whole run, so a bound from below: all contacts of the
  // problem (an open one costs its normal row only), and the loaded ones.
  double contact_iterations = 0;
  double loaded_iterations = 0;
  double allocations_per_step = 0;  // in the last quarter of the run
  double steady_allocations = 0;    // of those steps with as many contacts as before
  long steady_steps = 0;
  std::vector<double> residuals;  // natural map, of the steps with contacts, sorted
  long flagged = 0;               // steps above tolerance
};

/// Of the calling process, s: unlike a clock on the wall it does not see other programs.
inline double ProcessorTime() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

PileResult RunBulletPile(const SpherePile& pile);
struct SaltusSetup {
  double tolerance = 1e-3;    // relative natural-map residual
  int max_iterations = 2000;  // sweeps in a step
  bool associated = false;    // friction by the convex relaxation of Coulomb's law
};
PileResult RunSaltusPile(const SpherePile& pile, const SaltusSetup& setup);

}  // namespace saltus::bench
