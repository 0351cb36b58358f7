// nonsmooth-alpha, nonsmooth-newmark, nonsmooth-hht: one scheme, three ways to say its
// coefficients.
#include "saltus/scene/field.h"
#include "saltus/scene/integrator_rows.h"

namespace saltus {
namespace {

using Options = NonsmoothAlphaOptions;
constexpr Range kCoefficient{.min = 0, .max = 2, .min_open = true};

void ReadCommon(const MapField& simulation, Options* options) {
  static const std::vector<std::string> variants = {"monolithic", "decoupled", "robust"};
  static const std::vector<std::string> laws = {"gap", "modified-lcp"};
  if (const auto key = simulation.Find("variant")) {
    options->variant = static_cast<Options::Variant>(key->ReadChoice(variants));
  }
  if (const auto key = simulation.Find("position_law")) {
    options->position_law = static_cast<Options::PositionLaw>(key->ReadChoice(laws));
  }
  simulation.ReadBool("position_friction", false);  // of earlier versions: always on
  options->position_tolerance =
      simulation.ReadNumber("position_tolerance", options->position_tolerance, kPositive);
  ReadNewton(simulation, &options->newton_tolerance, &options->max_newton_iterations);
  ReadSolver(simulation, &options->solver, &options->solver_options);
}

void WriteCommon(const Options& options, Value* simulation) {
  static const char* const variants[] = {"monolithic", "decoupled", "robust"};
  static const char* const laws[] = {"gap", "modified-lcp"};
  simulation->Add("variant", MakeScalar(variants[static_cast<int>(options.variant)]));
  simulation->Add("position_law", MakeScalar(laws[static_cast<int>(options.position_law)]));
  simulation->Add("position_tolerance", MakeNumber(options.position_tolerance));
  simulation->Add("newton_tolerance", MakeNumber(options.newton_tolerance));
  simulation->Add("max_newton_iterations", MakeNumber(options.max_newton_iterations));
  simulation->Add("solver", MakeSolver(options.solver, options.solver_options));
}

std::vector<IntegratorInfo::Option> AddCommon(std::vector<IntegratorInfo::Option> options) {
  const IntegratorInfo::Option common[] = {
      {"variant",
       "monolithic, decoupled or robust (for stiff flexible systems); default monolithic"},
      {"position_law", "gap, or modified-lcp (for comparison: never comes to rest); default gap"},
      {"position_friction",
       "of earlier versions, without effect: friction holds the positions too"},
      {"position_tolerance", "penetration that may stay, m, > 0; default 1e-12"},
      {"newton_tolerance", "relative to the velocities, > 0; default 1e-10"},
      {"max_newton_iterations", "in [1, 10000]; default 50"},
      MakeSolverOption()};
  options.insert(options.end(), std::begin(common), std::end(common));
  return options;
}

std::unique_ptr<Integrator> Make(const IntegratorOptions& options) {
  return std::make_unique<NonsmoothAlpha>(std::get<Options>(options));
}

IntegratorOptions ReadAlpha(const MapField& simulation) {
  Options options;
  AlphaCoefficients& k = options.coefficients;
  if (const auto key = simulation.Find("rho_inf")) {
    for (const char* other : {"alpha_m", "alpha_f", "beta", "gamma"}) {
      if (const auto both = simulation.Find(other)) {
        both->Fail("is given beside rho_inf", "give either rho_inf or the four coefficients");
      }
    }
    k = AlphaCoefficients::FromSpectralRadius(key->ReadNumber(kUnit));
  } else {
    k.alpha_m = simulation.ReadNumber("alpha_m", k.alpha_m, {.min = -1, .max = 0.999});
    k.alpha_f = simulation.ReadNumber("alpha_f", k.alpha_f, {.min = 0, .max = 0.999});
    k.beta = simulation.ReadNumber("beta", k.beta, kCoefficient);
    k.gamma = simulation.ReadNumber("gamma", k.gamma, kCoefficient);
  }
  ReadCommon(simulation, &options);
  return options;
}

void WriteAlpha(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<Options>(choice);
  simulation->Add("alpha_m", MakeNumber(options.coefficients.alpha_m));
  simulation->Add("alpha_f", MakeNumber(options.coefficients.alpha_f));
  simulation->Add("beta", MakeNumber(options.coefficients.beta));
  simulation->Add("gamma", MakeNumber(options.coefficients.gamma));
  WriteCommon(options, simulation);
}

IntegratorOptions ReadNewmark(const MapField& simulation) {
  Options options;
  const double gamma = simulation.ReadNumber("gamma", 0.5, kCoefficient);
  const double beta = simulation.ReadNumber("beta", 0.25, kCoefficient);
  options.coefficients = AlphaCoefficients::Newmark(gamma, beta);
  ReadCommon(simulation, &options);
  return options;
}

void WriteNewmark(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<Options>(choice);
  simulation->Add("gamma", MakeNumber(options.coefficients.gamma));
  simulation->Add("beta", MakeNumber(options.coefficients.beta));
  WriteCommon(options, simulation);
}

IntegratorOptions ReadHht(const MapField& simulation) {
  Options options;
  const double alpha_f = simulation.ReadNumber("alpha_f", 0.1, {.min = 0, .max = 1.0 / 3});
  AlphaCoefficients& k = options.coefficients;
  k = AlphaCoefficients::Hht(alpha_f);
  k.gamma = simulation.ReadNumber("gamma", k.gamma, kCoefficient);
  k.beta = simulation.ReadNumber("beta", k.beta, kCoefficient);
  ReadCommon(simulation, &options);
  return options;
}

void WriteHht(const IntegratorOptions& choice, Value* simulation) {
  const auto& options = std::get<Options>(choice);
  simulation->Add("alpha_f", MakeNumber(options.coefficients.alpha_f));
  simulation->Add("gamma", MakeNumber(options.coefficients.gamma));
  simulation->Add("beta", MakeNumber(options.coefficients.beta));
  WriteCommon(options, simulation);
}

}  // namespace

IntegratorInfo MakeNonsmoothAlphaRow() {
  return {"nonsmooth-alpha",
          "generalized-alpha with contacts and joints exact in position and velocity, order 2 in "
          "smooth motion",
          AddCommon({{"rho_inf", "damping of high frequencies: 0 most, 1 none; default 0.8"},
                     {"alpha_m", "instead of rho_inf, in [-1, 1); default 1/3"},
                     {"alpha_f", "instead of rho_inf, in [0, 1); default 4/9"},
                     {"beta", "instead of rho_inf, in (0, 2]; default 25/81"},
                     {"gamma", "instead of rho_inf, in (0, 2]; default 11/18"}}),
          ReadAlpha,
          WriteAlpha,
          Make};
}

IntegratorInfo MakeNonsmoothNewmarkRow() {
  return {"nonsmooth-newmark",
          "nonsmooth-alpha with the coefficients of Newmark",
          AddCommon({{"gamma", "in (0, 2]; 0.5 has order 2; default 0.5"},
                     {"beta", "in (0, 2]; default 0.25"}}),
          ReadNewmark,
          WriteNewmark,
          Make};
}

IntegratorInfo MakeNonsmoothHhtRow() {
  return {"nonsmooth-hht",
          "nonsmooth-alpha with the coefficients of Hilber, Hughes and Taylor",
          AddCommon({{"alpha_f", "in [0, 1/3]; default 0.1"},
                     {"gamma", "in (0, 2]; default 1/2 + alpha_f: order 2"},
                     {"beta", "in (0, 2]; default (1 + alpha_f)^2/4"}}),
          ReadHht,
          WriteHht,
          Make};
}

}  // namespace saltus
