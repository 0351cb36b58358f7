// Typed reading of values: every number, name and list of a scene passes through here, so that
// every mistake is reported with its place, its key path, its value and what is admissible.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/math/time_function.h"
#include "saltus/scene/schema.h"
#include "saltus/scene/value.h"

namespace saltus {

/// The admissible numbers of a field, in the words of its error message.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_open = false;  // true: min itself is not allowed
  bool max_open = false;

  bool Contains(double x) const;
  std::string text() const;  // "in [0, 1]", "> 0", "a finite number"
};
inline constexpr Range kAny{};
inline constexpr Range kPositive{.min = 0, .min_open = true};
inline constexpr Range kAtLeastZero{.min = 0};
inline constexpr Range kUnit{.min = 0, .max = 1};

/// "did you mean 'restitution'?" or the whole list if it is short; empty if neither helps.
std::string SuggestChoice(const std::string& name, const std::vector<std::string>& valid);

/// A value and the key path that leads to it. The value must outlive the Field.
class Field {
 public:
  Field(const Value& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const Value& value() const { return *value_; }
  const std::string& path() const { return path_; }
  const Place& place() const { return value_->place; }
  [[noreturn]] void Fail(const std::string& message, const std::string& suggestion) const;

  double ReadNumber(const Range& range = kAny) const;
  long ReadInteger(long min, long max) const;
  bool ReadBool() const;
  std::string ReadText() const;
  /// The position of the text in `choices`.
  std::size_t ReadChoice(const std::vector<std::string>& choices) const;
  std::vector<double> ReadNumbers(std::size_t count, const Range& range = kAny) const;
  Vector3 ReadVector3(const Range& range = kAny) const;
  Vector3 ReadDirection() const;  // three numbers, not all zero
  std::vector<Vector3> ReadPoints(std::size_t min_count) const;
  /// A number or a formula in t.
  TimeFunction ReadTimeFunction() const;

  /// The items of a list with a size in [min, max].
  std::vector<Field> ReadList(std::size_t min, std::size_t max) const;
  /// The entries of a map, whatever their keys; nothing counts as an empty map.
  std::vector<std::pair<std::string, Field>> ReadItems() const;

 private:
  const Value* value_;
  std::string path_;
};

/// A map with known keys.
class MapField {
 public:
  /// Throws if the value is not a map or has a key that the section does not know. The section must
  /// outlive the MapField.
  MapField(const Field& field, const Section& section);
  MapField(const Field& field, const std::string& section_name)
      : MapField(field, FindSection(section_name)) {}

  const Field& field() const { return field_; }
  bool Has(const std::string& key) const { return field_.value().Find(key) != nullptr; }
  std::optional<Field> Find(const std::string& key) const;
  /// `meaning` tells the reader what is missing: "a number > 0 [kg]".
  Field Require(const std::string& key, const std::string& meaning) const;
  /// Exactly one of the keys must be there; returns it.
  std::string RequireOneOf(const std::vector<std::string>& keys) const;

  double ReadNumber(const std::string& key, double fallback, const Range& range = kAny) const;
  bool ReadBool(const std::string& key, bool fallback) const;
  Vector3 ReadVector3(const std::string& key, const Vector3& fallback) const;

 private:
  Field field_;
  const std::vector<std::string>* keys_;
};

}  // namespace saltus
