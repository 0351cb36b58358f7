"""A first scene in Python: a ball falls, bounces and comes to rest. The README shows this file."""

import saltus

scene = saltus.Scene(name="Bouncing ball")
scene.materials["rubber"] = saltus.Material(friction=0.5, restitution=0.8)
scene.bodies["ball"] = saltus.Body(position=[0, 0, 1.1],
                                   shapes=[saltus.Sphere(radius=0.1, material="rubber")])
scene.ground.shapes.append(saltus.HalfSpace(normal=[0, 0, 1], material="rubber"))

result = saltus.simulate(scene, step=0.005, until=2)
print(result)
print("impacts at", [round(event.time, 3) for event in result.events][:3], "s")
print("unexplained energy", result.audit["energy_closure_joule"], "J")
result.plot("ball.position.z", "energies", file="bouncing_ball.png")
