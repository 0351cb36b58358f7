"""ParaView series in VTK's XML format, written without the VTK library.

    bodies.pvd      surfaces of the bodies, moving; velocity [m/s] at every point, body index
    centers.pvd     centres of mass: velocity, angular_velocity, orientation
    contacts.pvd    contact points: force [N] and impulse [N s] on the second body as vectors and as
                    components along n, t1, t2; normal, gap [m], contact: index into the names
    ground.vtp      surfaces of the ground
"""

import base64
import os

import numpy as np

from .errors import input_error
from .geometry import Surfaces, join, rotation

_TYPES = {"float64": "Float64", "float32": "Float32", "int64": "Int64", "int32": "Int32"}


def _encode(array):
    """An array as VTK's inline binary data: the number of bytes, then the bytes, in base 64."""
    data = np.ascontiguousarray(array).tobytes()
    return base64.b64encode(np.uint64(len(data)).tobytes() + data).decode("ascii")


def _data_array(name, array):
    array = np.asarray(array)
    if array.dtype.kind in "iu":
        array = array.astype(np.int64)
    components = array.shape[1] if array.ndim == 2 else 1
    return (f'<DataArray type="{_TYPES[array.dtype.name]}" Name="{name}" '
            f'NumberOfComponents="{components}" format="binary">{_encode(array)}</DataArray>')


def _write_polydata(path, points, triangles, point_data):
    """A .vtp file with triangles, or with single vertices if there are none."""
    vertices = len(points) if len(triangles) == 0 else 0
    cells = triangles if len(triangles) else np.arange(len(points)).reshape(-1, 1)
    size = cells.shape[1] if len(cells) else 1
    kind = "Polys" if len(triangles) else "Verts"
    lines = ['<?xml version="1.0"?>',
             '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" '
             'header_type="UInt64">', "<PolyData>",
             f'<Piece NumberOfPoints="{len(points)}" NumberOfVerts="{vertices}" NumberOfLines="0" '
             f'NumberOfStrips="0" NumberOfPolys="{len(triangles)}">', "<PointData>"]
    lines += [_data_array(name, values) for name, values in point_data.items()]
    lines += ["</PointData>", "<Points>", _data_array("Points", points), "</Points>", f"<{kind}>",
              _data_array("connectivity", cells.ravel()),
              _data_array("offsets", size * np.arange(1, len(cells) + 1)),
              f"</{kind}>", "</Piece>", "</PolyData>", "</VTKFile>"]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def _write_collection(path, files, times):
    lines = ['<?xml version="1.0"?>', '<VTKFile type="Collection" version="0.1">', "<Collection>"]
    lines += [f'<DataSet timestep="{t!r}" part="0" file="{f}"/>'
              for t, f in zip(times.tolist(), files)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines + ["</Collection>", "</VTKFile>"]) + "\n")


def _contact_frame(result, frame, force, impulse):
    """Points and data of the contacts of one frame; force and impulse: of all rows, world axes."""
    contacts = result.contacts
    rows = contacts.rows(frame)
    return contacts.point[rows], {
        "force": force[rows], "impulse": impulse[rows],
        "force_components": contacts.force[rows], "impulse_components": contacts.impulse[rows],
        "normal": contacts.normal[rows], "gap": contacts.gap[rows], "contact": contacts.name[rows]}


def _body_frame(result, surfaces, frame):
    """Moved surfaces of all bodies in one frame."""
    position, velocity = result["bodies/position"][frame], result["bodies/velocity"][frame]
    spin = result["bodies/angular_velocity"][frame]
    R = rotation(result["bodies/orientation"][frame])
    points, triangles, speed, index, count = [], [], [], [], 0
    for b, (local, cells) in enumerate(surfaces.bodies):
        arm = local @ R[b].T
        points.append(position[b] + arm)
        speed.append(velocity[b] + np.cross(spin[b], arm))
        index.append(np.full(len(local), b))
        triangles.append(cells + count)
        count += len(local)
    if not points:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=int), {}
    return np.vstack(points), np.vstack(triangles), {"velocity": np.vstack(speed),
                                                     "body": np.concatenate(index)}


def write_series(result, directory, every=1):
    """Writes the files above into a folder, every n-th frame; returns the paths of the .pvd files.

    In ParaView, a Glyph filter on contacts.pvd with the array `force` draws the contact forces.
    """
    if int(every) < 1:
        raise input_error("every", f"is {every}", "frames are counted from 1")
    if not result.bodies:
        raise input_error("to_vtk", "the result has no bodies",
                          "a user system has no geometry: use to_pandas or plot")
    os.makedirs(directory, exist_ok=True)
    frames = range(0, len(result), int(every))
    times = result.time[::int(every)]
    surfaces = Surfaces(result)
    names = {"bodies": [], "centers": [], "contacts": []}
    try:
        contacts = result.contacts
    except ValueError:  # not recorded
        contacts = None
    if contacts is not None:
        vectors = contacts.in_world(contacts.force), contacts.in_world(contacts.impulse)
    for k in frames:
        def path(kind, number=k):
            names[kind].append(f"{kind}_{number:06d}.vtp")
            return os.path.join(directory, names[kind][-1])

        _write_polydata(path("bodies"), *_body_frame(result, surfaces, k))
        _write_polydata(path("centers"), result["bodies/position"][k], [], {
            "velocity": result["bodies/velocity"][k],
            "angular_velocity": result["bodies/angular_velocity"][k],
            "orientation": result["bodies/orientation"][k],
            "body": np.arange(len(result.bodies))})
        if contacts is not None:
            points, data = _contact_frame(result, k, *vectors)
            _write_polydata(path("contacts"), points, [], data)
    written = []
    for kind, files in names.items():
        if files:
            written.append(os.path.join(directory, f"{kind}.pvd"))
            _write_collection(written[-1], files, times)
    _write_polydata(os.path.join(directory, "ground.vtp"), *join(surfaces.ground, surfaces.planes), {})
    return written
