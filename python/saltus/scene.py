"""Scenes in Python: the words are those of the scene format (docs/scene.md).

A Scene is a tree of dicts and lists with attributes: ``scene.bodies["ball"].mass = 2`` and
``scene["bodies"]["ball"]["mass"] = 2`` are the same. Everything a file can say can be said here,
and the other way round: parameters, formulas, repetitions and includes are kept as they are.
"""

import os

from . import _core
from .errors import input_error
from .items import SECTIONS, Item, make_signature, refuse_positional, restore, wrap
from .options import AuditLimits, OutputSettings, SimulationOptions

_MAPS = ("materials", "bodies", "joints", "forces", "contacts")


class Material(Item):
    """A material: density [kg/m³, > 0], friction [μ ≥ 0], restitution [0 … 1],
    restitution_tangential [−1 … 1], restitution_law ["newton" or "poisson"],
    friction_law ["coulomb" or "associated"], rolling_friction and
    spinning_friction [m, ≥ 0]."""
    _section = "material"


class Pair(Item):
    """What two materials do together: materials=[a, b], the keys of a Material except density, and
    compliance=Compliance(…), cohesion=Cohesion(…). What is not given follows the rule of the format."""
    _section = "pair"


class Compliance(Item):
    """Contact as a smooth force: law ["spring-damper", "hertz" or "hunt-crossley"], stiffness [N/m or
    N/m^1.5] or modulus [Pa] and radius [m], damping [N s/m or s/m] or restitution and impact_speed
    [m/s], slip_speed [m/s]."""
    _section = "compliance"


class Cohesion(Item):
    """A bond that breaks: law ["fremond" or "triangular"], normal_stiffness and tangential_stiffness
    [N/m³], energy [J/m²], strength [N/m², triangular], viscosity [J s/m², fremond], area [m²], reach
    [m]."""
    _section = "cohesion"


class Body(Item):
    """A rigid body.

    mass [kg] and inertia [kg m², about the centre of mass, body axes: 3 or 6 numbers or 3 × 3], or
    from the shapes; position [m], orientation={"axis", "angle"} or {"quaternion": [w, x, y, z]} or
    {"rpy"}; velocity [m/s], angular_velocity [rad/s], both in world axes; shapes=[Sphere(…), …];
    recenter: True if the shapes may be given in any frame.
    """
    _section = "body"


class PointMass(Item):
    """A point mass: PointMass(mass) [kg] with position [m], velocity [m/s] and shapes."""
    _section = "body"

    def __init__(self, point_mass, **keys):
        super().__init__(point_mass=point_mass, **keys)


class Joint(Item):
    """A joint: type, between=[a, b] (one may be "ground"), at [m, world] or points, axis, limits,
    drive={"angle": "0.1*sin(3*t)" or a function of t}, friction, … (``saltus.joints()``)."""
    _section = "joint"


class Force(Item):
    """A force: type and the keys of that type (``saltus.forces()``).

    Components of loads and efforts may be numbers, formulas in t, or Python functions of t [s].
    """
    _section = "force"


class UserForce:
    """A force on a body that depends on its motion: a controller, drag, a magnet.

    on: name of the body. function(t, body) returns the force [N] at the centre of mass, or a pair of
    force [N] and torque [N m], in world axes; body has position [m], orientation (quaternion w x y
    z), velocity [m/s] and angular_velocity [rad/s]. Its work counts as work of loads. It stands in
    ``scene.forces`` like any other force, but has no text.
    """

    def __init__(self, on, function):
        if not callable(function):
            raise input_error("UserForce", f"{function!r} is not a function",
                              "give a function of (t, body)")
        self.on, self.function = on, function

    def __repr__(self):
        return f"UserForce(on={self.on!r}, function={self.function!r})"


class Contact(Item):
    """A named contact between a point of a body and a surface: point=Point(on=…, at=…) and one of
    plane=Plane(…), line=Line(…), circle=Circle(…), curve=Curve(…); the keys of a Pair
    except materials."""
    _section = "contact"


