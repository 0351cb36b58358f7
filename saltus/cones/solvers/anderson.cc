#include "saltus/cones/solvers/anderson.h"
#include <Eigen/Cholesky>
namespace saltus {
void Anderson::Reset(int n, int memory) {
  n_ = n; m_ = memory; df_.resize(n*m_); dg_.resize(n*m_); f_.resize(n); f_last_.resize(n); g_last_.resize(n);
  gram_.setZero(m_, m_); count_=next_=0; has_last_=false;
}
void Anderson::Extrapolate(const VectorX& x, const VectorX& w, VectorX* g) {
  f_ = *g - x;
  if (has_last_) {
    Eigen::Map<VectorX> df(df_.data()+next_*n_, n_), dg(dg_.data()+next_*n_, n_);
    df = f_ - f_last_; dg = *g - g_last_;
    count_ = std::min(count_+1, m_);
    for (int i=0;i<count_;++i) {
      Eigen::Map<VectorX> fi(df_.data()+i*n_, n_);
      gram_(i,next_) = gram_(next_,i) = (fi.array()*df.array()*w.array()).sum();
    }
    next_ = (next_+1)%m_;
  }
  f_last_ = f_; g_last_ = *g; has_last_ = true;
  if (count_==0) return;
  VectorX rhs(count_);
  for (int i=0;i<count_;++i) rhs[i] = (Eigen::Map<VectorX>(df_.data()+i*n_, n_).array()*f_.array()*w.array()).sum();
  MatrixX G = gram_.topLeftCorner(count_,count_);
  G.diagonal() *= 1+1e-10;
  G.diagonal().array() += 1e-300;
  VectorX gamma = G.ldlt().solve(rhs);
  if (!gamma.allFinite()) { Restart(); return; }
  for (int i=0;i<count_;++i) *g -= gamma[i]*Eigen::Map<VectorX>(dg_.data()+i*n_, n_);
}
}
