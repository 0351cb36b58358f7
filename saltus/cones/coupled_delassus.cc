#include "saltus/cones/coupled_delassus.h"

#include <algorithm>
#include <array>
#include <map>

#include "saltus/base/error.h"
#include "saltus/linalg/kkt_ordering.h"

namespace saltus {

void CoupledDelassus::Reset(const KktSolver& kkt) {
  kkt_ = &kkt;
  offsets_.assign(1, 0);
  part_begin_.assign(1, 0);
  parts_.clear();
  values_.clear();
  block_of_row_.clear();
}

void CoupledDelassus::AddBlock(int dimension) {
  block_of_row_.insert(block_of_row_.end(), static_cast<std::size_t>(dimension), num_blocks());
  offsets_.push_back(offsets_.back() + dimension);
  part_begin_.push_back(part_begin_.back());
}

void CoupledDelassus::AddRows(int velocity_block, int first_dof, const RowsRef& H) {
  SALTUS_CHECK(num_blocks() > 0 && H.rows() == offsets_.back() - offsets_[num_blocks() - 1],
               "the rows do not fit the block added last");
  const int columns = static_cast<int>(H.cols());
  parts_.push_back({velocity_block, first_dof, -1, columns, static_cast<int>(values_.size())});
  for (Eigen::Index i = 0; i < H.rows(); ++i) {
    for (Eigen::Index j = 0; j < H.cols(); ++j) values_.push_back(H(i, j));
  }
  ++part_begin_.back();
}

void CoupledDelassus::PlaceVelocities() {
  std::map<int, int> begin_of;  // by component
  num_velocities_ = 0;
  for (const int comp : ListComponents()) {
    begin_of[comp] = num_velocities_;
    num_velocities_ += static_cast<int>(kkt_->component_dofs(comp).size());
  }
  for (Part& part : parts_) {
    part.place =
        begin_of[kkt_->component_of_block(part.velocity_block)] + kkt_->local_dof(part.dof);
  }
  keeps_responses_ = num_velocities_ <= kMaxKeptDofs;
}

bool CoupledDelassus::Finalize() {
  PlaceVelocities();
  diagonal_.resize(static_cast<std::size_t>(num_blocks()));
  std::map<int, std::vector<int>> blocks_of;  // by velocity block
  for (int c = 0; c < num_blocks(); ++c) {
    const int d = offsets_[c + 1] - offsets_[c];
    diagonal_[c].setZero(d, d);
    for (int k = part_begin_[c]; k < part_begin_[c + 1]; ++k) {
      std::vector<int>& blocks = blocks_of[parts_[k].velocity_block];
      if (blocks.empty() || blocks.back() != c) blocks.push_back(c);
    }
  }
  bool solved = true;
  responses_.resize(keeps_responses_ ? blocks_of.size() : 1);
  response_of_part_.assign(parts_.size(), 0);
  int count = 0;
  for (const auto& [velocity_block, blocks] : blocks_of) {
    const int index = keeps_responses_ ? count++ : 0;
    solved = AddResponses(velocity_block, blocks, &responses_[index]) && solved;
    for (const int c : blocks) {
      for (int k = part_begin_[c]; k < part_begin_[c + 1]; ++k) {
        if (parts_[k].velocity_block == velocity_block) response_of_part_[k] = index;
      }
    }
  }
  return solved;
}

bool CoupledDelassus::AddResponses(int velocity_block, const std::vector<int>& blocks,
                                   Response* response) {
  const int comp = kkt_->component_of_block(velocity_block);
  const auto is_own = [&](const Part& part) { return part.velocity_block == velocity_block; };
  const Part& own = *std::find_if(parts_.begin() + part_begin_[blocks[0]], parts_.end(), is_own);
  const int first = kkt_->local_dof(own.dof);
  response->begin = own.place - first;
  MatrixX& columns = response->columns;
  columns.setZero(static_cast<Eigen::Index>(kkt_->component_dofs(comp).size()), own.columns);
  columns.middleRows(first, own.columns).setIdentity();
  const bool solved = kkt_->SolveInComponent(comp, &columns, nullptr);
  for (const int c : blocks) {
    for (int j = part_begin_[c]; j < part_begin_[c + 1]; ++j) {
      if (!is_own(parts_[j])) continue;
      for (int i = part_begin_[c]; i < part_begin_[c + 1]; ++i) {
        const Part& part = parts_[i];
        if (kkt_->component_of_block(part.velocity_block) != comp) continue;
        diagonal_[c].noalias() +=
            rows(c, part) * (columns.middleRows(kkt_->local_dof(part.dof), part.columns) *
                             rows(c, parts_[j]).transpose());
      }
    }
  }
  return solved;
}

double CoupledDelassus::sweep_flops() const {
  double flops = 0;
  for (std::size_t k = 0; keeps_responses_ && k < parts_.size(); ++k) {
    flops += static_cast<double>(responses_[response_of_part_[k]].columns.size());
  }
  return flops;
}

void CoupledDelassus::AddBlockVelocity(int block, const VectorX& v, double* u) const {
  Eigen::Map<VectorX> u_c(u, offsets_[block + 1] - offsets_[block]);
  for (int k = part_begin_[block]; k < part_begin_[block + 1]; ++k) {
    u_c.noalias() += rows(block, parts_[k]) * v.segment(parts_[k].place, parts_[k].columns);
  }
}

void CoupledDelassus::AddResponse(int block, const double* change, VectorX* v) const {
  const Eigen::Map<const VectorX> change_c(change, offsets_[block + 1] - offsets_[block]);
  for (int k = part_begin_[block]; k < part_begin_[block + 1]; ++k) {
    const Response& response = responses_[response_of_part_[k]];
    v->segment(response.begin, response.columns.rows()).noalias() +=
        response.columns * (rows(block, parts_[k]).transpose() * change_c);
  }
}

void CoupledDelassus::CalcVelocities(const double* r, VectorX* v) const {
  f_.setZero(num_velocities_);
  v->setZero(num_velocities_);
  for (int c = 0; c < num_blocks(); ++c) {
    const Eigen::Map<const VectorX> r_c(r + offsets_[c], offsets_[c + 1] - offsets_[c]);
    for (int k = part_begin_[c]; k < part_begin_[c + 1]; ++k) {
      f_.segment(parts_[k].place, parts_[k].columns).noalias() +=
          rows(c, parts_[k]).transpose() * r_c;
    }
  }
  std::vector<char> done(responses_.size(), 0);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const int index = response_of_part_[k];
    if (done[index] != 0) continue;
    done[index] = 1;
    const Response& response = responses_[index];
    v->segment(response.begin, response.columns.rows()).noalias() +=
        response.columns * f_.segment(parts_[k].place, parts_[k].columns);
  }
}

