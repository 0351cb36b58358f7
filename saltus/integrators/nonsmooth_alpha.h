// Nonsmooth generalized-α: second order in smooth motion and in lasting contact, contacts and
// joints exact at position and at velocity level at the end of every step.
// @cite BrulsAcaryCardona2014 @cite ChenEtAl2013 @cite ChungHulbert1993
// Positions: @cite GearLeimkuhlerGupta1985. Rotations: @cite BrulsCardonaArnold2012.
// Lasting contact: @cite CapobiancoHarschEugsterLeine2021, in another form.
//
// The motion over a step is split into a smooth part (q̃, ṽ, by f and the joint forces λ̃) and
// two corrections: U of the positions (multipliers ν, kg m) and W of the velocities (impulses Λ).
// At t_{n+1} (no index), G: joints, H = [H_N; H_T]: contacts, all at the total q:
//
//   M ṽ̇ = f(t,q,v) + Gᵀλ̃,               G ṽ + g_t = 0                                         (1)
//   M U = Gᵀν + H_Nᵀν_N + (h/2)H̄_TᵀP_T,   g(q) = 0,    0 ≤ g_N(q) ⟂ ν_N ≥ 0                   (2)
//   M W = ḠᵀΛ + H̄ᵀP,                      G v + g_t = 0                                        (3)
//   contacts with g_N(q̃) ≤ 0:  P = P' + c,  K* ∋ û ⟂ P' ∈ K,   û_N = u_N + e_N u_N⁻ + μ|û_T|,
//                               û_T = u_T + e_T u_T⁻,  u⁻ = H(q_n) v_n;    P = 0 for all others (4)
//   q̃ = q_n ⊕ [h v_n + h²(½−β) a_n + h²β a],          q = q̃ ⊕ U                               (5)
//   ṽ = v_n + h(1−γ) a_n + hγ a,                       v = ṽ + W                               (6)
//   (1−α_m) a + α_m a_n = (1−α_f) ṽ̇ + α_f ṽ̇_n                                                 (7)
//   α_m = (2ρ−1)/(ρ+1), α_f = ρ/(ρ+1), γ = ½+α_f−α_m, β = (γ+½)²/4,   ρ = ρ∞ ∈ [0, 1]          (8)
//
// q, v, ṽ̇ and a are carried from step to step; λ̃, U and ν only to begin Newton's method with, and
// only while no contact is near; else U, W and all multipliers start at zero. Joint force over a
// step: λ̃ + Λ/h. Contact force: P/h, which belongs to the middle of the step. Dry friction and
// limits of joints take part in (2)-(4).
//
// Newton's method. With c_α = (1−α_m)/((1−α_f)γ), D = −∂f/∂v, K = ∂(Mṽ̇ − f − Gᵀλ̃)/∂q, T the
// tangent of q_n ⊕ at the step (I on flat spaces), C = ∂(Gṽ)/∂q and
//   S = c_α M + h D + h²(β/γ) K T,     L = G + h(β/γ) C T                                       (9)
// one iteration solves, with the joints eliminated exactly (linalg/kkt_solver.h),
//   S Δṽ + hK ΔU + hD ΔW − hGᵀλ̃ = −h(Mṽ̇ − f),     L Δṽ + C ΔU = −(Gṽ + g_t)              (10)
//   (2) with    G(Δq) = −g,   0 ≤ g_N + H_N Δq ⟂ ν_N ≥ 0,   Δq = h(β/γ)TΔṽ + ΔU                (11)
//   (3), (4) with G, H of the iterate                                                          (12)
// (11) and (12) are conic problems. Let P_M, P_S be the inverses of M and S on the motions that the
// joints allow. Elimination of Δṽ from (10) leaves their operators
//   A_p = H (I − h²(β/γ) P_S K) P_M Hᵀ  ( = c_α H P_S Hᵀ if D = 0),
//   A_v = H (I − h P_S D) P_M Hᵀ                                                               (13)
// so that stiff forces at a contact do not slow Newton's method down (variant monolithic). Variant
// decoupled leaves hK ΔU + hD ΔW out of (10): A_p = A_v = H P_M Hᵀ; the same solution, linear
// convergence where h²K is not small against M. Impulses in the mean rows, in (h/2)H̄_TᵀP_T and in
// c are those of the last solution, so that the operators stay symmetric.
//
// Lasting contact. Contacts that are closed at q_n and do not approach there, in islands without
// impact, exert forces over the whole step, not impulses at its end. Their share in the positions
// is (h/2)H̄_TᵀP_T (in the normal direction ν_N), their directions are those of the middle:
//   H̄ = ½(H(q_n) + H),   Ḡ = ½(G(q_n) + G)                                                    (14)
//   c = (0, −μP'_N (t̄ − t)),  t = u_T/|u_T|,  t̄ = (t + t⁻)/|t + t⁻|,
//   if |u_T − u_T⁻| ≤ |u_T|, |u_T⁻|, else 0 (slip that ends or reverses)                      (15)
// Rows that belong to rotations are added in the axes of the middle, and the momentum in space
// changes by just the impulses (alpha_contacts.h). In islands where a contact closes in this step,
// (h/2)H̄_TᵀP_T = 0, H̄ = H, Ḡ = G, c = 0: the half of a tangential impulse could open the contact
// that it comes from.
//
// The contacts of a step are those along the axes of q_n, evaluated by feature; they are judged by
// a fresh search at its end (alpha_contact_set.h). A conic problem holds every combination of the
// active sets of the source (its 𝒜: ν_N > 0, ℬ: P ≠ 0), so sets cannot cycle within an iteration,
// and redundant contacts need no special care. An accepted step penetrates by at most ten times
// position_tolerance or rounding, closes its joints, and no body passed through another.
//
// Position law "modified-lcp" replaces 0 ≤ g_N ⟂ ν_N by 0 ≤ g_N ⟂ (ν_N − hP_N) ≥ 0, without (14)
// and (15). For comparison only: after an accumulation of impacts contacts never rest.       (16)
//
// Variant robust: three problems in sequence, each to convergence, no outer loop, without (14) and
// (15).
//   S: (1), (5)-(7) at q̃, ṽ alone.
//   P: M U = Gᵀν + H_Nᵀν_N + h² f_p,   f_p = F(q,ṽ) − F(q̃,ṽ),   g = 0, 0 ≤ g_N ⟂ ν_N ≥ 0      (17)
//   V: M W = GᵀΛ + HᵀP + h f_s,        f_s = F(q,v) − F(q̃,ṽ),   (3), (4)                  (18)
//      F(q,v) = f(q,v) + G(q)ᵀλ̃ − M(q)ṽ̇; after contact ṽ̇ and a follow the change of f.
//
// Contacts with Poisson's law: their impact at v_n (poisson_impact.h) adds impulses P_C + P_E to
// P, and û_N = u_N − u_N⁺ in (4), u_N⁺ the velocity after it.                                  (19)
//
// What the turning of the rows adds to an iteration: let δ be the change of q in it and a prime the
// change of a matrix along δ (row_rates.h). To M U = …, (3) and (4) belong
//   G'ᵀν + H'ᵀν − M'U,    G'ᵀΛ + H'ᵀP − M'W (half of it in mean rows),    G'v,    H'v          (20)
// and to Δq, ΔU in (10) and (11) the difference e = δ − Δq that composed rotations make. They are
// of order h next to the other terms: (10)-(12) are solved without them, then again with those of
// the last solution, with the same factors, until δ changes by less than 1e-3 of itself.
//
// Deviation: rotations move by q̃ = q_n ⊕ D, q = q̃ ⊕ U rather than q_n ⊕ (D + U): the same on flat
// spaces and for a fixed axis, second-order small otherwise, and U needs no tangent operator.
// Deviation: C is left out where the System does not know it or rows of G are redundant (L = G
// then; while contacts are near (20) makes up for it). Deviation: while no contact is near, (2)
// takes the metric S/c_α in place of M: U is of order h³ there. Deviation: a contact that is closed
// at q (its gap a millionth of h²|f/M|, or rounding) counts in (4) as one with g_N(q̃) ≤ 0, and
// g_N(q̃) is taken as g_N(q) + H(q)(q̃ ⊖ q). Deviation: e_N u_N⁻ is not below the approach speed
// H(q) v_n: a body that turns far within one step must not leave faster than it came. Deviation:
// Coulomb friction, (14) and (15) are not in the first source; the second has a third level, of
// accelerations, in place of (14) and (15), and slips in the direction of the end of a step.
#pragma once

