"""Surfaces of the shapes of a scene as triangles, for drawings and ParaView."""

import numpy as np


def rotation(quaternion):
    """Rotation matrices of unit quaternions w x y z, (…, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def _lathe(profile, segments):
    """A surface of revolution about z from points (radius, height), closed at both ends."""
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(segments, z)])
             for r, z in profile]
    points = np.vstack(rings)
    triangles = []
    for k in range(len(profile) - 1):
        for i in range(segments):
            a, b = k * segments + i, k * segments + (i + 1) % segments
            triangles += [[a, b, a + segments], [b, b + segments, a + segments]]
    return points, np.array(triangles)


def _sphere(radius, segments):
    latitude = np.linspace(-np.pi / 2, np.pi / 2, segments // 2 + 1)
    return _lathe([(radius * np.cos(a), radius * np.sin(a)) for a in latitude], segments)


def _capsule(radius, length, segments):
    low = np.linspace(-np.pi / 2, 0, segments // 4 + 1)
    profile = [(radius * np.cos(a), radius * np.sin(a) - length / 2) for a in low]
    profile += [(r, -z) for r, z in reversed(profile)]
    return _lathe(profile, segments)


def _cylinder(radius, length, segments):
    h = length / 2
    return _lathe([(0, -h), (radius, -h), (radius, h), (0, h)], segments)


def _box(size):
    x, y, z = np.asarray(size, dtype=float) / 2
    points = np.array([[i, j, k] for k in (-z, z) for j in (-y, y) for i in (-x, x)])
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return points, np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])


def _hull(points):
    """Triangles of the hull of a few points: every plane through three that has all on one side."""
    points = np.asarray(points, dtype=float)
    try:
        from scipy.spatial import ConvexHull
        return points, ConvexHull(points).simplices
    except ImportError:
        pass
    triangles, n = [], len(points)
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                normal = np.cross(points[j] - points[i], points[k] - points[i])
                side = (points - points[i]) @ normal
                tolerance = 1e-9 * (np.abs(side).max() + 1e-300)
                if np.all(side <= tolerance) or np.all(side >= -tolerance):
                    triangles.append([i, j, k])
    return points, np.array(triangles)


def _height_field(spacing, heights):
    heights = np.asarray(heights, dtype=float)
    ny, nx = heights.shape
    x, y = np.meshgrid(np.arange(nx) * spacing[0], np.arange(ny) * spacing[1])
    points = np.column_stack([x.ravel(), y.ravel(), heights.ravel()])
    triangles = []
    for j in range(ny - 1):
        for i in range(nx - 1):
            a = j * nx + i
            triangles += [[a, a + 1, a + nx + 1], [a, a + nx + 1, a + nx]]
    return points, np.array(triangles)


def _half_space(normal, offset, extent, middle):
    """A square about the foot of `middle` on the plane."""
    n = np.asarray(normal, dtype=float)
    n = n / np.linalg.norm(n)
    a = np.cross(n, [1, 0, 0] if abs(n[0]) < 0.9 else [0, 1, 0])
    a /= np.linalg.norm(a)
    b = np.cross(n, a)
    center = middle + n * (offset - middle @ n)
    points = np.array([center + extent * (i * a + j * b) for i, j in ((-1, -1), (1, -1), (1, 1),
                                                                      (-1, 1))])
    return points, np.array([[0, 1, 2], [0, 2, 3]])


def _orientation(shape):
    orientation = shape.get("orientation")
    return np.eye(3) if orientation is None else rotation(orientation["quaternion"])


def triangulate(shape, segments=16, extent=2.0, middle=(0.0, 0.0, 0.0)):
    """Points (p, 3) and triangles (t, 3) of a shape in the frame of its body; None if unknown.

    extent: half the edge of the square that stands for a half-space [m]; middle: what it lies below.
    """
    if "sphere" in shape:
        surface = _sphere(shape["sphere"]["radius"], segments)
    elif "box" in shape:
        surface = _box(shape["box"]["size"])
    elif "capsule" in shape:
        surface = _capsule(shape["capsule"]["radius"], shape["capsule"]["length"], segments)
    elif "cylinder" in shape:
        surface = _cylinder(shape["cylinder"]["radius"], shape["cylinder"]["length"], segments)
    elif "convex" in shape:
        surface = _hull(shape["convex"]["points"])
    elif "mesh" in shape and "vertices" in shape["mesh"]:
        mesh = shape["mesh"]
        surface = (np.array(mesh["vertices"], dtype=float) * mesh.get("scale", 1),
                   np.array(mesh["triangles"]))
    elif "height_field" in shape:
        surface = _height_field(shape["height_field"]["spacing"], shape["height_field"]["heights"])
    elif "half_space" in shape:
        plane = shape["half_space"]
        surface = _half_space(plane.get("normal", [0, 0, 1]), plane.get("offset", 0), extent,
                              np.asarray(middle, dtype=float))
    else:
        return None
    points, triangles = surface
    at = np.asarray(shape.get("at", [0, 0, 0]), dtype=float)
    return points @ _orientation(shape).T + at, triangles


class Surfaces:
    """The shapes of a scene by body, in the frames that the result reports.

    bodies, ground, planes: pairs (points, triangles); planes are the half-spaces of the ground.
    skeletons: for each body without shapes the points of its joints in its frame, (k, 3).
    """

    def __init__(self, result, segments=16):
        scene = result._parse_scene().expanded()
        positions = result["bodies/position"]
        self.extent, self.middle = 1.0, np.zeros(3)
        if positions.size:
            low, high = positions.min(axis=(0, 1)), positions.max(axis=(0, 1))
            self.extent += 0.6 * float((high - low).max())
            self.middle = (low + high) / 2
        solid = [shape for shape in scene.ground.shapes if "half_space" not in shape]
        planes = [shape for shape in scene.ground.shapes if "half_space" in shape]
        none = np.zeros(3)
        self.ground = self._merge(solid, none, segments)
        self.planes = self._merge(planes, none, segments)
        self.normals = [self._normal(shape) for shape in planes]
        self.bodies, self.skeletons = [], []
        for index, name in enumerate(result.bodies):
            body = scene.bodies[name]
            turn = rotation(result["bodies/orientation"][0, index])
            shapes = body.get("shapes") or []
            shift = np.zeros(3)
            if body.get("recenter"):  # the shapes are given in another frame than the centre of mass
                shift = turn.T @ (positions[0, index] - np.asarray(body["position"], dtype=float))
            self.bodies.append(self._merge(shapes, shift, segments))
            self.skeletons.append(np.zeros((0, 3)) if shapes else
                                  self._joint_points(scene, name, positions[0, index], turn))

    @staticmethod
    def _normal(shape):
        n = np.asarray(shape["half_space"].get("normal", [0, 0, 1]), dtype=float)
        return _orientation(shape) @ (n / np.linalg.norm(n))

    @staticmethod
    def _joint_points(scene, name, position, turn):
        points = []
        for joint in scene.joints.values():
            for side, other in enumerate(joint["between"]):
                if other != name:
                    continue
                if joint.get("points") is not None:
                    points.append(np.asarray(joint["points"][side], dtype=float))
                elif joint.get("at") is not None:
                    points.append(turn.T @ (np.asarray(joint["at"], dtype=float) - position))
        return np.array(points).reshape(-1, 3)

    def _merge(self, shapes, shift, segments):
        points, triangles, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=int)], 0
        for shape in shapes:
            surface = triangulate(shape, segments, self.extent, self.middle)
            if surface is None:
                continue
            points.append(surface[0] - shift)
            triangles.append(surface[1] + count)
            count += len(surface[0])
        return np.vstack(points), np.vstack(triangles).astype(int)


def join(*surfaces):
    """Several surfaces (points, triangles) as one."""
    count = np.cumsum([0] + [len(points) for points, _ in surfaces])
    return (np.vstack([points for points, _ in surfaces]),
            np.vstack([triangles + first for (_, triangles), first in zip(surfaces, count)]))
