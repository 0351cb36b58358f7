// CollisionWorld: places the shapes, asks the broad phase for pairs and the pair table for
// witnesses.
#include "saltus/collision/collision_world.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "saltus/base/error.h"
#include "saltus/collision/broad_phase.h"
#include "saltus/collision/bvh.h"
#include "saltus/collision/pair.h"
#include "saltus/collision/sweep.h"
#include "saltus/collision/witness_update.h"

namespace saltus {
namespace {

/// Of the margin: how far the search for pairs goes. More serves longer but gives more pairs.
constexpr double kReach = 1.25;

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

std::uint64_t MakePairKey(int a, int b) {
  const auto [low, high] = std::minmax(a, b);
  return (static_cast<std::uint64_t>(low) << 32) | static_cast<std::uint32_t>(high);
}

}  // namespace

struct CollisionWorld::Impl {
  // What a collider is, whatever its pose. Shared between copies of the world.
  struct Geometry {
    std::shared_ptr<const ConvexGeometry> convex;
    std::shared_ptr<const Mesh> mesh;
    int first_vertex = 0, first_normal = 0;  // into the pools of rotated vectors
  };

  std::vector<Collider> colliders;
  std::vector<Geometry> geometries;
  std::vector<std::uint64_t> disabled;  // sorted keys of mover pairs
  int num_vertices = 0, num_normals = 0;

  struct Filter {  // what decides whether two colliders may touch
    int mover, group, kind;
  };

  // Filled by Prepare() after a change of the colliders, then kept up to date by Place().
  bool prepared = false;
  std::vector<Filter> filters;
  std::vector<PlacedShape> placed;
  std::vector<char> is_rotated;  // are the vertices in the pool those of the current pose?
  std::vector<Vector3> vertices, normals;
  std::vector<Aabb> boxes;  // of all colliders, without margin
  std::vector<int> moving, fixed, half_spaces;
  Bvh fixed_bvh;

  // Pairs whose boxes were nearer than `reach` when the boxes were `searched_boxes`; the list
  // serves until boxes have moved so far that others could be within the margin.
  double reach = -1, last_margin = 0;
  std::vector<Aabb> searched_boxes;
  std::vector<BroadPhase::Pair> sorted;  // by (a, b)

  // Scratch.
  BroadPhase broad_phase;
  std::vector<Aabb> moving_boxes;
  std::vector<BroadPhase::Pair> pairs, found;
  std::vector<int> first_pair;
  PairScratch scratch;
  WitnessSink sink;
  Sweep sweep;

  Impl() = default;
  Impl(const Impl& other)
      : colliders(other.colliders),
        geometries(other.geometries),
        disabled(other.disabled),
        num_vertices(other.num_vertices),
        num_normals(other.num_normals) {}

  void AddGeometry(const Shape& shape);
  void Prepare();
  void Place(int index, const Pose& pose_WM);
  void PlaceCore(int index);
  Aabb CalcBox(int index) const;
  void RotateCore(int index);
  bool MayCollide(int a, int b) const;
  void AddPair(int a, int b);
  double CalcLargestMove() const;
  void UpdatePairs(double margin);
  void FindPairs(double margin);
  void AddHalfSpacePairs(double margin);
  void SortPairs();
  void AddWitnesses(int a, int b, const PairAxis* held, std::vector<Witness>* witnesses);
  void PlaceAll(const std::vector<Pose>& poses);
};

void CollisionWorld::Impl::AddGeometry(const Shape& shape) {
  Geometry g;
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    g.convex = std::make_shared<const ConvexGeometry>(MakeSegmentGeometry(capsule->half_length));
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    g.convex = std::make_shared<const ConvexGeometry>(MakeBoxGeometry(box->half_size));
  } else if (const auto* hull = std::get_if<ConvexHull>(&shape)) {
    for (std::size_t i = 0; i < colliders.size() && !g.convex; ++i) {  // hulls share their data
      const auto* other = std::get_if<ConvexHull>(&colliders[i].shape);
      if (other != nullptr && i < geometries.size() && other->polyhedron == hull->polyhedron) {
        g.convex = geometries[i].convex;
      }
    }
    if (!g.convex) {
      g.convex = std::make_shared<const ConvexGeometry>(MakeHullGeometry(*hull->polyhedron));
    }
  } else if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) {
    g.mesh = std::make_shared<const Mesh>(*mesh->mesh);
  } else if (const auto* field = std::get_if<HeightField>(&shape)) {
    g.mesh = std::make_shared<const Mesh>(*field->field);
  }
  if (g.convex) {
    g.first_vertex = num_vertices;
    g.first_normal = num_normals;
    num_vertices += static_cast<int>(g.convex->vertices.size());
    num_normals += static_cast<int>(g.convex->normals.size());
  }
  geometries.push_back(std::move(g));
}

