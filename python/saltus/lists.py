"""What can be named: integrators, solvers, joints, forces, shapes, laws of contact and surfaces."""

from . import _core
from .errors import input_error


class Names(dict):
    """Names and one-line descriptions; prints as a table."""

    def __repr__(self):
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:<{width}}  {summary}" for name, summary in self.items())


class Integrators(Names):
    """Integrators by name; ``options(name)`` lists the options of one."""

    def options(self, name):
        """Options of an integrator: meaning, range and default of each key."""
        for known, _, options in _core.list_integrators():
            if known == name:
                return Names(options)
        raise input_error(f"integrator {name!r}", "there is none of this name",
                          f"there are: {', '.join(self)}")


def integrators():
    """Time integrators, by the name that ``Scene.simulation`` and ``simulate`` take."""
    return Integrators({name: summary for name, summary, _ in _core.list_integrators()})


def solvers():
    """Contact solvers, by the name that ``solver={"name": …}`` and ``solve_contact`` take."""
    return Names(_core.list_solvers())


def joints():
    """Types of joints."""
    return Names(_core.list_joints())


def forces():
    """Types of forces."""
    return Names(_core.list_forces())


def shapes():
    """Shapes of bodies and of the ground."""
    return Names(_core.list_shapes())


def laws():
    """Laws of contact: restitution, friction, cohesion and compliance."""
    return Names(_core.list_laws())


def surfaces():
    """Surfaces that the point of a named contact can touch."""
    return Names(_core.list_surfaces())