class Shape(Item):
    """A shape: Shape(sphere={"radius": 0.1}, material=…, at=[…]); see also Sphere, Box, …"""
    _section = "shape"


def _make_shape(name, kind, summary):
    own = SECTIONS[kind]

    def __init__(self, *args, material=None, at=None, orientation=None, group=None, **keys):
        if args:
            refuse_positional(name, args, [*own, "material", "at", "orientation", "group"])
        for key in keys:
            if key not in own:
                raise input_error(f"{name}.{key}", f"unknown key {key!r}", "Known keys: "
                                  f"{', '.join(own)}, material, at, orientation, group")
        entries = {kind: keys, "material": material, "at": at, "orientation": orientation,
                   "group": group}
        Shape.__init__(self, {k: v for k, v in entries.items() if v is not None})

    def __reduce__(self):
        return restore, (Shape, dict(self))

    doc = (f"{summary} Besides: material (name), at [m] and orientation in the body's frame, group "
           f"(shapes of equal nonzero groups never touch).")
    return type(name, (Shape,), {
        "__init__": __init__, "__doc__": doc, "__reduce__": __reduce__, "__module__": __name__,
        "__signature__": make_signature([*own, "material", "at", "orientation", "group"])})


Sphere = _make_shape("Sphere", "sphere", "A sphere: radius [m].")
Box = _make_shape("Box", "box", "A box: size=[x, y, z], full lengths [m].")
Capsule = _make_shape("Capsule", "capsule", "Along z: radius [m], length of the straight part [m].")
Cylinder = _make_shape("Cylinder", "cylinder", "Along z: radius [m], length [m].")
Convex = _make_shape("Convex", "convex", "The hull of points=[[x, y, z], …] [m].")
Mesh = _make_shape("Mesh", "mesh", "Ground only: vertices [m] and triangles, or file, scale.")
HeightField = _make_shape("HeightField", "height_field",
                          "Ground only: spacing=[dx, dy] [m], heights (rows along y) [m].")
HalfSpace = _make_shape("HalfSpace", "half_space",
                        "Ground only: all below normal·x = offset [m].")


_UNITS = {"at": "m", "points": "m", "limits": "rad or m", "angle_limits": "rad",
          "drive": "rad or m, functions of t", "initial_angle": "rad", "initial_displacement": "m",
          "friction_radius": "m", "friction_torque": "N m", "friction_force": "N", "length": "m",
          "stiffness": "N/m or N m/rad", "damping": "N s/m or N m s/rad", "rest_length": "m",
          "rest_angle": "rad", "angular_stiffness": "N m/rad", "angular_damping": "N m s/rad",
          "force": "N, functions of t", "torque": "N m, functions of t",
          "effort": "N or N m, function of t"}


def _make_kind(name, base, kind, keys, summary):
    common = ["between", "collide"] if base is Joint else []

    def __init__(self, *args, **given):
        if args:
            refuse_positional(name, args, [*common, *keys])
        base.__init__(self, type=kind, **given)

    @classmethod
    def keys_known(cls):
        return ["type"] + common + list(keys)

    def __reduce__(self):
        return restore, (base, dict(self))

    words = [f"{key} [{_UNITS[key]}]" if key in _UNITS else key for key in common + list(keys)]
    doc = f"{summary[0].upper()}{summary[1:]}.\n\nKeys: {', '.join(words)}."
    return type(name, (base,), {
        "__init__": __init__, "keys_known": keys_known, "__doc__": doc, "__reduce__": __reduce__,
        "__module__": __name__, "__signature__": make_signature([*common, *keys])})


def _make_kinds(base, summaries, keys, names):
    summaries = dict(summaries)
    return [_make_kind(name, base, kind, keys[kind], summaries[kind]) for name, kind in names]


(Fixed, Revolute, Prismatic, Cylindrical, Universal, Spherical, Planar, Distance,
 PointOnLine) = _make_kinds(Joint, _core.list_joints(), _core.list_joint_keys(), [
     ("Fixed", "fixed"), ("Revolute", "revolute"), ("Prismatic", "prismatic"),
     ("Cylindrical", "cylindrical"), ("Universal", "universal"), ("Spherical", "spherical"),
     ("Planar", "planar"), ("Distance", "distance"), ("PointOnLine", "point-on-line")])
