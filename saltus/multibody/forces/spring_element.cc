#include "saltus/multibody/forces/spring_element.h"

namespace saltus {

void AddSpringForces(const std::vector<SpringElement>& springs, const std::vector<Body>& bodies,
                     const VectorX& q, const VectorX& v, const VectorX& turns, bool dampers_only,
                     VectorX* f) {
  ScalarJet jet;
  for (const SpringElement& spring : springs) {
    if (dampers_only && spring.damping == 0) continue;
    const auto [A, B] = CalcPlacements(spring.pair, bodies, q);
    CalcMeasure(spring.coordinate.measure, spring.pair.frames, A, B, JetOrder::kGradient, &jet);
    double F = 0;  // (1)
    if (spring.damping != 0) {
      F -= spring.damping * jet.gradient.dot(CalcSpatialVelocities(spring.pair, bodies, v));
    }
    if (!dampers_only) {
      const double value = CalcCoordinateValue(spring.coordinate, jet.value, q, turns);
      F -= spring.stiffness * (value - spring.rest);
    }
    AddRow(spring.pair, bodies, jet.gradient, F, f);
  }
}

void AddSpringTangents(const std::vector<SpringElement>& springs, const std::vector<Body>& bodies,
                       const VectorX& q, const VectorX& v, const VectorX& turns, TangentKind kind,
                       BlockMatrix* K, BlockMatrix* D) {
  const bool exact = kind == TangentKind::kExact;
  ScalarJet jet;
  for (const SpringElement& spring : springs) {
    const auto [A, B] = CalcPlacements(spring.pair, bodies, q);
    CalcMeasure(spring.coordinate.measure, spring.pair.frames, A, B,
                exact ? JetOrder::kHessian : JetOrder::kGradient, &jet);
    const double k = spring.stiffness;
    const double c = spring.damping;
    Matrix12 outer;
    outer.noalias() = jet.gradient * jet.gradient.transpose();
    if (c != 0) AddBlocks(spring.pair, bodies, c * outer, D);
    Matrix12 stiffness = k * outer;  // (3)
    if (exact) {
      const Vector12 V = CalcSpatialVelocities(spring.pair, bodies, v);
      const double value = CalcCoordinateValue(spring.coordinate, jet.value, q, turns);
      const double F = -k * (value - spring.rest) - c * jet.gradient.dot(V);
      const Vector12 rate = jet.hessian.transpose() * V;
      stiffness.noalias() += c * jet.gradient * rate.transpose();
      stiffness -= F * jet.hessian;
    }
    AddBlocks(spring.pair, bodies, stiffness, K);
  }
}

double CalcSpringEnergy(const std::vector<SpringElement>& springs, const std::vector<Body>& bodies,
                        const VectorX& q, const VectorX& turns) {
  double energy = 0;
  ScalarJet jet;
  for (const SpringElement& spring : springs) {
    if (spring.stiffness == 0) continue;
    const auto [A, B] = CalcPlacements(spring.pair, bodies, q);
    CalcMeasure(spring.coordinate.measure, spring.pair.frames, A, B, JetOrder::kValue, &jet);
    const double stretch =
        CalcCoordinateValue(spring.coordinate, jet.value, q, turns) - spring.rest;
    energy += 0.5 * spring.stiffness * stretch * stretch;  // (2)
  }
  return energy;
}

}  // namespace saltus
