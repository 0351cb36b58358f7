"""An independent judge of a result: overlap, joint errors and energy from the recorded poses alone.

Nothing here comes from the library: support functions, separating axes and kinematics are written out
again. It finds an upper bound of the overlap of two convex shapes: the least separation that is missing
over the directions that it tries, which are all that matter for polyhedra.
"""

import itertools
import math

import numpy as np


def rotation(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def axis_rotation(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return rotation(np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)]))


class Shape:
    """A convex shape in the frame of its body: points plus a radius, or a cylinder."""

    def __init__(self, spec):
        turn = spec.get("orientation")
        self.R = np.eye(3) if turn is None else axis_rotation(turn["axis"], turn["angle"])
        self.at = np.array(spec.get("at", [0, 0, 0]), float)
        self.radius, self.points, self.disc = 0.0, np.zeros((1, 3)), 0.0
        self.axes = []
        if "sphere" in spec:
            self.radius = spec["sphere"]["radius"]
            self.width = 2 * self.radius
        elif "box" in spec:
            half = 0.5 * np.array(spec["box"]["size"], float)
            self.points = np.array([half * s for s in itertools.product((1, -1), repeat=3)])
            self.axes, self.width = list(np.eye(3)), 2 * half.min()
        elif "capsule" in spec:
            half = 0.5 * spec["capsule"]["length"]
            self.points = np.array([[0, 0, half], [0, 0, -half]])
            self.radius = spec["capsule"]["radius"]
            self.width = 2 * self.radius
            self.axes = [np.array([0, 0, 1.0])]
        elif "cylinder" in spec:
            half = 0.5 * spec["cylinder"]["length"]
            self.points = np.array([[0, 0, half], [0, 0, -half]])
            self.disc = spec["cylinder"]["radius"]
            self.axes, self.width = [np.array([0, 0, 1.0])], min(2 * half, 2 * self.disc)
        else:
            self.points = np.array(spec["convex"]["points"], float)
            signs = itertools.product((1, -1), repeat=3)
            reach = np.abs(self.points).max(axis=0)  # octahedra with the axes of the frame
            self.width = 2 / np.linalg.norm(1 / reach)
            self.axes = [np.array(s) / reach / np.linalg.norm(1 / reach) for s in signs]

    def support(self, R, p, n):
        """max n·x over the shape of a body at (R, p)."""
        turned = R @ self.R
        local = turned.T @ n
        value = (self.points @ local).max() + self.radius
        if self.disc:
            value += self.disc * math.hypot(local[0], local[1])
        return n @ (p + R @ self.at) + value

    def world_axes(self, R):
        return [R @ self.R @ axis for axis in self.axes]

    def edges(self, R):
        """Directions of the edges; of the axis of a round shape."""
        if len(self.points) == 6:
            reach = np.abs(self.points).max(axis=0)
            ends = [(i, j, s) for i in range(3) for j in range(i) for s in (1, -1)]
            local = [reach[i] * np.eye(3)[i] + s * reach[j] * np.eye(3)[j] for i, j, s in ends]
            return [R @ self.R @ edge for edge in local]
        return self.world_axes(R)


def calc_overlap(a, pose_a, b, pose_b):
    """An upper bound of the overlap, m; negative: they are apart."""
    (Ra, pa), (Rb, pb) = pose_a, pose_b

    def missing(n):
        return a.support(Ra, pa, n) + b.support(Rb, pb, -n)

    centers = (pb + Rb @ b.at) - (pa + Ra @ a.at)
    axes_a, axes_b = a.world_axes(Ra), b.world_axes(Rb)
    candidates = [centers] + axes_a + axes_b
    candidates += [np.cross(u, v) for u in a.edges(Ra) for v in b.edges(Rb)]
    best, direction = math.inf, np.array([0, 0, 1.0])
    for n in candidates:
        norm = np.linalg.norm(n)
        if norm < 1e-9:
            continue
        for sign in (1, -1):
            value = missing(sign * n / norm)
            if value < best:
                best, direction = value, sign * n / norm
    step = 0.3
    while step > 1e-9 and best > 0:  # round shapes: walk downhill on the sphere of directions
        improved = False
        helper = np.eye(3)[np.argmin(np.abs(direction))]
        u = np.cross(direction, helper)
        u /= np.linalg.norm(u)
        v = np.cross(direction, u)
        for angle in np.arange(8) * math.pi / 4:
            n = direction + step * (math.cos(angle) * u + math.sin(angle) * v)
            n /= np.linalg.norm(n)
            value = missing(n)
            if value < best - 1e-16:
                best, direction, improved = value, n, True
        if not improved:
            step /= 2
    return best


