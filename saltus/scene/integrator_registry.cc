#include "saltus/scene/integrator_registry.h"

#include <algorithm>

#include "saltus/scene/field.h"
#include "saltus/scene/integrator_rows.h"

namespace saltus {
// --- What several integrators share --------------------------------------------------------------

IntegratorInfo::Option MakeSolverOption() {
  return {"solver",
          "contact solver {name, tolerance, max_iterations, effort}; default {auto, 1e-9, 1000, "
          "normal}"};
}

namespace {

const std::vector<std::string>& ListEfforts() {  // in the order of Effort
  static const std::vector<std::string> kNames = {"low", "normal", "high"};
  return kNames;
}

}  // namespace

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
  if (const auto key = solver.Find("effort")) {
    options->effort = static_cast<Effort>(key->ReadChoice(ListEfforts()));
  }
}

Value MakeSolver(const std::string& name, const ConicSolverOptions& options) {
  Value solver = MakeMap();
  solver.Add("name", MakeScalar(name));
  solver.Add("tolerance", MakeNumber(options.tolerance));
  solver.Add("max_iterations", MakeNumber(options.max_iterations));
  solver.Add("effort", MakeScalar(ListEfforts()[static_cast<std::size_t>(options.effort)]));
  return solver;
}

void ReadNewton(const MapField& simulation, double* tolerance, int* max_iterations) {
  *tolerance = simulation.ReadNumber("newton_tolerance", *tolerance, kPositive);
  if (const auto key = simulation.Find("max_newton_iterations")) {
    *max_iterations = static_cast<int>(key->ReadInteger(1, 10'000));
  }
}

namespace {

const std::vector<std::string> kContactRows = {"midpoint", "predicted", "start", "theta", "end"};

// --- moreau-jean ---------------------------------------------------------------------------------

/// free-end; none | half | full: the factor γ of the predicted gap; linearized; or γ itself.
void ReadActivation(const Field& field, MoreauJeanOptions* options) {
  static const std::vector<std::string> names = {"none", "half", "full", "linearized", "free-end"};
  const std::string text = field.ReadText();
  if (text == "linearized" || text == "free-end") {
    options->activation = text == "linearized" ? MoreauJeanOptions::Activation::kLinearized
                                               : MoreauJeanOptions::Activation::kFreeEnd;
    return;
  }
  options->activation = MoreauJeanOptions::Activation::kPredicted;
  const bool is_number = text.find_first_of("0123456789") != std::string::npos;
  options->gamma =
      is_number ? field.ReadNumber(kUnit) : 0.5 * static_cast<double>(field.ReadChoice(names));
}

IntegratorOptions ReadMoreauJean(const MapField& simulation) {
  MoreauJeanOptions options;
  options.theta = simulation.ReadNumber("theta", options.theta, kUnit);
  if (const auto key = simulation.Find("contact_rows")) {
    options.contact_rows = static_cast<MoreauJeanOptions::Rows>(key->ReadChoice(kContactRows));
  }
  if (const auto key = simulation.Find("activation")) ReadActivation(*key, &options);
  options.projection = simulation.ReadBool("projection", options.projection);
  options.projection_tolerance =
      simulation.ReadNumber("projection_tolerance", options.projection_tolerance, kPositive);
  if (const auto key = simulation.Find("restitution_threshold")) {
    options.restitution_threshold = key->ReadNumber({.min = 0});
  }
  ReadNewton(simulation, &options.newton_tolerance, &options.max_newton_iterations);
  ReadSolver(simulation, &options.solver, &options.solver_options);
  return options;
}

void WriteMoreauJean(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<MoreauJeanOptions>(choice);
  using Activation = MoreauJeanOptions::Activation;
  simulation->Add("theta", MakeNumber(options.theta));
  simulation->Add("contact_rows",
                  MakeScalar(kContactRows[static_cast<std::size_t>(options.contact_rows)]));
  if (options.activation == Activation::kPredicted) {
    simulation->Add("activation", MakeNumber(options.gamma));
  } else if (options.activation != Activation::kDefault) {
    const bool linearized = options.activation == Activation::kLinearized;
    simulation->Add("activation", MakeScalar(linearized ? "linearized" : "free-end"));
  }
  simulation->Add("projection", MakeScalar(options.projection ? "true" : "false"));
  simulation->Add("projection_tolerance", MakeNumber(options.projection_tolerance));
  if (options.restitution_threshold >= 0) {
    simulation->Add("restitution_threshold", MakeNumber(options.restitution_threshold));
  }
  simulation->Add("newton_tolerance", MakeNumber(options.newton_tolerance));
  simulation->Add("max_newton_iterations", MakeNumber(options.max_newton_iterations));
  simulation->Add("solver", MakeSolver(options.solver, options.solver_options));
}

const IntegratorInfo kMoreauJean = {
    "moreau-jean",
    "time stepping at velocity level for contact, friction and impacts, order 2 in smooth motion",
    {{"theta", "weight of the end of the step, in [0, 1]; default 0.5"},
     {"contact_rows",
      "where contact rows are taken: midpoint, predicted, start (large piles), theta or end; "
      "default midpoint"},
     {"activation",
      "when a contact counts: free-end, linearized, or none, half, full (or a number in [0, 1]) of "
      "the predicted gap; default free-end, without projection half"},
     {"projection", "true: positions are projected, no penetration or drift; default true"},
     {"projection_tolerance", "penetration that the projection may leave, m, > 0; default 1e-9"},
     {"restitution_threshold",
      "contacts that approach more slowly do not bounce, m/s, ≥ 0; default: what the forces make "
      "in "
      "two steps"},
     {"newton_tolerance", "relative, on the velocity increment, > 0; default 1e-11"},
     {"max_newton_iterations", "in [1, 10000]; default 50"},
     MakeSolverOption()},
    ReadMoreauJean,
    WriteMoreauJean,
    [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
      return std::make_unique<MoreauJean>(std::get<MoreauJeanOptions>(options));
    }};

}  // namespace

const std::vector<IntegratorInfo>& ListIntegrators() {
  static const std::vector<IntegratorInfo> integrators = [] {
    std::vector<IntegratorInfo> rows = {kMoreauJean,
                                        MakeNonsmoothAlphaRow(),
                                        MakeNonsmoothNewmarkRow(),
                                        MakeNonsmoothHhtRow(),
                                        MakeSchatzmanPaoliRow(),
                                        MakeGeneralizedAlphaIndex3Row(),
                                        MakeEnergyMomentumRow()};
    rows.push_back(MakeEventDrivenRow());
    for (IntegratorInfo& row : MakeSmoothRows()) rows.push_back(std::move(row));
    return rows;
  }();
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