void CollisionWorld::Impl::Prepare() {
  const std::size_t count = colliders.size();
  placed.assign(count, PlacedShape{});
  is_rotated.assign(count, 0);
  boxes.assign(count, Aabb{});
  filters.clear();
  vertices.resize(Index(num_vertices));
  normals.resize(Index(num_normals));
  moving.clear();
  fixed.clear();
  half_spaces.clear();
  std::vector<Aabb> fixed_boxes;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const Collider& c = colliders[Index(i)];
    const int kind = static_cast<int>(c.shape.index());
    filters.push_back({c.mover, c.collider_group, kind});
    placed[Index(i)].shape = &c.shape;
    placed[Index(i)].kind = kind;
    if (const auto* sphere = std::get_if<Sphere>(&c.shape))
      placed[Index(i)].radius = sphere->radius;
    placed[Index(i)].mesh = geometries[Index(i)].mesh.get();
    placed[Index(i)].geometry = geometries[Index(i)].convex.get();
    PlaceCore(i);
    if (c.mover < 0) Place(i, Pose{});
    if (std::holds_alternative<HalfSpace>(c.shape)) {
      half_spaces.push_back(i);
    } else if (c.mover < 0) {
      fixed.push_back(i);
      fixed_boxes.push_back(boxes[Index(i)]);
    } else {
      moving.push_back(i);
    }
  }
  fixed_bvh.Build(fixed_boxes);
  searched_boxes.assign(count, Aabb{});
  reach = -1;
  prepared = true;
}

// The parts of a core that do not depend on the pose.
void CollisionWorld::Impl::PlaceCore(int index) {
  const Geometry& g = geometries[Index(index)];
  Convex& core = placed[Index(index)].core;
  const Shape& shape = colliders[Index(index)].shape;
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    core.kind = ConvexKind::kCylinder;
    core.half_size = Vector3(cylinder->radius, cylinder->radius, cylinder->half_length);
    core.size = std::hypot(cylinder->radius, cylinder->half_length);
  }
  if (!g.convex) return;
  core.topology = &g.convex->topology;
  core.vertices = vertices.data() + g.first_vertex;
  core.normals = normals.data() + g.first_normal;
  for (const Vector3& v : g.convex->vertices) core.size = std::max(core.size, v.norm());
  if (const auto* box = std::get_if<Box>(&shape)) {
    core.kind = ConvexKind::kBox;
    core.half_size = box->half_size;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    core.kind = ConvexKind::kSegment;
    core.radius = capsule->radius;
    core.size += capsule->radius;
  } else {
    core.kind = ConvexKind::kHull;
  }
}

void CollisionWorld::Impl::Place(int index, const Pose& pose_WM) {
  const Collider& c = colliders[Index(index)];
  PlacedShape& s = placed[Index(index)];
  s.p = pose_WM * c.pose_BS.p;
  if (s.radius > 0) {  // a sphere
    boxes[Index(index)] = {s.p - Vector3::Constant(s.radius), s.p + Vector3::Constant(s.radius)};
    return;
  }
  s.R = (pose_WM.R * c.pose_BS.R).toRotationMatrix();
  s.core.p = s.p;
  s.core.R = s.R;
  is_rotated[Index(index)] = 0;
  boxes[Index(index)] = CalcBox(index);
}

