#include "verification/pile_overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

double CalcRadius(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Capsule>(&shape)) return s->radius + s->half_length;
  if (const auto* s = std::get_if<Box>(&shape)) return s->half_size.norm();
  if (const auto* s = std::get_if<Cylinder>(&shape)) return std::hypot(s->radius, s->half_length);
  const auto* hull = std::get_if<ConvexHull>(&shape);
  if (hull == nullptr) return std::numeric_limits<double>::infinity();
  double radius = 0;
  for (const Vector3& v : hull->polyhedron->vertices) radius = std::max(radius, v.norm());
  return radius;
}

}  // namespace

void PileOverlap::Add(const Shape& shape, const Pose& pose_BS, int body) {
  items_.push_back({shape, pose_BS, body, CalcRadius(shape)});
}

double PileOverlap::Calc(const std::vector<Pose>& poses) const {
  std::vector<CertifiedShape> placed;
  for (const Item& item : items_) {
    const Pose body = item.body < 0 ? Pose{} : poses[static_cast<std::size_t>(item.body)];
    placed.push_back({item.shape, {body * item.pose_BS.p, body.R * item.pose_BS.R}});
  }
  double overlap = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    for (std::size_t j = i + 1; j < items_.size(); ++j) {
      if (items_[i].body == items_[j].body) continue;
      const double reach = items_[i].radius + items_[j].radius;
      if ((placed[i].pose.p - placed[j].pose.p).norm() > reach) continue;
      overlap = std::max(overlap, -FindSeparation(placed[i], placed[j], 0).separation);
    }
  }
  return overlap;
}

}  // namespace saltus
