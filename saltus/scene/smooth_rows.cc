// The smooth solvers with error control (hem5, phem56, dopri5, …) as integrators of a scene, and
// event-driven, which runs them between impacts.
#include <utility>

#include "saltus/scene/field.h"
#include "saltus/scene/integrator_rows.h"

namespace saltus {
namespace {

bool HasErrorControl(const std::string& solver) { return MakeDaeSolver(solver)->error_order() > 0; }
bool IsIndexOne(const std::string& solver) {
  return solver == "rk4" || solver == "rkf45" || solver == "dopri5";
}
bool IsAlpha(const std::string& solver) {
  return solver == "alpha-index2" || solver == "alpha-index3" || solver == "hht-i3";
}

void ReadControl(const MapField& simulation, StepControlOptions* control) {
  control->tolerance = simulation.ReadNumber("tolerance", control->tolerance, kPositive);
  control->safety = simulation.ReadNumber("safety", control->safety,
                                          {.min = 0, .max = 1, .min_open = true, .max_open = true});
  control->min_step = simulation.ReadNumber("min_step", control->min_step, kPositive);
  control->max_step = simulation.ReadNumber("max_step", control->max_step, kPositive);
  control->max_position_drift =
      simulation.ReadNumber("max_position_drift", control->max_position_drift, kPositive);
  control->max_velocity_drift =
      simulation.ReadNumber("max_velocity_drift", control->max_velocity_drift, kPositive);
  control->proportional_integral =
      simulation.ReadBool("pi_control", control->proportional_integral);
  control->projection = simulation.ReadBool("projection", control->projection);
}

IntegratorOptions ReadSmooth(const std::string& solver, const MapField& simulation) {
  SmoothIntegratorOptions o;
  o.solver = solver;
  o.control.first_step = simulation.ReadNumber("first_step", 0, {.min = 0});
  if (HasErrorControl(solver)) ReadControl(simulation, &o.control);
  if (solver == "hem5") {
    o.method.error_weight =
        simulation.ReadNumber("error_weight", o.method.error_weight, {.min = 0});
  }
  if (solver == "hht-i3") {
    o.method.alpha = simulation.ReadNumber("alpha", o.method.alpha, {.min = -1.0 / 3, .max = 0});
  } else if (IsAlpha(solver)) {
    o.method.rho_inf = simulation.ReadNumber("rho_inf", o.method.rho_inf, kUnit);
  }
  if (IsAlpha(solver)) {
    o.method.newton_tolerance =
        simulation.ReadNumber("newton_tolerance", o.method.newton_tolerance, kPositive);
  }
  if (IsIndexOne(solver)) {
    o.baumgarte.alpha = simulation.ReadNumber("baumgarte_alpha", 0, {.min = 0});
    o.baumgarte.beta = simulation.ReadNumber("baumgarte_beta", 0, {.min = 0});
    if (const auto key = simulation.Find("formulation")) {
      o.formulation = static_cast<Formulation>(key->ReadChoice(FormulationNames()));
    }
  }
  return o;
}

/// A key that has its default of infinity is not written: it has no text.
void AddFinite(const char* key, double value, Value* simulation) {
  if (std::isfinite(value)) simulation->Add(key, MakeNumber(value));
}

void WriteControl(const StepControlOptions& control, Value* simulation) {
  simulation->Add("tolerance", MakeNumber(control.tolerance));
  simulation->Add("safety", MakeNumber(control.safety));
  simulation->Add("min_step", MakeNumber(control.min_step));
  AddFinite("max_step", control.max_step, simulation);
  AddFinite("max_position_drift", control.max_position_drift, simulation);
  AddFinite("max_velocity_drift", control.max_velocity_drift, simulation);
  simulation->Add("pi_control", MakeScalar(control.proportional_integral ? "true" : "false"));
  simulation->Add("projection", MakeScalar(control.projection ? "true" : "false"));
}

void WriteSmooth(const IntegratorOptions& choice, Value* simulation) {
  const auto& o = std::get<SmoothIntegratorOptions>(choice);
  simulation->Add("first_step", MakeNumber(o.control.first_step));
  if (HasErrorControl(o.solver)) WriteControl(o.control, simulation);
  if (o.solver == "hem5") simulation->Add("error_weight", MakeNumber(o.method.error_weight));
  if (o.solver == "hht-i3") {
    simulation->Add("alpha", MakeNumber(o.method.alpha));
  } else if (IsAlpha(o.solver)) {
    simulation->Add("rho_inf", MakeNumber(o.method.rho_inf));
  }
  if (IsAlpha(o.solver)) {
    simulation->Add("newton_tolerance", MakeNumber(o.method.newton_tolerance));
  }
  if (IsIndexOne(o.solver)) {
    simulation->Add("baumgarte_alpha", MakeNumber(o.baumgarte.alpha));
    simulation->Add("baumgarte_beta", MakeNumber(o.baumgarte.beta));
    simulation->Add("formulation",
                    MakeScalar(FormulationNames()[static_cast<std::size_t>(o.formulation)]));
  }
}

void AddControlOptions(std::vector<IntegratorInfo::Option>* options) {
  options->insert(
      options->end(),
      {{"tolerance", "on the local error of a step, > 0; default 1e-6"},
       {"safety", "of the next step, in (0, 1); default 0.9"},
       {"min_step", "accepted whatever its error, s, > 0; default 1e-10"},
       {"max_step", "s, > 0; default: none"},
       {"max_position_drift", "of joints at the end of a step, m, > 0; default: none"},
       {"max_velocity_drift", "of joints at the end of a step, m/s, > 0; default: none"},
       {"pi_control", "true: the last error takes part in the choice of the step; default false"},
       {"projection", "true: every step ends on the joints; default false"}});
}

std::vector<IntegratorInfo::Option> ListOptions(const std::string& solver) {
  std::vector<IntegratorInfo::Option> options = {
      {"first_step", HasErrorControl(solver)
                         ? "first step of the solver, s, ≥ 0; default 0: found from the motion"
                         : "step of the solver, s, ≥ 0; default 0: that of the simulation"}};
  const auto add = [&](const char* key, const char* summary) { options.push_back({key, summary}); };
  if (HasErrorControl(solver)) AddControlOptions(&options);
  if (solver == "hem5") add("error_weight", "c of its error estimate, ≥ 0; default 0.3");
  if (solver == "hht-i3") {
    add("alpha", "in [-1/3, 0]: -1/3 damps most; default -0.1");
  } else if (IsAlpha(solver)) {
    add("rho_inf", "spectral radius at infinity, in [0, 1]: 0 damps most; default 0.8");
  }
  if (IsAlpha(solver)) add("newton_tolerance", "relative to the forces, > 0; default 1e-10");
  if (IsIndexOne(solver)) {
    add("baumgarte_alpha", "damping of joint errors, 1/s, ≥ 0; default 0");
    add("baumgarte_beta", "stiffness of joint errors, 1/s, ≥ 0; default 0");
    add("formulation",
        "kkt, null-space-qr, null-space-svd, coordinate-partitioning, udwadia-kalaba, maggi-kane "
        "or "
        "mcclamroch-wang; default kkt");
  }
  return options;
}

// --- event-driven --------------------------------------------------------------------------------

std::vector<std::string> ListControlledSolvers() {
  std::vector<std::string> names;
  for (const DaeSolverInfo& info : ListDaeSolvers()) {
    if (HasErrorControl(info.name)) names.push_back(info.name);
  }
  return names;
}

IntegratorOptions ReadEventDriven(const MapField& simulation) {
  EventDrivenOptions o;
  const std::vector<std::string> names = ListControlledSolvers();
  if (const auto key = simulation.Find("smooth_solver")) o.solver = names[key->ReadChoice(names)];
  o.control.first_step = simulation.ReadNumber("first_step", 0, {.min = 0});
  ReadControl(simulation, &o.control);
  o.tolerances.gap = simulation.ReadNumber("gap_tolerance", o.tolerances.gap, kPositive);
  o.tolerances.velocity =
      simulation.ReadNumber("velocity_tolerance", o.tolerances.velocity, kPositive);
  o.tolerances.time = simulation.ReadNumber("time_tolerance", o.tolerances.time, kPositive);
  return o;
}

void WriteEventDriven(const IntegratorOptions& choice, Value* simulation) {
  const auto& o = std::get<EventDrivenOptions>(choice);
  simulation->Add("smooth_solver", MakeScalar(o.solver));
  simulation->Add("first_step", MakeNumber(o.control.first_step));
  WriteControl(o.control, simulation);
  simulation->Add("gap_tolerance", MakeNumber(o.tolerances.gap));
  simulation->Add("velocity_tolerance", MakeNumber(o.tolerances.velocity));
  simulation->Add("time_tolerance", MakeNumber(o.tolerances.time));
}

// --- Rows ----------------------------------------------------------------------------------------

constexpr std::size_t kNumSolvers = 12;

/// The row of solver number I: rows hold plain functions.
template <std::size_t I>
IntegratorInfo MakeRow() {
  const DaeSolverInfo& info = ListDaeSolvers()[I];
  return {
      info.name,
      info.summary,
      ListOptions(info.name),
      [](const MapField& simulation) { return ReadSmooth(ListDaeSolvers()[I].name, simulation); },
      WriteSmooth,
      [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
        return std::make_unique<SmoothIntegrator>(std::get<SmoothIntegratorOptions>(options));
      }};
}

template <std::size_t... I>
std::vector<IntegratorInfo> MakeRows(std::index_sequence<I...>) {
  return {MakeRow<I>()...};
}

}  // namespace

IntegratorInfo MakeEventDrivenRow() {
  std::vector<IntegratorInfo::Option> options = {
      {"smooth_solver",
       "between events: hem5, phem56, dopri5, … (with error control); default hem5"},
      {"first_step", "first step of the solver, s, ≥ 0; default 0: found from the motion"},
      {"gap_tolerance", "below it a contact touches, m, > 0; default 1e-10"},
      {"velocity_tolerance", "below it a contact stays closed, m/s, > 0; default 1e-8"},
      {"time_tolerance", "of an event, s, > 0; default 1e-13"}};
  AddControlOptions(&options);
  return {"event-driven",
          "impacts at their exact instants, smooth phases with error control; no friction",
          options,
          ReadEventDriven,
          WriteEventDriven,
          [](const IntegratorOptions& choice) -> std::unique_ptr<Integrator> {
            return std::make_unique<EventDriven>(std::get<EventDrivenOptions>(choice));
          }};
}

std::vector<IntegratorInfo> MakeSmoothRows() {
  SALTUS_CHECK(ListDaeSolvers().size() == kNumSolvers, "every smooth solver has a row");
  return MakeRows(std::make_index_sequence<kNumSolvers>());
}

}  // namespace saltus
