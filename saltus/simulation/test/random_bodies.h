// Random bodies above a floor, for the stress study of the integrators and for their tests. Boxes
// have a test of overlap that shares nothing with the library: separating axes of boxes, corners
// and the floor.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {

/// One to four bodies, in the plane or in space; e ∈ [0, 1], μ ∈ [0, 1.2], h from 2e-4 to 2e-2 s,
/// ρ∞ ∈ [0, 1], starting below the height that 100 steps can fall.
struct RandomBodies {
  std::shared_ptr<const Model> model;
  NonsmoothAlphaOptions options;
  double h = 0, e = 0, mu = 0, rho = 0;
  bool planar = false;
  std::vector<Shape> shapes;  // one per body, its centre of mass at the origin

  int size() const { return static_cast<int>(shapes.size()); }
};

enum class BodyChoice { kBoxes, kMixed };  // mixed: sphere, capsule, box, cylinder, hull; in space

/// A body of about the size of the box `half`, of a kind that `pick` ∈ [0, 1) chooses. `uniform`
/// gives random numbers of a range.
inline Shape MakeMixedShape(double pick, const Vector3& half,
                            const std::function<double(double, double)>& uniform) {
  if (pick < 0.15) return Sphere{half[0]};
  if (pick < 0.35) return Capsule{0.6 * half[0], half[1]};
  if (pick < 0.55) return Box{half};
  if (pick < 0.75) return Cylinder{half[0], half[1]};
  std::vector<Vector3> points;
  for (int i = 0; i < 12; ++i) {
    const Vector3 direction = Vector3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized();
    points.push_back(half.cwiseProduct(direction));
  }
  const Vector3 center = CalcUnitDensityMass(MakeConvexHull(points)).center;
  for (Vector3& point : points) point -= center;
  return MakeConvexHull(points);
}

inline RandomBodies MakeRandomBodies(unsigned seed, BodyChoice choice = BodyChoice::kBoxes,
                                     bool with_friction = true) {
  std::mt19937 random(seed);
  // Not std::uniform_real_distribution: its numbers differ from library to library.
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  RandomBodies scene;
  scene.planar = choice == BodyChoice::kBoxes && seed % 3 == 0;
  scene.e = seed % 5 == 0 ? 0 : uniform(0, 1);
  scene.mu = seed % 7 == 0 ? 0 : uniform(0, 1.2);
  if (!with_friction) scene.mu = 0;
  scene.h = 2e-4 * std::pow(100, uniform(0, 1));
  scene.rho = uniform(0, 1);
  const int bodies = 1 + static_cast<int>(uniform(0, 4));
  ModelBuilder builder;
  builder.Add(MakeMaterial(scene.mu, scene.e, 500)).AddGroundShape(MakeFloor());
  if (scene.planar) builder.SetPlanar({.first = Vector3::UnitX(), .second = Vector3::UnitZ()});
  const double fall = std::min(1.0, 0.5 * 9.81 * std::pow(100 * scene.h, 2));
  double height = 0;
  for (int i = 0; i < bodies; ++i) {
    const Vector3 half(uniform(0.05, 0.4), uniform(0.05, 0.4), uniform(0.05, 0.4));
    scene.shapes.push_back(choice == BodyChoice::kBoxes
                               ? Shape(Box{half})
                               : MakeMixedShape(uniform(0, 1), half, uniform));
    const double reach = choice == BodyChoice::kBoxes ? half.norm() : 1.5 * half.norm();
    height += reach + fall * uniform(0, 0.3);
    RigidBodySpec body = MakeBody(
        (choice == BodyChoice::kBoxes ? "box" : "body") + std::to_string(i), scene.shapes.back(),
        {uniform(-0.1, 0.1), scene.planar ? 0 : uniform(-0.1, 0.1), height});
    height += reach + 1e-3;
    const Vector3 axis = scene.planar
                             ? Vector3(0, 1, 0)
                             : Vector3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized();
    body.orientation = Quaternion(Eigen::AngleAxisd(uniform(-3, 3), axis));
    body.angular_velocity = uniform(-5, 5) * axis;
    const double down = -std::sqrt(2 * 9.81) * uniform(0, 1.5);
    body.velocity = Vector3(uniform(-2, 2), scene.planar ? 0 : uniform(-2, 2), down);
    builder.Add(body);
  }
  scene.model = builder.Build();
  scene.options.coefficients = AlphaCoefficients::FromSpectralRadius(scene.rho);
  scene.options.solver_options.max_iterations = 20000;
  return scene;
}

/// The depth of the deepest overlap, m: ≤ 0 if no box overlaps another one or the floor z = 0.
inline double CalcBoxOverlap(const RandomBodies& scene, const VectorX& q) {
  struct Placed {
    Vector3 p, half;
    Matrix3 R;
  };
  std::vector<Placed> boxes;
  double deepest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < scene.size(); ++i) {
    const Pose pose = scene.model->bodies[i].CalcPose(q);
    boxes.push_back({pose.p, std::get<Box>(scene.shapes[i]).half_size, pose.R.toRotationMatrix()});
    const Placed& a = boxes.back();
    deepest = std::max(deepest, a.R.row(2).cwiseAbs().dot(a.half) - a.p[2]);
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Placed &a = boxes[i], &b = boxes[j];
      double separation = -std::numeric_limits<double>::infinity();
      const auto test = [&](const Vector3& axis) {
        if (axis.norm() < 1e-8) return;  // parallel edges
        const Vector3 n = axis.normalized();
        const double reach = (a.R.transpose() * n).cwiseAbs().dot(a.half) +
                             (b.R.transpose() * n).cwiseAbs().dot(b.half);
        separation = std::max(separation, std::abs(n.dot(b.p - a.p)) - reach);
      };
      for (int k = 0; k < 3; ++k) {
        test(a.R.col(k));
        test(b.R.col(k));
        for (int l = 0; l < 3; ++l) test(a.R.col(k).cross(b.R.col(l)));
      }
      deepest = std::max(deepest, -separation);
    }
  }
  return deepest;
}

/// The depth of the deepest overlap at q, m.
using OverlapTest = std::function<double(const RandomBodies& scene, const VectorX& q)>;

/// What happened in some steps.
struct BodySteps {
  long steps = 0, failures = 0, iterations = 0;
  int lost = 0;  // steps that fail however often they are halved
  int max_iterations = 0;
  double overlap = 0;   // m, deepest of the accepted steps
  double lifted = 0;    // J, by position corrections
  std::string culprit;  // of the last failure
};

/// One step, in two halves where it fails, and so on `depth` times.
inline void StepBodies(const RandomBodies& scene, const OverlapTest& overlap,
                       Integrator* integrator, MultibodySystem* system, double h, int depth,
                       State* state, BodySteps* count) {
  const State before = *state;
  const StepReport& report = integrator->Step(*system, h, state);
  ++count->steps;
  count->iterations += report.newton_iterations;
  count->max_iterations = std::max(count->max_iterations, report.newton_iterations);
  if (report.ok()) {
    count->lifted += report.work.projection;
    count->overlap = std::max(count->overlap, overlap(scene, state->q));
    return;
  }
  ++count->failures;
  count->culprit = StatusName(report.status) + ("; " + report.culprit);
  if (depth == 0) {
    ++count->lost;
    return;
  }
  *state = before;
  for (int half = 0; half < 2; ++half) {
    StepBodies(scene, overlap, integrator, system, 0.5 * h, depth - 1, state, count);
  }
}

}  // namespace saltus
