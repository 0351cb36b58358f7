// What a step of nonsmooth-alpha costs: beside Moreau–Jean on the pile of spheres, and over the
// number of elements of the bar on a wall.
//   build/native/bin/integrator_cost_bench           both tables
//   build/native/bin/integrator_cost_bench bar N     a bar of N elements alone, for profilers
// Times are processor time of this process, so that a busy machine disturbs them little.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/scene/scene.h"

#include "problems/impact_problems.h"

namespace saltus::bench {
namespace {

double ProcessorTime() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Cost {
  double seconds = 0, iterations = 0;  // per step
};

/// Steps with the bar in contact, at Courant number 1.
Cost RunBar(Integrator* integrator, int elements, int steps) {
  ElasticBarData data;
  data.elements = elements;
  data.gap = 1e-9;
  EquationSystem bar(MakeElasticBar(data));
  State state = bar.MakeInitialState();
  Cost cost;
  const double h = data.length / elements / 30;
  double start = 0;
  for (int n = -2; n < steps; ++n) {  // the first two touch the memory
    if (n == 0) start = ProcessorTime();
    const StepReport& report = integrator->Step(bar, h, &state);
    if (!report.ok()) std::printf("step failed: %s\n", report.culprit.c_str());
    if (n >= 0) cost.iterations += static_cast<double>(report.newton_iterations) / steps;
  }
  cost.seconds = (ProcessorTime() - start) / steps;
  return cost;
}

void PrintBars() {
  std::printf("\nBar on a wall, in contact\n%10s %22s %22s\n", "elements", "nonsmooth-alpha [ms]",
              "moreau-jean [ms]");
  std::vector<double> sizes, alpha_times, moreau_times;
  for (const int elements : {625, 1250, 2500, 5000, 10000, 20000}) {
    const int steps = std::max(10, 100000 / elements);
    NonsmoothAlpha alpha{NonsmoothAlphaOptions{}};
    MoreauJean moreau{MoreauJeanOptions{}};
    const Cost a = RunBar(&alpha, elements, steps), m = RunBar(&moreau, elements, steps);
    std::printf("%10d %14.3f (%.1f it) %14.3f (%.1f it)\n", elements, 1e3 * a.seconds, a.iterations,
                1e3 * m.seconds, m.iterations);
    sizes.push_back(std::log(elements));
    alpha_times.push_back(std::log(a.seconds));
    moreau_times.push_back(std::log(m.seconds));
  }
  const auto slope = [&](const std::vector<double>& y) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    const double n = static_cast<double>(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sx += sizes[i], sy += y[i], sxx += sizes[i] * sizes[i], sxy += sizes[i] * y[i];
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
  };
  std::printf("growth with the number of elements: n^%.2f and n^%.2f\n", slope(alpha_times),
              slope(moreau_times));
}

/// The settled part of the pile of 1000 spheres: time per step between two instants of one run.
void PrintPile(const std::string& file) {
  std::printf("Pile of 1000 spheres, time per step [ms]\n%20s %12s %12s %12s\n", "", "falling",
              "collapse", "newton it");
  std::vector<double> totals;
  for (const char* name : {"moreau-jean", "nonsmooth-alpha"}) {
    Scene scene = ReadScene(file, {std::string("simulation.integrator=") + name});
    Simulation simulation = MakeSimulation(scene);
    simulation.Start();
    double last = ProcessorTime();
    std::printf("%20s", name);
    double total = 0;
    for (int part = 0; part < 2; ++part) {
      const int steps = 30;
      for (int n = 0; n < steps; ++n) {
        std::string failure;
        if (!simulation.Advance(&failure)) std::printf(" failed: %s", failure.c_str());
      }
      const double now = ProcessorTime();
      std::printf(" %12.2f", 1e3 * (now - last) / steps);
      total += now - last;
      last = now;
    }
    std::printf(" %12.2f\n", static_cast<double>(simulation.audit().newton_iterations) /
                                 static_cast<double>(simulation.audit().steps));
    totals.push_back(total);
  }
  std::printf("nonsmooth-alpha / moreau-jean: %.2f\n", totals[1] / totals[0]);
}

}  // namespace
}  // namespace saltus::bench

int main(int argc, char** argv) {
  using namespace saltus;
  if (argc == 3 && std::strcmp(argv[1], "bar") == 0) {
    NonsmoothAlpha alpha{NonsmoothAlphaOptions{}};
    const bench::Cost cost = bench::RunBar(&alpha, std::atoi(argv[2]), 20);
    std::printf("%.3f ms, %.1f iterations per step\n", 1e3 * cost.seconds, cost.iterations);
    return 0;
  }
  bench::PrintPile(argc > 1 ? argv[1] : "scenes/sphere_pile_1000.yaml");
  bench::PrintBars();
  return 0;
}
