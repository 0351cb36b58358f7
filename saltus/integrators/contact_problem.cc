#include "saltus/integrators/contact_problem.h"

#include <algorithm>

namespace saltus {
namespace {

/// u += H v for a row-major H; kColumns is 0 if it is known only when it runs.
template <int kColumns>
void AddRowProducts(const double* H, int rows, int columns, const double* v, double* u) {
  const int n = kColumns > 0 ? kColumns : columns;
  for (int i = 0; i < rows; ++i, H += n) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += H[j] * v[j];
    u[i] += sum;
  }
}

/// f += Hᵀ r.
template <int kColumns>
void AddColumnProducts(const double* H, int rows, int columns, const double* r, double* f) {
  const int n = kColumns > 0 ? kColumns : columns;
  for (int i = 0; i < rows; ++i, H += n) {
    for (int j = 0; j < n; ++j) f[j] += H[j] * r[i];
  }
}

}  // namespace

ContactSet::Rows ContactProblem::rows(int block, const RowBlock& b) const {
  const Block& part = blocks_[block];
  return {set_->values.data() + b.values + part.first_row * b.columns, part.rows, b.columns};
}

void ContactProblem::SetRows(const ContactSet& set, std::span<const int> active, Rows rows) {
  set_ = &set;
  num_contacts_ = static_cast<int>(active.size());
  blocks_.clear();
  problem_.cones.clear();
  problem_.loads.clear();
  size_ = 0;
  if (rows == Rows::kSplit) return SetSplitRows(active);
  for (const int i : active) {
    const Contact& c = set.contacts[i];
    const bool frictional = rows != Rows::kNormalOnly && c.dimension > 1 && c.friction > 0;
    Cone cone;
    cone.kind = frictional ? ConeKind::kFriction : ConeKind::kNonnegative;
    cone.offset = size_;
    cone.dimension = frictional ? c.rows() : 1;
    cone.friction = frictional ? c.friction : 0;
    cone.associated = frictional && c.associated;
    if (frictional && c.angular > 0) {
      cone.kind = ConeKind::kRollingFriction;
      cone.rolling = c.rolling;
      cone.spinning = c.spinning;
    }
    problem_.cones.push_back(cone);
    blocks_.push_back({c.first_block, c.num_blocks, cone.dimension, 0});
    size_ += cone.dimension;
  }
  if (rows == Rows::kAll) {
    for (const DryFriction& f : set.frictions) {
      Cone cone;
      cone.kind = ConeKind::kBox;
      cone.offset = size_;
      cone.dimension = f.dimension;
      if (f.coefficient > 0 && !f.load_rows.empty()) {
        cone.load = static_cast<int>(problem_.loads.size());
        problem_.loads.emplace_back();
      }
      problem_.cones.push_back(cone);
      blocks_.push_back({f.first_block, f.num_blocks, f.dimension, 0});
      size_ += f.dimension;
    }
  }
  problem_.b.resize(size_);
}

void ContactProblem::SetSplitRows(std::span<const int> active) {
  for (const int i : active) {
    const Contact& c = set_->contacts[i];
    const int discs = c.dimension > 1 && c.friction > 0 ? 1 : 0;
    for (int part = 0; part <= discs; ++part) {
      Cone cone;
      cone.kind = part == 0 ? ConeKind::kNonnegative : ConeKind::kBox;
      cone.offset = size_;
      cone.dimension = part == 0 ? 1 : c.dimension - 1;
      problem_.cones.push_back(cone);
      blocks_.push_back({c.first_block, c.num_blocks, cone.dimension, part});
      size_ += cone.dimension;
    }
  }
  num_contacts_ = num_blocks();
  problem_.b.resize(size_);
}

void ContactProblem::FormDelassus(const KktSolver& kkt, const DelassusCorrection* correction) {
  if (FormBodyForm(kkt, correction) || FormCoupled(kkt, correction)) return;
  FormAssembled(kkt, correction);
}

