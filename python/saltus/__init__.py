"""Saltus: nonsmooth dynamics of multibody systems with joints, contact, friction and impacts.

The shortest way in::

    import saltus
    result = saltus.simulate("scenes/bouncing_ball.yaml")
    result.plot("ball.position.z")

What is here (SI units and radians everywhere; ``help(saltus.NAME)`` tells more):

=====================  ==========================================================================
Scene, Body, Joint, …  build a mechanism with the words of the scene format, or read one
simulate, Simulation   run it to the end, or step by step
LagrangianSystem       your own equations of motion: mass, force, constraints, contacts
solve_contact          one contact problem u = W r + q with Coulomb friction; FCLib files
Result, load           channels, events, contacts, audit; plot, animate, pandas, ParaView
view                   results and scenes in the browser or in a notebook
integrators, solvers   what can be named; MoreauJean, NonsmoothAlpha, …, Solver have all options
=====================  ==========================================================================
"""

from ._core import Checkpoint, InputError, OutputError, __version__
from .contact import ContactProblem, ContactSolution, solve_contact
from .errors import SimulationFailed, SimulationWarning
from .events import Event, EventRecord
from .items import Item
from .lists import forces, integrators, joints, laws, shapes, solvers, surfaces
from .options import *  # integrators, Solver, Adaptive, …: as many as the library has
from .results import Result, join, load
from .scene import (
    Actuator, Body, Box, Bushing, Capsule, Circle, Cohesion, Compliance, Contact, Convex, Curve,
    Cylindrical, Cylinder, Damper, Distance, Fixed, Force, HalfSpace, HeightField, Joint,
    Line, Load, Material, Mesh, Pair, Planar, Plane, Point, PointMass, PointOnLine, Prismatic,
    Revolute, Scene, Shape, Sphere, Spherical, Spring, Torque, TorsionSpring, Universal,
    UserForce, read_scene, write_scene)
from .simulation import Simulation, simulate
from .systems import Contacts, LagrangianSystem, Linear
from .view import View, view

__all__ = [name for name in dir() if not name.startswith("_") and name not in (
    "contact", "errors", "events", "items", "lists", "options", "results", "scene", "simulation",
    "systems")]
