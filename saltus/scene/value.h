// Value: a scene file as a tree of plain values, each of which knows where it was written.
//
// The reader works on this tree and not on the nodes of the YAML library: a value keeps its place
// through includes, substitution and repetition, maps keep their order, and the size of the tree is
// limited while it grows (SceneLimits), so that no input exhausts stack, memory or patience.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/error.h"

namespace saltus {

/// What a scene may cost to read. Every limit has an error message of its own.
struct SceneLimits {
  int max_depth = 64;                             // nesting of lists and maps
  int max_include_depth = 16;                     // files that include files
  long max_values = 2'000'000;                    // values after includes, aliases and repetition
  std::size_t max_bytes = std::size_t{64} << 20;  // of one file
};

/// A place in a file; copies share the file's name.
struct Place {
  std::shared_ptr<const std::string> file;
  int line = 0;    // from 1
  int column = 0;  // from 1

  SourceLocation location() const { return {file ? *file : std::string(), line, column}; }
};

struct Value {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text;            // kScalar
  std::vector<Value> items;    // kList
  std::vector<Entry> entries;  // kMap, in the order of the file, keys unique
  Place place;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }

  /// The entry of a map, or null.
  const Entry* Find(std::string_view key) const;
  Entry* Find(std::string_view key);
  /// Appends an entry to a map (a null becomes a map) and returns its value.
  Value& Add(std::string key, Value value, const Place& key_place = {});
};

struct Value::Entry {
  std::string key;
  Place place;
  Value value;
};

Value MakeScalar(std::string text, const Place& place = {});
Value MakeNumber(double number);  // shortest text that reads back as the same number
Value MakeList(std::vector<Value> items);
Value MakeMap();

/// "a list", "a map", "the text 'abc'", "nothing": for messages.
std::string Describe(const Value& value);

/// Counts values while a tree grows; a long text counts as several.
class ValueBudget {
 public:
  explicit ValueBudget(long max_values) : max_(max_values) {}
  /// Throws InputError at `place` once the sum exceeds the limit.
  void Spend(const Value& value, const Place& place);      // one value, not what it contains
  void SpendTree(const Value& value, const Place& place);  // with all that it contains
  /// Throws if `count` more values would exceed the limit.
  void Require(long count, const Place& place) const;

 private:
  long max_;
  long spent_ = 0;
};

}  // namespace saltus
