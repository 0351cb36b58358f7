// Short ways to write the physical tests of the foundation: small models, runs, fitted orders.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

/// A half-space ground with the given outward normal through the origin.
inline ShapeSpec MakeFloor(const Vector3& normal = Vector3::UnitZ(), double offset = 0) {
  ShapeSpec floor;
  floor.shape = HalfSpace{normal.normalized(), offset};
  floor.material = "stuff";
  return floor;
}

inline MaterialSpec MakeMaterial(double friction, double restitution, double density = 1000) {
  return {"stuff", density, friction, restitution, 0};
}

inline RigidBodySpec MakeBody(const std::string& name, const Shape& shape,
                              const Vector3& position) {
  RigidBodySpec body;
  body.name = name;
  body.position = position;
  ShapeSpec spec;
  spec.shape = shape;
  spec.material = "stuff";
  body.shapes.push_back(spec);
  return body;
}

/// Runs to `until`; `see` is called after every step.
struct Runner : Observer {
  using See = std::function<void(const StepView&)>;
  explicit Runner(See see_step) : see(std::move(see_step)) {}
  void OnStep(const StepView& view) override {
    if (see) see(view);
  }
  See see;
};

struct RunResult {
  State state;
  Audit audit;
  RunOutcome outcome;
};

inline RunResult RunModel(const std::shared_ptr<const Model>& model,
                          const MoreauJeanOptions& options, double h, double until,
                          Runner::See see = nullptr) {
  SimulationOptions simulation_options;
  simulation_options.step = h;
  simulation_options.until = until;
  Simulation simulation(std::make_unique<MultibodySystem>(model),
                        std::make_unique<MoreauJean>(options), simulation_options);
  Runner runner(std::move(see));
  simulation.AddObserver(&runner);
  RunResult result;
  result.outcome = simulation.Run();
  result.state = simulation.state();
  result.audit = simulation.audit();
  return result;
}

/// Slope of log(error) over log(h), least squares.
inline double FitOrder(const std::vector<double>& h, const std::vector<double>& error) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]), y = std::log(error[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace saltus