Aabb CollisionWorld::Impl::CalcBox(int index) const {
  const PlacedShape& s = placed[Index(index)];
  Vector3 center = s.p, half = Vector3::Zero();
  if (const auto* sphere = std::get_if<Sphere>(s.shape)) {
    half.setConstant(sphere->radius);
  } else if (const auto* capsule = std::get_if<Capsule>(s.shape)) {
    half = capsule->half_length * s.R.col(2).cwiseAbs() + Vector3::Constant(capsule->radius);
  } else if (const auto* box = std::get_if<Box>(s.shape)) {
    half = s.R.cwiseAbs() * box->half_size;
  } else if (const auto* cylinder = std::get_if<Cylinder>(s.shape)) {
    const Vector3 across = (Vector3::Ones() - s.R.col(2).cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
    half = cylinder->half_length * s.R.col(2).cwiseAbs() + cylinder->radius * across;
  } else if (s.mesh != nullptr) {
    const Aabb& local = s.mesh->bounds();
    center += s.R * local.center();
    half = s.R.cwiseAbs() * (0.5 * (local.high - local.low));
  } else if (const ConvexGeometry* convex = geometries[Index(index)].convex.get()) {
    half = s.R.cwiseAbs() * (0.5 * (convex->bounds.high - convex->bounds.low));
    center += s.R * convex->bounds.center();
  }
  Aabb box;
  box.low = center - half;
  box.high = center + half;
  return box;
}

void CollisionWorld::Impl::RotateCore(int index) {
  if (is_rotated[Index(index)] != 0) return;
  is_rotated[Index(index)] = 1;
  const Geometry& g = geometries[Index(index)];
  if (!g.convex) return;  // nothing to rotate
  const Matrix3& R = placed[Index(index)].R;
  for (std::size_t i = 0; i < g.convex->vertices.size(); ++i) {
    vertices[Index(g.first_vertex) + i] = R * g.convex->vertices[i];
  }
  for (std::size_t i = 0; i < g.convex->normals.size(); ++i) {
    normals[Index(g.first_normal) + i] = R * g.convex->normals[i];
  }
}

bool CollisionWorld::Impl::MayCollide(int a, int b) const {
  const Filter &A = filters[Index(a)], &B = filters[Index(b)];
  if (A.mover == B.mover || (A.group != 0 && A.group == B.group)) return false;
  if (!CanTouch(A.kind, B.kind)) return false;
  return disabled.empty() ||
         !std::binary_search(disabled.begin(), disabled.end(), MakePairKey(A.mover, B.mover));
}

void CollisionWorld::Impl::AddPair(int a, int b) {
  if (a > b) std::swap(a, b);
  if (MayCollide(a, b)) found.push_back({a, b});
}

void CollisionWorld::Impl::AddHalfSpacePairs(double margin) {
  for (const int h : half_spaces) {
    const PlacedShape& s = placed[Index(h)];
    const HalfSpace& half_space = *std::get_if<HalfSpace>(s.shape);
    const Vector3 n = s.R * half_space.normal, extent = n.cwiseAbs();
    const double offset = half_space.offset + n.dot(s.p);
    const auto test = [&](int i) {
      const Aabb& box = boxes[Index(i)];
      const double lowest = n.dot(box.center()) - 0.5 * extent.dot(box.high - box.low);
      if (lowest - offset < margin) AddPair(h, i);
    };
    for (const int i : moving) test(i);
    if (colliders[Index(h)].mover < 0) continue;
    for (const int i : fixed) test(i);
  }
}

/// Since the last search, of any side of a box; infinite if a half-space can move, which has none.
double CollisionWorld::Impl::CalcLargestMove() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const int h : half_spaces) {
    if (colliders[Index(h)].mover >= 0) return kInfinity;
  }
  Vector3 move = Vector3::Zero(), sum = Vector3::Zero();
  for (const int i : moving) {
    const Aabb &box = boxes[Index(i)], &searched = searched_boxes[Index(i)];
    sum += box.low - searched.low;
    move = move.cwiseMax((box.low - searched.low).cwiseAbs())
               .cwiseMax((box.high - searched.high).cwiseAbs());
  }
  return sum.allFinite() ? move.maxCoeff() : kInfinity;  // a maximum may hide what is no number
}

