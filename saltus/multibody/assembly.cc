#include "saltus/multibody/assembly.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <unordered_set>

#include "saltus/base/suggest.h"
#include "saltus/math/so3.h"
#include "saltus/multibody/contact/contact_finder.h"

namespace saltus {

std::string FormatNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string FormatVector(const Vector3& value) {
  return "[" + FormatNumber(value.x()) + ", " + FormatNumber(value.y()) + ", " +
         FormatNumber(value.z()) + "]";
}

void CheckFinite(const std::string& item, double value) {
  if (!std::isfinite(value)) {
    throw InputError(item, "is " + FormatNumber(value), "must be a finite number");
  }
}

void CheckFinite(const std::string& item, const Vector3& value) {
  if (!value.allFinite()) {
    throw InputError(item, "is " + FormatVector(value), "must be finite numbers");
  }
}

void CheckPositive(const std::string& item, double value, const char* unit) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw InputError(item, "is " + FormatNumber(value), std::string("must be > 0 ") + unit);
  }
}

void CheckNonnegative(const std::string& item, double value, const char* unit) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw InputError(item, "is " + FormatNumber(value), std::string("must be >= 0 ") + unit);
  }
}

void CheckInterval(const std::string& item, double value, double lower, double upper) {
  if (!(value >= lower && value <= upper)) {
    throw InputError(item, "is " + FormatNumber(value),
                     "must be in [" + FormatNumber(lower) + ", " + FormatNumber(upper) + "]");
  }
}

void CheckUniqueNames(const std::string& what, const std::vector<std::string>& names) {
  std::unordered_set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw InputError(what, "an item has no name", "give each item a name");
    if (!seen.insert(name).second) {
      throw InputError(what + "." + name, "the name is used twice", "names must be unique");
    }
  }
}

Vector3 CheckDirection(const std::string& item, const Vector3& value) {
  CheckFinite(item, value);
  const double norm = value.stableNorm();
  if (!(norm > 0)) {
    throw InputError(item, "is " + FormatVector(value), "must be a vector of nonzero length");
  }
  return (value / norm).normalized();
}

void CheckFunction(const std::string& item, const TimeFunction& function) {
  const TimeJet jet = function(0);
  if (!std::isfinite(jet.value) || !std::isfinite(jet.rate) || !std::isfinite(jet.acceleration)) {
    throw InputError(item, "is not finite at t = 0",
                     "the function and its first two derivatives must be finite");
  }
}

int FindBodyOrThrow(const Assembly& assembly, const std::string& item, const std::string& name) {
  if (name == kGroundName) return kGround;
  const int body = assembly.model->FindBody(name);
  if (body < 0) {
    throw InputError(item, "there is no body '" + name + "'",
                     SuggestName(name, assembly.body_names));
  }
  return body;
}

Vector3 MakeLocalPoint(const Assembly& assembly, int body, const Vector3& point) {
  return body == kGround ? point : Vector3(point - assembly.frame_shift[body]);
}

Placement InitialPlacement(const Model& model, int body) {
  if (body == kGround) return {};
  const Pose& pose = model.bodies[body].initial_pose;
  return {pose.p, pose.R.toRotationMatrix()};
}

PairFrames MakeFrames(const Model& model, int body_a, int body_b, const Vector3& a,
                      const Vector3& b, const Matrix3& axes) {
  PairFrames frames;
  frames.a = a;
  frames.b = b;
  frames.F_A = InitialPlacement(model, body_a).R.transpose() * axes;
  frames.F_B = InitialPlacement(model, body_b).R.transpose() * axes;
  if (model.plane) frames.W << model.plane->first, model.plane->second, model.plane_normal;
  return frames;
}

Matrix3 MakeAxesAlong(const Model& model, const Vector3& axis) {
  Matrix3 axes;
  axes.col(2) = axis;
  if (model.plane && std::abs(model.plane_normal.dot(axis)) < 0.5) {
    axes.col(0) = model.plane_normal;
    axes.col(1) = axis.cross(model.plane_normal);
  } else {
    const Matrix3 frame = MakeContactFrame(axis);
    axes.col(0) = frame.col(1);
    axes.col(1) = frame.col(2);
  }
  return axes;
}

double CalcInitialValue(const Model& model, const Pair& pair, const Measure& measure) {
  ScalarJet jet;
  CalcMeasure(measure, pair.frames, InitialPlacement(model, pair.a),
              InitialPlacement(model, pair.b), JetOrder::kValue, &jet);
  return jet.value;
}

std::vector<bool> FindVoidMeasures(const Model& model, const Pair& pair,
                                   const std::vector<Measure>& measures) {
  std::vector<bool> is_void(measures.size(), model.plane.has_value());
  if (!model.plane) return is_void;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int bodies[2] = {pair.a, pair.b};
  for (int trial = 0; trial < 4; ++trial) {
    Placement placement[2];
    double scale = 1;
    for (const int side : {0, 1}) {
      placement[side] = InitialPlacement(model, bodies[side]);
      if (bodies[side] == kGround) continue;
      const Body& body = model.bodies[bodies[side]];
      Vector6 delta = Vector6::Zero();
      for (int k = 0; k < body.num_velocities; ++k) delta += uniform(random) * body.map.col(k);
      placement[side].p += delta.head<3>();
      placement[side].R *= ExpSO3(delta.tail<3>());
      scale += placement[side].p.norm();
    }
    for (std::size_t i = 0; i < measures.size(); ++i) {
      ScalarJet jet;
      CalcMeasure(measures[i], pair.frames, placement[0], placement[1], JetOrder::kGradient, &jet);
      for (const int side : {0, 1}) {
        if (bodies[side] == kGround) continue;
        const Body& body = model.bodies[bodies[side]];
        const Vector6 part = jet.gradient.segment<6>(6 * side);
        const VectorX row = body.map.leftCols(body.num_velocities).transpose() * part;
        if (row.lpNorm<Eigen::Infinity>() > 1e-12 * scale) is_void[i] = false;  // rounding
      }
    }
  }
  return is_void;
}

void CountTurns(const Model& model, const Pair& pair, const Vector3& axis, Coordinate* coordinate) {
  if (!model.plane || !coordinate->measure.is_angle()) return;
  const auto angle_index = [&model](int body) {
    const bool turns = body != kGround && model.bodies[body].kind == BodyKind::kPlanar;
    return turns ? model.bodies[body].first_coordinate + 2 : -1;
  };
  coordinate->turn_sign = model.plane_normal.dot(axis) > 0 ? 1 : -1;
  coordinate->turn_a = angle_index(pair.a);
  coordinate->turn_b = angle_index(pair.b);
}

}  // namespace saltus
