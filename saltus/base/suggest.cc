#include "saltus/base/suggest.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace saltus {
namespace {

/// Longer names are cut: bounds the work on hostile input.
constexpr std::size_t kMaxLength = 64;
/// How many known names a message lists.
constexpr std::size_t kMaxListed = 12;

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

int CalcEditDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxLength);
  b = b.substr(0, kMaxLength);
  // Rows i − 2, i − 1 and i of the table of distances between prefixes.
  std::array<std::array<int, kMaxLength + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = ToLower(a[i - 1]);
      const char y = ToLower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x == y ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && x == ToLower(b[j - 2]) && y == ToLower(a[i - 2]);
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::string NearestName(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string* nearest = nullptr;
  int smallest = 0;
  for (const std::string& candidate : candidates) {
    const int longer =
        static_cast<int>(std::min(std::max(name.size(), candidate.size()), kMaxLength));
    const int distance = CalcEditDistance(name, candidate);
    if (distance > std::max(1, longer / 3) || distance >= longer) continue;
    if (nearest == nullptr || distance < smallest) {
      nearest = &candidate;
      smallest = distance;
    }
  }
  return nearest == nullptr ? "" : *nearest;
}

std::string SuggestName(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = NearestName(name, candidates);
  if (!nearest.empty()) return "did you mean '" + nearest + "'?";
  if (candidates.empty()) return "";
  std::string text = "known names: ";
  for (std::size_t k = 0; k < std::min(candidates.size(), kMaxListed); ++k) {
    text += (k == 0 ? "" : ", ") + candidates[k];
  }
  if (candidates.size() > kMaxListed) text += ", …";
  return text;
}

}  // namespace saltus
