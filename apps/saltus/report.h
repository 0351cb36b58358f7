// What the commands print about a run: the audit as a table or as JSON, notices, counts.
#pragma once

#include <string>
#include <vector>

#include "saltus/base/notice.h"
#include "saltus/dynamics/system.h"
#include "saltus/simulation/audit.h"

namespace saltus {

/// One line per entry: key, value, unit and meaning, in columns. Entries that are zero say nothing
/// and are left out unless `all` are asked for.
std::string FormatAuditTable(const std::vector<AuditEntry>& entries, bool all);

/// A JSON string with quotes; a JSON number (null if not finite).
std::string FormatJson(const std::string& text);
std::string FormatJson(double value);

/// Writes a flat JSON object, key by key.
class JsonObject {
 public:
  void Add(const std::string& key, const std::string& text) { AddRaw(key, FormatJson(text)); }
  void Add(const std::string& key, double value) { AddRaw(key, FormatJson(value)); }
  void Add(const std::string& key, const std::vector<std::string>& texts);
  /// The object with its braces and a final line break.
  std::string Finish() const { return "{\n" + body_ + "\n}\n"; }

 private:
  void AddRaw(const std::string& key, const std::string& value);
  std::string body_;
};

/// "1 body", "3 bodies".
std::string FormatNumberOf(std::size_t count, const std::string& singular,
                           const std::string& plural);

/// "1 degree of freedom", with the joints counted.
std::string FormatMobility(const System& system);

/// A note on contact forces that are not unique at a state, if there are any.
void PrintHyperstatic(System& system, const State& state);

/// Prints notices to stderr, "saltus: warning: joint 'loop': …".
void PrintNotices(const Notices& notices);

}  // namespace saltus
