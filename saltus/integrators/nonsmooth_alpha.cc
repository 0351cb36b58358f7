#include "saltus/integrators/nonsmooth_alpha.h"

#include "saltus/base/error.h"
#include "saltus/integrators/alpha_stepper.h"

namespace saltus {
namespace {

NonsmoothAlphaOptions Checked(const NonsmoothAlphaOptions& o) {
  const AlphaCoefficients& k = o.coefficients;
  const auto check = [](const char* key, double value, bool good, const char* range) {
    if (!good) throw InputError(key, "is " + std::to_string(value), range);
  };
  check("alpha_m", k.alpha_m, k.alpha_m >= -1 && k.alpha_m < 1, "choose a value in [-1, 1)");
  check("alpha_f", k.alpha_f, k.alpha_f >= 0 && k.alpha_f < 1, "choose a value in [0, 1)");
  check("gamma", k.gamma, k.gamma > 0 && k.gamma <= 2, "choose a value in (0, 2]");
  check("beta", k.beta, k.beta > 0 && k.beta <= 2, "choose a value in (0, 2]");
  return o;
}

}  // namespace

AlphaCoefficients AlphaCoefficients::FromSpectralRadius(double rho_inf) {
  if (!(rho_inf >= 0 && rho_inf <= 1)) {
    throw InputError("rho_inf", "is " + std::to_string(rho_inf), "choose a value in [0, 1]");
  }
  AlphaCoefficients k;  // (8)
  k.alpha_m = (2 * rho_inf - 1) / (rho_inf + 1);
  k.alpha_f = rho_inf / (rho_inf + 1);
  k.gamma = 0.5 + k.alpha_f - k.alpha_m;
  k.beta = 0.25 * (k.gamma + 0.5) * (k.gamma + 0.5);
  return k;
}

AlphaCoefficients AlphaCoefficients::Newmark(double gamma, double beta) {
  return {0, 0, beta, gamma};
}

AlphaCoefficients AlphaCoefficients::Hht(double alpha_f) {
  if (!(alpha_f >= 0 && alpha_f <= 1.0 / 3)) {
    throw InputError("alpha_f", "is " + std::to_string(alpha_f), "choose a value in [0, 1/3]");
  }
  return {0, alpha_f, 0.25 * (1 + alpha_f) * (1 + alpha_f), 0.5 + alpha_f};
}

NonsmoothAlpha::NonsmoothAlpha(const NonsmoothAlphaOptions& options)
    : stepper_(std::make_unique<AlphaStepper>(Checked(options))) {}
NonsmoothAlpha::~NonsmoothAlpha() = default;

const StepReport& NonsmoothAlpha::Step(System& system, double h, State* state) {
  return stepper_->Step(system, h, state);
}

const VectorX& NonsmoothAlpha::smooth_joint_forces() const { return stepper_->iterate().lambda; }
const VectorX& NonsmoothAlpha::joint_position_multipliers() const { return stepper_->iterate().nu; }
const VectorX& NonsmoothAlpha::contact_position_multipliers() const {
  return stepper_->contact_multipliers();
}

}  // namespace saltus
