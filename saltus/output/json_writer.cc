#include "saltus/output/json_writer.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace saltus {
namespace {

/// Length of the UTF-8 sequence that starts at text[i]; 0 if there is none.
std::size_t Utf8Length(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  const std::size_t length = lead < 0x80                    ? 1
                             : lead >= 0xc2 && lead <= 0xdf ? 2
                             : lead >= 0xe0 && lead <= 0xef ? 3
                             : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                            : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  const bool bad = (lead == 0xe0 && byte(i + 1) < 0xa0) || (lead == 0xed && byte(i + 1) > 0x9f) ||
                   (lead == 0xf0 && byte(i + 1) < 0x90) || (lead == 0xf4 && byte(i + 1) > 0x8f);
  return bad ? 0 : length;
}

std::string Quote(const std::string& text) {
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = Utf8Length(text, i);
    const std::string piece = text.substr(i, length == 0 ? 1 : length);
    if (length == 0) {
      json += "\\ufffd";
    } else if (piece == "\"" || piece == "\\") {
      json += "\\" + piece;
    } else if (piece == "\xe2\x80\xa8" || piece == "\xe2\x80\xa9") {
      json += piece == "\xe2\x80\xa8" ? "\\u2028" : "\\u2029";
    } else if (length == 1 && (static_cast<unsigned char>(piece[0]) < 0x20 || piece == "<")) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(piece[0]));
    } else {
      json += piece;
    }
    i += piece.size();
  }
  return json + '"';
}

}  // namespace

JsonWriter& JsonWriter::Key(const std::string& key) {
  Separate();
  text_ += Quote(key) + ":";
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(const std::string& text) { return Raw(Quote(text)); }

JsonWriter& JsonWriter::Value(double number) {
  return Raw(std::isfinite(number) ? fmt::format("{}", number) : "null");
}

JsonWriter& JsonWriter::Value(const Vector3& vector) {
  BeginArray();
  for (const double component : vector) Value(component);
  return EndArray();
}

JsonWriter& JsonWriter::Value(const Quaternion& rotation) {
  return BeginArray()
      .Value(rotation.w())
      .Value(rotation.x())
      .Value(rotation.y())
      .Value(rotation.z())
      .EndArray();
}

JsonWriter& JsonWriter::Value(const std::vector<std::string>& texts) {
  BeginArray();
  for (const std::string& text : texts) Value(text);
  return EndArray();
}

JsonWriter& JsonWriter::Raw(const std::string& json) {
  Separate();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::Begin(char bracket) {
  Separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

void JsonWriter::Separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

}  // namespace saltus
