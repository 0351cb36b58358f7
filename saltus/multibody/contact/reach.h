// Reach: the lever with which the spin of a body closes gaps, m: the largest distance of its
// contact points from its centre of mass, less the radius of round shapes.
#pragma once

#include <vector>

#include "saltus/multibody/model.h"

namespace saltus {

/// One number per body. Bodies without shapes and named contact points have reach 0.
std::vector<double> CalcReaches(const Model& model);

}  // namespace saltus
