// The integrators that a scene can name: one row each, with what `simulation:` may say about them.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "saltus/events/event_driven.h"
#include "saltus/events/smooth_integrator.h"
#include "saltus/integrators/energy_momentum.h"
#include "saltus/integrators/generalized_alpha_index3.h"
#include "saltus/integrators/integrator.h"
#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/integrators/schatzman_paoli.h"

namespace saltus {

class MapField;
struct Value;

/// The options of every integrator, each in its own struct.
using IntegratorOptions =
    std::variant<MoreauJeanOptions, NonsmoothAlphaOptions, SchatzmanPaoliOptions,
                 GeneralizedAlphaIndex3Options, EnergyMomentumOptions, SmoothIntegratorOptions,
                 EventDrivenOptions>;

/// A name of the registry and its options.
struct IntegratorChoice {
  std::string name = "moreau-jean";
  IntegratorOptions options = MoreauJeanOptions{};
};

struct IntegratorInfo {
  struct Option {
    std::string key;
    std::string summary;  // meaning, range and default in one line
  };
  std::string name;
  std::string summary;  // one line
  std::vector<Option> options;

  IntegratorOptions (*read)(const MapField& simulation);
  void (*write)(const IntegratorOptions& options, Value* simulation);
  std::unique_ptr<Integrator> (*make)(const IntegratorOptions& options);
};

/// All rows, for `saltus list integrators` and for the reader.
const std::vector<IntegratorInfo>& ListIntegrators();

/// Throws InputError (item "simulation.integrator") with the nearest name if there is none.
const IntegratorInfo& FindIntegrator(const std::string& name);

}  // namespace saltus