(Spring, Damper, TorsionSpring, Bushing, Load, Torque, Actuator) = _make_kinds(
    Force, _core.list_forces(), _core.list_force_keys(), [
        ("Spring", "spring"), ("Damper", "damper"), ("TorsionSpring", "torsion-spring"),
        ("Bushing", "bushing"), ("Load", "force"), ("Torque", "torque"),
        ("Actuator", "actuator")])


class Point(Item):
    """A point of a body: on (name), at [m, in its frame]."""
    _section = "point"


class Plane(Item):
    """Solid where normal·x ≤ offset [m]: on (name, default ground), normal, offset."""
    _section = "plane"


class Line(Item):
    """A straight stop: on, from_ (the key "from") and to [m], up."""
    _section = "line"

    def __init__(self, *args, from_=None, **keys):
        if from_ is not None:
            keys["from"] = from_
        super().__init__(*args, **keys)


class Circle(Item):
    """A circle or arc: on, center and radius [m], hollow, up, reference, start and sweep [rad]."""
    _section = "circle"


class Curve(Item):
    """A smooth curve through points [m]: on, points, closed, up."""
    _section = "curve"


_PARTS = {"simulation": SimulationOptions, "audit": AuditLimits, "output": OutputSettings}
_KINDS = {"materials": Material, "bodies": Body, "joints": Joint, "forces": Force,
          "contacts": Contact}


def _restore_kind(kind, entries):
    """An item read from a file; keys of repetitions and formulas stay as they are."""
    if not isinstance(entries, dict):
        return entries
    item = kind.__new__(kind)
    for key, value in entries.items():
        if key == "shapes" and isinstance(value, list):
            value = [_restore_kind(Shape, shape) for shape in value]
        dict.__setitem__(item, key, wrap(value))
    return item


