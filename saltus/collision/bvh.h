// A static bounding volume hierarchy over boxes: triangles of a mesh, or fixed colliders.
#pragma once

#include <vector>

#include "saltus/collision/aabb.h"

namespace saltus {

/// Built once by splitting at the median centre of the longest axis; leaves hold up to four items.
class Bvh {
 public:
  void Build(const std::vector<Aabb>& boxes);

  /// Calls visit(item) for each item whose box overlaps `box`, in a fixed order.
  template <class Visitor>
  void Query(const Aabb& box, Visitor&& visit) const {
    if (nodes_.empty()) return;
    int stack[kMaxDepth];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const int index = stack[--top];
      const Node& node = nodes_[static_cast<std::size_t>(index)];
      if (!node.box.Overlaps(box)) continue;
      if (node.count == 0) {
        stack[top++] = node.first;  // right child
        stack[top++] = index + 1;   // left child follows its parent
        continue;
      }
      for (int k = node.first; k < node.first + node.count; ++k) {
        const int item = items_[static_cast<std::size_t>(k)];
        if (boxes_[static_cast<std::size_t>(item)].Overlaps(box)) visit(item);
      }
    }
  }

 private:
  static constexpr int kMaxDepth = 96;  // > twice the depth of a median tree of 2³¹ items
  static constexpr int kLeafSize = 4;
  struct Node {
    Aabb box;
    int first = 0;  // leaf: first position in items_; inner node: right child
    int count = 0;  // leaf: number of items; inner node: 0
  };

  int BuildNode(int begin, int end);

  std::vector<Node> nodes_;
  std::vector<int> items_;
  std::vector<Aabb> boxes_;
};

}  // namespace saltus
