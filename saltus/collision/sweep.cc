#include "saltus/collision/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Shares of the smaller width: a gap that counts as closed, an overlap at the start below which
/// the axis still says on which side the bodies are, a relative motion that may pass, and overlaps
/// on the way above which shapes pass through each other that fly or touch at the start.
constexpr double kHit = 1e-5, kShallow = 0.25, kFast = 0.5, kDeep = 0.2, kDeepFromContact = 0.5;
/// Cosine of the angle between the normals of the impact and of the overlap at the end, above which
/// the overlap is a contact like any other.
constexpr double kSameSide = 0.5;

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

const Pose& PoseOf(const std::vector<Pose>& poses, int mover) {
  static const Pose fixed;
  return mover < 0 ? fixed : poses[Index(mover)];
}

Pose Interpolate(const Pose& from, const Pose& to, double t) {
  return {from.p + t * (to.p - from.p), from.R.slerp(t, to.R)};
}

// Least extent of a solid, and the largest distance of its points from its own origin.
struct Measures {
  double width = 0, size = 0;
};

// The least width of a polyhedron is over a face or between two edges; the one over faces is at
// least that, and less than twice as much for any but needle-like shapes.
Measures CalcHullMeasures(const Polyhedron& hull) {
  Measures m{kInfinity, 0};
  for (const Vector3& v : hull.vertices) m.size = std::max(m.size, v.norm());
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const Vector3& on_face = hull.vertices[Index(hull.faces[f][0])];
    double depth = 0;
    for (const Vector3& v : hull.vertices) {
      depth = std::max(depth, hull.face_normals[f].dot(on_face - v));
    }
    m.width = std::min(m.width, depth);
  }
  return m;
}

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
  return hull == nullptr ? Measures{} : CalcHullMeasures(*hull->polyhedron);
}

const Witness& FindLeast(const std::vector<Witness>& witnesses) {
  return *std::min_element(witnesses.begin(), witnesses.end(),
                           [](const Witness& v, const Witness& w) { return v.gap < w.gap; });
}

}  // namespace

void Sweep::Prepare(const CollisionWorld& world) {
  if (items_.size() == Index(world.num_colliders())) return;
  items_.assign(Index(world.num_colliders()), Item{});
  solids_.clear();
  thinnest_ = kInfinity;
  for (int i = 0; i < world.num_colliders(); ++i) {
    const Collider& c = world.collider(i);
    const Measures m = CalcMeasures(c.shape);
    if (!(m.width > 0)) continue;
    Item& item = items_[Index(i)];
    item.width = m.width;
    const double offset = c.pose_BS.p.norm();
    item.radius = offset + m.size;
    item.reach = std::holds_alternative<Sphere>(c.shape) ? offset : item.radius;
    solids_.push_back(i);
    thinnest_ = std::min(thinnest_, m.width);
  }
}

// Whether any pair at all may move by more than half of the smallest width.
bool Sweep::IsFast(const CollisionWorld& world, const std::vector<Pose>& from,
                   const std::vector<Pose>& to) {
  double fastest = 0, second = 0;
  for (const int i : solids_) {
    Item& item = items_[Index(i)];
    const int mover = world.collider(i).mover;
    if (mover < 0) continue;
    item.shift = to[Index(mover)].p - from[Index(mover)].p;
    item.turn = from[Index(mover)].R.angularDistance(to[Index(mover)].R);
    const double move = item.shift.norm() + item.turn * item.reach;
    second = std::max(second, std::min(fastest, move));
    fastest = std::max(fastest, move);
  }
  return fastest + second > kFast * thinnest_;
}

void Sweep::FindNearPairs(const CollisionWorld& world, const std::vector<Pose>& from,
                          const std::vector<Pose>& to) {
  boxes_.clear();
  for (const int i : solids_) {
    const Pose &a = PoseOf(from, world.collider(i).mover), &b = PoseOf(to, world.collider(i).mover);
    Aabb box;
    box.Extend(a.p);
    box.Extend(b.p);
    const double radius = items_[Index(i)].radius;
    box.low.array() -= radius;
    box.high.array() += radius;
    boxes_.push_back(box);
  }
  broad_phase_.Find(boxes_, &pairs_);
}

