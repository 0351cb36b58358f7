// docs/scene.md must mention every key that the reader knows, in a table of the right section.
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "saltus/scene/integrator_registry.h"
#include "saltus/scene/schema.h"

namespace saltus {
namespace {

/// The text below each heading "## `section`", up to the next heading.
std::map<std::string, std::string> ReadHeadings() {
  std::ifstream stream(std::string(SALTUS_SOURCE_DIR) + "/docs/scene.md");
  EXPECT_TRUE(stream.is_open());
  std::map<std::string, std::string> texts;
  std::string heading, line;
  while (std::getline(stream, line)) {
    if (line.starts_with("#")) {
      const std::size_t start = line.find('`');
      const std::size_t end = line.rfind('`');
      heading = start < end ? line.substr(start + 1, end - start - 1) : "";
    } else {
      texts[heading] += line + "\n";
    }
  }
  return texts;
}

void ExpectRow(const std::map<std::string, std::string>& texts, const std::string& section,
               const std::string& key) {
  const auto found = texts.find(section);
  ASSERT_NE(found, texts.end()) << "docs/scene.md has no heading `" << section << "`";
  EXPECT_NE(found->second.find("| `" + key + "` |"), std::string::npos)
      << "docs/scene.md: section `" << section << "` lacks a row for `" << key << "`";
}

TEST(ReferencePage, HasEveryKey) {
  const auto texts = ReadHeadings();
  for (const Section& section : ListSections()) {
    for (const std::string& key : section.keys) ExpectRow(texts, section.name, key);
  }
}

TEST(ReferencePage, HasEveryKind) {
  const auto texts = ReadHeadings();
  for (const Kind& kind : ListJointKinds()) ExpectRow(texts, "joint types", kind.name);
  for (const Kind& kind : ListForceKinds()) ExpectRow(texts, "force types", kind.name);
}

TEST(ReferencePage, HasEveryIntegratorOption) {
  const auto texts = ReadHeadings();
  for (const IntegratorInfo& integrator : ListIntegrators()) {
    for (const auto& option : integrator.options) ExpectRow(texts, integrator.name, option.key);
  }
}

}  // namespace
}  // namespace saltus
