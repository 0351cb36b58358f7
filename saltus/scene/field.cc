#include "saltus/scene/field.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "saltus/base/suggest.h"
#include "saltus/math/expression.h"

namespace saltus {
namespace {

/// Whole numbers without exponent.
std::string FormatNumber(double number) {
  constexpr double kLargestWhole = 1e15;
  if (std::abs(number) < kLargestWhole && number == std::floor(number)) {
    return std::to_string(static_cast<long long>(number));
  }
  return MakeNumber(number).text;
}

/// True if the whole text is one number; *number may be infinite or NaN.
bool ParseNumber(std::string_view text, double* number) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text == ".inf" || text == ".Inf" || text == ".INF" || text == "-.inf") {
    *number = std::numeric_limits<double>::infinity();
    return true;
  }
  if (text == ".nan" || text == ".NaN" || text == ".NAN") {
    *number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *number);
  if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
    *number = std::numeric_limits<double>::infinity();  // 1e999, or too small to be meant
    return true;
  }
  return result.ec == std::errc() && result.ptr == end && !text.empty();
}

bool LooksLikeFormula(const std::string& text) {
  return text.find_first_of("+*/()^") != std::string::npos;
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

bool Range::Contains(double x) const {
  return (min_open ? x > min : x >= min) && (max_open ? x < max : x <= max);
}

std::string Range::text() const {
  const bool has_min = std::isfinite(min), has_max = std::isfinite(max);
  if (has_min && has_max) {
    return std::string("in ") + (min_open ? "(" : "[") + FormatNumber(min) + ", " +
           FormatNumber(max) + (max_open ? ")" : "]");
  }
  if (has_min) return (min_open ? "> " : ">= ") + FormatNumber(min);
  if (has_max) return (max_open ? "< " : "<= ") + FormatNumber(max);
  return "a finite number";
}

std::string SuggestChoice(const std::string& name, const std::vector<std::string>& valid) {
  constexpr std::size_t kShortList = 16;
  const std::string nearest = NearestName(name, valid);
  std::string text;
  if (!nearest.empty()) text = "did you mean '" + nearest + "'?";
  if (!valid.empty() && (text.empty() || valid.size() <= kShortList)) {
    text += (text.empty() ? "known here: " : " Known here: ") + Join(valid);
  }
  return text;
}

void Field::Fail(const std::string& message, const std::string& suggestion) const {
  throw InputError(path_, message, suggestion, value_->place.location());
}

double Field::ReadNumber(const Range& range) const {
  if (!value_->is_scalar())
    Fail("expected a number, found " + Describe(*value_), "it must be " + range.text());
  double number = 0;
  if (!ParseNumber(value_->text, &number)) {
    Fail("expected a number, found " + Describe(*value_),
         LooksLikeFormula(value_->text)
             ? "write a formula as \"${" + value_->text.substr(0, 60) + "}\""
             : "it must be " + range.text());
  }
  if (!std::isfinite(number))
    Fail(Describe(*value_) + " is not a finite number", "it must be " + range.text());
  if (!range.Contains(number))
    Fail(Describe(*value_) + " is out of range", "it must be " + range.text());
  return number;
}

long Field::ReadInteger(long min, long max) const {
  const double number =
      ReadNumber({.min = static_cast<double>(min), .max = static_cast<double>(max)});
  if (number != std::floor(number)) {
    Fail(Describe(*value_) + " is not a whole number",
         "it must be a whole number in [" + std::to_string(min) + ", " + std::to_string(max) + "]");
  }
  return static_cast<long>(number);
}

bool Field::ReadBool() const {
  if (value_->is_scalar() && (value_->text == "true" || value_->text == "false")) {
    return value_->text == "true";
  }
  Fail("expected true or false, found " + Describe(*value_), "it must be true or false");
}

std::string Field::ReadText() const {
  if (!value_->is_scalar() || value_->text.empty()) {
    Fail("expected a text, found " + (value_->is_scalar() ? "an empty one" : Describe(*value_)),
         "it must be a text on one line");
  }
  return value_->text;
}

std::size_t Field::ReadChoice(const std::vector<std::string>& choices) const {
  const std::string text = ReadText();
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) {
    Fail("unknown choice " + Describe(*value_), SuggestChoice(text, choices));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<double> Field::ReadNumbers(std::size_t count, const Range& range) const {
  std::vector<double> numbers;
  for (const Field& item : ReadList(count, count)) numbers.push_back(item.ReadNumber(range));
  return numbers;
}

Vector3 Field::ReadVector3(const Range& range) const {
  const std::vector<double> numbers = ReadNumbers(3, range);
  return {numbers[0], numbers[1], numbers[2]};
}

Vector3 Field::ReadDirection() const {
  const Vector3 direction = ReadVector3();
  if (!(direction.stableNorm() > 0)) {
    Fail("the direction is zero", "it must be three numbers that are not all 0");
  }
  return direction;
}

std::vector<Vector3> Field::ReadPoints(std::size_t min_count) const {
  std::vector<Vector3> points;
  for (const Field& item : ReadList(min_count, value_->items.max_size())) {
    points.push_back(item.ReadVector3());
  }
  return points;
}

TimeFunction Field::ReadTimeFunction() const {
  if (!value_->is_scalar()) {
    Fail("expected a number or a formula in t, found " + Describe(*value_),
         "for instance \"0.1*sin(3*t)\"");
  }
  double number = 0;
  if (ParseNumber(value_->text, &number)) return TimeFunction(ReadNumber());
  try {
    return MakeTimeFunction(Expression::Parse(value_->text));
  } catch (const InputError& error) {
    Fail(error.message(),
         error.suggestion().empty() ? "for instance \"0.1*sin(3*t)\"" : error.suggestion());
  }
}

std::vector<Field> Field::ReadList(std::size_t min, std::size_t max) const {
  const std::string wanted = min == max ? "a list of " + std::to_string(min)
                             : min > 0  ? "a list of at least " + std::to_string(min)
                                        : "a list";
  if (!value_->is_list() || value_->items.size() < min || value_->items.size() > max) {
    Fail("expected " + wanted + ", found " + Describe(*value_), "it must be " + wanted);
  }
  std::vector<Field> fields;
  fields.reserve(value_->items.size());
  for (std::size_t i = 0; i < value_->items.size(); ++i) {
    fields.emplace_back(value_->items[i], path_ + "." + std::to_string(i));
  }
  return fields;
}

std::vector<std::pair<std::string, Field>> Field::ReadItems() const {
  std::vector<std::pair<std::string, Field>> items;
  if (value_->is_null()) return items;
  if (!value_->is_map()) {
    Fail("expected a map of named items, found " + Describe(*value_),
         "write each item as 'name: {…}'");
  }
  for (const Value::Entry& entry : value_->entries) {
    items.emplace_back(entry.key,
                       Field(entry.value, path_.empty() ? entry.key : path_ + "." + entry.key));
  }
  return items;
}

MapField::MapField(const Field& field, const Section& section)
    : field_(field), keys_(&section.keys) {
  const Value& value = field.value();
  if (!value.is_map()) {
    field.Fail("expected a map, found " + Describe(value), "known keys: " + Join(*keys_));
  }
  for (const Value::Entry& entry : value.entries) {
    if (std::find(keys_->begin(), keys_->end(), entry.key) != keys_->end()) continue;
    const std::string path = field.path().empty() ? entry.key : field.path() + "." + entry.key;
    throw InputError(path, "unknown key '" + entry.key + "'", SuggestChoice(entry.key, *keys_),
                     entry.place.location());
  }
}

std::optional<Field> MapField::Find(const std::string& key) const {
  SALTUS_CHECK(std::find(keys_->begin(), keys_->end(), key) != keys_->end(),
               "undeclared key " + key);
  const Value::Entry* entry = field_.value().Find(key);
  if (entry == nullptr) return std::nullopt;
  const std::string path = field_.path().empty() ? key : field_.path() + "." + key;
  return Field(entry->value, path);
}

Field MapField::Require(const std::string& key, const std::string& meaning) const {
  std::optional<Field> found = Find(key);
  if (!found) field_.Fail("missing key '" + key + "'", "required: " + meaning);
  return *found;
}

std::string MapField::RequireOneOf(const std::vector<std::string>& keys) const {
  std::string present;
  for (const std::string& key : keys) {
    if (!Has(key)) continue;
    if (!present.empty()) {
      Find(key)->Fail("both '" + present + "' and '" + key + "' are given",
                      "keep exactly one of: " + Join(keys));
    }
    present = key;
  }
  if (present.empty()) field_.Fail("one key is missing", "give exactly one of: " + Join(keys));
  return present;
}

double MapField::ReadNumber(const std::string& key, double fallback, const Range& range) const {
  const std::optional<Field> field = Find(key);
  return field ? field->ReadNumber(range) : fallback;
}

bool MapField::ReadBool(const std::string& key, bool fallback) const {
  const std::optional<Field> field = Find(key);
  return field ? field->ReadBool() : fallback;
}

Vector3 MapField::ReadVector3(const std::string& key, const Vector3& fallback) const {
  const std::optional<Field> field = Find(key);
  return field ? field->ReadVector3() : fallback;
}

}  // namespace saltus
