#include "saltus/cones/solvers/block_projections.h"

#include <algorithm>

namespace saltus {

std::vector<double> CalcBlockScales(const ConicProblem& problem) {
  VectorX diagonal;
  CalcDiagonal(problem, &diagonal);
  std::vector<double> scales;
  double largest = 0;
  for (const Cone& cone : problem.cones) {
    scales.push_back(diagonal.segment(cone.offset, cone.dimension).mean());
    largest = std::max(largest, scales.back());
  }
  double sum = 0;
  int count = 0;
  for (const double w : scales) {
    if (!(w > kImmovableTrace * largest)) continue;
    sum += w;
    ++count;
  }
  const double mean = count > 0 ? sum / count : 1.0;
  for (double& w : scales) {
    if (!(w > kImmovableTrace * largest)) w = mean;
  }
  return scales;
}

}  // namespace saltus
