#include "saltus/base/error.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace saltus {
namespace {

std::string ComposeMessage(const std::string& item, const std::string& message,
                           const std::string& suggestion, const SourceLocation& location) {
  std::string text;
  if (!location.file.empty()) {
    text += location.file + ":";
    if (location.line > 0) text += std::to_string(location.line) + ":";
    if (location.column > 0) text += std::to_string(location.column) + ":";
    text += " ";
  }
  if (!item.empty()) text += item + ": ";
  text += message;
  if (!suggestion.empty()) text += "; " + suggestion;
  return text;
}

}  // namespace

InputError::InputError(std::string item, std::string message, std::string suggestion,
                       SourceLocation location)
    : std::runtime_error(ComposeMessage(item, message, suggestion, location)),
      item_(std::move(item)),
      message_(std::move(message)),
      suggestion_(std::move(suggestion)),
      location_(std::move(location)) {}

void AbortOnBrokenInvariant(const char* condition, const char* file, int line,
                            const std::string& message) {
  std::fprintf(stderr, "saltus: broken invariant at %s:%d: %s (%s)\n", file, line, message.c_str(),
               condition);
  std::abort();
}

}  // namespace saltus
