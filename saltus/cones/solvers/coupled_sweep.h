// The sweep over coupled bodies (coupled_delassus.h), beside those of sweep.h: the velocities v of
// eq. (3) there are kept, and a change of the impulses of one block moves all of them.
#pragma once

#include "saltus/cones/coupled_delassus.h"
#include "saltus/cones/solvers/local_blocks.h"

namespace saltus {

class CoupledSweep {
 public:
  CoupledSweep(const CoupledDelassus& A, const double* b) : A_(A), b_(b) {}

  void Start(const double* r) { A_.CalcVelocities(r, &v_); }
  void StartFromProduct(const double* r) { Start(r); }
  /// v, linear in the impulses: it may be extrapolated with them instead of formed again.
  double* companion() { return v_.data(); }
  int companion_size() const { return static_cast<int>(v_.size()); }

  template <class Vector, class Local>
  Vector Update(int c, const LocalBlock& block, bool, double* r, const Local& local) {
    Vector u = Eigen::Map<const Vector>(b_ + block.offset, block.dimension);
    A_.AddBlockVelocity(c, v_, u.data());
    Eigen::Map<Vector> r_c(r + block.offset, block.dimension);
    const Vector r_new = local(u, r_c);
    const Vector change = r_new - r_c;
    r_c = r_new;
    if (!change.isZero(0)) A_.AddResponse(c, change.data(), &v_);
    return change;
  }

 private:
  const CoupledDelassus& A_;
  const double* b_;
  VectorX v_;
};

}  // namespace saltus
