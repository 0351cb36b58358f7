// Runs a problem step by step, for the tests of the integrators.
#pragma once

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/integrator.h"

#include "problems/impact_problems.h"

namespace saltus {

/// Calls `look` after every step with the number of the step, its report and the state.
using Look = std::function<void(int, const StepReport&, const State&)>;

inline State RunProblem(System* system, Integrator* integrator, double h, int steps,
                        const Look& look = {}) {
  State state = system->MakeInitialState();
  for (int n = 1; n <= steps; ++n) {
    const StepReport& report = integrator->Step(*system, h, &state);
    EXPECT_TRUE(report.ok()) << StatusName(report.status) << " at step " << n;
    if (!report.ok()) break;
    if (look) look(n, report, state);
  }
  return state;
}

inline double EnergyOf(const System& system, const State& state) {
  return system.CalcEnergy(state.time, state.q, state.v).total();
}

/// Of this process, s: a busy machine does not disturb it.
inline double ProcessorTime() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Slope of log(error) over log(h), least squares.
inline double FitSlope(const std::vector<double>& h, const std::vector<double>& error) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]), y = std::log(error[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Contact force, energies and gaps of the bar on the wall over 1.6 s, table (c) of the method
/// page.
struct BarRun {
  double first_active = -1, last_active = -1;   // end times of steps with a contact force
  int active_steps = 0;                         // their number
  double mean = 0, deviation = 0, largest = 0;  // of the force, 0.55 s < t < 1.1 s
  double min_gap = 1e300;
  double max_gain = 0;      // of energy, in one step
  double energy_first = 0;  // after the first step with a contact force
  double energy_06 = 0, energy_10 = 0, energy_16 = 0, gap_16 = 0, mean_velocity_16 = 0;
  double mean_iterations = 0;
  int max_iterations = 0;
};

inline BarRun RunBar(Integrator* integrator, bool lumped, double h = 2e-3, int elements = 200) {
  ElasticBarData data;
  data.elements = elements;
  data.lumped = lumped;
  EquationSystem bar(MakeElasticBar(data));
  BlockMatrix M(bar.pattern());
  bar.CalcMass(bar.equations().q0, &M);
  BarRun run;
  std::vector<double> forces;
  const int steps = static_cast<int>(std::lround(1.6 / h));
  double energy_before = 500;
  const auto is = [&](int n, double t) { return n == static_cast<int>(std::lround(t / h)); };
  RunProblem(&bar, integrator, h, steps, [&](int n, const StepReport& report, const State& s) {
    double force = 0;
    for (const ContactResult& c : report.contacts) force += c.impulse[0] / h;
    const double t = n * h, energy = EnergyOf(bar, s);
    run.max_gain = std::max(run.max_gain, energy - energy_before);
    energy_before = energy;
    run.mean_iterations += static_cast<double>(report.newton_iterations) / steps;
    run.max_iterations = std::max(run.max_iterations, report.newton_iterations);
    if (force > 0) {
      if (run.first_active < 0) {
        run.first_active = t;
        run.energy_first = energy;
      }
      run.last_active = t;
      ++run.active_steps;
    }
    if (t > 0.55 + 1e-9 && t < 1.1 - 1e-9) forces.push_back(force);
    run.min_gap = std::min(run.min_gap, data.gap + s.q[0]);
    if (is(n, 0.6)) run.energy_06 = energy;
    if (is(n, 1.0)) run.energy_10 = energy;
    if (!is(n, 1.6)) return;
    run.energy_16 = energy;
    run.gap_16 = data.gap + s.q[0];
    VectorX momentum;
    M.Multiply(s.v, &momentum);
    run.mean_velocity_16 = momentum.sum() / 10;
  });
  for (const double f : forces) run.mean += f / static_cast<double>(forces.size());
  for (const double f : forces) {
    run.deviation += (f - run.mean) * (f - run.mean) / static_cast<double>(forces.size());
    run.largest = std::max(run.largest, f);
  }
  run.deviation = std::sqrt(run.deviation);
  return run;
}

}  // namespace saltus
