// The largest overlap in a heap of bodies, by separation_certificate.h alone.
#pragma once

#include <vector>

#include "verification/separation_certificate.h"

namespace saltus {

class PileOverlap {
 public:
  /// @param body  index into the poses of Calc; −1: fixed to the world at pose_BS
  void Add(const Shape& shape, const Pose& pose_BS, int body);

  /// m; 0 if nothing overlaps. Shapes of one body, and fixed ones, are not compared.
  double Calc(const std::vector<Pose>& poses) const;

 private:
  struct Item {
    Shape shape;
    Pose pose_BS;
    int body = -1;
    double radius = 0;  // of a ball about the shape's origin that holds it; infinite: half-space
  };
  std::vector<Item> items_;
};

}  // namespace saltus