void CoupledDelassus::Apply(const double* x, double* y) const {
  if (keeps_responses_) {
    CalcVelocities(x, &v_);
    std::fill(y, y + size(), 0.0);
    for (int c = 0; c < num_blocks(); ++c) AddBlockVelocity(c, v_, y + offsets_[c]);
    return;
  }
  f_.setZero(kkt_->num_dofs());
  c_.setZero(kkt_->num_rows());
  for (int c = 0; c < num_blocks(); ++c) {
    const Eigen::Map<const VectorX> x_c(x + offsets_[c], offsets_[c + 1] - offsets_[c]);
    for (int k = part_begin_[c]; k < part_begin_[c + 1]; ++k) {
      f_.segment(parts_[k].dof, parts_[k].columns).noalias() +=
          rows(c, parts_[k]).transpose() * x_c;
    }
  }
  kkt_->Solve(f_, c_, &v_, nullptr);
  for (int c = 0; c < num_blocks(); ++c) {
    Eigen::Map<VectorX> y_c(y + offsets_[c], offsets_[c + 1] - offsets_[c]);
    y_c.setZero();
    for (int k = part_begin_[c]; k < part_begin_[c + 1]; ++k) {
      y_c.noalias() += rows(c, parts_[k]) * v_.segment(parts_[k].dof, parts_[k].columns);
    }
  }
}

