#include "saltus/collision/bvh.h"

#include <algorithm>
#include <numeric>

namespace saltus {

void Bvh::Build(const std::vector<Aabb>& boxes) {
  boxes_ = boxes;
  nodes_.clear();
  items_.resize(boxes.size());
  std::iota(items_.begin(), items_.end(), 0);
  if (!boxes.empty()) BuildNode(0, static_cast<int>(boxes.size()));
}

int Bvh::BuildNode(int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Aabb box, centers;
  for (int k = begin; k < end; ++k) {
    const Aabb& b = boxes_[static_cast<std::size_t>(items_[static_cast<std::size_t>(k)])];
    box.Extend(b);
    centers.Extend(b.center());
  }
  Node node{box, begin, end - begin};
  if (end - begin > kLeafSize) {
    int axis = 0;
    (centers.high - centers.low).maxCoeff(&axis);
    const int middle = begin + (end - begin) / 2;
    std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
                     [&](int i, int j) {
                       const double a = boxes_[static_cast<std::size_t>(i)].center()[axis];
                       const double b = boxes_[static_cast<std::size_t>(j)].center()[axis];
                       return a != b ? a < b : i < j;
                     });
    BuildNode(begin, middle);
    node.first = BuildNode(middle, end);
    node.count = 0;
  }
  nodes_[static_cast<std::size_t>(index)] = node;
  return index;
}

}  // namespace saltus