bool ContactProblem::FormBodyForm(const KktSolver& kkt, const DelassusCorrection* correction) {
  if (!problem_.loads.empty()) return false;
  for (const Block& block : blocks_) {
    if (block.count > 2) return false;
    for (int k = block.first; k < block.first + block.count; ++k) {
      if (!kkt.component_is_free_block(kkt.component_of_block(set_->blocks[k].block))) return false;
    }
  }
  body_form_.Reset();
  for (const int b : touched_) body_of_block_[b] = -1;
  touched_.clear();
  const auto body = [&](int velocity_block) {
    if (static_cast<int>(body_of_block_.size()) <= velocity_block) {
      body_of_block_.resize(velocity_block + 1, -1);
    }
    int& id = body_of_block_[velocity_block];
    if (id < 0) {
      if (correction == nullptr) {
        id = body_form_.AddBody(kkt.free_block_inverse(velocity_block));
      } else {  // (3)
        const auto inverse = kkt.free_block_inverse(velocity_block);
        const BlockPattern& pattern = correction->tangent->pattern();
        const auto T = correction->tangent->block(pattern.FindSlot(velocity_block, velocity_block));
        response_ = T * inverse;
        rhs_ = inverse;
        rhs_.noalias() -=
            correction->factor * (correction->kkt->free_block_inverse(velocity_block) * response_);
        id = body_form_.AddBody(rhs_);
      }
      touched_.push_back(velocity_block);
    }
    return id;
  };
  for (int i = 0; i < num_blocks(); ++i) {
    const Block& block = blocks_[i];
    const RowBlock& a = set_->blocks[block.first];
    const RowBlock& b = set_->blocks[block.first + block.count - 1];
    const int body_b = block.count == 2 ? body(b.block) : -1;
    body_form_.AddBlock(block.rows, body(a.block), rows(i, a), body_b, rows(i, b));
  }
  body_form_.Finalize();
  problem_.A = &body_form_;
  return true;
}

/// False unless a component has more contact rows than velocities: A would be full, and larger than
/// what second-order methods factorise without it.
bool ContactProblem::FormCoupled(const KktSolver& kkt, const DelassusCorrection* correction) {
  if (correction != nullptr || !problem_.loads.empty() || size_ < CoupledDelassus::kMinRows) {
    return false;
  }
  component_rows_.assign(static_cast<std::size_t>(kkt.num_components()), 0);
  bool is_full = false;
  for (const Block& block : blocks_) {
    for (int k = block.first; k < block.first + block.count; ++k) {
      const int comp = kkt.component_of_block(set_->blocks[k].block);
      component_rows_[comp] += block.rows;
      const int num_dofs = static_cast<int>(kkt.component_dofs(comp).size());
      // Two bodies of a contact in one component count twice.
      is_full =
          is_full || component_rows_[comp] > 2 * std::max(num_dofs, CoupledDelassus::kMinRows);
    }
  }
  if (!is_full) return false;
  coupled_.Reset(kkt);
  for (int i = 0; i < num_blocks(); ++i) {
    const Block& block = blocks_[i];
    coupled_.AddBlock(block.rows);
    for (int k = block.first; k < block.first + block.count; ++k) {
      const RowBlock& rb = set_->blocks[k];
      coupled_.AddRows(rb.block, rb.dof, rows(i, rb));
    }
  }
  problem_.A = &coupled_;
  return coupled_.Finalize();
}