class Scene(Item):
    """A scene: a mechanism, how to simulate it, what to record. The keys are those of docs/scene.md.

    >>> scene = Scene(name="Ball", gravity=[0, 0, -9.81])
    >>> scene.materials["rubber"] = Material(friction=0.5, restitution=0.8)
    >>> scene.bodies["ball"] = Body(position=[0, 0, 1.1], shapes=[Sphere(radius=0.1)])
    >>> scene.ground.shapes.append(HalfSpace(normal=[0, 0, 1], material="rubber"))
    >>> scene.simulation.update(step=0.005, until=2)

    ``Scene.read(file)`` and ``Scene.parse(text)`` make one from YAML, ``save`` and ``to_yaml`` write
    it; ``expanded()`` works out parameters, repetitions and defaults. Files that a scene names
    (meshes, includes) are looked for in base_dir: the present folder, or that of the file read.
    """

    _section = "scene"
    base_dir = ""  # where included and mesh files are looked for

    def __init__(self, *args, base_dir=".", **keys):
        super().__init__()
        self.update({"saltus": 1, **dict(*args), **keys})
        self._complete()
        object.__setattr__(self, "base_dir", os.fspath(base_dir))

    def __setitem__(self, key, value):
        if key in _PARTS and isinstance(value, dict):
            value = _PARTS[key](value)
        super().__setitem__(key, value)

    def _complete(self):
        """Sections that one wants to fill are there from the start."""
        for key in _MAPS:
            if self.get(key) is None:
                dict.__setitem__(self, key, Item())
        for key, kind in {**_PARTS, "parameters": Item}.items():
            if self.get(key) is None:
                dict.__setitem__(self, key, kind())
        if self.get("ground") is None:
            dict.__setitem__(self, "ground", Item())
        if self.ground.get("shapes") is None:
            dict.__setitem__(self.ground, "shapes", [])
        if self.get("pairs") is None:
            dict.__setitem__(self, "pairs", [])

    @classmethod
    def _from_tree(cls, tree, base_dir):
        scene = cls.__new__(cls)
        for key, value in tree.items():
            if key in _KINDS and isinstance(value, dict):
                value = Item({name: _restore_kind(_KINDS[key], entries)
                              for name, entries in value.items()})
            elif key == "ground" and isinstance(value, dict):
                value = _restore_kind(Item, value)
            elif key in _PARTS and isinstance(value, dict):
                value = _restore_kind(_PARTS[key], value)
            dict.__setitem__(scene, key, wrap(value))
        scene._complete()
        object.__setattr__(scene, "base_dir", base_dir)
        return scene

    @classmethod
    def read(cls, path, set=()):
        """Reads a scene file. ``set``: overrides like ["r=0.2", "simulation.step=0.01"].

        Raises InputError with file, line, key and a suggestion if anything is wrong with it.
        """
        path = os.fspath(path)
        core = _core.read_scene(path, _overrides(set))
        tree = _core.parse_yaml(core.source, path)
        if "name" not in tree:
            tree["name"] = core.name
        return cls._from_tree(tree, os.path.dirname(path) or ".")

    @classmethod
    def parse(cls, text, set=(), base_dir=""):
        """Reads a scene from a YAML text."""
        core = _core.read_scene_text(text, _overrides(set), base_dir)
        return cls._from_tree(_core.parse_yaml(core.source, ""), base_dir)

    def _tree(self):
        return {key: value for key, value in self.items()
                if not (isinstance(value, (dict, list)) and len(value) == 0)}

    def _user_forces(self):
        return [(name, force.on, force.function) for name, force in self.forces.items()
                if isinstance(force, UserForce)]

    def _make_core(self, set=()):
        """The checked scene, and the functions in it that must be kept alive."""
        tree = self._tree()
        if self._user_forces():
            tree["forces"] = {name: force for name, force in self.forces.items()
                              if not isinstance(force, UserForce)}
        return _core.make_scene(tree, _overrides(set), self.base_dir)

    def check(self):
        """Raises InputError if the scene is not good; returns itself."""
        self._make_core()
        return self

    def to_yaml(self):
        """The scene as YAML, with parameters and repetitions as they are."""
        return _core.format_yaml(self._tree())

    def save(self, path):
        """Writes the scene as YAML, after checking it."""
        self.check()
        text = self.to_yaml()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def view(self, file=None, *, precision=1e-7, height=520):
        """A page that shows the scene before any run: see saltus.view.view."""
        from .view import view
        return view(self, file=file, precision=precision, height=height)

    def expanded(self):
        """The same scene with includes, parameters, repetitions and defaults worked out."""
        core, _ = self._make_core()
        return type(self).parse(core.to_yaml(), base_dir=self.base_dir)

    def copy(self):
        """An independent copy; functions are shared."""
        new = super().copy()
        object.__setattr__(new, "base_dir", self.base_dir)
        return new

    def __repr__(self):
        parts = [f"{len(self[key])} {key}" for key in _MAPS if self.get(key)]
        return f"<saltus.Scene {self.get('name', '')!r}: {', '.join(parts) or 'empty'}>"


_MARK = "# Python functions, whose places hold no meaning here: "


def format_functions(places):
    """A first line for the text of a scene that holds functions, which have no text."""
    return _MARK + ", ".join(places) + "\n"


def find_functions(text):
    """The places that such a line names; none if there is no such line."""
    first = text.partition("\n")[0]
    return first[len(_MARK):] if first.startswith(_MARK) else ""


def _overrides(assignments):
    if isinstance(assignments, dict):
        return [f"{key}={_flow(value)}" for key, value in assignments.items()]
    if isinstance(assignments, str):
        return [assignments]
    return list(assignments)


def _flow(value):
    """A value as it stands behind --set."""
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(entry) for entry in value) + "]"
    return {True: "true", False: "false"}.get(value, repr(value)) if isinstance(value, bool) \
        else repr(value)


def read_scene(path, set=()):
    """Scene.read: a scene from a file, with overrides like {"r": 0.2, "simulation.step": 0.01}."""
    return Scene.read(path, set)


def write_scene(scene, path):
    """Scene.save: a scene to a YAML file."""
    scene.save(path)
