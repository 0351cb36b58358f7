// ScalarJet: a scalar φ of the placements of two bodies with its first two derivatives.
//
// Derivatives are along the retraction δ = (δp_A, δθ_A, δp_B, δθ_B) ∈ R¹² (world, body axes):
//   δφ = ∇φ·δ,      δ(∇φ) = H δ.                                                                (1)
// H is not symmetric in general (rotations do not commute); still, for a motion with constant
// spatial velocities V = (V_A, V_B),
//   φ̇ = ∇φ·V,       φ̈ = Vᵀ H V.                                                           (2)
// All scalars are made of products of two vectors of the form
//   x = c_A p_A + R_A α + c_B p_B + R_B β + κ,                                              (3)
//   δx = c_A δp_A − R_A α̃ δθ_A + c_B δp_B − R_B β̃ δθ_B,                                    (4)
//   ∂(wᵀ∂x)/∂θ_A = α̃ (R_Aᵀw)~,  likewise for B (w fixed),                                  (5)
// and of smooth functions of such products.
#pragma once

#include "saltus/base/types.h"
#include "saltus/multibody/bodies/body.h"

namespace saltus {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

struct ScalarJet {
  double value = 0;
  Vector12 gradient;
  Matrix12 hessian;
};

/// How many derivatives are wanted: value only, with ∇φ, with H.
enum class JetOrder { kValue = 0, kGradient = 1, kHessian = 2 };

/// Coefficients of (3).
struct VectorTerm {
  double c_A = 0, c_B = 0;
  Vector3 alpha = Vector3::Zero(), beta = Vector3::Zero(), kappa = Vector3::Zero();
};

/// s = x·y. Writes the derivatives that `order` asks for.
void CalcProduct(const VectorTerm& x, const VectorTerm& y, const Placement& A, const Placement& B,
                 JetOrder order, ScalarJet* s);

/// out = f(s₁) from f, f′, f″ at s₁ (chain rule). out may be s1.
void Compose(double f, double f1, double f11, const ScalarJet& s1, JetOrder order, ScalarJet* out);

/// Partial derivatives of f(s₁, s₂).
struct Partials {
  double f = 0, f1 = 0, f2 = 0, f11 = 0, f12 = 0, f22 = 0;
};
/// out = f(s₁, s₂). out must be neither s1 nor s2.
void Compose(const Partials& f, const ScalarJet& s1, const ScalarJet& s2, JetOrder order,
             ScalarJet* out);

}  // namespace saltus
