"""Random scenes of all kinds from a seed, as text of the scene format and as a plain tree."""

import json
import math
import random

SHAPES = ("sphere", "box", "capsule", "cylinder", "convex")


def _round(value):
    return round(value, 6)


def random_shape(rng, size, kinds=SHAPES):
    kind = rng.choice(kinds)
    if kind == "sphere":
        return {"sphere": {"radius": _round(size)}}
    if kind == "box":
        return {"box": {"size": [_round(size * rng.uniform(0.8, 2)) for _ in range(3)]}}
    if kind == "capsule":
        return {"capsule": {"radius": _round(0.6 * size), "length": _round(size * rng.uniform(0.5, 2))}}
    if kind == "cylinder":
        return {"cylinder": {"radius": _round(0.8 * size), "length": _round(size * rng.uniform(0.8, 2))}}
    points = []  # an octahedron with random axes: its centroid is the origin
    for axis in range(3):
        for sign in (1, -1):
            point = [0.0, 0.0, 0.0]
            point[axis] = sign * _round(size * (1 + 0.3 * axis))
            points.append(point)
    return {"convex": {"points": points}}


def random_material(rng):
    return {"density": 1000, "friction": _round(rng.choice([0, 0.2, 0.5, 0.9])),
            "restitution": _round(rng.choice([0, 0, 0.2, 0.5, 0.8]))}


def random_orientation(rng):
    return {"axis": [_round(rng.gauss(0, 1)) or 1.0 for _ in range(3)],
            "angle": _round(rng.uniform(0, math.pi))}


def make_pile(rng):
    """Bodies of mixed shapes fall on each other; none overlap at the start."""
    size, bodies = rng.choice([0.02, 0.1, 0.5]), {}
    kinds = rng.choice([SHAPES, ("sphere",), ("box",), ("capsule",), ("cylinder",), ("convex",)])
    for i in range(rng.randint(2, 10)):
        x, y = rng.uniform(-1, 1) * size, rng.uniform(-1, 1) * size
        bodies[f"b{i}"] = {"position": [_round(x), _round(y), _round(size * (3 + 5 * i))],
                           "orientation": random_orientation(rng),
                           "shapes": [{**random_shape(rng, size, kinds), "material": "m"}]}
    drop = math.sqrt(2 * 9.81 * 3 * size) / 9.81
    return {"bodies": bodies, "ground": {"shapes": [{"half_space": {}, "material": "m"}]},
            "simulation": {"step": _round(drop / 100), "until": _round(3 * drop)}}


def make_chain(rng):
    """A chain of rods with revolute or spherical joints, friction, limits or a drive."""
    bodies, joints, length = {}, {}, rng.choice([0.1, 0.5])
    count = rng.randint(1, 6)
    for i in range(count):
        bodies[f"rod{i}"] = {"position": [_round(length * (i + 0.5)), 0, 2],
                             "shapes": [{"capsule": {"radius": _round(0.05 * length),
                                                     "length": _round(0.7 * length)}, "material": "m",
                                         "orientation": {"axis": [0, 1, 0], "angle": _round(math.pi / 2)}}]}
        joint = {"type": rng.choice(["revolute", "revolute", "spherical"]),
                 "between": ["ground" if i == 0 else f"rod{i - 1}", f"rod{i}"],
                 "at": [_round(length * i), 0, 2]}
        if joint["type"] == "revolute":
            joint["axis"] = [0, 1, 0]
            if rng.random() < 0.3:
                joint["friction_torque"] = _round(rng.uniform(0, 0.1) * length)
            if rng.random() < 0.3:
                joint["limits"] = {"lower": -_round(rng.uniform(0.2, 4)), "upper": _round(rng.uniform(0.2, 4)),
                                   "restitution": rng.choice([0, 0.5])}
        joints[f"j{i}"] = joint
    if rng.random() < 0.3 and joints["j0"]["type"] == "revolute" and "limits" not in joints["j0"]:
        joints["j0"]["drive"] = {"angle": f"{_round(rng.uniform(0.1, 1))}*sin(3*t)"}
        joints["j0"].pop("friction_torque", None)
    scene = {"bodies": bodies, "joints": joints, "simulation": {"step": 0.001, "until": 0.4}}
    if rng.random() < 0.5:
        scene["ground"] = {"shapes": [{"half_space": {"offset": _round(2 - 0.6 * length * count)},
                                       "material": "m"}]}
    return scene


def make_spring(rng):
    """Masses on springs, dampers and torsion springs, with loads."""
    bodies = {f"m{i}": {"position": [0, 0, 1 + 0.5 * i], "shapes": [{"sphere": {"radius": 0.1}, "material": "m"}]}
              for i in range(rng.randint(1, 4))}
    forces = {}
    for i in range(len(bodies)):
        other = "ground" if i == 0 else f"m{i - 1}"
        forces[f"s{i}"] = {"type": "spring", "between": [f"m{i}", other],
                           "points": [[0, 0, 0], [0, 0, 0.4] if i == 0 else [0, 0, 0]],
                           "stiffness": _round(rng.uniform(50, 500)), "damping": _round(rng.choice([0, 1, 5]))}
    if rng.random() < 0.5:
        forces["push"] = {"type": "force", "on": "m0", "force": [f"{_round(rng.uniform(0, 5))}*sin(5*t)", 0, 0]}
    return {"bodies": bodies, "forces": forces, "simulation": {"step": 0.001, "until": 0.5},
            "ground": {"shapes": [{"half_space": {}, "material": "m"}]}}


def make_rolling(rng):
    """Round bodies that slide, roll and spin on a slope or in a groove."""
    slope = rng.uniform(0, 0.5)
    normal = [_round(math.sin(slope)), 0, _round(math.cos(slope))]
    radius = 0.1
    shape = rng.choice([{"sphere": {"radius": radius}}, {"capsule": {"radius": radius, "length": 0.2}}])
    turn = {"axis": [1, 0, 0], "angle": _round(math.pi / 2)}
    body = {"position": [_round(normal[0] * (radius + 0.01)), 0, _round(normal[2] * (radius + 0.01))],
            "orientation": turn, "velocity": [_round(rng.uniform(-2, 2)), _round(rng.uniform(-1, 1)), 0],
            "angular_velocity": [_round(rng.uniform(-20, 20)), _round(rng.uniform(-20, 20)), 0],
            "shapes": [{**shape, "material": "m"}]}
    return {"bodies": {"wheel": body}, "simulation": {"step": 0.001, "until": 0.5},
            "ground": {"shapes": [{"half_space": {"normal": normal}, "material": "m"}]}}


KINDS = (make_pile, make_pile, make_chain, make_chain, make_spring, make_rolling)
INTEGRATORS = ("moreau-jean", "moreau-jean", "nonsmooth-alpha")


def make_scene(seed):
    """The tree of the scene of a seed; the same seed gives the same scene."""
    rng = random.Random(seed)
    kind = rng.choice(KINDS)
    scene = {"saltus": 1, "name": f"soak {seed} {kind.__name__[5:]}", "materials": {"m": random_material(rng)}}
    scene.update(kind(rng))
    scene["simulation"]["integrator"] = rng.choice(INTEGRATORS)
    scene["output"] = {"every": rng.choice([1, 1, 7])}
    return scene


def make_text(seed):
    """The scene as YAML: JSON is YAML."""
    return json.dumps(make_scene(seed), indent=1)
