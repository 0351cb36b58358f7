#include <cstdio>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

int main() {
  using namespace saltus;
  RigidBodySpec ball{.name = "ball", .position = {0, 0, 1.1}};
  ball.shapes.push_back({.shape = Sphere{0.1}, .material = "rubber"});
  const auto model = ModelBuilder()
                         .Add(MaterialSpec{.name = "rubber", .friction = 0.5, .restitution = 0.6})
                         .AddGroundShape({.shape = HalfSpace{}, .material = "rubber"})
                         .Add(ball)
                         .Build();
  Simulation simulation(std::make_unique<MultibodySystem>(model),
                        std::make_unique<MoreauJean>(MoreauJeanOptions{}),
                        {.step = 0.005, .until = 4});
  const RunOutcome outcome = simulation.Run();
  std::printf("ball at rest: z = %.4f m, %ld impacts, unexplained energy %.1e J\n",
              simulation.state().q[2], simulation.audit().events, simulation.audit().Closure());
  return outcome.good() ? 0 : 1;
}
