// Suggestions for misspelt names: "did you mean 'mass'?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn a into b
/// (optimal string alignment). Letters that differ only in case count as equal.
int CalcEditDistance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, or "" if none is near: within a third of the longer length, but
/// at least one edit. Among equals the first candidate wins.
std::string NearestName(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'mass'?", or "known names: a, b, c" if none is near, or "" without candidates.
std::string SuggestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace saltus