/// Fills row_begin_ and columns_: i and j couple if they touch a common component of the KKT
/// system.
void ContactProblem::FindCouplings(const KktSolver& kkt) {
  const int n = num_blocks();
  touches_.clear();
  for (int i = 0; i < n; ++i) {
    for (int k = blocks_[i].first; k < blocks_[i].first + blocks_[i].count; ++k) {
      touches_.push_back({kkt.component_of_block(set_->blocks[k].block), i});
    }
  }
  std::sort(touches_.begin(), touches_.end());
  touches_.erase(std::unique(touches_.begin(), touches_.end()), touches_.end());
  if (static_cast<int>(neighbours_.size()) < n) neighbours_.resize(n);
  for (int i = 0; i < n; ++i) neighbours_[i].assign(1, i);  // the diagonal always
  for (std::size_t begin = 0; begin < touches_.size();) {
    std::size_t end = begin;
    while (end < touches_.size() && touches_[end][0] == touches_[begin][0]) ++end;
    for (std::size_t x = begin; x < end; ++x) {
      for (std::size_t y = begin; y < end; ++y) {
        neighbours_[touches_[x][1]].push_back(touches_[y][1]);
      }
    }
    begin = end;
  }
  dimensions_.resize(n);
  row_begin_.assign(1, 0);
  columns_.clear();
  for (int i = 0; i < n; ++i) {
    dimensions_[i] = blocks_[i].rows;
    std::vector<int>& list = neighbours_[i];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    columns_.insert(columns_.end(), list.begin(), list.end());
    row_begin_.push_back(static_cast<int>(columns_.size()));
  }
}

void ContactProblem::FormAssembled(const KktSolver& kkt, const DelassusCorrection* correction) {
  FindCouplings(kkt);
  assembled_.SetPattern(dimensions_, row_begin_, columns_);
  for (ConeLoad& load : problem_.loads) load.rows.setZero(0, 0);
  for (std::size_t begin = 0; begin < touches_.size();) {
    const int comp = touches_[begin][0];
    std::size_t end = begin;
    int columns = 0;
    while (end < touches_.size() && touches_[end][0] == comp) {
      columns += blocks_[touches_[end++][1]].rows;
    }
    // Hᵀ of all blocks that touch this component, then X = S⁻¹Hᵀ and Λ' of eq. (1).
    rhs_.setZero(static_cast<Eigen::Index>(kkt.component_dofs(comp).size()), columns);
    int column = 0;
    for (std::size_t x = begin; x < end; ++x) {
      const int j = touches_[x][1];
      for (int k = blocks_[j].first; k < blocks_[j].first + blocks_[j].count; ++k) {
        const RowBlock& rb = set_->blocks[k];
        if (kkt.component_of_block(rb.block) != comp) continue;
        rhs_.block(kkt.local_dof(rb.dof), column, rb.columns, blocks_[j].rows) +=
            rows(j, rb).transpose();
      }
      column += blocks_[j].rows;
    }
    kkt.SolveInComponent(comp, &rhs_, problem_.loads.empty() ? nullptr : &lambda_);
    if (correction != nullptr) {  // (3)
      kkt.MultiplyInComponent(comp, *correction->tangent, rhs_, &response_);
      correction->kkt->SolveInComponent(comp, &response_, nullptr);
      rhs_ -= correction->factor * response_;
    }
    // A_ij += H_i X_j for all pairs in the component.
    column = 0;
    for (std::size_t y = begin; y < end; ++y) {
      const int j = touches_[y][1];
      for (std::size_t x = begin; x < end; ++x) {
        const int i = touches_[x][1];
        auto A_ij = assembled_.block(i, assembled_.FindSlot(i, j));
        for (int k = blocks_[i].first; k < blocks_[i].first + blocks_[i].count; ++k) {
          const RowBlock& rb = set_->blocks[k];
          if (kkt.component_of_block(rb.block) != comp) continue;
          A_ij.noalias() +=
              rows(i, rb) * rhs_.block(kkt.local_dof(rb.dof), column, rb.columns, blocks_[j].rows);
        }
      }
      column += blocks_[j].rows;
    }
    if (!problem_.loads.empty()) AddLoadRows(kkt, comp, begin, end);
    begin = end;
  }
  problem_.A = &assembled_;
}

