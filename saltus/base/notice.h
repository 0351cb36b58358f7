// Notices: what the library wants to tell the user without failing and without printing.
#pragma once

#include <string>
#include <vector>

namespace saltus {

enum class Severity { kInfo, kWarning };

/// Example: {kWarning, "joint 'loop'", "2 of its 5 constraint rows are redundant …"}.
struct Notice {
  Severity severity = Severity::kInfo;
  std::string item;
  std::string message;
};

using Notices = std::vector<Notice>;

}  // namespace saltus
