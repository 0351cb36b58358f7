// Reach: the largest distance of a body's contact points from its centre of mass, m.
#pragma once

#include <vector>

#include "saltus/multibody/model.h"

namespace saltus {

/// One number per body. Bodies without shapes and named contact points have reach 0.
std::vector<double> CalcReaches(const Model& model);

}  // namespace saltus
