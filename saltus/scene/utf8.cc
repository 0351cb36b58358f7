#include "saltus/scene/utf8.h"

#include <array>
#include <cstdint>

namespace saltus {
namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t CalcSequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;  // written longer than needed
  if (lead == 0xED && byte(1) > 0x9F) return 0;  // half of a surrogate pair
  if (lead == 0xF0 && byte(1) < 0x90) return 0;  // written longer than needed
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

std::string FormatByte(std::uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 15];
}

}  // namespace

TextFault FindTextFault(std::string_view text) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    const int column = static_cast<int>(i - line_start) + 1;
    const std::size_t length = CalcSequenceLength(text.substr(i));
    if (length == 0) return {"byte " + FormatByte(byte) + " is not UTF-8", line, column};
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') ||
                         byte == 0x7F ||
                         (byte == 0xC2 && static_cast<std::uint8_t>(text[i + 1]) < 0xA0);
    if (control) return {"control character " + FormatByte(byte), line, column};
    if (byte == '\n') {
      ++line;
      line_start = i + 1;
    }
    i += length;
  }
  return {};
}

}  // namespace saltus
