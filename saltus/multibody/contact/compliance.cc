#include "saltus/multibody/contact/compliance.h"

#include <algorithm>
#include <cmath>

#include "saltus/math/root_finding.h"

namespace saltus {
namespace {

struct LawText {
  const char* name;
  const char* summary;
};

constexpr LawText kLaws[kNumComplianceLaws] = {
    {"spring-damper", "linear spring and damper that never pulls (Kelvin-Voigt)"},
    {"hertz", "elastic spheres: force ~ depth^1.5, no loss"},
    {"hunt-crossley", "Hertz with damping ~ depth^1.5 x rate: restitution falls with the speed"},
};

/// a − ln(1 + a) without cancellation for small a.
double CalcLogDefect(double a) {
  if (std::abs(a) > 1e-3) return a - std::log1p(a);
  return a * a * (1.0 / 2 + a * (-1.0 / 3 + a * (1.0 / 4 + a * (-1.0 / 5 + a / 6))));
}

}  // namespace

const char* ComplianceLawName(ComplianceLaw law) { return kLaws[static_cast<int>(law)].name; }
const char* ComplianceLawSummary(ComplianceLaw law) { return kLaws[static_cast<int>(law)].summary; }

NormalForce CalcNormalForce(const Compliance& law, double depth, double rate) {
  NormalForce N;
  if (!(depth > 0)) return N;
  const double k = law.stiffness;
  if (law.law == ComplianceLaw::kSpringDamper) {  // (1)
    const double spring = k * depth;
    const double damper = law.damping * rate;
    const bool limited = std::abs(damper) > spring;
    N.elastic = spring;
    N.energy = 0.5 * spring * depth;
    N.value = spring + std::clamp(damper, -spring, spring);
    N.by_depth = !limited ? k : damper > 0 ? 2 * k : 0;
    N.by_rate = limited ? 0 : law.damping;
    return N;
  }
  const double root = std::sqrt(depth);
  N.elastic = k * depth * root;  // (2)
  N.energy = 0.4 * N.elastic * depth;
  const double factor =
      law.law == ComplianceLaw::kHertz ? 1 : std::max(0.0, 1 + law.damping * rate);  // (3)
  N.value = N.elastic * factor;
  N.by_depth = 1.5 * k * root * factor;
  N.by_rate = law.law == ComplianceLaw::kHertz || factor == 0 ? 0 : N.elastic * law.damping;
  return N;
}

CompliantForce CalcCompliantForce(const Compliance& law, double friction, double gap,
                                  const Vector3& n, const Vector3& w) {
  CompliantForce F;
  const double u_n = n.dot(w);
  F.normal = CalcNormalForce(law, -gap, -u_n);
  const double N = F.normal.value;
  const Vector3 u_t = w - u_n * n;
  const double s = std::sqrt(u_t.squaredNorm() + law.slip_speed * law.slip_speed);
  const Vector3 phi = u_t / s;
  const Vector3 per_normal = n - friction * phi;                            // ∂F/∂N
  const Matrix3 slope = (Matrix3::Identity() - phi * phi.transpose()) / s;  // ∂φ/∂u_T
  F.value = N * per_normal;                                                 // (5)
  F.by_gap = -F.normal.by_depth * per_normal;
  F.by_velocity = -F.normal.by_rate * per_normal * n.transpose();
  F.by_velocity -= friction * N * slope * (Matrix3::Identity() - n * n.transpose());
  F.by_normal = N * Matrix3::Identity() - F.normal.by_rate * per_normal * w.transpose();
  F.by_normal += friction * N * slope * (n * w.transpose() + u_n * Matrix3::Identity());
  return F;
}

double CalcHuntCrossleyDamping(double restitution, double impact_speed) {
  if (restitution >= 1) return 0;
  // (6) divided by a²; its left side decreases in a, its right side grows: one root, a < 1/e.
  const auto residual = [restitution](double a) {
    if (a == 0) return 0.5 * (1 - restitution * restitution);
    return (CalcLogDefect(a) - CalcLogDefect(-restitution * a)) / (a * a);
  };
  const double end = 1 / restitution;
  double upper = 0.5 * end;
  while (residual(upper) > 0) upper = 0.5 * (upper + end);
  return FindRootBrent(residual, 0, upper).x / impact_speed;
}

}  // namespace saltus
