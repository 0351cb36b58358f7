#include "saltus/multibody/forces/load.h"

#include "saltus/math/so3.h"

namespace saltus {
namespace {

Vector3 CalcComponents(const BodyLoad& load, double t) {
  return {load.components[0].Value(t), load.components[1].Value(t), load.components[2].Value(t)};
}

}  // namespace

void AddLoads(const std::vector<BodyLoad>& loads, const std::vector<Body>& bodies, double t,
              const VectorX& q, VectorX* f) {
  for (const BodyLoad& load : loads) {
    const Body& body = bodies[load.body];
    const Matrix3 R = body.CalcPlacement(q).R;
    const Vector3 given = CalcComponents(load, t);
    const bool world = load.axes == LoadAxes::kWorld;
    const Vector3 in_body = world ? Vector3(R.transpose() * given) : given;
    Vector6 spatial;
    if (load.is_torque) {
      spatial << Vector3::Zero(), in_body;  // (3)
    } else {
      spatial << (world ? given : Vector3(R * given)), load.at.cross(in_body);  // (1), (2)
    }
    const int n = body.num_velocities;
    f->segment(body.first_velocity, n).noalias() += body.map.leftCols(n).transpose() * spatial;
  }
}

void AddLoadTangents(const std::vector<BodyLoad>& loads, const std::vector<Body>& bodies, double t,
                     const VectorX& q, BlockMatrix* K) {
  for (const BodyLoad& load : loads) {
    const Body& body = bodies[load.body];
    const Matrix3 R = body.CalcPlacement(q).R;
    const Vector3 given = CalcComponents(load, t);
    Matrix6 tangent = Matrix6::Zero();
    if (load.axes == LoadAxes::kBody) {
      if (!load.is_torque) tangent.topRightCorner<3, 3>() = R * Hat(given);  // (2)
    } else {
      const Matrix3 turned = Hat(R.transpose() * given);
      tangent.bottomRightCorner<3, 3>() =
          load.is_torque ? Matrix3(-turned) : Matrix3(-Hat(load.at) * turned);  // (3), (1)
    }
    const auto T = body.map.leftCols(body.num_velocities);
    K->block(load.slot).noalias() += T.transpose() * (tangent * T);
  }
}

void AddActuators(const std::vector<Actuator>& actuators, const std::vector<Body>& bodies, double t,
                  const VectorX& q, VectorX* f) {
  ScalarJet jet;
  for (const Actuator& actuator : actuators) {
    const auto [A, B] = CalcPlacements(actuator.pair, bodies, q);
    CalcMeasure(actuator.measure, actuator.pair.frames, A, B, JetOrder::kGradient, &jet);
    AddRow(actuator.pair, bodies, jet.gradient, actuator.effort.Value(t), f);  // (4)
  }
}

void AddActuatorTangents(const std::vector<Actuator>& actuators, const std::vector<Body>& bodies,
                         double t, const VectorX& q, BlockMatrix* K) {
  ScalarJet jet;
  for (const Actuator& actuator : actuators) {
    const auto [A, B] = CalcPlacements(actuator.pair, bodies, q);
    CalcMeasure(actuator.measure, actuator.pair.frames, A, B, JetOrder::kHessian, &jet);
    AddBlocks(actuator.pair, bodies, -actuator.effort.Value(t) * jet.hessian, K);
  }
}

}  // namespace saltus
