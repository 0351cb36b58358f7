// Parameters, ${…} and repetition.
//
//   parameters: {n: 10, r: 0.1, d: "${2*r}"}       a parameter may use others, in any order
//   bodies:
//     sphere_${i}_${j}: {repeat: {i: "${n}", j: [1, 3]}, position: ["${i*d}", "${j*d}", 0], …}
//
// i runs over 0 … n − 1, j over 1 … 3; the first index is the slowest.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "saltus/math/expression.h"
#include "saltus/scene/compose.h"
#include "saltus/scene/field.h"

namespace saltus {
namespace {

constexpr long kMaxRepeat = 1'000'000;
constexpr std::size_t kMaxParameterChain = 100;

/// Whole numbers without exponent, so that they may be part of a name.
std::string FormatResult(double number) {
  constexpr double kLargestWhole = 1e15;
  if (std::abs(number) < kLargestWhole && number == std::floor(number)) {
    return std::to_string(static_cast<long long>(number));
  }
  return MakeNumber(number).text;
}

bool IsName(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

void CheckVariableName(const std::string& name, const std::string& path, const Place& place) {
  if (!IsName(name)) {
    throw InputError(path, "'" + name + "' cannot be used in a formula",
                     "a name has letters, digits and '_' and does not begin with a digit",
                     place.location());
  }
  if (Expression::IsReservedName(name)) {
    throw InputError(path, "'" + name + "' is a function, a constant or the time",
                     "choose another name", place.location());
  }
}

class Expander {
 public:
  Expander(const Value& root, ValueBudget* budget) : budget_(budget) {
    if (const Value::Entry* entry = root.Find("parameters")) parameters_ = &entry->value;
  }

  std::vector<std::pair<std::string, double>> EvaluateParameters() {
    std::vector<std::pair<std::string, double>> results;
    if (parameters_ == nullptr || parameters_->is_null()) return results;
    if (!parameters_->is_map()) {
      Field(*parameters_, "parameters")
          .Fail("expected a map, found " + Describe(*parameters_), "write 'name: number' lines");
    }
    for (const Value::Entry& entry : parameters_->entries) {
      CheckVariableName(entry.key, "parameters." + entry.key, entry.place);
    }
    for (const Value::Entry& entry : parameters_->entries) {
      results.emplace_back(entry.key, EvaluateParameter(entry));
    }
    path_.clear();
    return results;
  }

  Value ExpandValue(const Value& value) {
    Value result;
    result.kind = value.kind;
    result.place = value.place;
    switch (value.kind) {
      case Value::Kind::kNull:
        break;
      case Value::Kind::kScalar:
        result.text = Interpolate(value.text, value.place);
        break;
      case Value::Kind::kList:
        ExpandList(value, &result);
        break;
      case Value::Kind::kMap:
        ExpandMap(value, &result);
        break;
    }
    budget_->Spend(result, result.place);
    return result;
  }

 private:
  struct Index {
    std::string name;
    long first = 0, last = -1;
  };

  // --- Formulas ----------------------------------------------------------------------------------

  double EvaluateParameter(const Value::Entry& entry) {
    if (const auto known = values_.find(entry.key); known != values_.end()) return known->second;
    const std::string path = "parameters." + entry.key;
    if (std::find(pending_.begin(), pending_.end(), entry.key) != pending_.end()) {
      std::string chain;
      for (const std::string& name : pending_) chain += name + " -> ";
      throw InputError(path, "the parameters depend on each other: " + chain + entry.key,
                       "give one of them a number", entry.value.place.location());
    }
    if (pending_.size() >= kMaxParameterChain) {
      throw InputError(path,
                       "a chain of more than " + std::to_string(kMaxParameterChain) +
                           " parameters that use each other",
                       "give one of them a number", entry.value.place.location());
    }
    pending_.push_back(entry.key);
    path_.assign(path);
    Value number = entry.value;
    if (number.is_scalar()) number.text = Interpolate(number.text, number.place);
    pending_.pop_back();
    const double result = Field(number, path).ReadNumber();
    values_[entry.key] = result;
    return result;
  }

  double Evaluate(const std::string& formula, const Place& place) {
    const std::string path = path_;
    try {
      const Expression& expression = ParseOnce(formula);
      if (expression.uses("t") && values_.count("t") == 0) {
        throw InputError("", "the time t has no value while a scene is read",
                         "write functions of time without ${…}: \"sin(t)\"");
      }
      for (const std::string& name : expression.variables()) Provide(name);
      path_ = path;
      return expression.Evaluate(values_);
    } catch (const InputError& error) {
      if (!error.location().file.empty()) throw;  // Another parameter is at fault.
      throw InputError(path, Describe(MakeScalar(formula)) + ": " + error.message(),
                       error.suggestion().empty() ? "check the formula" : error.suggestion(),
                       place.location());
    }
  }

  const Expression& ParseOnce(const std::string& formula) {
    const auto found = formulas_.find(formula);
    if (found != formulas_.end()) return found->second;
    return formulas_.emplace(formula, Expression::Parse(formula)).first->second;
  }

  /// Makes sure that a parameter has been evaluated; unknown names are left to Evaluate.
  void Provide(const std::string& name) {
    if (values_.count(name) > 0 || parameters_ == nullptr) return;
    if (const Value::Entry* entry = parameters_->Find(name)) EvaluateParameter(*entry);
  }

  /// Replaces each ${formula} of a text by its value.
  std::string Interpolate(const std::string& text, const Place& place) {
    std::string result;
    std::size_t done = 0;
    while (true) {
      const std::size_t start = text.find("${", done);
      result.append(text, done, start == std::string::npos ? start : start - done);
      if (start == std::string::npos) return result;
      const std::size_t end = text.find('}', start);
      if (end == std::string::npos) {
        throw InputError(path_, "'${' without '}' in " + Describe(MakeScalar(text)),
                         "close the formula with '}'", place.location());
      }
      const double number = Evaluate(text.substr(start + 2, end - start - 2), place);
      done = end + 1;
      AppendNumber(number, text, done, &result);
    }
  }

  /// A negative number inside a formula of time keeps its meaning: 2-${a}, ${a}^2.
  static void AppendNumber(double number, const std::string& text, std::size_t next,
                           std::string* result) {
    const std::size_t last = result->find_last_not_of(' ');
    const bool after_operator = last != std::string::npos &&
                                std::string("+-*/^").find((*result)[last]) != std::string::npos;
    const std::size_t following = text.find_first_not_of(' ', next);
    const bool before_power = following != std::string::npos && text[following] == '^';
    const std::string digits = FormatResult(number);
    *result +=
        std::signbit(number) && (after_operator || before_power) ? "(" + digits + ")" : digits;
  }

  // --- Lists, maps and repetition ----------------------------------------------------------------

  void ExpandList(const Value& list, Value* result) {
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      path_ += "." + std::to_string(i);
      const Value& item = list.items[i];
      ForEach(item, [&](const Value& body) { result->items.push_back(ExpandValue(body)); });
      path_.resize(length);
    }
  }

  void ExpandMap(const Value& map, Value* result) {
    const std::size_t length = path_.size();
    std::set<std::string> names;
    for (const Value::Entry& entry : map.entries) {
      path_ += (path_.empty() ? "" : ".") + entry.key;
      ForEach(entry.value, [&](const Value& body) {
        std::string name = Interpolate(entry.key, entry.place);
        if (!names.insert(name).second) {
          throw InputError(path_, "the name '" + name + "' appears twice",
                           "use every index of 'repeat' in the name: " + entry.key + "_${i}",
                           entry.place.location());
        }
        Value value = ExpandValue(body);
        result->entries.push_back({std::move(name), entry.place, std::move(value)});
      });
      path_.resize(length);
    }
  }

  /// Calls `add` with the value itself, or without its `repeat` for every tuple of indices.
  template <typename Add>
  void ForEach(const Value& value, const Add& add) {
    const Value::Entry* repeat = value.is_map() ? value.Find("repeat") : nullptr;
    if (repeat == nullptr) {
      add(value);
      return;
    }
    const std::size_t length = path_.size();
    path_ += ".repeat";
    const std::vector<Index> indices = ReadIndices(*repeat);
    path_.resize(length);
    Value body = value;
    std::erase_if(body.entries, [](const Value::Entry& entry) { return entry.key == "repeat"; });
    long count = CountAtLeast(body);
    for (const Index& index : indices) count *= std::max(0L, index.last - index.first + 1);
    budget_->Require(count, body.place);  // Fails before hours of work, not after.
    Iterate(indices, 0, [&] {
      add(body);
      path_.resize(length);
    });
    for (const Index& index : indices) values_.erase(index.name);
  }

  /// Values that one repetition makes, without what is repeated inside.
  static long CountAtLeast(const Value& value) {
    long count = 1;
    for (const Value& item : value.items) {
      if (item.Find("repeat") == nullptr) count += CountAtLeast(item);
    }
    for (const Value::Entry& entry : value.entries) {
      if (entry.value.Find("repeat") == nullptr) count += CountAtLeast(entry.value);
    }
    return count;
  }

  template <typename Visit>
  void Iterate(const std::vector<Index>& indices, std::size_t level, const Visit& visit) {
    if (level == indices.size()) {
      visit();
      return;
    }
    const Index& index = indices[level];
    for (long i = index.first; i <= index.last; ++i) {
      values_[index.name] = static_cast<double>(i);
      Iterate(indices, level + 1, visit);
    }
  }

  std::vector<Index> ReadIndices(const Value::Entry& repeat) {
    const Value ranges = ExpandValue(repeat.value);
    std::vector<Index> indices;
    long total = 1;
    for (const auto& [name, field] : Field(ranges, path_).ReadItems()) {
      CheckVariableName(name, field.path(), field.place());
      if (values_.count(name) > 0 || (parameters_ && parameters_->Find(name))) {
        field.Fail("'" + name + "' is already a parameter or an outer index",
                   "choose another name for the index");
      }
      Index index{name};
      if (field.value().is_list()) {
        const std::vector<Field> ends = field.ReadList(2, 2);
        index.first = ends[0].ReadInteger(-kMaxRepeat, kMaxRepeat);
        index.last = ends[1].ReadInteger(-kMaxRepeat, kMaxRepeat);
      } else {
        index.last = field.ReadInteger(0, kMaxRepeat) - 1;
      }
      total *= std::max(0L, index.last - index.first + 1);
      if (total > kMaxRepeat) {
        field.Fail("more than " + std::to_string(kMaxRepeat) + " repetitions",
                   "the product of all counts must be in [0, " + std::to_string(kMaxRepeat) + "]");
      }
      indices.push_back(std::move(index));
    }
    if (indices.empty()) {
      Field(repeat.value, path_).Fail("no index is given", "for instance repeat: {i: 10}");
    }
    return indices;
  }

  const Value* parameters_ = nullptr;
  ValueBudget* budget_;
  VariableValues values_;
  std::unordered_map<std::string, Expression> formulas_;
  std::vector<std::string> pending_;  // parameters under evaluation
  std::string path_;                  // of the value at hand
};

}  // namespace

Value Expand(const Value& root, ValueBudget* budget,
             std::vector<std::pair<std::string, double>>* parameters) {
  Expander expander(root, budget);
  *parameters = expander.EvaluateParameters();
  Value rest = root;
  std::erase_if(rest.entries, [](const Value::Entry& entry) { return entry.key == "parameters"; });
  return expander.ExpandValue(rest);
}

}  // namespace saltus
