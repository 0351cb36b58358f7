// The two inner products of the body form, body_delassus.h eq. (3), as vectors of four numbers.
//
//   row · [z_a; z_b] = Σ over three vectors:  z_a[0..3], (z_a[4..5], z_b[0..1]), z_b[2..5] (1)
//
// The vectors are those of the compiler (GCC and Clang), which stay in registers from one row of a
// block to the next; Eigen's fixed arrays pass through memory here.
#pragma once

#include <cstring>

#include "saltus/cones/body_delassus.h"

namespace saltus {

/// The scaled velocities of the two sides of a block, in registers.
class SidesVelocity {
 public:
  [[gnu::always_inline]] SidesVelocity(const double* z_a, const double* z_b) {
    Lane2 last_a, first_b;
    std::memcpy(&first_, z_a, sizeof(Lane4));
    std::memcpy(&last_a, z_a + 4, sizeof(Lane2));
    std::memcpy(&first_b, z_b, sizeof(Lane2));
    std::memcpy(&last_, z_b + 2, sizeof(Lane4));
    middle_ = __builtin_shufflevector(last_a, first_b, 0, 1, 2, 3);
  }
  [[gnu::always_inline]] explicit SidesVelocity(const BodyDelassus::Row& row) {
    std::memcpy(&first_, row.x, sizeof(Lane4));
    std::memcpy(&middle_, row.x + 4, sizeof(Lane4));
    std::memcpy(&last_, row.x + 8, sizeof(Lane4));
  }

  [[gnu::always_inline]] double Dot(const BodyDelassus::Row& row) const {
    const SidesVelocity x(row);
    const Lane4 products = x.first_ * first_ + x.middle_ * middle_ + x.last_ * last_;
    const Lane2 halves = __builtin_shufflevector(products, products, 0, 1) +
                         __builtin_shufflevector(products, products, 2, 3);
    return halves[0] + halves[1];
  }

  /// z += row · factor, eq. (1) by parts.
  [[gnu::always_inline]] void Add(const BodyDelassus::Row& row, double factor) {
    const SidesVelocity x(row);
    first_ += x.first_ * factor;
    middle_ += x.middle_ * factor;
    last_ += x.last_ * factor;
  }

  [[gnu::always_inline]] void Store(double* z_a, double* z_b) const {
    const Lane2 last_a = __builtin_shufflevector(middle_, middle_, 0, 1);
    const Lane2 first_b = __builtin_shufflevector(middle_, middle_, 2, 3);
    std::memcpy(z_a, &first_, sizeof(Lane4));
    std::memcpy(z_a + 4, &last_a, sizeof(Lane2));
    std::memcpy(z_b, &first_b, sizeof(Lane2));
    std::memcpy(z_b + 2, &last_, sizeof(Lane4));
  }

 private:
  typedef double Lane4 __attribute__((vector_size(32)));
  typedef double Lane2 __attribute__((vector_size(16)));

  Lane4 first_, middle_, last_;
};

}  // namespace saltus
