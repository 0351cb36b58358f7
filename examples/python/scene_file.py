"""Run a ready scene with other values, keep the result in a file, and look at its audit."""

import pathlib

import saltus

scenes = pathlib.Path(__file__).resolve().parents[2] / "scenes"
result = saltus.simulate(scenes / "block_on_incline.yaml", until=0.5, output="incline.h5",
                         set={"simulation.step": 0.002})
print(result.audit_table())

again = saltus.load("incline.h5")
body = again.bodies[0]
print(f"{body} ends at {again[body + '.position'][-1]} m")
assert (again[f"{body}.position.x"] == result[f"{body}.position.x"]).all()

scene = saltus.read_scene(scenes / "block_on_incline.yaml")  # or change it before running
scene.simulation.step = 0.001
scene.save("incline_fine.yaml")
