"""Checkpoints: a run in two parts gives the numbers of a run in one; branches from one state."""

import pathlib

import numpy as np

import saltus

scene = saltus.read_scene(pathlib.Path(__file__).resolve().parents[2] / "scenes" /
                          "newtons_cradle.yaml")
step = scene.expanded().simulation.step
whole = saltus.simulate(scene, until=200 * step)
saltus.simulate(scene, until=120 * step, output="first_part.h5")
rest = saltus.simulate(scene, until=200 * step, restart="first_part.h5")
np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
print("a run in two parts equals a run in one, bit for bit")

simulation = saltus.Simulation(scene, until=200 * step)
for s in simulation:
    if s.step_index == 50:
        branch = s.checkpoint()
for friction in (0.0, 0.5):  # what if, from the same instant
    other = saltus.simulate(scene, until=200 * step, restart=branch,
                            set={f"materials.{next(iter(scene.materials))}.friction": friction})
    print(f"friction {friction}: kinetic energy at the end {other.energy.kinetic[-1]:.6f} J")
