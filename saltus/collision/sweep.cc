#include "saltus/collision/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

const Pose& PoseOf(const std::vector<Pose>& poses, int mover) {
  static const Pose fixed;
  return mover < 0 ? fixed : poses[Index(mover)];
}

double CalcTurn(const Pose& from, const Pose& to) { return from.R.angularDistance(to.R); }

Pose Interpolate(const Pose& from, const Pose& to, double t) {
  return {from.p + t * (to.p - from.p), from.R.slerp(t, to.R)};
}

// Least extent of a solid, and the largest distance of its points from its own origin.
struct Measures {
  double width = 0, size = 0;
};

Measures CalcMeasures(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return {2 * s->radius, s->radius};
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return {2 * s->radius, s->radius + s->half_length};
  }
  if (const auto* s = std::get_if<Box>(&shape)) {
    return {2 * s->half_size.minCoeff(), s->half_size.norm()};
  }
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return {2 * std::min(s->radius, s->half_length), std::hypot(s->radius, s->half_length)};
  }
  const auto* hull = std::get_if<ConvexHull>(&shape);
  if (hull == nullptr) return {};
  Measures m{kInfinity, 0};  // the least width is over a face, or between edges: faces bound it
  const Polyhedron& poly = *hull->polyhedron;
  for (const Vector3& v : poly.vertices) m.size = std::max(m.size, v.norm());
  for (std::size_t f = 0; f < poly.faces.size(); ++f) {
    double depth = 0;
    for (const Vector3& v : poly.vertices) {
      depth = std::max(depth, poly.face_normals[f].dot(poly.vertices[Index(poly.faces[f][0])] - v));
    }
    m.width = std::min(m.width, depth);
  }
  return m;
}

const Witness& FindLeast(const std::vector<Witness>& witnesses) {
  return *std::min_element(witnesses.begin(), witnesses.end(),
                           [](const Witness& v, const Witness& w) { return v.gap < w.gap; });
}

}  // namespace

void Sweep::Prepare(const CollisionWorld& world) {
  if (items_.size() == Index(world.num_colliders())) return;
  items_.assign(Index(world.num_colliders()), Item{});
  for (int i = 0; i < world.num_colliders(); ++i) {
    const Collider& c = world.collider(i);
    const Measures m = CalcMeasures(c.shape);
    Item& item = items_[Index(i)];
    item.solid = m.size > 0;
    item.width = m.width;
    const bool is_round = std::holds_alternative<Sphere>(c.shape);  // turning does not move it
    item.reach = c.pose_BS.p.norm() + (is_round ? 0.0 : m.size);
  }
}

void Sweep::Place(const CollisionWorld& world, const std::vector<Pose>& from,
                  const std::vector<Pose>& to) {
  fast_.clear();
  for (int i = 0; i < world.num_colliders(); ++i) {
    Item& item = items_[Index(i)];
    if (!item.solid) continue;
    const Collider& c = world.collider(i);
    const Pose &a = PoseOf(from, c.mover), &b = PoseOf(to, c.mover);
    item.shift = (b.p - a.p).norm();
    item.turn = CalcTurn(a, b);
    const double radius =
        item.reach + (std::holds_alternative<Sphere>(c.shape) ? 0.5 * item.width : 0.0);
    item.low = a.p.cwiseMin(b.p).array() - radius;
    item.high = a.p.cwiseMax(b.p).array() + radius;
    if (c.mover >= 0) fast_.push_back(i);
  }
}

void Sweep::Find(CollisionWorld* world, const std::vector<Pose>& from, const std::vector<Pose>& to,
                 std::vector<PairAxis>* axes) {
  Prepare(*world);
  Place(*world, from, to);
  const auto move = [&](int i) {
    return items_[Index(i)].shift + items_[Index(i)].turn * items_[Index(i)].reach;
  };
  double thinnest = kInfinity, fastest = 0;
  for (int i = 0; i < world->num_colliders(); ++i) {
    if (items_[Index(i)].solid) thinnest = std::min(thinnest, items_[Index(i)].width);
  }
  for (const int i : fast_) fastest = std::max(fastest, move(i));
  std::erase_if(fast_, [&](int i) { return move(i) + fastest <= 0.5 * thinnest; });
  const std::size_t first = axes->size();
  for (const int i : fast_) {
    for (int j = 0; j < world->num_colliders(); ++j) {
      const Item &p = items_[Index(i)], &q = items_[Index(j)];
      if (!q.solid || move(i) < move(j) || (move(i) == move(j) && i >= j)) continue;  // once a pair
      if (move(i) + move(j) <= 0.5 * std::min(p.width, q.width)) continue;
      if ((p.low.array() > q.high.array()).any() || (q.low.array() > p.high.array()).any())
        continue;
      if (!world->MayCollide(i, j)) continue;
      PairAxis axis;
      const auto [a, b] = std::minmax(i, j);
      if (PassesThrough(world, a, b, from, to, &axis)) axes->push_back(axis);
    }
  }
  std::sort(axes->begin() + static_cast<std::ptrdiff_t>(first), axes->end(),
            [](const PairAxis& x, const PairAxis& y) {
              return std::pair(x.collider_A, x.collider_B) < std::pair(y.collider_A, y.collider_B);
            });
}

bool Sweep::PassesThrough(CollisionWorld* world, int a, int b, const std::vector<Pose>& from,
                          const std::vector<Pose>& to, PairAxis* axis) {
  const int mover_a = world->collider(a).mover, mover_b = world->collider(b).mover;
  const Pose &a0 = PoseOf(from, mover_a), &b0 = PoseOf(from, mover_b);
  const Pose &a1 = PoseOf(to, mover_a), &b1 = PoseOf(to, mover_b);
  const Item &A = items_[Index(a)], &B = items_[Index(b)];
  const double hit = 1e-6 * std::min(A.width, B.width);
  world->FindPair(a, a0, b, b0, kInfinity, &witnesses_);
  if (witnesses_.empty()) return false;
  Witness least = FindLeast(witnesses_);
  if (least.gap < -hit) return false;  // in contact already: its own witnesses hold it
  *axis = world->MakeAxis(least, a0, b0);
  const Vector3 start = least.normal;
  world->FindPairAlong(*axis, a1, b1, kInfinity, &witnesses_);
  if (witnesses_.empty() || FindLeast(witnesses_).gap >= 0) return false;
  world->FindPair(a, a1, b, b1, kInfinity, &witnesses_);
  if (witnesses_.empty()) return false;
  const Witness end = FindLeast(witnesses_);
  if (end.gap <= 0 && end.normal.dot(start) > 0) return false;  // a contact like any other
  if (end.gap <= 0) return true;
  constexpr int kMaxIterations = 200;
  const Vector3 shift = (b1.p - b0.p) - (a1.p - a0.p);
  const double turning = A.turn * A.reach + B.turn * B.reach;
  double t = 0;
  for (int i = 0; i < kMaxIterations; ++i) {  // (1)
    if (least.gap <= hit) {
      // Touching at the start is no passage: it is one if the shapes approach from there.
      if (t > 0 || -least.normal.dot(shift) + turning > 0) return true;
    }
    const double approach = -least.normal.dot(shift) + turning;
    if (approach <= 0) return false;  // the axis separates them for the rest of the way
    t += std::max(least.gap, hit) / approach;
    if (t >= 1) return false;
    world->FindPair(a, Interpolate(a0, a1, t), b, Interpolate(b0, b1, t), kInfinity, &witnesses_);
    if (witnesses_.empty()) return false;
    least = FindLeast(witnesses_);
  }
  return true;  // too near for too long: on the safe side
}

}  // namespace saltus
