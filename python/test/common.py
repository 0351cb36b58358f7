"""What the tests share: places, scenes and small systems."""

import os
import pathlib

import saltus

SOURCE = pathlib.Path(os.environ.get("SALTUS_SOURCE_DIR",
                                     pathlib.Path(__file__).resolve().parents[2]))
SCENES = sorted((SOURCE / "scenes").glob("*.yaml"))


def ball_scene(**simulation):
    """A ball that falls on the ground."""
    scene = saltus.Scene(name="Ball")
    scene.materials["rubber"] = saltus.Material(friction=0.5, restitution=0.8)
    scene.bodies["ball"] = saltus.Body(position=[0, 0, 1.1],
                                       shapes=[saltus.Sphere(radius=0.1, material="rubber")])
    scene.ground.shapes.append(saltus.HalfSpace(normal=[0, 0, 1], material="rubber"))
    scene.simulation.update({"step": 0.005, "until": 1, **simulation})
    return scene


def ball_system(**changes):
    """Reference R1: m = 1 kg, dropped from 1 m, g = 9.81 m/s², e = 0.9."""
    terms = dict(mass=1.0, force=[-9.81], q0=[1.0], energy=lambda q: 9.81 * q[0],
                 contacts=saltus.Contacts(saltus.Linear([[1.0]]), restitution=0.9, name="floor"))
    terms.update(changes)
    return saltus.LagrangianSystem(1, **terms)


def ball_for(integrator):
    """The ball of the scene, or that of the equations where rotations or friction are refused."""
    plain = integrator in ("event-driven", "stormer-verlet", "shake", "rattle")
    return ball_system() if plain else ball_scene()
