// The two inner products of the body form, body_delassus.h eq. (3), as vectors of four numbers.
//
//   row · [z_a; z_b] = Σ over three vectors:  z_a[0..3], (z_a[4..5], z_b[0..1]), z_b[2..5]     (1)
//
// The vectors are those of the compiler (GCC and Clang), which stay in registers from one row of a
// block to the next; Eigen's fixed arrays pass through memory here, and so do vectors of four where
// the processor has pairs only (no AVX): there each of the three is two pairs.
#pragma once

#include <cstring>

#include "saltus/cones/body_delassus.h"

namespace saltus {

typedef double Lane2 __attribute__((vector_size(16)));
#ifdef __AVX__
typedef double Lane4 __attribute__((vector_size(32)));
[[gnu::always_inline]] inline Lane4 Join(Lane2 low, Lane2 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
[[gnu::always_inline]] inline Lane2 LowPair(Lane4 x) { return __builtin_shufflevector(x, x, 0, 1); }
[[gnu::always_inline]] inline Lane2 HighPair(Lane4 x) {
  return __builtin_shufflevector(x, x, 2, 3);
}
#else
struct Lane4 {
  Lane2 low, high;
};
[[gnu::always_inline]] inline Lane4 Join(Lane2 low, Lane2 high) { return {low, high}; }
[[gnu::always_inline]] inline Lane2 LowPair(const Lane4& x) { return x.low; }
[[gnu::always_inline]] inline Lane2 HighPair(const Lane4& x) { return x.high; }
[[gnu::always_inline]] inline Lane4 operator+(const Lane4& x, const Lane4& y) {
  return {x.low + y.low, x.high + y.high};
}
[[gnu::always_inline]] inline Lane4 operator*(const Lane4& x, const Lane4& y) {
  return {x.low * y.low, x.high * y.high};
}
[[gnu::always_inline]] inline Lane4 operator*(const Lane4& x, double factor) {
  return {x.low * factor, x.high * factor};
}
#endif

[[gnu::always_inline]] inline Lane2 LoadPair(const double* x) {
  Lane2 pair;
  std::memcpy(&pair, x, sizeof(Lane2));
  return pair;
}
[[gnu::always_inline]] inline void StorePair(Lane2 pair, double* x) {
  std::memcpy(x, &pair, sizeof(Lane2));
}
[[gnu::always_inline]] inline Lane4 LoadFour(const double* x) {
#ifdef __AVX__
  Lane4 four;
  std::memcpy(&four, x, sizeof(Lane4));
  return four;
#else
  return {LoadPair(x), LoadPair(x + 2)};
#endif
}
[[gnu::always_inline]] inline void StoreFour(const Lane4& four, double* x) {
#ifdef __AVX__
  std::memcpy(x, &four, sizeof(Lane4));
#else
  StorePair(four.low, x);
  StorePair(four.high, x + 2);
#endif
}

/// The scaled velocities of the two sides of a block, in registers.
class SidesVelocity {
 public:
  [[gnu::always_inline]] SidesVelocity(const double* z_a, const double* z_b)
      : first_(LoadFour(z_a)),
        middle_(Join(LoadPair(z_a + 4), LoadPair(z_b))),
        last_(LoadFour(z_b + 2)) {}
  [[gnu::always_inline]] explicit SidesVelocity(const BodyDelassus::Row& row)
      : first_(LoadFour(row.x)), middle_(LoadFour(row.x + 4)), last_(LoadFour(row.x + 8)) {}

  [[gnu::always_inline]] double Dot(const BodyDelassus::Row& row) const {
    const SidesVelocity x(row);
    const Lane4 products = x.first_ * first_ + x.middle_ * middle_ + x.last_ * last_;
    const Lane2 halves = LowPair(products) + HighPair(products);
    return halves[0] + halves[1];
  }

  /// z += row · factor, eq. (1) by parts.
  [[gnu::always_inline]] void Add(const BodyDelassus::Row& row, double factor) {
    const SidesVelocity x(row);
    first_ = first_ + x.first_ * factor;
    middle_ = middle_ + x.middle_ * factor;
    last_ = last_ + x.last_ * factor;
  }

  [[gnu::always_inline]] void Store(double* z_a, double* z_b) const {
    StoreFour(first_, z_a);
    StorePair(LowPair(middle_), z_a + 4);
    StorePair(HighPair(middle_), z_b);
    StoreFour(last_, z_b + 2);
  }

 private:
  Lane4 first_, middle_, last_;
};

}  // namespace saltus
