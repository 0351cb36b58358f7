"""How to simulate: integrators and the contact solver with their options, made from the tables that
``saltus list`` prints, so that what is added to the library is here at once.

    saltus.simulate(scene, integrator=saltus.MoreauJean(theta=0.6, solver=saltus.Solver("nsgs")))
    scene.simulation.update(saltus.NonsmoothAlpha(rho_inf=0.9))
"""

from . import _core
from .errors import input_error
from .items import SECTIONS, Item, make_signature


class Integrator(Item):
    """A time integrator with options; an option that is not given has its default.

    There is a class for each: ``help(saltus.MoreauJean)`` lists the options with range and default.
    It stands for its keys in ``scene.simulation`` and for ``integrator=`` of ``simulate``.
    """

    _kind = None

    def __init__(self, **options):
        if self._kind is None:
            raise TypeError(f"use one of {', '.join(_CLASSES)}")
        known = self.keys_known()
        for key in options:
            if key not in known:
                raise input_error(f"{type(self).__name__}.{key}", "there is no such option",
                                  f"there are: {', '.join(known[1:])}")
        given = {key: value for key, value in options.items() if value is not None}
        if isinstance(given.get("solver"), str):
            given["solver"] = Solver(given["solver"])
        super().__init__({"integrator": self._kind, **given})

    def __reduce__(self):
        return _restore_integrator, (type(self).__name__, dict(self))


def _restore_integrator(name, entries):
    return _CLASSES[name](**{key: value for key, value in entries.items() if key != "integrator"})


def _make_integrator(kind, summary, options):
    """The class of one integrator: "moreau-jean" becomes MoreauJean(theta=…, …)."""
    name = "".join(word.capitalize() for word in kind.split("-"))
    width = max(map(len, options))
    doc = (f"{summary[0].upper()}{summary[1:]}.\n\nThe integrator {kind!r}. Options:\n\n"
           + "\n".join(f"    {key:<{width}}  {text}" for key, text in options.items()))
    keys = ["integrator", *options]
    return type(name, (Integrator,), {
        "_kind": kind, "__doc__": doc, "__module__": __name__,
        "__signature__": make_signature(options),
        "keys_known": classmethod(lambda cls: keys)})


_CLASSES = {made.__name__: made for made in (_make_integrator(*row)
                                             for row in _core.list_integrators())}
globals().update(_CLASSES)


class Solver(Item):
    """The contact solver: name (``saltus.solvers()``), tolerance on the relative natural-map residual
    [> 0, default 1e-9], max_iterations [default 1000], effort ("low", "normal", "high")."""
    _section = "solver"

    def __init__(self, name="auto", **keys):
        super().__init__(name=name, **keys)

    __signature__ = make_signature(SECTIONS["solver"])


class Adaptive(Item):
    """Adaptive steps inside ``step``: tolerance on positions [m or rad, > 0, default 1e-4], min_step
    [s, > 0, default 1e-6]."""
    _section = "adaptive"


class SimulationOptions(Item):
    """How a scene is simulated: integrator (name) and its options, step and until [s], solver,
    adaptive, on_failure ("stop", "halve", "flag"), max_halvings."""
    _section = "simulation"

    @classmethod
    def keys_known(cls):
        """The keys of `simulation` and the options of every integrator."""
        options = [key for row in _core.list_integrators() for key in row[2]]
        return list(dict.fromkeys([*SECTIONS["simulation"], *options]))


class AuditLimits(Item):
    """Limits that a good run keeps, each off if not given: max_penetration [m], max_constraint
    [m or rad], max_constraint_rate [m/s or rad/s], max_complementarity [J], energy_closure [1]."""
    _section = "audit"


class OutputSettings(Item):
    """What is recorded: every (steps) or dt [s], contacts (True or False)."""
    _section = "output"


__all__ = ["Adaptive", "AuditLimits", "Integrator", "OutputSettings", "SimulationOptions", "Solver",
           *_CLASSES]
