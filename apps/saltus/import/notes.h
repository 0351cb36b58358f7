// Notes: what a model does not have of a file, each said once with the number of times it occurs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace saltus {

class Notes {
 public:
  /// Equal sentences are counted.
  void Add(const std::string& sentence);
  /// In order of their first occurrence: "sentence (3 times)".
  std::vector<std::string> MakeList() const;

 private:
  std::vector<std::pair<std::string, int>> counts_;
};

}  // namespace saltus