void Sweep::Find(CollisionWorld* world, const std::vector<Pose>& from, const std::vector<Pose>& to,
                 std::vector<PairAxis>* axes) {
  Prepare(*world);
  if (!IsFast(*world, from, to)) return;
  FindNearPairs(*world, from, to);
  const std::size_t first = axes->size();
  for (const BroadPhase::Pair& pair : pairs_) {
    const auto [a, b] = std::minmax(solids_[Index(pair.a)], solids_[Index(pair.b)]);
    const Item &A = items_[Index(a)], &B = items_[Index(b)];
    const Vector3 shift = B.shift - A.shift;
    const double turning = A.turn * A.reach + B.turn * B.reach, width = std::min(A.width, B.width);
    if (!(shift.norm() + turning > kFast * width) || !world->MayCollide(a, b)) continue;
    const int mover_A = world->collider(a).mover, mover_B = world->collider(b).mover;
    const Motion motion{a,
                        b,
                        PoseOf(from, mover_A),
                        PoseOf(from, mover_B),
                        PoseOf(to, mover_A),
                        PoseOf(to, mover_B),
                        shift,
                        turning,
                        kHit * width};
    PairAxis axis;
    if (PassesThrough(world, motion, &axis)) axes->push_back(axis);
  }
  std::sort(axes->begin() + static_cast<std::ptrdiff_t>(first), axes->end(),
            [](const PairAxis& x, const PairAxis& y) {
              return std::pair(x.collider_A, x.collider_B) < std::pair(y.collider_A, y.collider_B);
            });
}

double Sweep::CalcSeparation(CollisionWorld* world, const PairAxis& axis, const Pose& a,
                             const Pose& b) {
  world->FindPairAlong(axis, a, b, kInfinity, &witnesses_);
  return witnesses_.empty() ? kInfinity : FindLeast(witnesses_).gap;
}

bool Sweep::PassesThrough(CollisionWorld* world, const Motion& m, PairAxis* axis) {
  world->FindPair(m.a, m.a0, m.b, m.b0, kInfinity, &witnesses_);
  if (witnesses_.empty()) return false;
  const Witness start = FindLeast(witnesses_);
  if (start.gap < -kShallow / kHit * m.hit) return false;  // on no side
  *axis = world->MakeAxis(start, m.a0, m.b0);
  if (CalcSeparation(world, *axis, m.a1, m.b1) >= -m.hit) return false;
  Impact impact;
  if (!FindImpact(world, m, start, &impact)) return false;
  const PairAxis hit = world->MakeAxis(impact.witness, impact.pose_A, impact.pose_B);
  if (CalcSeparation(world, hit, m.a1, m.b1) >= -m.hit) return false;  // they slide off each other
  if (!GoesDeep(world, m, (start.gap <= m.hit ? kDeepFromContact : kDeep) / kHit * m.hit))
    return false;
  if (CalcSeparation(world, hit, m.a0, m.b0) >= -m.hit) *axis = hit;
  world->FindPairAlong(*axis, m.a1, m.b1, kInfinity, &witnesses_);
  const Vector3 normal = FindLeast(witnesses_).normal;
  world->FindPair(m.a, m.a1, m.b, m.b1, kInfinity, &witnesses_);
  if (witnesses_.empty()) return true;
  const Witness end = FindLeast(witnesses_);
  return end.gap > 0 || end.normal.dot(normal) < kSameSide;
}

// Whether the shapes overlap by `depth` on the way. Shapes that hit and slide or roll off each
// other within a step cut a corner on the straight way; this is no passage.
bool Sweep::GoesDeep(CollisionWorld* world, const Motion& m, double depth) {
  constexpr int kMaxSamples = 64;
  const double width = m.hit / kHit, way = m.shift.norm() + m.turning;
  const int samples = std::min(kMaxSamples, 2 + static_cast<int>(way / (kShallow * width)));
  for (int i = 1; i < samples; ++i) {
    const double t = static_cast<double>(i) / samples;
    world->FindPair(m.a, Interpolate(m.a0, m.a1, t), m.b, Interpolate(m.b0, m.b1, t), 0,
                    &witnesses_);
    if (!witnesses_.empty() && FindLeast(witnesses_).gap < -depth) return true;
  }
  return false;
}

// False if the pair passes by.
bool Sweep::FindImpact(CollisionWorld* world, const Motion& m, const Witness& start,
                       Impact* impact) {
  // Needed only where shapes turn about each other at a small distance; they count as hit then.
  constexpr int kMaxIterations = 200;
  *impact = {start, m.a0, m.b0};
  double t = 0;
  for (int i = 0; i < kMaxIterations; ++i) {
    const Witness& w = impact->witness;
    const double approach = -w.normal.dot(m.shift) + m.turning;
    if (approach <= 0) return false;  // the axis separates them for the rest of the way
    if (w.gap <= m.hit) return true;
    t += w.gap / approach;  // (1)
    if (t >= 1) return false;
    impact->pose_A = Interpolate(m.a0, m.a1, t);
    impact->pose_B = Interpolate(m.b0, m.b1, t);
    world->FindPair(m.a, impact->pose_A, m.b, impact->pose_B, kInfinity, &witnesses_);
    if (witnesses_.empty()) return false;
    impact->witness = FindLeast(witnesses_);
  }
  return true;
}

}  // namespace saltus
