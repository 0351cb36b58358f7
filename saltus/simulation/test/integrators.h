// The integrators that know every law of contact, and runs with any of them.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {

using MakeIntegrator = std::function<std::unique_ptr<Integrator>()>;

inline std::vector<MakeIntegrator> ListContactIntegrators() {
  return {[] { return std::make_unique<MoreauJean>(MoreauJeanOptions{}); },
          [] { return std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{}); }};
}

inline RunResult RunWith(const std::shared_ptr<const Model>& model,
                         std::unique_ptr<Integrator> integrator, double h, double until,
                         Runner::See see = nullptr) {
  SimulationOptions options;
  options.step = h;
  options.until = until;
  Simulation simulation(std::make_unique<MultibodySystem>(model), std::move(integrator), options);
  Runner runner(std::move(see));
  simulation.AddObserver(&runner);
  RunResult result;
  result.outcome = simulation.Run();
  result.state = simulation.state();
  result.audit = simulation.audit();
  return result;
}

}  // namespace saltus
