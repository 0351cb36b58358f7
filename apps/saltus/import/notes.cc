#include "apps/saltus/import/notes.h"

#include <algorithm>

namespace saltus {

void Notes::Add(const std::string& sentence) {
  const auto found = std::find_if(counts_.begin(), counts_.end(),
                                  [&](const auto& entry) { return entry.first == sentence; });
  if (found == counts_.end()) {
    counts_.emplace_back(sentence, 1);
  } else {
    ++found->second;
  }
}

std::vector<std::string> Notes::MakeList() const {
  std::vector<std::string> list;
  for (const auto& [sentence, count] : counts_) {
    list.push_back(count == 1 ? sentence : sentence + " (" + std::to_string(count) + " times)");
  }
  return list;
}

}  // namespace saltus
