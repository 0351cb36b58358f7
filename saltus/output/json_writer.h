// JSON, written value by value: the commas and the quotes come by themselves.
//
//   JsonWriter json;
//   json.BeginObject().Key("name").Value("ball").Key("radius").Value(0.1).EndObject();
#pragma once

#include <string>
#include <vector>

#include "saltus/base/types.h"

namespace saltus {

class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }
  JsonWriter& Key(const std::string& key);

  /// Text that is not UTF-8 is replaced byte by byte with U+FFFD. '<' and the line separators of
  /// JavaScript are written as escapes, so that the text may stand inside a page.
  JsonWriter& Value(const std::string& text);
  JsonWriter& Value(const char* text) { return Value(std::string(text)); }
  /// Reads back exactly; null if not finite.
  JsonWriter& Value(double number);
  JsonWriter& Value(int number) { return Raw(std::to_string(number)); }
  JsonWriter& Value(long number) { return Raw(std::to_string(number)); }
  JsonWriter& Value(bool flag) { return Raw(flag ? "true" : "false"); }
  JsonWriter& Value(const Vector3& vector);
  JsonWriter& Value(const Quaternion& rotation);  // w, x, y, z
  JsonWriter& Value(const std::vector<std::string>& texts);
  JsonWriter& Null() { return Raw("null"); }
  /// A value that is JSON already.
  JsonWriter& Raw(const std::string& json);

  const std::string& text() const { return text_; }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  void Separate();

  std::string text_;
  bool first_ = true;  // nothing stands before in this object or array
};

}  // namespace saltus
