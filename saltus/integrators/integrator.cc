#include "saltus/integrators/integrator.h"

namespace saltus {

const char* StatusName(StepStatus status) {
  switch (status) {
    case StepStatus::kOk:
      return "ok";
    case StepStatus::kNewtonNotConverged:
      return "Newton's method did not converge";
    case StepStatus::kSolverNotConverged:
      return "the contact problem was not solved to tolerance";
    case StepStatus::kConstraintFailed:
      return "the joints are inconsistent";
    case StepStatus::kNotFinite:
      return "NaN or infinity";
  }
  return "unknown";
}

}  // namespace saltus
