// The keys of the scene format, section by section: one visible table that the reader checks
// unknown keys against, that messages quote and that a test compares with docs/scene.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// One kind of map in a scene file.
struct Section {
  std::string name;               // "body", "joint", … as in the headings of docs/scene.md
  std::vector<std::string> keys;  // in the order of the documentation
};

/// Every section; the options of the integrators are listed by ListIntegrators instead.
const std::vector<Section>& ListSections();
/// Aborts if there is no such section: names are fixed in the code.
const Section& FindSection(std::string_view name);

/// A named kind of item ("revolute", "spring", "sphere") with the keys it understands.
struct Kind {
  std::string name;
  std::string summary;            // one line
  std::vector<std::string> keys;  // those that this kind uses
};

const std::vector<Kind>& ListJointKinds();
const std::vector<Kind>& ListForceKinds();
const std::vector<Kind>& ListShapeKinds();
const std::vector<Kind>& ListLawKinds();      // of contact
const std::vector<Kind>& ListSurfaceKinds();  // what a named contact's point may touch

}  // namespace saltus
