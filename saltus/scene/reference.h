// The section `reference` of a scene: what some channels are known to be, so that a run can be
// judged against it (`saltus compare --reference exact`).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saltus/math/time_function.h"

namespace saltus {

class Field;
struct Value;

/// Exact values of one channel: a formula in t, valid wherever it is finite, or values at times.
struct ReferenceChannel {
  std::string channel;  // "ball.position.z"
  std::optional<TimeFunction> formula;
  std::vector<std::pair<double, double>> values;  // (t [s], value), sorted; if there is no formula
};

std::vector<ReferenceChannel> ReadReference(const Field& field);
Value MakeReference(const std::vector<ReferenceChannel>& reference);

}  // namespace saltus
