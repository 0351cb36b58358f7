// GrowingVector: a vector whose length changes from step to step without touching the heap.
//
// Eigen's vectors allocate whenever their length changes. The number of contacts changes in nearly
// every step, so what is sized by it keeps its memory here and only ever grows. It is an Eigen::Map
// of its own memory: all expressions take it. It does not turn into a VectorX behind the scenes, so
// functions that read either take Eigen::Ref<const VectorX>.
#pragma once

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "saltus/base/large_page_allocator.h"
#include "saltus/base/types.h"

namespace saltus {

class GrowingVector : public Eigen::Map<VectorX> {
 public:
  using Base = Eigen::Map<VectorX>;

  GrowingVector() : Base(nullptr, 0) {}
  GrowingVector(const GrowingVector& other) : GrowingVector() { *this = other; }
  GrowingVector(GrowingVector&& other) noexcept : GrowingVector() { swap(other); }
  template <class Expression>
  GrowingVector(const Eigen::DenseBase<Expression>& x)  // NOLINT: as of Eigen's vectors
      : GrowingVector() {
    *this = x;
  }

  GrowingVector& operator=(const GrowingVector& other) {
    resize(other.size());
    Base::operator=(other);
    return *this;
  }
  GrowingVector& operator=(GrowingVector&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Of the length of x. As with Eigen's vectors, x may refer to this vector only if it has its
  /// length.
  template <class Expression>
  GrowingVector& operator=(const Eigen::DenseBase<Expression>& x) {
    resize(x.size());
    Base::operator=(x);
    return *this;
  }
  /// A copy on the heap is what this class avoids: VectorX(x) where it is meant.
  operator VectorX() const = delete;

  /// The numbers are undefined if the length changes.
  void resize(Eigen::Index size) {
    if (size == this->size()) return;
    if (size > static_cast<Eigen::Index>(memory_.size())) {
      // Ahead of the need: a growing problem allocates a few times, not in every step.
      memory_.resize(static_cast<std::size_t>(size + size / 4));
    }
    Seat(size);
  }
  using Base::setZero;
  void setZero(Eigen::Index size) {
    resize(size);
    Base::setZero();
  }
  void swap(GrowingVector& other) noexcept {
    const Eigen::Index size = this->size();
    memory_.swap(other.memory_);
    Seat(other.size());
    other.Seat(size);
  }

 private:
  void Seat(Eigen::Index size) noexcept {
    new (static_cast<Base*>(this)) Base(memory_.data(), size);  // how a Map is moved
  }

  std::vector<double, LargePageAllocator<double>> memory_;
};

}  // namespace saltus
