// Contact parameters of MJCF geoms as materials. Two geoms meet with the larger of their
// coefficients and the larger of their contact dimensions,
//   condim 1: no friction, 3: sliding, 4: and spinning, 6: and rolling,                        (1)
// which needs an entry for each pair of materials.
#pragma once

#include <array>
#include <map>
#include <string>

#include "saltus/multibody/model_spec.h"

#include "apps/saltus/import/mjcf_document.h"
#include "apps/saltus/import/notes.h"

namespace saltus {

class MjcfContact {
 public:
  /// The name of the material of a geom.
  std::string FindMaterial(const MjcfElement& geom, Notes* notes);
  /// The materials that were found, and the pairs by (1).
  void AddMaterials(ModelSpec* model) const;

 private:
  struct Surface {
    int dimension = 3;
    std::array<double, 3> friction = {1, 0.005, 0.0001};  // sliding; spinning, rolling in m
    auto operator<=>(const Surface&) const = default;
  };
  std::map<Surface, std::string> names_;
};

}  // namespace saltus