void CoupledDelassus::CalcDiagonalBlock(int offset, int dimension,
                                        Eigen::Ref<MatrixX> block) const {
  const int c = block_of_row_[offset];
  const int first = offset - offsets_[c];
  SALTUS_CHECK(first + dimension <= diagonal_[c].rows(), "the rows are not in one block");
  block = diagonal_[c].block(first, first, dimension, dimension);
}

std::vector<int> CoupledDelassus::ListComponents() const {
  std::vector<int> components;
  for (const Part& part : parts_) {
    components.push_back(kkt_->component_of_block(part.velocity_block));
  }
  std::sort(components.begin(), components.end());
  components.erase(std::unique(components.begin(), components.end()), components.end());
  return components;
}

// Nodes are the velocity blocks of the components that contacts touch, each with the joint rows
// that kkt_ordering.h attaches to it, so that every pivot is found inside a node; rows that find no
// block become nodes of their own.
bool CoupledDelassus::MakeBodySpace(BodySpace* space) const {
  space->node_sizes.clear();
  space->K.clear();
  std::map<int, int> node_of_block;
  for (const int comp : ListComponents()) {
    const auto dofs = kkt_->component_dofs(comp);
    const std::size_t num_dofs = dofs.size(), num_rows = kkt_->component_rows(comp).size();
    std::vector<std::array<int, 2>> place(num_dofs + num_rows);  // node and position in it
    const int first_node = static_cast<int>(space->node_sizes.size());
    std::vector<int> capacity;
    for (std::size_t j = 0; j < num_dofs; ++j) {
      const int block = kkt_->block_of_dof(dofs[j]);
      const auto [found, added] =
          node_of_block.emplace(block, static_cast<int>(space->node_sizes.size()));
      if (added) {
        space->node_sizes.push_back(0);
        capacity.push_back(0);
      }
      place[j] = {found->second, space->node_sizes[found->second]++};
      ++capacity[found->second - first_node];
    }
    std::vector<std::vector<int>> blocks_of_row(num_rows);
    kkt_->VisitEntries(comp, [&](int row, int column, double value) {
      const std::size_t i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
      if (i < num_dofs || j >= num_dofs || value == 0) return;
      blocks_of_row[i - num_dofs].push_back(place[j][0] - first_node);
    });
    for (std::vector<int>& blocks : blocks_of_row) {
      std::sort(blocks.begin(), blocks.end());
      blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    }
    const std::vector<int> block_of_row = MatchRowsToBlocks(blocks_of_row, capacity);
    for (std::size_t i = 0; i < num_rows; ++i) {
      int node = first_node + block_of_row[i];
      if (block_of_row[i] < 0) {
        node = static_cast<int>(space->node_sizes.size());
        space->node_sizes.push_back(0);
      }
      place[num_dofs + i] = {node, space->node_sizes[node]++};
    }
    kkt_->VisitEntries(comp, [&](int row, int column, double value) {
      const auto [row_node, i] = place[static_cast<std::size_t>(row)];
      const auto [column_node, j] = place[static_cast<std::size_t>(column)];
      if (value != 0) space->K.push_back({row_node, i, column_node, j, value});
    });
  }
  space->part_begin = part_begin_;
  space->parts.clear();
  for (const Part& part : parts_) {
    const double* H = values_.data() + part.values;
    space->parts.push_back(
        {node_of_block.at(part.velocity_block), part.columns, part.columns, H, H});
  }
  return true;
}

Delassus::Graph CoupledDelassus::MakeGraph() const {
  BodySpace space;
  MakeBodySpace(&space);
  Graph graph;
  graph.sizes = space.node_sizes;
  for (const BodySpace::Entry& entry : space.K) {
    if (entry.row_node < entry.column_node) {
      graph.couplings.push_back({entry.row_node, entry.column_node});
    }
  }
  for (int c = 0; c < num_blocks(); ++c) {
    for (int i = part_begin_[c]; i < part_begin_[c + 1]; ++i) {
      for (int j = part_begin_[c]; j < i; ++j) {
        const int a = space.parts[i].node, b = space.parts[j].node;
        if (a != b) graph.couplings.push_back({a, b});
      }
    }
  }
  return graph;
}

}  // namespace saltus
