#include "saltus/cones/test/box_stack.h"

namespace saltus::test {

void MakeBoxStack(const BoxStack& stack, BodyDelassus* A, ConicProblem* problem) {
  const double gravity = 9.81;
  const double inertia = stack.mass * stack.size * stack.size / 6;
  Matrix6 inverse = Matrix6::Zero();
  inverse.diagonal().head<3>().setConstant(1 / stack.mass);
  inverse.diagonal().tail<3>().setConstant(1 / inertia);
  A->Reset();
  for (int i = 0; i < stack.num_boxes; ++i) A->AddBody(inverse);
  problem->A = A;
  problem->cones.clear();
  problem->b.resize(12 * stack.num_boxes);
  const Matrix3 frame = (Matrix3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();  // n, t1, t2 by row.
  const double half = stack.size / 2;
  int offset = 0;
  for (int i = 0; i < stack.num_boxes; ++i) {
    Vector6 lower = Vector6::Zero(), upper = Vector6::Zero();  // Free velocities.
    upper[2] = -gravity * stack.step;
    if (i > 0) lower[2] = -gravity * stack.step;
    if (i == stack.num_boxes - 1) upper.head<3>() += stack.push;
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3 p(corner % 2 == 0 ? -half : half, corner < 2 ? -half : half, 0);
      Eigen::Matrix<double, 3, 6, Eigen::RowMajor> Ha, Hb;
      for (int k = 0; k < 3; ++k) {
        const Vector3 e = frame.row(k);
        Ha.row(k) << -e.transpose(), -(p + half * Vector3::UnitZ()).cross(e).transpose();
        Hb.row(k) << e.transpose(), (p - half * Vector3::UnitZ()).cross(e).transpose();
      }
      A->AddBlock(3, i - 1, Ha, i, Hb);
      problem->b.segment<3>(offset) = Hb * upper;
      if (i > 0) problem->b.segment<3>(offset) += Ha * lower;
      Cone cone;
      cone.kind = ConeKind::kFriction;
      cone.offset = offset;
      cone.dimension = 3;
      cone.friction = stack.friction;
      problem->cones.push_back(cone);
      offset += 3;
    }
  }
  A->Finalize();
}

}  // namespace saltus::test
