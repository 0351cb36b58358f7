# Types of the package; docstrings are in the sources. SI units and radians.
from os import PathLike
from types import SimpleNamespace
from typing import (Any, Callable, Iterable, Iterator, Literal, Mapping, MutableMapping, NamedTuple, Optional,
                    Sequence, Union)

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Path = Union[str, PathLike[str]]
Number = Union[float, str]  # a text is a formula: "${2*r}"
Vector = Union[Sequence[Union[float, str]], NDArray[Any]]
Limits = Union[Sequence[Optional[Number]], Mapping[str, Any]]
TimeFunction = Union[float, str, Callable[[float], Union[float, tuple[float, float, float]]]]
Overrides = Union[Sequence[str], Mapping[str, Any], str]
Term = Union[ArrayLike, Callable[..., ArrayLike]]
FailurePolicy = Literal["stop", "halve", "flag"]
Activation = Literal["none", "half", "full", "linearized", "free-end"]
ContactRowChoice = Literal["midpoint", "predicted", "start", "theta", "end"]
AlphaVariant = Literal["monolithic", "decoupled", "robust"]
PositionLaw = Literal["gap", "modified-lcp"]
SolverChoice = Union["Solver", str, Mapping[str, Any]]

__version__: str

class InputError(ValueError):
    item: str
    reason: str
    suggestion: str
    file: str
    line: int

class OutputError(OSError): ...
class SimulationFailed(RuntimeError):
    result: Optional["Result"]
    def __init__(self, message: str, result: Optional["Result"] = ...) -> None: ...
class SimulationWarning(UserWarning): ...

# --- Scenes ---------------------------------------------------------------------------------------

class Item(dict[str, Any]):
    def __init__(self, *args: Any, **keys: Any) -> None: ...
    @classmethod
    def keys_known(cls) -> Optional[list[str]]: ...
    def copy(self) -> Any: ...
    def update(self, *args: Any, **keys: Any) -> None: ...
    def setdefault(self, key: str, default: Any = ...) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Material(Item):
    def __init__(self, *args: Any, density: Number = ..., friction: Number = ...,
                 restitution: Number = ..., restitution_tangential: Number = ...,
                 restitution_law: str = ..., rolling_friction: Number = ...,
                 spinning_friction: Number = ..., **keys: Any) -> None: ...

class Compliance(Item):
    def __init__(self, *args: Any, law: str = ..., stiffness: Number = ..., modulus: Number = ...,
                 radius: Number = ..., damping: Number = ..., restitution: Number = ...,
                 impact_speed: Number = ..., slip_speed: Number = ..., **keys: Any) -> None: ...

class Cohesion(Item):
    def __init__(self, *args: Any, law: str = ..., strength: Number = ...,
                 normal_stiffness: Number = ..., tangential_stiffness: Number = ...,
                 energy: Number = ..., viscosity: Number = ..., area: Number = ...,
                 reach: Number = ..., **keys: Any) -> None: ...

class Pair(Item):
    def __init__(self, *args: Any, materials: Sequence[str] = ..., friction: Number = ...,
                 restitution: Number = ..., restitution_tangential: Number = ...,
                 restitution_law: str = ..., rolling_friction: Number = ...,
                 spinning_friction: Number = ..., compliance: Mapping[str, Any] = ...,
                 cohesion: Mapping[str, Any] = ..., **keys: Any) -> None: ...

class Body(Item):
    def __init__(self, *args: Any, mass: Number = ..., inertia: Any = ..., position: Vector = ...,
                 orientation: Mapping[str, Any] = ..., velocity: Vector = ...,
                 angular_velocity: Vector = ..., shapes: Sequence["Shape"] = ...,
                 recenter: bool = ..., **keys: Any) -> None: ...

class PointMass(Item):
    def __init__(self, point_mass: Number, *, position: Vector = ..., velocity: Vector = ...,
                 shapes: Sequence["Shape"] = ..., **keys: Any) -> None: ...