/// The list holds all pairs within the margin, and some more: the witnesses tell them apart, so
/// that what is found does not depend on the searches before. Integrators look twice in a step,
/// before and after a projection that hardly moves anything, the first time with a small margin.
void CollisionWorld::Impl::UpdatePairs(double margin) {
  const double needed = margin + 2 * CalcLargestMove();
  const bool everything = std::isinf(margin);  // such a list serves this search only
  if (everything || !(needed <= reach)) {
    reach = everything ? margin : kReach * std::max(margin, last_margin);
    FindPairs(reach);
    SortPairs();
    searched_boxes = boxes;
  }
  if (everything) {
    reach = -1;
  } else {
    last_margin = margin;
  }
}

void CollisionWorld::Impl::FindPairs(double margin) {
  found.clear();
  AddHalfSpacePairs(margin);
  if (std::isinf(margin)) {
    for (std::size_t k = 0; k < moving.size(); ++k) {
      for (const int f : fixed) AddPair(f, moving[k]);
      for (std::size_t l = 0; l < k; ++l) AddPair(moving[l], moving[k]);
    }
    return;
  }
  const Vector3 half_margin = Vector3::Constant(0.5 * margin);
  moving_boxes.resize(moving.size());
  for (std::size_t k = 0; k < moving.size(); ++k) {
    Aabb box = boxes[Index(moving[k])];
    box.low -= half_margin;
    box.high += half_margin;
    moving_boxes[k] = box;
  }
  broad_phase.Find(moving_boxes, &pairs);
  for (const BroadPhase::Pair& p : pairs) AddPair(moving[Index(p.a)], moving[Index(p.b)]);
  if (fixed.empty()) return;
  for (std::size_t k = 0; k < moving.size(); ++k) {
    Aabb box = moving_boxes[k];  // the fixed boxes have no margin of their own
    box.low -= half_margin;
    box.high += half_margin;
    fixed_bvh.Query(box, [&](int f) { AddPair(fixed[Index(f)], moving[k]); });
  }
}

// By (a, b): counting sort over a, then insertion over the few b of each a.
void CollisionWorld::Impl::SortPairs() {
  first_pair.assign(colliders.size() + 1, 0);
  for (const BroadPhase::Pair& p : found) ++first_pair[Index(p.a) + 1];
  for (std::size_t i = 1; i < first_pair.size(); ++i) first_pair[i] += first_pair[i - 1];
  sorted.resize(found.size());
  for (const BroadPhase::Pair& p : found) sorted[Index(first_pair[Index(p.a)]++)] = p;
  const auto is_before = [](const BroadPhase::Pair& p, const BroadPhase::Pair& q) {
    return p.b < q.b;
  };
  int begin = 0;
  for (std::size_t a = 0; a < colliders.size(); ++a) {
    const int end = first_pair[a];  // has been advanced to the end of a
    if (end - begin > 1) std::sort(sorted.begin() + begin, sorted.begin() + end, is_before);
    begin = end;
  }
}

void CollisionWorld::Impl::AddWitnesses(int a, int b, const PairAxis* held,
                                        std::vector<Witness>* witnesses) {
  RotateCore(a);
  RotateCore(b);
  const std::size_t first = witnesses->size();
  sink.StartPair(a, b);
  const PlacedShape &A = placed[Index(a)], &B = placed[Index(b)];
  bool done = false;
  if (held != nullptr) {
    PairAxis axis = *held;
    const bool spheres = A.radius > 0 && B.radius > 0;
    if (!spheres) axis.normal = (A.radius > 0 ? B.R : A.R) * held->normal;
    done = AddPairWitnessesAlong(A, B, axis, &scratch, &sink);
  }
  if (!done) AddPairWitnesses(A, B, &scratch, &sink);
  if (witnesses->size() < first + 2) return;
  std::sort(witnesses->begin() + static_cast<std::ptrdiff_t>(first), witnesses->end(),
            [](const Witness& v, const Witness& w) { return v.feature < w.feature; });
  // Keys are unique: material points of one name differ in their slots.
  for (std::size_t i = first + 1; i < witnesses->size(); ++i) {
    Witness& w = (*witnesses)[i];
    w.feature = std::max(w.feature, (*witnesses)[i - 1].feature + 1);
  }
}

