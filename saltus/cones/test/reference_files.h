// The FCLib problems from running simulations, kept outside the repository.
#pragma once

#include <filesystem>
#include <vector>

namespace saltus::test {

/// All files, sorted; empty where they are not installed ($SALTUS_REFERENCE or
/// ../shared/reference).
std::vector<std::filesystem::path> ListReferenceFiles();
std::filesystem::path FindReferenceFolder();

/// Skips the test with a plain message where the files are absent.
#define SALTUS_SKIP_WITHOUT_REFERENCE()           \
  if (saltus::test::ListReferenceFiles().empty()) \
  GTEST_SKIP() << "the FCLib reference problems are not installed (set SALTUS_REFERENCE)"

}  // namespace saltus::test
