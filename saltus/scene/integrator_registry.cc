#include "saltus/scene/integrator_registry.h"

#include <algorithm>

#include "saltus/scene/field.h"
#include "saltus/scene/integrator_rows.h"

namespace saltus {
// --- What several integrators share --------------------------------------------------------------

IntegratorInfo::Option MakeSolverOption() {
  return {"solver", "contact solver {name, tolerance, max_iterations}; default {auto, 1e-9, 1000}"};
}

void ReadSolver(const MapField& simulation, std::string* name, ConicSolverOptions* options) {
  const std::optional<Field> field = simulation.Find("solver");
  if (!field) return;
  const MapField solver(*field, "solver");
  std::vector<std::string> names;
  for (const ConicSolverInfo& info : ListConicSolvers()) names.push_back(info.name);
  if (const auto key = solver.Find("name")) *name = names[key->ReadChoice(names)];
  options->tolerance =
      solver.ReadNumber("tolerance", options->tolerance, {.min = 0, .max = 1, .min_open = true});
  if (const auto key = solver.Find("max_iterations")) {
    options->max_iterations = static_cast<int>(key->ReadInteger(1, 100'000'000));
  }
}

Value MakeSolver(const std::string& name, const ConicSolverOptions& options) {
  Value solver = MakeMap();
  solver.Add("name", MakeScalar(name));
  solver.Add("tolerance", MakeNumber(options.tolerance));
  solver.Add("max_iterations", MakeNumber(options.max_iterations));
  return solver;
}

void ReadNewton(const MapField& simulation, double* tolerance, int* max_iterations) {
  *tolerance = simulation.ReadNumber("newton_tolerance", *tolerance, kPositive);
  if (const auto key = simulation.Find("max_newton_iterations")) {
    *max_iterations = static_cast<int>(key->ReadInteger(1, 10'000));
  }
}

namespace {

// --- moreau-jean ---------------------------------------------------------------------------------

/// none | half | full: the factor γ of the predicted gap; linearized; or γ itself.
void ReadActivation(const Field& field, MoreauJeanOptions* options) {
  static const std::vector<std::string> names = {"none", "half", "full", "linearized"};
  const std::string text = field.ReadText();
  if (text == "linearized") {
    options->activation = MoreauJeanOptions::Activation::kLinearized;
    return;
  }
  options->activation = MoreauJeanOptions::Activation::kPredicted;
  const bool is_number = text.find_first_of("0123456789") != std::string::npos;
  options->gamma =
      is_number ? field.ReadNumber(kUnit) : 0.5 * static_cast<double>(field.ReadChoice(names));
}

IntegratorOptions ReadMoreauJean(const MapField& simulation) {
  MoreauJeanOptions options;
  options.theta = simulation.ReadNumber("theta", options.theta, {.min = 0.5, .max = 1});
  if (const auto key = simulation.Find("activation")) ReadActivation(*key, &options);
  options.projection = simulation.ReadBool("projection", options.projection);
  options.projection_tolerance =
      simulation.ReadNumber("projection_tolerance", options.projection_tolerance, kPositive);
  if (const auto key = simulation.Find("tangential_stiffness")) {
    options.tangential_stiffness = key->ReadNumber(kPositive);
  }
  ReadNewton(simulation, &options.newton_tolerance, &options.max_newton_iterations);
  ReadSolver(simulation, &options.solver, &options.solver_options);
  return options;
}

void WriteMoreauJean(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<MoreauJeanOptions>(choice);
  const bool linearized = options.activation == MoreauJeanOptions::Activation::kLinearized;
  simulation->Add("theta", MakeNumber(options.theta));
  simulation->Add("activation", linearized ? MakeScalar("linearized") : MakeNumber(options.gamma));
  simulation->Add("projection", MakeScalar(options.projection ? "true" : "false"));
  simulation->Add("projection_tolerance", MakeNumber(options.projection_tolerance));
  if (options.tangential_stiffness > 0) {
    simulation->Add("tangential_stiffness", MakeNumber(options.tangential_stiffness));
  }
  simulation->Add("newton_tolerance", MakeNumber(options.newton_tolerance));
  simulation->Add("max_newton_iterations", MakeNumber(options.max_newton_iterations));
  simulation->Add("solver", MakeSolver(options.solver, options.solver_options));
}

const IntegratorInfo kMoreauJean = {
    "moreau-jean",
    "time stepping at velocity level for contact, friction and impacts, order 2 in smooth motion",
    {{"theta", "weight of the end of the step, in [0.5, 1]; default 0.5"},
     {"activation",
      "when a contact counts: none, half, full (or a number in [0, 1]) of the predicted gap, or "
      "linearized; default half"},
     {"projection", "true: positions are projected, no penetration or drift; default true"},
     {"projection_tolerance", "penetration that the projection may leave, m, > 0; default 1e-9"},
     {"tangential_stiffness",
      "of contacts that yield elastically before they slip, N/m, > 0: makes the friction of "
      "hyperstatic piles definite and quick to solve; default: rigid"},
     {"newton_tolerance", "relative, on the velocity increment, > 0; default 1e-11"},
     {"max_newton_iterations", "in [1, 10000]; default 25"},
     MakeSolverOption()},
    ReadMoreauJean,
    WriteMoreauJean,
    [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
      return std::make_unique<MoreauJean>(std::get<MoreauJeanOptions>(options));
    }};

}  // namespace

const std::vector<IntegratorInfo>& ListIntegrators() {
  static const std::vector<IntegratorInfo> integrators = {kMoreauJean,
                                                          MakeNonsmoothAlphaRow(),
                                                          MakeNonsmoothNewmarkRow(),
                                                          MakeNonsmoothHhtRow(),
                                                          MakeSchatzmanPaoliRow(),
                                                          MakeGeneralizedAlphaIndex3Row(),
                                                          MakeEnergyMomentumRow()};
  return integrators;
}

const IntegratorInfo& FindIntegrator(const std::string& name) {
  std::vector<std::string> names;
  for (const IntegratorInfo& info : ListIntegrators()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InputError("simulation.integrator", "unknown integrator '" + name + "'",
                   SuggestChoice(name, names));
}

}  // namespace saltus