CollisionWorld::CollisionWorld() : impl_(std::make_unique<Impl>()) {}
CollisionWorld::~CollisionWorld() = default;
CollisionWorld::CollisionWorld(CollisionWorld&&) noexcept = default;
CollisionWorld& CollisionWorld::operator=(CollisionWorld&&) noexcept = default;
CollisionWorld::CollisionWorld(const CollisionWorld& other)
    : impl_(std::make_unique<Impl>(*other.impl_)) {}
CollisionWorld& CollisionWorld::operator=(const CollisionWorld& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}

int CollisionWorld::Add(const Collider& collider) {
  impl_->AddGeometry(collider.shape);
  impl_->colliders.push_back(collider);
  impl_->prepared = false;
  return num_colliders() - 1;
}

void CollisionWorld::DisablePair(int mover_a, int mover_b) {
  const std::uint64_t key = MakePairKey(mover_a, mover_b);
  std::vector<std::uint64_t>& keys = impl_->disabled;
  const auto at = std::lower_bound(keys.begin(), keys.end(), key);
  if (at == keys.end() || *at != key) keys.insert(at, key);
  impl_->reach = -1;
}

void CollisionWorld::Impl::PlaceAll(const std::vector<Pose>& poses) {
  if (!prepared) Prepare();
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const int mover = colliders[i].mover;
    if (mover < 0) continue;
    SALTUS_CHECK(mover < static_cast<int>(poses.size()), "a mover has no pose");
    Place(static_cast<int>(i), poses[Index(mover)]);
  }
}

void CollisionWorld::Find(const std::vector<Pose>& poses, double margin,
                          std::vector<Witness>* witnesses) {
  FindAlong(poses, margin, {}, witnesses);
}

void CollisionWorld::FindAlong(const std::vector<Pose>& poses, double margin,
                               std::span<const PairAxis> held, std::vector<Witness>* witnesses) {
  Impl& impl = *impl_;
  witnesses->clear();
  impl.PlaceAll(poses);
  impl.UpdatePairs(margin);
  impl.sink.Start(witnesses, margin);
  auto axis = held.begin();
  const auto is_before = [](const auto& x, int a, int b) {
    return std::pair(x.collider_A, x.collider_B) < std::pair(a, b);
  };
  for (const BroadPhase::Pair& p : impl.sorted) {
    for (; axis != held.end() && is_before(*axis, p.a, p.b); ++axis) {
      impl.AddWitnesses(axis->collider_A, axis->collider_B, &*axis, witnesses);
    }
    const bool is_held = axis != held.end() && axis->collider_A == p.a && axis->collider_B == p.b;
    impl.AddWitnesses(p.a, p.b, is_held ? &*axis : nullptr, witnesses);
    if (is_held) ++axis;
  }
  for (; axis != held.end(); ++axis) {
    impl.AddWitnesses(axis->collider_A, axis->collider_B, &*axis, witnesses);
  }
}

void CollisionWorld::FindPairAlong(const PairAxis& axis, const Pose& pose_A, const Pose& pose_B,
                                   double margin, std::vector<Witness>* witnesses) {
  Impl& impl = *impl_;
  witnesses->clear();
  if (!impl.prepared) impl.Prepare();
  if (impl.colliders[Index(axis.collider_A)].mover >= 0) impl.Place(axis.collider_A, pose_A);
  if (impl.colliders[Index(axis.collider_B)].mover >= 0) impl.Place(axis.collider_B, pose_B);
  impl.sink.Start(witnesses, margin);
  impl.AddWitnesses(axis.collider_A, axis.collider_B, &axis, witnesses);
}

void CollisionWorld::FindPassages(const std::vector<Pose>& from, const std::vector<Pose>& to,
                                  std::vector<PairAxis>* axes) {
  impl_->sweep.Find(this, from, to, axes);
}

