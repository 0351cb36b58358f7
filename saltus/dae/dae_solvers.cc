#include "saltus/dae/dae_solvers.h"

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/dae/half_explicit.h"
#include "saltus/dae/phem56.h"
#include "saltus/dae/runge_kutta.h"
#include "saltus/dae/symplectic.h"

namespace saltus {
namespace {

using Options = DaeSolverOptions;
using Solver = std::unique_ptr<DaeSolver>;

template <AlphaMethodOptions::Method method>
Solver MakeAlpha(const Options& o) {
  AlphaMethodOptions options;
  options.method = method;
  options.rho_inf = o.rho_inf;
  options.alpha = o.alpha;
  options.newton_tolerance = o.newton_tolerance;
  return std::make_unique<AlphaMethod>(options);
}

template <EmbeddedRungeKutta::Method method>
Solver MakeEmbedded(const Options&) {
  return std::make_unique<EmbeddedRungeKutta>(method);
}

template <HalvedRungeKutta::Method method>
Solver MakeHalved(const Options&) {
  return std::make_unique<HalvedRungeKutta>(method);
}

template <SymplecticMethod::Method method>
Solver MakeSymplectic(const Options&) {
  return std::make_unique<SymplecticMethod>(method);
}

}  // namespace

const std::vector<DaeSolverInfo>& ListDaeSolvers() {
  static const std::vector<DaeSolverInfo> solvers = {
      {"hem5", "half-explicit, order 5, joints exact in velocity; rigid mechanisms",
       [](const Options& o) -> Solver { return std::make_unique<Hem5>(o.error_weight); }},
      {"phem56", "partitioned half-explicit, order 5, fewest evaluations; rigid mechanisms",
       [](const Options&) -> Solver { return std::make_unique<Phem56>(); }},
      {"hem4", "half-explicit, order 4, step halving", MakeHalved<HalvedRungeKutta::Method::kHem4>},
      {"dopri5", "Dormand-Prince 5(4), index 1; systems with few or no joints",
       MakeEmbedded<EmbeddedRungeKutta::Method::kDopri5>},
      {"rkf45", "Runge-Kutta-Fehlberg 4(5), index 1; joints drift",
       MakeEmbedded<EmbeddedRungeKutta::Method::kRkf45>},
      {"rk4", "classical Runge-Kutta, order 4, step halving, index 1; joints drift",
       MakeHalved<HalvedRungeKutta::Method::kRk4>},
      {"alpha-index2", "implicit, order 2, joints exact in velocity; stiff and flexible",
       MakeAlpha<AlphaMethodOptions::Method::kIndex2>},
      {"alpha-index3", "implicit, order 2, joints exact in position; stiff and flexible",
       MakeAlpha<AlphaMethodOptions::Method::kIndex3>},
      {"hht-i3", "Hilber-Hughes-Taylor, order 2, joints exact in position; stiff and flexible",
       MakeAlpha<AlphaMethodOptions::Method::kHhtI3>},
      {"stormer-verlet", "symplectic, order 2, fixed steps; conservative motion without joints",
       MakeSymplectic<SymplecticMethod::Method::kStormerVerlet>},
      {"shake", "symplectic, order 2, fixed steps, joints exact in position; flat coordinates",
       MakeSymplectic<SymplecticMethod::Method::kShake>},
      {"rattle", "symplectic, order 2, fixed steps, joints exact; flat coordinates",
       MakeSymplectic<SymplecticMethod::Method::kRattle>}};
  return solvers;
}

std::unique_ptr<DaeSolver> MakeDaeSolver(const std::string& name, const DaeSolverOptions& options) {
  std::vector<std::string> names;
  for (const DaeSolverInfo& info : ListDaeSolvers()) {
    if (info.name == name) return info.make(options);
    names.push_back(info.name);
  }
  throw InputError("solver", "unknown smooth solver '" + name + "'", SuggestName(name, names));
}

}  // namespace saltus
