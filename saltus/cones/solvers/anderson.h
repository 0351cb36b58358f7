#pragma once
#include <vector>
#include "saltus/base/types.h"
namespace saltus {
class Anderson {
 public:
  void Reset(int n, int memory);
  void Restart() { count_ = 0; has_last_ = false; }
  // x ← next input from x (input of the map) and g (its value)
  void Extrapolate(const VectorX& x, const VectorX& weights, VectorX* g);
  double norm() const { return norm_; }
 private:
  int n_=0, m_=0, count_=0, next_=0; bool has_last_=false; double norm_=0;
  std::vector<double> df_, dg_;
  VectorX f_, f_last_, g_last_;
  MatrixX gram_;
};
}
