#include "saltus/scene/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace saltus {

const Value::Entry* Value::Find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Value::Entry* Value::Find(std::string_view key) {
  return const_cast<Entry*>(std::as_const(*this).Find(key));
}

Value& Value::Add(std::string key, Value value, const Place& key_place) {
  kind = Kind::kMap;
  entries.push_back({std::move(key), key_place, std::move(value)});
  return entries.back().value;
}

Value MakeScalar(std::string text, const Place& place) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.text = std::move(text);
  value.place = place;
  return value;
}

Value MakeNumber(double number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return MakeScalar(std::string(buffer.data(), end));
}

Value MakeList(std::vector<Value> items) {
  Value value;
  value.kind = Value::Kind::kList;
  value.items = std::move(items);
  return value;
}

Value MakeMap() {
  Value value;
  value.kind = Value::Kind::kMap;
  return value;
}

std::string Describe(const Value& value) {
  constexpr std::size_t kLongest = 40;
  switch (value.kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kList:
      return "a list of " + std::to_string(value.items.size());
    case Value::Kind::kMap:
      return "a map";
    case Value::Kind::kScalar:
      break;
  }
  if (value.text.size() <= kLongest) return "'" + value.text + "'";
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(value.text[end]) & 0xC0) == 0x80) --end;
  return "'" + value.text.substr(0, end) + "…'";
}

void ValueBudget::Spend(const Value& value, const Place& place) {
  constexpr std::size_t kBytesPerValue = 64;
  spent_ += 1 + static_cast<long>(value.text.size() / kBytesPerValue);
  for (const Value::Entry& entry : value.entries) {
    spent_ += static_cast<long>(entry.key.size() / kBytesPerValue);
  }
  Require(0, place);
}

void ValueBudget::Require(long count, const Place& place) const {
  if (spent_ > max_ - count) {
    throw InputError("",
                     "the scene has more than " + std::to_string(max_) +
                         " values after includes, aliases and repetition",
                     "lower the counts of 'repeat' or use fewer aliases", place.location());
  }
}

void ValueBudget::SpendTree(const Value& value, const Place& place) {
  Spend(value, place);
  for (const Value& item : value.items) SpendTree(item, place);
  for (const Value::Entry& entry : value.entries) SpendTree(entry.value, place);
}

}  // namespace saltus
