#include "saltus/scene/reference.h"

#include <algorithm>
#include <charconv>

#include "saltus/scene/field.h"
#include "saltus/scene/value.h"

namespace saltus {
namespace {

double ReadTime(const std::string& key, const Field& field) {
  double t = 0;
  const char* end = key.data() + key.size();
  const auto result = std::from_chars(key.data(), end, t);
  if (result.ec != std::errc() || result.ptr != end || !(t >= 0)) {
    field.Fail("'" + key + "' is not a time",
               "write {time: value}, for instance {1: 0.5}, times "
               "in seconds, >= 0");
  }
  return t;
}

}  // namespace

std::vector<ReferenceChannel> ReadReference(const Field& field) {
  std::vector<ReferenceChannel> reference;
  for (const auto& [name, value] : field.ReadItems()) {
    ReferenceChannel channel;
    channel.channel = name;
    if (value.value().is_map()) {
      for (const auto& [time, at_time] : value.ReadItems()) {
        channel.values.emplace_back(ReadTime(time, at_time), at_time.ReadNumber());
      }
      std::sort(channel.values.begin(), channel.values.end());
      if (channel.values.empty()) {
        value.Fail("holds no value", "write {time: value}, for instance {1: 0.5}");
      }
    } else {
      channel.formula = value.ReadTimeFunction();
    }
    reference.push_back(std::move(channel));
  }
  return reference;
}

Value MakeReference(const std::vector<ReferenceChannel>& reference) {
  Value map = MakeMap();
  for (const ReferenceChannel& channel : reference) {
    if (channel.formula) {
      map.Add(channel.channel, channel.formula->is_constant()
                                   ? MakeNumber(channel.formula->Value(0))
                                   : MakeScalar(channel.formula->text()));
      continue;
    }
    Value values = MakeMap();
    for (const auto& [time, value] : channel.values) {
      values.Add(MakeNumber(time).text, MakeNumber(value));
    }
    map.Add(channel.channel, std::move(values));
  }
  return map;
}

}  // namespace saltus
