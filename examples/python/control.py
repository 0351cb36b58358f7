"""Forces, events and observers as functions: a hopping controller for a ball with air drag."""

import numpy as np

import saltus

scene = saltus.Scene(name="Hopper")
scene.materials["rubber"] = saltus.Material(friction=0.5, restitution=0.7)
scene.bodies["ball"] = saltus.Body(position=[0, 0, 1.0], mass=1.0,
                                   shapes=[saltus.Sphere(radius=0.1, material="rubber")])
scene.ground.shapes.append(saltus.HalfSpace(material="rubber"))


def drag(t, body):
    """Air resistance: a force against the velocity [N]."""
    speed = np.linalg.norm(body.velocity)
    return -0.02 * speed * body.velocity


def kick(simulation):
    """At every apex below 0.8 m: give the ball 2 m/s upwards."""
    if simulation.body("ball").position[2] < 0.8:
        v = simulation.v
        v[2] += 2.0
        simulation.set_state(v=v)


scene.forces["drag"] = saltus.UserForce(on="ball", function=drag)
apex = saltus.Event(lambda s: s.body("ball").velocity[2], direction=-1, name="apex", action=kick)
heights = []
result = saltus.simulate(scene, step=0.002, until=5, events=[apex],
                         observers=[(lambda s: heights.append(s.body("ball").position[2]), 0.05)])
apexes = [event for event in result.events if event.name == "apex"]
print(f"{len(apexes)} apexes, {len(result.events) - len(apexes)} impacts, "
      f"mean height {np.mean(heights):.3f} m")
print(f"work of drag and kicks {result.audit['work_loads']:.3f} J, "
      f"energy ledger closes to {result.audit['energy_closure']:.1e}")
assert len(apexes) > 3 and abs(result.audit["energy_closure"]) < 1e-3