class Shape(Item): ...
class Sphere(Shape):
    def __init__(self, *, radius: Number, material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...
class Box(Shape):
    def __init__(self, *, size: Vector, material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...
class Capsule(Shape):
    def __init__(self, *, radius: Number, length: Number,
                 material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...
class Cylinder(Shape):
    def __init__(self, *, radius: Number, length: Number,
                 material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...
class Convex(Shape):
    def __init__(self, *, points: Sequence[Vector],
                 material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...
class Mesh(Shape):
    def __init__(self, *, vertices: Sequence[Vector] = ..., triangles: Sequence[Sequence[int]] = ...,
                 file: Path = ..., scale: Number = ...,
                 material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...
class HeightField(Shape):
    def __init__(self, *, spacing: Vector, heights: Any,
                 material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...
class HalfSpace(Shape):
    def __init__(self, *, normal: Vector = ..., offset: Number = ...,
                 material: Optional[str] = ..., at: Optional[Vector] = ...,
                 orientation: Optional[Mapping[str, Any]] = ...,
                 group: Optional[int] = ...) -> None: ...

class Joint(Item): ...
class Fixed(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 collide: bool = ..., repeat: Mapping[str, Any] = ...) -> None: ...
class Revolute(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 axis: Vector = ..., limits: Limits = ..., drive: Mapping[str, TimeFunction] = ...,
                 initial_angle: Number = ..., friction: Number = ...,
                 friction_radius: Number = ..., friction_torque: Number = ..., collide: bool = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Prismatic(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 axis: Vector = ..., limits: Limits = ..., drive: Mapping[str, TimeFunction] = ...,
                 initial_displacement: Number = ..., friction: Number = ...,
                 friction_force: Number = ..., collide: bool = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Cylindrical(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 axis: Vector = ..., limits: Limits = ..., angle_limits: Limits = ...,
                 drive: Mapping[str, TimeFunction] = ..., initial_angle: Number = ...,
                 initial_displacement: Number = ..., friction: Number = ...,
                 friction_radius: Number = ..., friction_force: Number = ..., collide: bool = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Universal(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 axis: Vector = ..., axis2: Vector = ..., collide: bool = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Spherical(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 axis: Vector = ..., limits: Limits = ..., friction: Number = ...,
                 friction_radius: Number = ..., friction_torque: Number = ..., collide: bool = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Planar(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 axis: Vector = ..., friction: Number = ..., friction_force: Number = ...,
                 collide: bool = ..., repeat: Mapping[str, Any] = ...) -> None: ...
class Distance(Joint):
    def __init__(self, *, between: Sequence[str], points: Sequence[Vector] = ...,
                 length: Number = ..., limits: Limits = ...,
                 drive: Mapping[str, TimeFunction] = ..., collide: bool = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class PointOnLine(Joint):
    def __init__(self, *, between: Sequence[str], at: Vector = ..., points: Sequence[Vector] = ...,
                 axis: Vector = ..., limits: Limits = ..., drive: Mapping[str, TimeFunction] = ...,
                 initial_displacement: Number = ..., friction: Number = ...,
                 friction_force: Number = ..., collide: bool = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...

class Force(Item): ...
class Spring(Force):
    def __init__(self, *, between: Sequence[str], points: Sequence[Vector] = ...,
                 stiffness: Number, damping: Number = ..., rest_length: Number = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Damper(Force):
    def __init__(self, *, between: Sequence[str], points: Sequence[Vector] = ..., damping: Number,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class TorsionSpring(Force):
    def __init__(self, *, joint: str = ..., between: Sequence[str] = ..., axis: Vector = ...,
                 stiffness: Number = ..., damping: Number = ..., rest_angle: Number = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Bushing(Force):
    def __init__(self, *, between: Sequence[str], at: Vector = ...,
                 orientation: Mapping[str, Any] = ..., stiffness: Union[Number, Vector] = ...,
                 damping: Union[Number, Vector] = ...,
                 angular_stiffness: Union[Number, Vector] = ...,
                 angular_damping: Union[Number, Vector] = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Load(Force):
    def __init__(self, *, on: str, at: Vector = ..., force: Sequence[TimeFunction],
                 axes: Literal["world", "body"] = ..., repeat: Mapping[str, Any] = ...) -> None: ...
class Torque(Force):
    def __init__(self, *, on: str, torque: Sequence[TimeFunction],
                 axes: Literal["world", "body"] = ..., repeat: Mapping[str, Any] = ...) -> None: ...
class Actuator(Force):
    def __init__(self, *, joint: str, effort: TimeFunction,
                 repeat: Mapping[str, Any] = ...) -> None: ...

class UserForce:
    on: str
    function: Callable[..., Any]
    def __init__(self, on: str, function: Callable[..., Any]) -> None: ...

class Contact(Item):
    def __init__(self, *, point: Mapping[str, Any] = ..., plane: Mapping[str, Any] = ...,
                 line: Mapping[str, Any] = ..., circle: Mapping[str, Any] = ...,
                 curve: Mapping[str, Any] = ..., friction: Number = ..., restitution: Number = ...,
                 restitution_tangential: Number = ..., **keys: Any) -> None: ...
class Point(Item):
    def __init__(self, *, on: str, at: Vector = ..., repeat: Mapping[str, Any] = ...) -> None: ...
class Plane(Item):
    def __init__(self, *, on: str = ..., normal: Vector, offset: Number = ...,
                 repeat: Mapping[str, Any] = ...) -> None: ...
class Line(Item):
    def __init__(self, *args: Any, from_: Vector = ..., to: Vector = ..., on: str = ...,
                 up: Vector = ..., **keys: Any) -> None: ...
class Circle(Item):
    def __init__(self, *, on: str = ..., center: Vector = ..., radius: Number, hollow: bool = ...,
                 up: Vector = ..., reference: Vector = ..., start: Number = ...,
                 sweep: Number = ..., repeat: Mapping[str, Any] = ...) -> None: ...
class Curve(Item):
    def __init__(self, *, on: str = ..., points: Sequence[Vector], closed: bool = ...,
                 up: Vector = ..., repeat: Mapping[str, Any] = ...) -> None: ...

class Scene(Item):
    base_dir: str
    parameters: dict[str, Any]
    materials: dict[str, Material]
    pairs: list[Pair]
    bodies: dict[str, Any]
    ground: Any
    joints: dict[str, Joint]
    forces: dict[str, Union[Force, UserForce]]
    contacts: dict[str, Contact]
    simulation: SimulationOptions
    audit: AuditLimits
    output: OutputSettings
    def __init__(self, *args: Any, base_dir: Path = ..., **keys: Any) -> None: ...
    @classmethod
    def read(cls, path: Path, set: Overrides = ...) -> "Scene": ...
    @classmethod
    def parse(cls, text: str, set: Overrides = ..., base_dir: str = ...) -> "Scene": ...
    def check(self) -> "Scene": ...
    def to_yaml(self) -> str: ...
    def save(self, path: Path) -> None: ...
    def view(self, file: Optional[Path] = ..., *, precision: float = ...,
             height: int = ...) -> "View": ...
    def expanded(self) -> "Scene": ...
    def copy(self) -> "Scene": ...

def read_scene(path: Path, set: Overrides = ...) -> Scene: ...
def write_scene(scene: Scene, path: Path) -> None: ...

# --- How to simulate ---------------------------------------------------------------------------------

class Solver(Item):
    def __init__(self, name: str = ..., *, tolerance: float = ...,
                 max_iterations: int = ..., effort: str = ...) -> None: ...

class Adaptive(Item):
    def __init__(self, *, tolerance: float = ..., min_step: float = ...) -> None: ...

class SimulationOptions(Item):
    def __init__(self, *args: Any, integrator: str = ..., step: float = ..., until: float = ...,
                 on_failure: FailurePolicy = ..., max_halvings: int = ...,
                 adaptive: Union[Adaptive, Mapping[str, float]] = ..., **options: Any) -> None: ...

class AuditLimits(Item):
    def __init__(self, *args: Any, max_penetration: float = ..., max_constraint: float = ...,
                 max_constraint_rate: float = ..., max_complementarity: float = ...,
                 energy_closure: float = ..., **keys: Any) -> None: ...

class OutputSettings(Item):
    def __init__(self, *args: Any, every: int = ..., dt: float = ..., contacts: bool = ...,
                 **keys: Any) -> None: ...

class Integrator(Item): ...

class MoreauJean(Integrator):
    def __init__(self, *, theta: Optional[float] = ..., contact_rows: Optional[ContactRowChoice] = ...,
                 activation: Union[float, Activation, None] = ...,
                 projection: Optional[bool] = ..., projection_tolerance: Optional[float] = ...,
                 restitution_threshold: Optional[float] = ...,
                 newton_tolerance: Optional[float] = ...,
                 max_newton_iterations: Optional[int] = ...,
                 solver: Optional[SolverChoice] = ...) -> None: ...

class NonsmoothAlpha(Integrator):
    def __init__(self, *, rho_inf: Optional[float] = ..., alpha_m: Optional[float] = ...,
                 alpha_f: Optional[float] = ..., beta: Optional[float] = ...,
                 gamma: Optional[float] = ..., variant: Optional[AlphaVariant] = ...,
                 position_law: Optional[PositionLaw] = ...,
                 position_friction: Optional[bool] = ..., position_tolerance: Optional[float] = ...,
                 newton_tolerance: Optional[float] = ...,
                 max_newton_iterations: Optional[int] = ...,
                 solver: Optional[SolverChoice] = ...) -> None: ...

class NonsmoothNewmark(Integrator):
    def __init__(self, *, gamma: Optional[float] = ..., beta: Optional[float] = ...,
                 variant: Optional[AlphaVariant] = ..., position_law: Optional[PositionLaw] = ...,
                 position_friction: Optional[bool] = ..., position_tolerance: Optional[float] = ...,
                 newton_tolerance: Optional[float] = ...,
                 max_newton_iterations: Optional[int] = ...,
                 solver: Optional[SolverChoice] = ...) -> None: ...

class NonsmoothHht(Integrator):
    def __init__(self, *, alpha_f: Optional[float] = ..., gamma: Optional[float] = ...,
                 beta: Optional[float] = ..., variant: Optional[AlphaVariant] = ...,
                 position_law: Optional[PositionLaw] = ...,
                 position_friction: Optional[bool] = ..., position_tolerance: Optional[float] = ...,
                 newton_tolerance: Optional[float] = ...,
                 max_newton_iterations: Optional[int] = ...,
                 solver: Optional[SolverChoice] = ...) -> None: ...

class SchatzmanPaoli(Integrator):
    def __init__(self, *, beta: Optional[float] = ...,
                 start: Optional[Literal["parabolic", "straight"]] = ...,
                 newton_tolerance: Optional[float] = ...,
                 max_newton_iterations: Optional[int] = ...,
                 solver: Optional[SolverChoice] = ...) -> None: ...

class GeneralizedAlphaIndex3(Integrator):
    def __init__(self, *, rho_inf: Optional[float] = ..., newton_tolerance: Optional[float] = ...,
                 max_newton_iterations: Optional[int] = ...,
                 solver: Optional[SolverChoice] = ...) -> None: ...

class EnergyMomentum(Integrator):
    def __init__(self, *, newton_tolerance: Optional[float] = ...,
                 max_newton_iterations: Optional[int] = ...,
                 solver: Optional[SolverChoice] = ...) -> None: ...

# --- Systems ----------------------------------------------------------------------------------------

class Linear:
    A: Array
    b: Array
    def __init__(self, A: ArrayLike, b: ArrayLike = ...) -> None: ...
    def __call__(self, q: ArrayLike) -> Array: ...

class Contacts:
    def __init__(self, gap: Union[Linear, Callable[..., ArrayLike]], *,
                 normal: Optional[Term] = ..., tangent: Optional[Term] = ...,
                 friction: ArrayLike = ..., restitution: ArrayLike = ...,
                 restitution_tangential: ArrayLike = ..., rate: Optional[Term] = ...,
                 drift: Optional[Term] = ..., point: Optional[Term] = ..., name: str = ...,
                 names: Optional[Sequence[str]] = ...) -> None: ...

class LagrangianSystem:
    nq: int
    name: str
    q0: Array
    v0: Array
    def __init__(self, nq: int, *, mass: Term, force: Optional[Term] = ...,
                 constraints: Union[Linear, Callable[..., ArrayLike], None] = ...,
                 contacts: Union[Contacts, Iterable[Contacts]] = ...,
                 energy: Optional[Callable[..., ArrayLike]] = ..., loads: Optional[Term] = ...,
                 stiffness: Optional[Term] = ..., damping: Optional[Term] = ...,
                 constraints_jacobian: Optional[Term] = ...,
                 constraints_rate: Optional[Term] = ..., constraints_bias: Optional[Term] = ...,
                 q0: Optional[ArrayLike] = ..., v0: Optional[ArrayLike] = ...,
                 names: Optional[Sequence[str]] = ...,
                 constraint_names: Optional[Sequence[str]] = ..., name: str = ...,
                 check: bool = ...) -> None: ...
    def check_jacobians(self, t: float = ..., q: Optional[ArrayLike] = ...,
                        v: Optional[ArrayLike] = ..., tolerance: float = ...) -> dict[str, float]: ...

# --- Running ----------------------------------------------------------------------------------------

class Checkpoint:
    @property
    def time(self) -> float: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def step_index(self) -> int: ...

class EventRecord(NamedTuple):
    time: float
    kind: str
    name: str
    value: float

class Event:
    def __init__(self, function: Callable[["Simulation"], float], *, name: Optional[str] = ...,
                 direction: int = ..., terminal: bool = ...,
                 action: Optional[Callable[["Simulation"], Any]] = ...) -> None: ...

Observer = Union[Callable[["Simulation"], Any], tuple[Callable[["Simulation"], Any], float]]

class Simulation:
    outcome: Optional[tuple[str, str, list[str], str]]
    def __init__(self, what: Union[Scene, Path, LagrangianSystem], *, step: Optional[float] = ...,
                 until: Optional[float] = ...,
                 integrator: Union[str, Integrator, None] = ...,
                 solver: Optional[SolverChoice] = ...,
                 on_failure: Optional[FailurePolicy] = ..., max_halvings: Optional[int] = ...,
                 set: Overrides = ..., output: Optional[Path] = ..., record: bool = ...,
                 every: Optional[int] = ..., dt: Optional[float] = ..., compression: int = ...,
                 checkpoint_every: float = ..., force: bool = ...,
                 dump_problems: Optional[Literal["all", "slow", "failed"]] = ...,
                 **options: Any) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def step_index(self) -> int: ...
    @property
    def done(self) -> bool: ...
    @property
    def until(self) -> float: ...
    @property
    def energy(self) -> SimpleNamespace: ...
    @property
    def multipliers(self) -> Array: ...
    @property
    def report(self) -> SimpleNamespace: ...
    @property
    def contacts(self) -> SimpleNamespace: ...
    @property
    def audit(self) -> dict[str, float]: ...
    @property
    def notices(self) -> list[tuple[str, str, str]]: ...
    @property
    def result(self) -> "Result": ...
    @property
    def verdict(self) -> str: ...
    @property
    def inputs(self) -> MutableMapping[str, Any]: ...
    def body(self, name: str) -> SimpleNamespace: ...
    def joint(self, name: str) -> SimpleNamespace: ...
    def step(self, n: int = ...) -> "Simulation": ...
    def finish(self) -> "Result": ...
    def set_state(self, q: Optional[ArrayLike] = ..., v: Optional[ArrayLike] = ...) -> None: ...
    def checkpoint(self) -> Checkpoint: ...
    def restore(self, checkpoint: Checkpoint) -> "Simulation": ...
    def run(self, *, progress: Union[bool, Callable[["Simulation"], Any], None] = ...,
            observers: Union[Observer, Sequence[Observer]] = ...,
            events: Union[Event, Sequence[Event]] = ..., check: bool = ...) -> "Result": ...
    def __iter__(self) -> Iterator["Simulation"]: ...

def simulate(what: Union[Scene, Path, LagrangianSystem], *,
             progress: Union[bool, Callable[[Simulation], Any], None] = ...,
             observers: Union[Observer, Sequence[Observer]] = ...,
             events: Union[Event, Sequence[Event]] = ...,
             restart: Union[Checkpoint, "Result", Path, None] = ..., check: bool = ...,
             **settings: Any) -> "Result": ...

# --- Results ----------------------------------------------------------------------------------------

class Names(dict[str, str]): ...
class Integrators(Names):
    def options(self, name: str) -> Names: ...

class ContactRows:
    names: list[str]
    offset: NDArray[np.int64]
    name: NDArray[np.uint32]
    key: NDArray[np.uint64]
    gap: Array
    point: Array
    normal: Array
    tangent: Array
    force: Array
    impulse: Array
    @property
    def frame(self) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...
    def in_world(self, components: ArrayLike) -> Array: ...
    def rows(self, frame: int) -> slice: ...
    def of(self, name: str) -> NDArray[np.int64]: ...

class Result:
    outcome: str
    verdict: str
    title: str
    scene_text: str
    path: Optional[str]
    @property
    def time(self) -> Array: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def multipliers(self) -> Array: ...
    @property
    def energy(self) -> SimpleNamespace: ...
    @property
    def bodies(self) -> list[str]: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def contacts(self) -> ContactRows: ...
    @property
    def events(self) -> list[EventRecord]: ...
    @property
    def audit(self) -> dict[str, float]: ...
    @property
    def finished(self) -> bool: ...
    @property
    def violations(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> Array: ...
    def at(self, time: ArrayLike, *names: str) -> Any: ...
    def save(self, file: Path, force: bool = ...) -> str: ...
    def unit(self, name: str) -> str: ...
    def channels(self) -> Names: ...
    def audit_table(self) -> str: ...
    def checkpoint(self) -> Checkpoint: ...
    def scene(self) -> Scene: ...
    def to_pandas(self, channels: Optional[Iterable[str]] = ...) -> Any: ...
    def to_vtk(self, directory: Path, every: int = ...) -> list[str]: ...
    def plot(self, *channels: str, file: Optional[Path] = ..., axes: Any = ...) -> Any: ...
    def animate(self, file: Path, **options: Any) -> str: ...
    def view(self, file: Optional[Path] = ..., *, precision: float = ...,
             height: int = ...) -> View: ...
    def save(self, file: Path) -> str: ...

class View:
    page: bytes
    title: str
    height: int
    def save(self, file: Path) -> str: ...
    def open(self) -> str: ...

def join(files: Iterable[Path], output: Path, force: bool = ...) -> Result: ...
def load(file: Path) -> Result: ...
def view(*things: Union[Result, Scene, Path], file: Optional[Path] = ..., tabs: bool = ...,
         precision: float = ..., height: int = ...) -> View: ...
def integrators() -> Integrators: ...
def solvers() -> Names: ...
def joints() -> Names: ...
def forces() -> Names: ...
def shapes() -> Names: ...
def laws() -> Names: ...
def surfaces() -> Names: ...

# --- Contact problems -------------------------------------------------------------------------------

class ContactSolution:
    r: Array
    u: Array
    status: str
    converged: bool
    iterations: int
    residual: float
    absolute_residual: float
    worst_contact: int
    dimension: int

class ContactProblem:
    def __init__(self, W: Any, q: ArrayLike, mu: ArrayLike = ..., dimension: Optional[int] = ...,
                 rolling: Optional[ArrayLike] = ...,
                 spinning: Optional[ArrayLike] = ..., *, cohesion: ArrayLike = ...,
                 compliance: ArrayLike = ..., facets: int = ..., associated: bool = ...) -> None: ...
    @classmethod
    def read(cls, path: Path) -> "ContactProblem": ...
    def write(self, path: Path) -> None: ...
    @property
    def q(self) -> Array: ...
    @property
    def mu(self) -> Array: ...
    @property
    def dimension(self) -> int: ...
    def matrix(self) -> Any: ...
    def residual(self, r: ArrayLike) -> float: ...
    def solve(self, solver: SolverChoice = ..., *, tolerance: float = ..., max_iterations: int = ...,
              r0: Optional[ArrayLike] = ...) -> ContactSolution: ...

def solve_contact(W: Any, q: ArrayLike, mu: ArrayLike = ..., *, dimension: Optional[int] = ...,
                  rolling: Optional[ArrayLike] = ..., spinning: Optional[ArrayLike] = ...,
                  cohesion: ArrayLike = ..., compliance: ArrayLike = ..., facets: int = ...,
                  associated: bool = ..., solver: SolverChoice = ..., tolerance: float = ..., max_iterations: int = ...,
                  r0: Optional[ArrayLike] = ...) -> ContactSolution: ...
