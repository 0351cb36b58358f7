"""A parameter study on several threads (Python's lock is free during a run), into one table, and
the result of one run in other forms: pandas, ParaView, a film."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import saltus

scene = saltus.Scene(name="Sliding box", gravity=[9.81 * np.sin(0.5), 0, -9.81 * np.cos(0.5)])
scene.parameters["mu"] = 0.3
scene.materials["wood"] = saltus.Material(density=600, friction="${mu}")
scene.bodies["box"] = saltus.Body(position=[0, 0, 0.1],
                                  shapes=[saltus.Box(size=[0.3, 0.2, 0.2], material="wood")])
scene.ground.shapes.append(saltus.HalfSpace(material="wood"))
scene.simulation.update(step=0.005, until=0.5)


def final_speed(mu):
    return saltus.simulate(scene, set={"mu": mu}, progress=False)["box.velocity.x"][-1]


values = np.linspace(0, 0.6, 7)
with ThreadPoolExecutor(2) as pool:
    speeds = list(pool.map(final_speed, values))
for mu, speed in zip(values, speeds):
    exact = max(0.0, 9.81 * (np.sin(0.5) - mu * np.cos(0.5))) * 0.5
    print(f"mu = {mu:.1f}: {speed:.6f} m/s, exact {exact:.6f} m/s")
    assert abs(speed - exact) < 1e-6

result = saltus.simulate(scene, every=5)
print("ParaView:", result.to_vtk("box_vtk"))
print("film:", result.animate("box.gif", fps=10, view="xz", dpi=50))
try:
    print(result.to_pandas(["box.position.x", "box.velocity.x", "energy.kinetic"]).tail(3))
except ImportError:
    print("pandas is not installed")
