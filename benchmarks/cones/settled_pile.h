// A pile of equal spheres in an open box, dropped and stepped here by the simplest of schemes: a
// source of contact problems as they occur in large scenes, without the rest of the library.
//
// Per step: all pairs nearer than a margin are candidates, u_N + max(gap, 0)/h ≥ 0, Coulomb
// friction; impulses of the previous step start the next one.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_solver.h"

namespace saltus::bench {

class SettledPile {
 public:
  /// n × n × n spheres of radius 0.1 m and density 1000 kg/m³ above a floor of (0.22 n)² m².
  explicit SettledPile(int n);

  /// Advances by steps of 5 ms with the solver; impulses of the last step stay in `impulses`.
  void Advance(int num_steps, ConicSolver* solver);
  /// Poses the problem of the next step, with warm-start impulses.
  void Pose();

  const ConicProblem& problem() const { return problem_; }
  const VectorX& impulses() const { return r_; }
  int num_contacts() const { return static_cast<int>(contacts_.size()); }

 private:
  struct Contact {
    int a, b;  // a = −1: floor or wall
    double gap;
    Vector3 normal;  // from a to b
    std::uint64_t key;
  };

  void FindContacts();
  void AddWallContacts(int i);
  void AddPairContacts(int i);
  std::int64_t CellOf(const Vector3& x, std::array<int, 3> shift) const;
  void Move();

  double mass_, inertia_, half_width_;
  std::vector<Vector3> x_, v_, omega_;
  std::vector<Contact> contacts_;
  std::unordered_map<std::int64_t, std::vector<int>> cells_;
  std::unordered_map<std::uint64_t, Vector3> memory_;
  BodyDelassus A_;
  ConicProblem problem_;
  VectorX r_;
};

}  // namespace saltus::bench
