// Symplectic methods with fixed steps, for long conservative motion; constant mass, flat q.
// @cite HairerLubichWanner2006
//
//   stormer-verlet   v_½ = v_n + h/2 M⁻¹f(q_n),  q_{n+1} = q_n + h v_½,
//                    v_{n+1} = v_½ + h/2 M⁻¹f(q_{n+1})                    joints: none          (1)
//   shake            v_½ = v_n + h/2 M⁻¹(f(q_n) + Gᵀ(q_n)λ_n) with g(q_n + h v_½) = 0; the next
//                    step starts from v_½:  v_{½+1} = v_½ + h M⁻¹(f + Gᵀλ)(q_{n+1})
//                    @cite RyckaertCiccottiBerendsen1977                                        (2)
//   rattle           v_½ as in (2); v_{n+1} = v_½ + h/2 M⁻¹(f + Gᵀμ)(q_{n+1}), G v_{n+1} + g_t = 0
//                    @cite Andersen1983                                                         (3)
//
// Order 2; |g| at rounding, rattle also |G v + g_t|; the energy error stays bounded and is O(h²).
// shake goes on from v_½ and reports v_{n+1} = v_½ + h/2 v̇(q_{n+1}, v_½), v̇ of the index-1
// equations: G v + g_t = O(h²).
//
// Deviation: forces may depend on velocities, those of the instant, at the end by fixed-point
// iteration; the order stays, the methods are symplectic only without them.
#pragma once

#include "saltus/dae/dae_solver.h"
#include "saltus/dae/hermite.h"

namespace saltus {

class SymplecticMethod final : public DaeSolver {
 public:
  enum class Method { kStormerVerlet, kShake, kRattle };
  explicit SymplecticMethod(Method method) : method_(method) {}

  std::string name() const override;
  int order() const override { return 2; }
  int error_order() const override { return 0; }
  VectorX MakeMemory() const override;
  void Recall(const VectorX& memory) override;

 protected:
  DaeTrial Step() override;
  /// Throws InputError if the system does not fit.
  void OnStart() override;
  void OnAdvance(bool moved) override;
  void Interpolate(double theta, VectorX* q, VectorX* v) override;

 private:
  /// (2): v_½ from `base` over the time `kick`, held by the joints at the end of the step.
  DaeStatus KickOff(const VectorX& base, double kick);
  /// (3), also without joints.
  DaeStatus KickHome();

  Method method_;
  VectorX v_half_, f_, a_, lambda_, c_, y_, mu_;
  VectorX start_half_;  // v_{n−½} of shake; empty at a start
  SparseRows G_;
  VectorX a_start_, a_end_, delta_;
  HermiteStep hermite_;
  bool dense_is_ready_ = false;
};

}  // namespace saltus
