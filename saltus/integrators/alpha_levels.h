// The two contact levels of a Newton iteration of nonsmooth_alpha.h, whose numbers are used:
// positions (11) and velocities (12). Both ask for a correction X (U or W) with
//
//   M X = force + Gᵀμ + Hᵀr,    G X = rows,    u = H (base + X) + offset,    K* ∋ û ⟂ r ∈ K
//
// in the metric (M, G) with the joints eliminated, and with the couplings (13).
// @cite BrulsAcaryCardona2014
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/integrators/alpha_contacts.h"
#include "saltus/integrators/alpha_smooth.h"
#include "saltus/integrators/alpha_turning.h"
#include "saltus/integrators/poisson_impact.h"

namespace saltus {

/// How a contact problem ended.
struct LevelOutcome {
  bool finite = true, solved = true;  // solved: converged, or accepted
  double residual = 0;                // relative
  double error = 0;                   // m/s (positions: m)
  int iterations = 0;
  int worst_block = -1;
  std::optional<ContactKey> worst;
};

/// One problem of this kind.
class ContactLevel {
 public:
  ContactLevel(const std::string& solver, const ConicSolverOptions& options);

  /// X and μ without contacts.
  void SolveFree(const KktSolver& kkt, const VectorX& force, const VectorX& rows);
  /// base + X, less what the coupling makes of X − X_before.
  VectorX CalcMotion(const SmoothNewton& smooth, const DelassusCorrection* coupling,
                     const VectorX& base, const VectorX& X_before) const;
  /// X and μ with contacts: problem().SetRows() was called; u = A (r + fixed) + b of problem().
  /// *r starts the solver.
  LevelOutcome SolveContacts(const KktSolver& kkt, const DelassusCorrection* coupling,
                             const VectorX& fixed, const SolveTarget& target, VectorX* r);
  void AddForce(const VectorX& r) { problem_.AddForce(r, &force_); }

  ContactProblem& problem() { return problem_; }
  const VectorX& X() const { return X_; }
  const VectorX& multipliers() const { return multipliers_; }
  ConicSolver* solver() { return solver_.get(); }

 private:
  std::unique_ptr<ConicSolver> solver_;
  ContactProblem problem_;
  VectorX force_, rows_, X_, multipliers_;
};

class AlphaLevels {
 public:
  /// From so many contacts on, a contact problem costs more than to evaluate its rows again: rows
  /// are followed by iterations, and problems are solved no better than the iteration asks for.
  static constexpr int kManyContacts = 100;

  explicit AlphaLevels(const NonsmoothAlphaOptions& options);

  /// (11): next->U and ν from the iterate x and Δṽ; *dv takes the coupling hKΔU of (10).
  /// @param kkt  the metric; null: (M, G)
  /// @param force  on the right of M U = …, besides the contacts
  /// @param error  of the gaps of the iterate: the problem is solved to a share of it, m
  LevelOutcome SolvePositions(const AlphaStart& start, const AlphaTerms& terms,
                              SmoothNewton& smooth, const KktSolver& kkt, const VectorX& force,
                              const TurningTerms* turning, double error, const AlphaIterate& x,
                              AlphaContacts* contacts, VectorX* dv, AlphaIterate* next);
  /// (12): next->W and Λ; *dv takes the coupling hDΔW of (10).
  /// @param keep_active  contacts that were active in this step stay so
  /// @param coarse  another iteration will follow in any case
  LevelOutcome SolveVelocities(const AlphaStart& start, const AlphaTerms& terms,
                               SmoothNewton& smooth, const KktSolver& kkt, const VectorX& force,
                               const TurningTerms* turning, bool keep_active, bool coarse,
                               const AlphaIterate& x, AlphaContacts* contacts, VectorX* dv,
                               AlphaIterate* next);
  /// e_N u_N⁻ of (4), not below the approach speed H(q) v_n.
  static double CalcRebound(const AlphaContacts& contacts, int contact, const VectorX& v_start);

 private:
  std::vector<int> ChooseCandidates(const VectorX& gaps, AlphaContacts* contacts) const;
  std::vector<int> ChooseActive(bool keep_active, AlphaContacts* contacts) const;
  /// bias and restitution of (4) in the rows of the velocity problem, (19) not included.
  void FillLaws(const AlphaStart& start, const AlphaContacts& contacts,
                const std::vector<int>& active, VectorX* bias, VectorX* shift);

  const bool modified_;  // (16)
  const double position_tolerance_;
  const SolveTarget target_;  // of the options
  ContactLevel positions_, velocities_;
  PoissonImpact impact_;
};

}  // namespace saltus
