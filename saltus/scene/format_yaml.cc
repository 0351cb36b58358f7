// Writing a tree of Values as YAML text.
#include <cctype>
#include <string_view>

#include "saltus/scene/yaml.h"

namespace saltus {
namespace {

constexpr std::size_t kColumns = 100;

/// Texts that YAML reads back unchanged without quotes, also inside brackets.
bool IsPlain(std::string_view text) {
  if (text.empty() || text == "null" || text == "~" || text == "<<" || text.back() == ' ') {
    return false;
  }
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool signed_start = (text[0] == '-' || text[0] == '+' || text[0] == '.') &&
                            text.size() > 1 && (alphanumeric(text[1]) || text[1] == '.');
  if (!alphanumeric(text[0]) && !(signed_start && text.substr(0, 2) != "..")) return false;
  for (const char c : text) {
    if (!alphanumeric(c) && std::string_view(" .+-/").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

std::string Quote(const std::string& text) {
  if (IsPlain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        quoted += '\\';
        quoted += c;
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        quoted += c;
    }
  }
  return quoted + '"';
}

class Formatter {
 public:
  std::string text() && { return std::move(text_); }

  void WriteEntries(const Value& map, std::size_t indent) {
    for (const Value::Entry& entry : map.entries) {
      text_.append(indent, ' ');
      text_ += Quote(entry.key) + ":";
      WriteBehind(entry.value, indent);
    }
  }

 private:
  /// On the same line if the value is short and flat, else as a block below.
  void WriteBehind(const Value& value, std::size_t indent) {
    std::string flow;
    const bool fits = FormatFlow(value, 0, &flow) && flow.size() + indent < kColumns;
    if (fits || value.is_scalar() || value.is_null()) {
      text_ += " " + flow + "\n";
    } else if (value.is_map()) {
      text_ += "\n";
      WriteEntries(value, indent + 2);
    } else {
      text_ += "\n";
      for (const Value& item : value.items) {
        text_.append(indent + 2, ' ');
        text_ += "-";
        WriteBehind(item, indent + 2);
      }
    }
  }

  /// False if the value is too long or too deep for one line.
  static bool FormatFlow(const Value& value, int depth, std::string* text) {
    constexpr int kDeepest = 2;
    if (value.is_null()) {
      *text += "~";
      return true;
    }
    if (value.is_scalar()) {
      *text += Quote(value.text);
      return true;
    }
    if (depth > kDeepest) return false;
    *text += value.is_list() ? "[" : "{";
    bool first = true;
    for (const Value& item : value.items) {
      if (!first) *text += ", ";
      first = false;
      if (!FormatFlow(item, depth + 1, text) || text->size() > kColumns) return false;
    }
    for (const Value::Entry& entry : value.entries) {
      if (!first) *text += ", ";
      first = false;
      *text += Quote(entry.key) + ": ";
      if (!FormatFlow(entry.value, depth + 1, text) || text->size() > kColumns) return false;
    }
    *text += value.is_list() ? "]" : "}";
    return true;
  }

  std::string text_;
};

}  // namespace

std::string FormatYaml(const Value& value) {
  Formatter formatter;
  formatter.WriteEntries(value, 0);
  return std::move(formatter).text();
}

}  // namespace saltus
