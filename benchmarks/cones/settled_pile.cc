#include "benchmarks/cones/settled_pile.h"

#include <cmath>
#include <numbers>

namespace saltus::bench {
namespace {

constexpr double kRadius = 0.1, kDensity = 1000, kFriction = 0.5;
constexpr double kStep = 0.005, kGravity = 9.81;
constexpr double kMargin = 0.01, kCell = 2 * kRadius + 2 * kMargin;
constexpr std::uint64_t kStride = 1u << 20;

Matrix3 MakeFrame(const Vector3& normal) {  // Rows n, t1, t2.
  Matrix3 frame;
  frame.row(0) = normal;
  frame.row(1) = normal.unitOrthogonal();
  frame.row(2) = normal.cross(Vector3(frame.row(1)));
  return frame;
}

}  // namespace

SettledPile::SettledPile(int n)
    : mass_(kDensity * 4 / 3 * std::numbers::pi * kRadius * kRadius * kRadius),
      inertia_(0.4 * mass_ * kRadius * kRadius),
      half_width_(0.11 * n) {
  for (int k = 0; k < n; ++k) {
    const double shift = k % 2 == 0 ? 0.0 : 0.01;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const double middle = 0.5 * (n - 1);
        x_.emplace_back((i - middle) * 0.21 + shift, (j - middle) * 0.21 + shift, 0.15 + 0.21 * k);
      }
    }
  }
  v_.assign(x_.size(), Vector3::Zero());
  omega_ = v_;
  problem_.A = &A_;
}

std::int64_t SettledPile::CellOf(const Vector3& x, std::array<int, 3> shift) const {
  std::int64_t key = 0;
  for (int k = 0; k < 3; ++k) {
    const auto cell = static_cast<std::int64_t>(std::floor(x[k] / kCell)) + shift[k];
    key = key * 4096 + cell + 2048;
  }
  return key;
}

void SettledPile::AddWallContacts(int i) {
  const std::array<Vector3, 5> normals = {Vector3::UnitZ(), Vector3::UnitX(), -Vector3::UnitX(),
                                          Vector3::UnitY(), -Vector3::UnitY()};
  for (std::uint64_t k = 0; k < normals.size(); ++k) {
    const double offset = k == 0 ? 0.0 : -half_width_;
    const double gap = normals[k].dot(x_[i]) - offset - kRadius;
    const std::uint64_t key = static_cast<std::uint64_t>(i) * kStride + kStride - 1 - k;
    if (gap < kMargin) contacts_.push_back({-1, i, gap, normals[k], key});
  }
}

void SettledPile::AddPairContacts(int i) {
  for (int c = 0; c < 27; ++c) {
    const auto found = cells_.find(CellOf(x_[i], {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1}));
    if (found == cells_.end()) continue;
    for (const int j : found->second) {
      if (j <= i) continue;
      const Vector3 distance = x_[j] - x_[i];
      const double gap = distance.norm() - 2 * kRadius;
      const std::uint64_t key = static_cast<std::uint64_t>(i) * kStride + static_cast<unsigned>(j);
      if (gap < kMargin) contacts_.push_back({i, j, gap, distance.normalized(), key});
    }
  }
}

void SettledPile::FindContacts() {
  contacts_.clear();
  cells_.clear();
  const int n = static_cast<int>(x_.size());
  for (int i = 0; i < n; ++i) cells_[CellOf(x_[i], {0, 0, 0})].push_back(i);
  for (int i = 0; i < n; ++i) {
    AddWallContacts(i);
    AddPairContacts(i);
  }
}

void SettledPile::Pose() {
  FindContacts();
  A_.Reset();
  Matrix6 inverse = Matrix6::Zero();
  inverse.diagonal().head<3>().setConstant(1 / mass_);
  inverse.diagonal().tail<3>().setConstant(1 / inertia_);
  for (std::size_t i = 0; i < x_.size(); ++i) A_.AddBody(inverse);
  problem_.cones.clear();
  problem_.b.resize(3 * num_contacts());
  r_.setZero(3 * num_contacts());
  const Vector3 fall(0, 0, -kGravity * kStep);
  int offset = 0;
  for (const Contact& c : contacts_) {
    const Matrix3 frame = MakeFrame(c.normal);
    const Vector3 arm = kRadius * c.normal;
    Eigen::Matrix<double, 3, 6, Eigen::RowMajor> Ha, Hb;
    for (int k = 0; k < 3; ++k) {
      const Vector3 e = frame.row(k);
      Ha.row(k) << -e.transpose(), -arm.cross(e).transpose();
      Hb.row(k) << e.transpose(), -arm.cross(e).transpose();
    }
    Vector3 u = frame * (v_[c.b] + fall - omega_[c.b].cross(arm));
    if (c.a >= 0) u -= frame * (v_[c.a] + fall + omega_[c.a].cross(arm));
    u[0] += std::max(c.gap, 0.0) / kStep;
    A_.AddBlock(3, c.a, Ha, c.b, Hb);
    problem_.b.segment<3>(offset) = u;
    Cone cone;
    cone.kind = ConeKind::kFriction;
    cone.offset = offset;
    cone.dimension = 3;
    cone.friction = kFriction;
    problem_.cones.push_back(cone);
    const auto found = memory_.find(c.key);
    if (found != memory_.end()) r_.segment<3>(offset) = frame * found->second;
    offset += 3;
  }
  A_.Finalize();
}

void SettledPile::Move() {
  memory_.clear();
  for (Vector3& v : v_) v[2] -= kGravity * kStep;
  int offset = 0;
  for (const Contact& c : contacts_) {
    const Vector3 impulse = MakeFrame(c.normal).transpose() * r_.segment<3>(offset);
    const Vector3 torque = kRadius * c.normal.cross(impulse);
    memory_[c.key] = impulse;
    v_[c.b] += impulse / mass_;
    omega_[c.b] -= torque / inertia_;
    if (c.a >= 0) {
      v_[c.a] -= impulse / mass_;
      omega_[c.a] -= torque / inertia_;
    }
    offset += 3;
  }
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += kStep * v_[i];
}

void SettledPile::Advance(int num_steps, ConicSolver* solver) {
  for (int step = 0; step < num_steps; ++step) {
    Pose();
    (void)solver->Solve(problem_, &r_);
    Move();
  }
}

}  // namespace saltus::bench
