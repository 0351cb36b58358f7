#include "saltus/scene/solver_options.h"

#include <variant>

namespace saltus {

ConicSolverOptions* FindSolverOptions(Scene* scene) {
  return std::visit(
      [](auto& options) -> ConicSolverOptions* {
        if constexpr (requires { options.solver_options; }) {
          return &options.solver_options;
        } else {
          return nullptr;
        }
      },
      scene->integrator.options);
}

}  // namespace saltus
