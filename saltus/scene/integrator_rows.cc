// schatzman-paoli, generalized-alpha-index3 and energy-momentum: the schemes that enforce contact
// at position level.
#include "saltus/scene/integrator_rows.h"

#include "saltus/scene/field.h"

namespace saltus {
namespace {

IntegratorOptions ReadSchatzmanPaoli(const MapField& simulation) {
  SchatzmanPaoliOptions options;
  options.beta = simulation.ReadNumber("beta", options.beta, {.min = 0, .max = 0.5});
  if (const auto key = simulation.Find("start")) {
    options.parabolic_start = key->ReadChoice({"parabolic", "straight"}) == 0;
  }
  ReadNewton(simulation, &options.newton_tolerance, &options.max_newton_iterations);
  ReadSolver(simulation, &options.solver, &options.solver_options);
  return options;
}

void WriteSchatzmanPaoli(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<SchatzmanPaoliOptions>(choice);
  simulation->Add("beta", MakeNumber(options.beta));
  simulation->Add("start", MakeScalar(options.parabolic_start ? "parabolic" : "straight"));
  simulation->Add("newton_tolerance", MakeNumber(options.newton_tolerance));
  simulation->Add("max_newton_iterations", MakeNumber(options.max_newton_iterations));
  simulation->Add("solver", MakeSolver(options.solver, options.solver_options));
}

IntegratorOptions ReadIndex3(const MapField& simulation) {
  GeneralizedAlphaIndex3Options options;
  options.rho_inf = simulation.ReadNumber("rho_inf", options.rho_inf, kUnit);
  ReadNewton(simulation, &options.newton_tolerance, &options.max_newton_iterations);
  ReadSolver(simulation, &options.solver, &options.solver_options);
  return options;
}

void WriteIndex3(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<GeneralizedAlphaIndex3Options>(choice);
  simulation->Add("rho_inf", MakeNumber(options.rho_inf));
  simulation->Add("newton_tolerance", MakeNumber(options.newton_tolerance));
  simulation->Add("max_newton_iterations", MakeNumber(options.max_newton_iterations));
  simulation->Add("solver", MakeSolver(options.solver, options.solver_options));
}

IntegratorOptions ReadEnergyMomentum(const MapField& simulation) {
  EnergyMomentumOptions options;
  ReadNewton(simulation, &options.newton_tolerance, &options.max_newton_iterations);
  ReadSolver(simulation, &options.solver, &options.solver_options);
  return options;
}

void WriteEnergyMomentum(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<EnergyMomentumOptions>(choice);
  simulation->Add("newton_tolerance", MakeNumber(options.newton_tolerance));
  simulation->Add("max_newton_iterations", MakeNumber(options.max_newton_iterations));
  simulation->Add("solver", MakeSolver(options.solver, options.solver_options));
}

const IntegratorInfo::Option kTolerance = {
    "newton_tolerance", "relative to the displacements of a step, > 0; default 1e-11"};
const IntegratorInfo::Option kIterations = {"max_newton_iterations", "in [1, 10000]; default 50"};

}  // namespace

IntegratorInfo MakeSchatzmanPaoliRow() {
  return {
      "schatzman-paoli",
      "two-step scheme with contact and joints at position level; restitution takes two steps",
      {{"beta",
        "weight of the ends in the force, in [0, 0.5]; 0.25 and more is stable for stiff "
        "springs; default 0.25"},
       {"start", "parabolic, or straight: the start of other codes, order 1; default parabolic"},
       kTolerance,
       kIterations,
       MakeSolverOption()},
      ReadSchatzmanPaoli,
      WriteSchatzmanPaoli,
      [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
        return std::make_unique<SchatzmanPaoli>(std::get<SchatzmanPaoliOptions>(options));
      }};
}

IntegratorInfo MakeGeneralizedAlphaIndex3Row() {
  return {
      "generalized-alpha-index3",
      "smooth scheme of order 2 for comparison: impacts gain energy, no friction, no restitution",
      {{"rho_inf", "spectral radius at infinity, in [0, 1]: 0 damps most; default 0.8"},
       kTolerance,
       kIterations,
       MakeSolverOption()},
      ReadIndex3,
      WriteIndex3,
      [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
        return std::make_unique<GeneralizedAlphaIndex3>(
            std::get<GeneralizedAlphaIndex3Options>(options));
      }};
}

IntegratorInfo MakeEnergyMomentumRow() {
  return {"energy-momentum",
          "keeps the energy to rounding; elastic contact without penetration, no friction",
          {{"newton_tolerance", "relative to the displacements of a step, > 0; default 1e-15"},
           kIterations,
           MakeSolverOption()},
          ReadEnergyMomentum,
          WriteEnergyMomentum,
          [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<EnergyMomentum>(std::get<EnergyMomentumOptions>(options));
          }};
}

}  // namespace saltus
