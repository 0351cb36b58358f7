"""Step by step: state, contacts, multipliers and reports while the run goes on."""

import saltus

scene = saltus.Scene(name="Box on a tilting table", gravity=[0, 0, -9.81])
scene.materials["wood"] = saltus.Material(density=600, friction=0.4)
scene.bodies["box"] = saltus.Body(position=[0, 0, 0.1], velocity=[1, 0, 0],
                                  shapes=[saltus.Box(size=[0.2, 0.2, 0.2], material="wood")])
scene.ground.shapes.append(saltus.HalfSpace(material="wood"))

simulation = saltus.Simulation(scene, step=0.005, until=0.5)
for s in simulation:
    if s.step_index % 20 == 0:
        print(f"t = {s.time:.2f} s  x = {s.body('box').position[0]:.4f} m  "
              f"contacts {len(s.contacts.gap)}  normal impulse {s.contacts.impulse[:, 0].sum():.4f} N s  "
              f"solver iterations {s.report.solver_iterations}")
    if abs(s.body("box").velocity[0]) < 1e-9:
        print(f"stopped after {s.body('box').position[0]:.4f} m")
        break

# Coulomb: v²/(2 μ g); the scheme is exact up to the last step.
assert abs(simulation.body("box").position[0] - 1 / (2 * 0.4 * 9.81)) < 0.005