#include <memory>
#include <string>

#include "saltus/integrators/integrator.h"

namespace saltus {

class AlphaStepper;

/// α_m, α_f, β, γ of (7), (5), (6).
struct AlphaCoefficients {
  double alpha_m = 1.0 / 3, alpha_f = 4.0 / 9, beta = 25.0 / 81, gamma = 11.0 / 18;

  /// (8); ρ∞ ∈ [0, 1].
  static AlphaCoefficients FromSpectralRadius(double rho_inf);
  /// α_m = α_f = 0; second order only for γ = ½.
  static AlphaCoefficients Newmark(double gamma, double beta);
  /// α_m = 0, α_f ∈ [0, 1/3], γ = ½ + α_f, β = (1 + α_f)²/4: second order.
  static AlphaCoefficients Hht(double alpha_f);
};

struct NonsmoothAlphaOptions {
  enum class Variant { kMonolithic, kDecoupled, kRobust };
  enum class PositionLaw { kGap, kModifiedLcp };

  AlphaCoefficients coefficients;  // ρ∞ = 0.8
  Variant variant = Variant::kMonolithic;
  PositionLaw position_law = PositionLaw::kGap;
  /// Variant robust: the force differences f_p, f_s, the last correction of ṽ̇, and that of a which
  /// follows from it by (7). Without them stiff systems gain energy; for comparison only.
  struct RobustTerms {
    bool position = true, velocity = true, acceleration = true, history = true;
  };
  RobustTerms robust_terms;
  double newton_tolerance = 1e-10;    // on (1)-(3) divided by the mass, relative to the velocities
  double position_tolerance = 1e-12;  // m: penetration and |g| left, if above rounding
  int max_newton_iterations = 50;
  std::string solver = "auto";
  ConicSolverOptions solver_options;
};

class NonsmoothAlpha final : public Integrator {
 public:
  /// Throws InputError if the coefficients are not those of a stable, dissipative scheme.
  explicit NonsmoothAlpha(const NonsmoothAlphaOptions& options);
  ~NonsmoothAlpha() override;

  std::string name() const override { return "nonsmooth-alpha"; }
  [[nodiscard]] const StepReport& Step(System& system, double h, State* state) override;

  /// Multipliers of the last step beyond those of the report, for studies: λ̃ [N] and ν [kg m] of
  /// the joints, ν_N of the contacts in the order of the report.
  const VectorX& smooth_joint_forces() const;
  const VectorX& joint_position_multipliers() const;
  const VectorX& contact_position_multipliers() const;

 private:
  std::unique_ptr<AlphaStepper> stepper_;
};

}  // namespace saltus
