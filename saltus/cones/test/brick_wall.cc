#include "saltus/cones/test/brick_wall.h"

#include <algorithm>
#include <vector>

namespace saltus::test {
namespace {

constexpr double kGravity = 9.81;

double CalcMass(const BrickWall& wall) {
  return wall.density * wall.length * wall.depth * wall.height;
}

class Builder {
 public:
  Builder(const BrickWall& wall, BodyDelassus* A, ConicProblem* problem)
      : wall_(wall), A_(*A), problem_(*problem) {}

  void Build() {
    A_.Reset();
    problem_.A = &A_;
    problem_.cones.clear();
    AddBricks();
    for (int k = 0; k < wall_.num_courses; ++k) {
      for (int i = 0; i < wall_.num_columns; ++i) AddContacts(k, i);
    }
    A_.Finalize();
    problem_.b = Eigen::Map<const VectorX>(b_.data(), static_cast<Eigen::Index>(b_.size()));
  }

 private:
  int number(int course, int column) const { return course * wall_.num_columns + column; }

  void AddBricks() {
    const double m = CalcMass(wall_), a = wall_.length, d = wall_.depth, c = wall_.height;
    Matrix6 inverse = Matrix6::Zero();
    inverse.diagonal() << 1 / m, 1 / m, 1 / m, 12 / (m * (d * d + c * c)),
        12 / (m * (a * a + c * c)), 12 / (m * (a * a + d * d));
    for (int k = 0; k < wall_.num_courses; ++k) {
      for (int i = 0; i < wall_.num_columns; ++i) {
        A_.AddBody(inverse);
        centres_.emplace_back((i + 0.5 * (k % 2)) * a, 0, (k + 0.5) * c);
        Vector3 v(0, 0, -kGravity * wall_.step);
        if (k == wall_.num_courses - 1) v[0] = wall_.push * wall_.step / m;
        velocities_.push_back(v);
      }
    }
  }

  void AddContacts(int course, int column) {
    const int brick = number(course, column);
    const Vector3& x = centres_[brick];
    for (const double y : {-wall_.depth / 2, wall_.depth / 2}) {
      AddFloor(course, brick, y);
      if (column == 0) continue;
      for (const double z : {x[2] - wall_.height / 2, x[2] + wall_.height / 2}) {
        AddContact(brick - 1, brick, {x[0] - wall_.length / 2, y, z}, Vector3::UnitX());
      }
    }
  }

  // Contacts at the ends of each overlap with the course below.
  void AddFloor(int course, int brick, double y) {
    const double left = centres_[brick][0] - wall_.length / 2, right = left + wall_.length;
    const double z = course * wall_.height;
    if (course == 0) {
      for (const double x : {left, right}) AddContact(-1, brick, {x, y, z}, Vector3::UnitZ());
      return;
    }
    for (int i = 0; i < wall_.num_columns; ++i) {
      const int below = number(course - 1, i);
      const double from = std::max(left, centres_[below][0] - wall_.length / 2);
      const double to = std::min(right, centres_[below][0] + wall_.length / 2);
      if (to - from < 0.1 * wall_.length) continue;
      for (const double x : {from, to}) AddContact(below, brick, {x, y, z}, Vector3::UnitZ());
    }
  }

  void AddContact(int a, int b, const Vector3& point, const Vector3& normal) {
    Matrix3 frame;
    frame.row(0) = normal;
    frame.row(1) = normal.unitOrthogonal();
    frame.row(2) = normal.cross(Vector3(frame.row(1)));
    Eigen::Matrix<double, 3, 6, Eigen::RowMajor> rows[2];
    Vector3 u = Vector3::Zero();
    for (const int side : {0, 1}) {
      rows[side].setZero();
      const int brick = side == 0 ? a : b;
      if (brick < 0) continue;
      const double sign = side == 0 ? -1 : 1;
      for (int k = 0; k < 3; ++k) {
        const Vector3 e = frame.row(k);
        rows[side].row(k) << sign * e.transpose(),
            sign * (point - centres_[brick]).cross(e).transpose();
      }
      u += sign * frame * velocities_[brick];
    }
    A_.AddBlock(3, a, rows[0], b, rows[1]);
    Cone cone;
    cone.kind = ConeKind::kFriction;
    cone.offset = static_cast<int>(b_.size());
    cone.dimension = 3;
    cone.friction = wall_.friction;
    problem_.cones.push_back(cone);
    b_.insert(b_.end(), u.data(), u.data() + 3);
  }

  const BrickWall& wall_;
  BodyDelassus& A_;
  ConicProblem& problem_;
  std::vector<Vector3> centres_, velocities_;
  std::vector<double> b_;
};

}  // namespace

void MakeBrickWall(const BrickWall& wall, BodyDelassus* A, ConicProblem* problem) {
  Builder(wall, A, problem).Build();
}

double CalcBrickImpulse(const BrickWall& wall) { return CalcMass(wall) * kGravity * wall.step; }

}  // namespace saltus::test
