#include "saltus/cones/test/reference_files.h"

#include <algorithm>
#include <cstdlib>

namespace saltus::test {

namespace fs = std::filesystem;

fs::path FindReferenceFolder() {
  const char* variable = std::getenv("SALTUS_REFERENCE");
  const fs::path root = variable != nullptr
                            ? fs::path(variable)
                            : fs::path(SALTUS_SOURCE_DIR) / ".." / "shared" / "reference";
  return root / "fclib";
}

std::vector<fs::path> ListReferenceFiles() {
  std::vector<fs::path> files;
  if (!fs::is_directory(FindReferenceFolder())) return files;
  for (const fs::directory_entry& entry : fs::directory_iterator(FindReferenceFolder())) {
    if (entry.path().extension() == ".h5") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace saltus::test
