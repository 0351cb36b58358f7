// NSGS: the nonsmooth Gauss–Seidel method, accelerated.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/cones/solvers/anderson.h"
#include "saltus/cones/solvers/local_blocks.h"

namespace saltus {

struct NsgsOptions : ConicSolverOptions {
  bool symmetric_sweeps = false;
  int memory = 5;
  int period = 1;
  double growth = 2.0;
  int mode = 1;
};

class NsgsSolver final : public ConicSolver {
 public:
  explicit NsgsSolver(const NsgsOptions& options) : options_(options) {}

  std::string name() const override { return "nsgs"; }
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, VectorX* r) override;
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<NsgsSolver>(options_);
  }
  std::vector<double> log;
  int checks = 0;

 private:
  template <class Form>
  SolveReport Iterate(const ConicProblem& problem, Form* form, VectorX* r);

  NsgsOptions options_;
  LocalBlocks blocks_;
  NaturalMapScratch scratch_;
  std::vector<BodyDelassus::Velocity> velocities_;
  Anderson anderson_;
  VectorX best_, input_, weights_, p_;
};

}  // namespace saltus
