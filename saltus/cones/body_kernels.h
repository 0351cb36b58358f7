// The two inner products of the body form, body_delassus.h eq. (3), as vectors of four numbers.
//
//   row · [z_a; z_b] = Σ over three vectors:  z_a[0..3], (z_a[4..5], z_b[0..1]), z_b[2..5] (1)
#pragma once

#include "saltus/cones/body_delassus.h"

namespace saltus {

using Lane4 = Eigen::Array4d;

/// The scaled velocities of the two sides of a block, in registers.
class SidesVelocity {
 public:
  SidesVelocity(const double* z_a, const double* z_b)
      : first_(Eigen::Map<const Lane4>(z_a)), last_(Eigen::Map<const Lane4>(z_b + 2)) {
    middle_ << z_a[4], z_a[5], z_b[0], z_b[1];
  }

  double Dot(const BodyDelassus::Row& row) const { return Products(row).sum(); }

  /// z += row · factor, eq. (1) by parts.
  void Add(const BodyDelassus::Row& row, double factor) {
    first_ += Lane(row, 0) * factor;
    middle_ += Lane(row, 4) * factor;
    last_ += Lane(row, 8) * factor;
  }

  void Store(double* z_a, double* z_b) const {
    Eigen::Map<Lane4> a(z_a), b(z_b + 2);
    a = first_;
    z_a[4] = middle_[0];
    z_a[5] = middle_[1];
    z_b[0] = middle_[2];
    z_b[1] = middle_[3];
    b = last_;
  }

 private:
  static Eigen::Map<const Lane4, Eigen::Aligned32> Lane(const BodyDelassus::Row& row, int k) {
    return Eigen::Map<const Lane4, Eigen::Aligned32>(row.x + k);
  }
  Lane4 Products(const BodyDelassus::Row& row) const {
    return Lane(row, 0) * first_ + Lane(row, 4) * middle_ + Lane(row, 8) * last_;
  }

  Lane4 first_, middle_, last_;
};

/// z_a, z_b += row · factor.
inline void AddScaledRow(const BodyDelassus::Row& row, double factor, double* z_a, double* z_b) {
  SidesVelocity z(z_a, z_b);
  z.Add(row, factor);
  z.Store(z_a, z_b);
}

}  // namespace saltus
