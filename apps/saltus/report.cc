#include "apps/saltus/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "saltus/output/csv.h"
#include "saltus/simulation/conflict.h"
#include "saltus/simulation/run_notices.h"

namespace saltus {

std::string FormatAuditTable(const std::vector<AuditEntry>& entries, bool all) {
  std::size_t key_width = 0, unit_width = 0;
  for (const AuditEntry& entry : entries) {
    if (entry.value == 0 && !all) continue;
    key_width = std::max(key_width, entry.key.size());
    unit_width = std::max(unit_width, entry.unit == "1" ? 0 : entry.unit.size());
  }
  std::string table;
  for (const AuditEntry& entry : entries) {
    if (entry.value == 0 && !all) continue;
    const bool is_count = entry.value == std::floor(entry.value) && std::abs(entry.value) < 1e15;
    const std::string value =
        is_count ? fmt::format("{:.0f}", entry.value) : fmt::format("{:.4e}", entry.value);
    table += fmt::format("  {:<{}}  {:>12} {:<{}}  {}\n", entry.key, key_width, value,
                         entry.unit == "1" ? "" : entry.unit, unit_width, entry.meaning);
  }
  return table;
}

std::string FormatJson(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string FormatJson(double value) { return std::isfinite(value) ? FormatExact(value) : "null"; }

void JsonObject::Add(const std::string& key, const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + FormatJson(text);
  AddRaw(key, "[" + list + "]");
}

void JsonObject::AddRaw(const std::string& key, const std::string& value) {
  body_ += (body_.empty() ? "  " : ",\n  ") + FormatJson(key) + ": " + value;
}

std::string FormatNumberOf(std::size_t count, const std::string& singular,
                           const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string FormatMobility(const System& system) {
  const int mobility = CountMobility(system);
  const auto all = static_cast<std::size_t>(system.traits().num_velocities);
  if (mobility < 0) {
    return FormatNumberOf(all, "degree", "degrees") + " of freedom before " +
           std::to_string(system.traits().num_constraints) + " joint equations";
  }
  return FormatNumberOf(static_cast<std::size_t>(mobility), "degree", "degrees") + " of freedom";
}

void PrintHyperstatic(System& system, const State& state) {
  const std::vector<std::string> names = FindHyperstaticContacts(system, state);
  if (names.empty()) return;
  PrintNotices(
      {{Severity::kInfo, "contacts",
        "at t = " + fmt::format("{:.6g}", state.time) + " s the forces of " +
            JoinNames(names, false) +
            " are not unique (more points than the motion needs); motion and sums of forces "
            "are not affected"}});
}

void PrintNotices(const Notices& notices) {
  for (const Notice& notice : notices) {
    const char* severity = notice.severity == Severity::kWarning ? "warning" : "note";
    fmt::print(stderr, "saltus: {}: {}: {}\n", severity, notice.item, notice.message);
  }
}

}  // namespace saltus
