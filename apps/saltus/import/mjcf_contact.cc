#include "apps/saltus/import/mjcf_contact.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace saltus {

std::string MjcfContact::FindMaterial(const MjcfElement& geom, Notes* notes) {
  Surface surface;
  surface.dimension = static_cast<int>(geom.Number("condim", 3));
  const std::vector<double> friction = geom.Numbers("friction");
  for (std::size_t k = 0; k < std::min<std::size_t>(3, friction.size()); ++k) {
    surface.friction[k] = friction[k];
  }
  const double type = geom.Number("contype", 1), affinity = geom.Number("conaffinity", 1);
  if (type != 1 || affinity != 1) {
    notes->Add("'contype' and 'conaffinity' of <geom> only switch contact on or off here");
  }
  for (const char* key : {"margin", "gap", "priority"}) {
    if (geom.Number(key, 0) != 0) notes->Add(fmt::format("'{}' of <geom> is not read", key));
  }
  const auto [entry, added] = names_.emplace(surface, fmt::format("surface_{}", names_.size() + 1));
  return entry->second;
}

void MjcfContact::AddMaterials(ModelSpec* model) const {
  for (const auto& [surface, name] : names_) {
    MaterialSpec material;
    material.name = name;
    material.friction = surface.dimension >= 3 ? surface.friction[0] : 0;
    material.spinning_friction = surface.dimension >= 4 ? surface.friction[1] : 0;
    material.rolling_friction = surface.dimension >= 6 ? surface.friction[2] : 0;
    model->materials.push_back(material);
  }
  for (auto a = names_.begin(); a != names_.end(); ++a) {
    for (auto b = std::next(a); b != names_.end(); ++b) {
      const int dimension = std::max(a->first.dimension, b->first.dimension);  // (1)
      const auto larger = [&](std::size_t k, int least) {
        return dimension >= least ? std::max(a->first.friction[k], b->first.friction[k]) : 0.0;
      };
      MaterialPairSpec pair;
      pair.materials = {a->second, b->second};
      pair.friction = larger(0, 3);
      pair.spinning_friction = larger(1, 4);
      pair.rolling_friction = larger(2, 6);
      model->pairs.push_back(pair);
    }
  }
}

}  // namespace saltus