bool CollisionWorld::HasAxis(int a, int b) const {
  const auto is_capsule = [this](int i) {
    return std::holds_alternative<Capsule>(impl_->colliders[Index(i)].shape);
  };
  const auto has_faces = [this](int i) {
    const Shape& shape = impl_->colliders[Index(i)].shape;
    return std::holds_alternative<Box>(shape) || std::holds_alternative<Cylinder>(shape) ||
           std::holds_alternative<ConvexHull>(shape);
  };
  return (has_faces(a) && (has_faces(b) || is_capsule(b))) || (is_capsule(a) && has_faces(b));
}

bool CollisionWorld::MayCollide(int a, int b) {
  if (!impl_->prepared) impl_->Prepare();
  return impl_->MayCollide(a, b);
}

PairAxis CollisionWorld::MakeAxis(const Witness& w, const Pose& pose_A, const Pose& pose_B) const {
  const Element a = FeatureElementA(w.feature), b = FeatureElementB(w.feature);
  constexpr Element kSolid{ElementKind::kSolid, 0}, kDirection{ElementKind::kTangent, 0};
  const auto is_edge = [this](int collider, Element e) {
    const Impl::Geometry& g = impl_->geometries[Index(collider)];
    return e.kind == ElementKind::kLine && g.convex != nullptr;
  };
  PairAxis axis{w.collider_A, w.collider_B, MakeFeature(kDirection, kSolid)};
  if (a.kind == ElementKind::kFace) {
    axis.feature = MakeFeature(a, kSolid);
  } else if (b.kind == ElementKind::kFace) {
    axis.feature = MakeFeature(kSolid, b);
  } else if (is_edge(w.collider_A, a) && is_edge(w.collider_B, b)) {
    axis.feature = MakeFeature(a, b);
  }
  const Collider &A = impl_->colliders[Index(w.collider_A)],
                 &B = impl_->colliders[Index(w.collider_B)];
  const bool sphere_A = std::holds_alternative<Sphere>(A.shape);
  const bool sphere_B = std::holds_alternative<Sphere>(B.shape);
  axis.normal = w.normal;
  if (sphere_A && sphere_B) return axis;
  const Quaternion R = sphere_A ? pose_B.R * B.pose_BS.R : pose_A.R * A.pose_BS.R;
  axis.normal = R.conjugate() * w.normal;
  return axis;
}

void CollisionWorld::FindPair(int a, const Pose& pose_a, int b, const Pose& pose_b, double margin,
                              std::vector<Witness>* witnesses) {
  Impl& impl = *impl_;
  witnesses->clear();
  if (!impl.prepared) impl.Prepare();
  if (impl.colliders[Index(a)].mover >= 0) impl.Place(a, pose_a);
  if (impl.colliders[Index(b)].mover >= 0) impl.Place(b, pose_b);
  impl.sink.Start(witnesses, margin);
  impl.AddWitnesses(a, b, nullptr, witnesses);
}

bool CollisionWorld::UpdateWitness(const Witness& reference, const Pose& from_A, const Pose& from_B,
                                   const Pose& pose_A, const Pose& pose_B, Witness* witness) const {
  const auto make = [this](int index, const Pose& from, const Pose& to) {
    const Collider& c = impl_->colliders[Index(index)];
    const Impl::Geometry& g = impl_->geometries[Index(index)];
    return UpdatedShape{&c.shape,
                        g.convex.get(),
                        g.mesh.get(),
                        from * c.pose_BS.p,
                        to * c.pose_BS.p,
                        (from.R * c.pose_BS.R).toRotationMatrix(),
                        (to.R * c.pose_BS.R).toRotationMatrix()};
  };
  return saltus::UpdateWitness(make(reference.collider_A, from_A, pose_A),
                               make(reference.collider_B, from_B, pose_B), reference, witness);
}

int CollisionWorld::num_colliders() const { return static_cast<int>(impl_->colliders.size()); }
const Collider& CollisionWorld::collider(int index) const { return impl_->colliders[Index(index)]; }

}  // namespace saltus
