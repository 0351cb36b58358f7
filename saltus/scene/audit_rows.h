// The limits that the section `audit` may set: reader, writer and schema are loops over this table.
#pragma once

#include <array>
#include <optional>

#include "saltus/simulation/verdict.h"

namespace saltus {

struct LimitRow {
  const char* key;
  std::optional<double> AuditLimits::*limit;
};

inline constexpr std::array<LimitRow, 10> kLimitRows = {{
    {"max_penetration", &AuditLimits::max_penetration},
    {"max_constraint", &AuditLimits::max_constraint},
    {"max_constraint_rate", &AuditLimits::max_constraint_rate},
    {"max_complementarity", &AuditLimits::max_complementarity},
    {"max_creep", &AuditLimits::max_creep},
    {"max_solver_error", &AuditLimits::max_solver_error},
    {"tunnelled", &AuditLimits::tunnelled},
    {"energy_closure", &AuditLimits::energy_closure},
    {"projection", &AuditLimits::projection},
    {"lasting", &AuditLimits::lasting},
}};

}  // namespace saltus