void ContactProblem::AddLoadRows(const KktSolver& kkt, int comp, std::size_t begin,
                                 std::size_t end) {
  const auto comp_rows = kkt.component_rows(comp);
  int friction = 0;
  for (const DryFriction& f : set_->frictions) {
    const Cone& cone = problem_.cones[num_contacts_ + friction++];
    if (cone.load < 0) continue;
    ConeLoad& load = problem_.loads[cone.load];
    if (load.rows.cols() != size_) {
      load.rows.setZero(static_cast<Eigen::Index>(f.load_rows.size()), size_);
    }
    for (std::size_t l = 0; l < f.load_rows.size(); ++l) {
      const auto found = std::lower_bound(comp_rows.begin(), comp_rows.end(), f.load_rows[l]);
      if (found == comp_rows.end() || *found != f.load_rows[l]) continue;
      const Eigen::Index local = found - comp_rows.begin();
      int column = 0;
      for (std::size_t y = begin; y < end; ++y) {
        const int j = touches_[y][1];
        const int d = blocks_[j].rows;
        load.rows.block(static_cast<Eigen::Index>(l), offset(j), 1, d) +=
            lambda_.block(local, column, 1, d);
        column += d;
      }
    }
  }
}

void ContactProblem::SetFrictionBounds(double h, const VectorX& lambda_free) {
  int i = num_contacts_;
  if (i == num_blocks()) return;
  for (const DryFriction& f : set_->frictions) {
    Cone& cone = problem_.cones[i++];
    cone.bound = f.bound * h;
    if (cone.load < 0) continue;
    ConeLoad& load = problem_.loads[cone.load];
    load.coefficient = f.coefficient;
    load.constant.resize(static_cast<Eigen::Index>(f.load_rows.size()));
    for (std::size_t l = 0; l < f.load_rows.size(); ++l) {
      load.constant[static_cast<Eigen::Index>(l)] = lambda_free[f.load_rows[l]];
    }
  }
}

template <int kVectors>
void ContactProblem::MultiplyRows(std::array<const double*, kVectors> v,
                                  std::array<double*, kVectors> u) const {
  for (int i = 0; i < num_blocks(); ++i) {
    const Block& block = blocks_[i];
    const int o = offset(i);
    for (double* x : u) std::fill(x + o, x + o + block.rows, 0.0);
    for (int k = block.first; k < block.first + block.count; ++k) {
      const RowBlock& rb = set_->blocks[k];
      const double* H = set_->values.data() + rb.values + block.first_row * rb.columns;
      for (int j = 0; j < kVectors; ++j) {
        if (rb.columns == 6) {
          AddRowProducts<6>(H, block.rows, 6, v[j] + rb.dof, u[j] + o);
        } else {
          AddRowProducts<0>(H, block.rows, rb.columns, v[j] + rb.dof, u[j] + o);
        }
      }
    }
  }
}
template void ContactProblem::MultiplyRows<1>(std::array<const double*, 1>,
                                              std::array<double*, 1>) const;
template void ContactProblem::MultiplyRows<2>(std::array<const double*, 2>,
                                              std::array<double*, 2>) const;

void ContactProblem::AddForce(const Eigen::Ref<const VectorX>& r, VectorX* f) const {
  for (int i = 0; i < num_blocks(); ++i) {
    const Block& block = blocks_[i];
    const double* r_i = r.data() + offset(i);
    if (std::all_of(r_i, r_i + block.rows, [](double x) { return x == 0; })) continue;  // open
    for (int k = block.first; k < block.first + block.count; ++k) {
      const RowBlock& rb = set_->blocks[k];
      const double* H = set_->values.data() + rb.values + block.first_row * rb.columns;
      double* f_b = f->data() + rb.dof;
      if (rb.columns == 6) {
        AddColumnProducts<6>(H, block.rows, 6, r_i, f_b);
      } else {
        AddColumnProducts<0>(H, block.rows, rb.columns, r_i, f_b);
      }
    }
  }
}

}  // namespace saltus
