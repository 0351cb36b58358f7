// Finds the cohesive contacts that are closed at the start, and makes bonds of their points.
#include <algorithm>
#include <cmath>

#include "saltus/multibody/assembly.h"
#include "saltus/multibody/contact/contact_finder.h"
#include "saltus/multibody/contact/contact_laws.h"

namespace saltus {
namespace {

struct BondPoint {
  ContactKey key;
  int body_a = kGround, body_b = kGround;
  Vector3 n, x;
  const CohesionSpec* law = nullptr;
};

/// Area of the convex hull of points in the plane with normal n.
double CalcHullArea(const std::vector<BondPoint>& points, std::size_t begin, std::size_t end) {
  const Matrix3 frame = MakeContactFrame(points[begin].n);
  std::vector<Vector2> flat;
  for (std::size_t i = begin; i < end; ++i) {
    flat.push_back(frame.rightCols<2>().transpose() * (points[i].x - points[begin].x));
  }
  std::sort(flat.begin(), flat.end(), [](const Vector2& a, const Vector2& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  std::vector<Vector2> hull;
  const auto cross = [](const Vector2& a, const Vector2& b) {
    return a.x() * b.y() - a.y() * b.x();
  };
  for (const bool lower : {true, false}) {  // Andrew's monotone chain
    const std::size_t base = hull.size();
    for (const Vector2& x : flat) {
      while (hull.size() >= base + 2 &&
             cross(hull.back() - hull[hull.size() - 2], x - hull.back()) <= 0) {
        hull.pop_back();
      }
      hull.push_back(x);
    }
    hull.pop_back();
    if (lower) std::reverse(flat.begin(), flat.end());
  }
  double twice = 0;
  for (std::size_t i = 0; i < hull.size(); ++i)
    twice += cross(hull[i], hull[(i + 1) % hull.size()]);
  return 0.5 * std::abs(twice);
}

void AddColliderPoints(Model* model, const std::vector<Pose>& poses, double reach,
                       std::vector<BondPoint>* points) {
  const ContactTables& tables = model->contact;
  std::vector<Witness> witnesses;
  model->world.Find(poses, std::nextafter(reach, 1e300), &witnesses);
  for (const Witness& w : witnesses) {
    const ContactLaw& law = tables.law(w.collider_A, w.collider_B);
    if (!law.cohesion || w.gap > law.cohesion->reach) continue;
    const ContactKey key = MakeColliderKey(w.collider_A, w.collider_B, w.feature);
    const Vector3 x = 0.5 * (w.point_A + w.point_B);
    const auto repeats = [&](const BondPoint& other) {
      return other.key.pair == key.pair && IsSameInPlane(other.x, x, model->plane_normal);
    };
    if (model->plane && (IsAcrossPlane(w.normal, model->plane_normal) ||
                         std::any_of(points->begin(), points->end(), repeats))) {
      continue;
    }
    points->push_back({key, tables.collider_body[w.collider_A], tables.collider_body[w.collider_B],
                       w.normal, x, &*law.cohesion});
  }
}

void AddBond(const BondPoint& point, double area, Model* model) {
  Bond bond;
  bond.key = point.key;
  bond.law = *point.law;
  bond.law.area = area;
  bond.pair.a = point.body_a;
  bond.pair.b = point.body_b;
  const auto local = [&](int body) {
    const Placement placement = InitialPlacement(*model, body);
    return Vector3(placement.R.transpose() * (point.x - placement.p));
  };
  const Matrix3 axes = model->plane ? MakePlanarContactFrame(point.n, model->plane_normal)
                                    : MakeContactFrame(point.n);
  bond.pair.frames = MakeFrames(*model, point.body_a, point.body_b, local(point.body_a),
                                local(point.body_b), axes);
  model->bonds.push_back(bond);
}

}  // namespace

void AssembleBonds(Model* model) {
  double reach = -1;
  for (const ContactLaw& law : model->contact.laws) {
    if (law.cohesion) reach = std::max(reach, law.cohesion->reach);
  }
  std::vector<Pose> poses;
  for (const Body& body : model->bodies) poses.push_back(body.initial_pose);
  std::vector<BondPoint> points;
  if (reach >= 0) AddColliderPoints(model, poses, reach, &points);
  for (std::size_t i = 0; i < model->contact.named.size(); ++i) {
    const NamedContact& named = model->contact.named[i];
    if (!named.law.cohesion) continue;
    const auto found = FindNamedContact(named, poses);
    if (!found || found->gap > named.law.cohesion->reach) continue;
    points.push_back({{ContactKindBits(ContactKind::kNamed) | i, 0},
                      named.surface_body,
                      named.point_body,
                      found->normal,
                      found->point,
                      &*named.law.cohesion});
  }
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin;
    while (end < points.size() && points[end].key.pair == points[begin].key.pair) ++end;
    const CohesionSpec& law = *points[begin].law;
    const double area = law.area ? *law.area : CalcHullArea(points, begin, end);
    if (!(area > 0)) {
      throw InputError("cohesion.area",
                       "is missing where " + model->body_name(points[begin].body_a) + " and " +
                           model->body_name(points[begin].body_b) +
                           " touch in points that span no area",
                       "give the area of contact [m^2]");
    }
    for (std::size_t i = begin; i < end; ++i) {
      AddBond(points[i], area / static_cast<double>(end - begin), model);
    }
    begin = end;
  }
}

}  // namespace saltus