def pairs_that_touch(scene):
    """Names of bodies whose shapes may touch: not those that share a joint."""
    joined = {frozenset(joint["between"]) for joint in scene.get("joints", {}).values()}
    names = list(scene["bodies"])
    return [pair for pair in itertools.combinations(names, 2) if frozenset(pair) not in joined]


def check_result(scene, file):
    """{overlap, joint, energy, smallest}: worst values over all frames of an open h5py file."""
    names = [n.decode() for n in file["bodies/names"][:]]
    position, orientation = file["bodies/position"][:], file["bodies/orientation"][:]
    shapes = {name: [Shape(s) for s in scene["bodies"][name].get("shapes", [])] for name in names}
    worst = {"overlap": -math.inf, "joint": 0.0, "energy": 0.0,
             "smallest": min((s.width for list_ in shapes.values() for s in list_), default=1.0)}
    frames = range(0, len(position), max(1, len(position) // 60))
    planes = [s["half_space"] for s in scene.get("ground", {}).get("shapes", []) if "half_space" in s]
    for k in frames:
        poses = {name: (rotation(orientation[k, i]), position[k, i]) for i, name in enumerate(names)}
        worst["overlap"] = max(worst["overlap"], _deepest(scene, shapes, poses, planes))
    if scene.get("joints"):
        worst["joint"] = _joint_error(scene, names, position, orientation, frames)
    worst["energy"] = _energy_error(file, position)
    if not np.isfinite(position).all() or not np.isfinite(orientation).all():
        worst["overlap"] = math.inf
    return worst


def _deepest(scene, shapes, poses, planes):
    deepest = -math.inf
    held = {name for joint in scene.get("joints", {}).values() if "ground" in joint["between"]
            for name in joint["between"]}
    for plane in planes:
        n = np.array(plane.get("normal", [0, 0, 1]), float)
        n /= np.linalg.norm(n)
        for name, list_ in shapes.items():
            if name in held:  # by default a joint keeps its bodies from touching each other
                continue
            for shape in list_:
                lowest = -shape.support(*poses[name], -n)
                deepest = max(deepest, plane.get("offset", 0) - lowest)
    for a, b in pairs_that_touch(scene):
        for s, t in itertools.product(shapes[a], shapes[b]):
            deepest = max(deepest, calc_overlap(s, poses[a], t, poses[b]))
    return deepest


def _joint_error(scene, names, position, orientation, frames):
    """Distance of the two copies of each joint point."""
    worst = 0.0
    start = {n: (rotation(orientation[0, i]), position[0, i]) for i, n in enumerate(names)}
    start["ground"] = (np.eye(3), np.zeros(3))
    for joint in scene["joints"].values():
        at = np.array(joint["at"], float)
        local = {name: start[name][0].T @ (at - start[name][1]) for name in joint["between"]}
        for k in frames:
            points = []
            for name in joint["between"]:
                if name == "ground":
                    points.append(at)
                else:
                    i = names.index(name)
                    points.append(position[k, i] + rotation(orientation[k, i]) @ local[name])
            worst = max(worst, float(np.linalg.norm(points[0] - points[1])))
    return worst


def _energy_error(file, position):
    """Of the ledger, relative to the turnover: total energy less all that is booked."""
    energy = file["energy/total"][:]
    booked = sum(sign * file[f"ledger/{name}"][:] for name, sign in (
        ("loads", 1), ("drives", 1), ("impact_loss", -1), ("friction_loss", -1),
        ("joint_friction_loss", -1), ("contact_loss", -1), ("decohesion_loss", -1)))
    unexplained = np.abs(energy - energy[0] - booked).max()
    turnover = sum(np.abs(np.diff(file[f"energy/{kind}"][:])).sum()
                   for kind in ("kinetic", "potential", "elastic"))
    return float(unexplained / max(turnover, 1e-9 * (1 + np.abs(energy).max())))
