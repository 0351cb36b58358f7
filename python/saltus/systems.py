"""Your own equations of motion as a System that every integrator runs.

    M(q) v̇ = f(t, q, v) + Gᵀ(t, q) λ + Hᵀ(t, q) p,   q̇ = v
    0 = g(t, q)                                       constraints
    0 ≤ gap(t, q), Coulomb friction along given tangents, Newton's restitution

Each term is a constant, which is never asked for again, or a function. Functions take those of the
arguments t [s], q and v that they name, in this order: ``lambda q: …``, ``def force(t, q, v): …``.
They get arrays that must not be changed and return arrays (or lists, or numbers).
"""

import inspect

import numpy as np

from . import _core
from .errors import add_note, as_array, input_error

_BITS = {"t": 1, "q": 2, "v": 4}


class Linear:
    """The function A q + b: constraints or gaps that are linear, with exact derivatives.

    A: (m, n) array (or (n,) for one row); b: (m,) array or a number.
    """

    def __init__(self, A, b=0.0):
        self.A = np.atleast_2d(np.array(A, dtype=float))
        self.b = np.array(np.broadcast_to(np.asarray(b, dtype=float), (len(self.A),)))

    def __call__(self, q):
        return self.A @ np.asarray(q) + self.b


def _argument_bits(name, function, allowed):
    """Which of t, q, v a function takes, by the names of its parameters or by their number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin
        return sum(_BITS[a] for a in allowed)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return sum(_BITS[a] for a in allowed)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in positional and p.default is p.empty]
    if names == [a for a in allowed if a in names]:
        return sum(_BITS[a] for a in names)
    if len(names) == len(allowed):
        return sum(_BITS[a] for a in allowed)
    raise input_error(name, f"takes the parameters ({', '.join(names)})",
                      f"name them out of ({', '.join(allowed)}), in this order")


class _Terms:
    """Checks the terms of one system and gathers them for the library."""

    def __init__(self, n, q0, v0):
        self.n, self.q0, self.v0 = n, q0, v0

    def call(self, name, function, bits):
        """The function at the start, as an array."""
        values = {"t": 0.0, "q": self.q0.copy(), "v": self.v0.copy()}
        try:
            result = function(*[values[a] for a, bit in _BITS.items() if bits & bit])
        except Exception as error:
            add_note(error, f"in the function {name!r} of a user system, at the start")
            raise
        if result is None:
            raise input_error(name, "returned None at the start", "return the numbers")
        return as_array(name, result, "returned")

    def term(self, name, given, shape, allowed, diagonal=False):
        """None, a constant array of this shape, or (name, function, bits)."""
        if given is None:
            return None
        bits = None
        if callable(given):
            bits = _argument_bits(name, given, allowed)
            array = self.call(name, given, bits)
        else:
            array = as_array(name, given)
        is_diagonal = diagonal and array.shape == shape[:1]
        is_number = array.shape == () and (int(np.prod(shape)) == 1 or bits is None)
        if array.shape != shape and not is_diagonal and not is_number:
            verb = "has" if bits is None else "returned an array of"
            raise input_error(name, f"{verb} shape {array.shape}", f"the shape must be {shape}"
                              + (f" or {shape[:1]} for a diagonal matrix" if diagonal else ""))
        if not np.all(np.isfinite(array)):
            verb = "has" if bits is None else "returned"
            raise input_error(name, f"{verb} nan or inf at the start", "numbers must be finite")
        if bits is not None:
            return (name, given, bits)
        if is_diagonal or (is_number and diagonal):
            return np.diag(np.broadcast_to(array, shape[:1])).copy()
        return np.array(np.broadcast_to(array, shape))

    def function(self, name, given, jacobian, rate, allowed=("t", "q")):
        """A vector-valued function of (t, q) with derivatives."""
        if given is None:
            return None, 0
        if isinstance(given, Linear):
            if given.A.shape[1] != self.n:
                raise input_error(name, f"A has {given.A.shape[1]} columns",
                                  f"the system has {self.n} coordinates")
            return {"A": given.A, "b": given.b}, len(given.A)
        if not callable(given):
            raise input_error(name, f"is {type(given).__name__}",
                              "give a function of (t, q) or saltus.Linear(A, b)")
        bits = _argument_bits(name, given, allowed)
        value = self.call(name, given, bits)
        if value.ndim > 1:
            raise input_error(name, f"returned an array of shape {value.shape}",
                              "return one number per row")
        if not np.all(np.isfinite(value)):
            raise input_error(name, "returned nan or inf at the start", "numbers must be finite")
        rows = value.size
        return {"value": (name, given, bits), "rows": rows,
                "jacobian": self.term(f"{name}_jacobian" if name == "constraints" else
                                      f"{name}.normal", jacobian, (rows, self.n), allowed),
                "rate": self.term(f"{name}_rate", rate, (rows,), allowed)}, rows


class Contacts:
    """Unilateral constraints gap(t, q) ≥ 0, many at a time, with friction and restitution.

    gap: function of (t, q) → (c,) [m], or Linear. normal: its derivative by q, (c, n); by differences
    if not given. tangent: the directions of slip as rows on v, (c, n) in the plane or (c, 2, n) in
    space; without it the contacts are frictionless. friction, restitution, restitution_tangential:
    a number or one per contact. rate: ∂gap/∂t (c,) [m/s], by differences if gap takes t. drift: slip
    at v = 0, (c, d−1) [m/s], for belts. point: (c, 3) [m], for drawings. name or names: for channels.
    """

    def __init__(self, gap, *, normal=None, tangent=None, friction=0.0, restitution=0.0,
                 restitution_tangential=0.0, rate=None, drift=None, point=None, name="contact",
                 names=None):
        self.gap, self.normal, self.tangent = gap, normal, tangent
        self.friction, self.restitution = friction, restitution
        self.restitution_tangential = restitution_tangential
        self.rate, self.drift, self.point = rate, drift, point
        self.name, self.names = name, names

    def _spec(self, terms):
        where = f"contacts {self.name!r}"
        gap, count = terms.function(f"{where}.gap", self.gap, self.normal, self.rate)
        if gap is None or count == 0:
            raise input_error(f"{where}.gap", "gives no number", "return one gap per contact")
        dimension, tangent = 1, None
        if self.tangent is not None:
            sample = self.tangent
            if callable(sample):
                bits = _argument_bits(f"{where}.tangent", sample, ("t", "q"))
                sample = terms.call(f"{where}.tangent", sample, bits)
            dimension = 3 if np.ndim(sample) == 3 else 2
            shape = (count, terms.n) if dimension == 2 else (count, 2, terms.n)
            tangent = terms.term(f"{where}.tangent", self.tangent, shape, ("t", "q"))
        elif np.any(np.asarray(self.friction) != 0):
            raise input_error(f"{where}.friction", "is given without directions of slip",
                              "give tangent=, the rows of the slip velocity")

        def numbers(name, value, low, high):
            array = as_array(f"{where}.{name}", value)
            if array.shape not in ((), (count,)):
                raise input_error(f"{where}.{name}", f"has shape {array.shape}",
                                  f"give a number, or one for each of the {count} contacts")
            array = np.array(np.broadcast_to(array, (count,)))
            if not np.all((array >= low) & (array <= high)):
                raise input_error(f"{where}.{name}", f"is {value}", f"must be in [{low}, {high}]")
            return array

        names = self.names
        if names is None:
            names = [self.name] if count == 1 else [f"{self.name}-{c}" for c in range(count)]
        if len(names) != count:
            raise input_error(f"{where}.names", f"has {len(names)} names",
                              f"there are {count} contacts")
        return {"gap": gap, "dimension": dimension, "tangent": tangent,
                "drift": terms.term(f"{where}.drift", self.drift, (count, dimension - 1),
                                    ("t", "q")),
                "point": terms.term(f"{where}.point", self.point, (count, 3), ("t", "q")),
                "friction": numbers("friction", self.friction, 0, np.inf),
                "restitution": numbers("restitution", self.restitution, 0, 1),
                "restitution_tangential": numbers("restitution_tangential",
                                                  self.restitution_tangential, -1, 1),
                "names": [str(name) for name in names]}


class LagrangianSystem:
    """A mechanical system with nq generalized coordinates, from constants and Python functions.

    mass: (n, n), or (n,) for a diagonal matrix, or a function of q.
    force: (n,), or a function of (t, q, v): all applied, elastic and gyroscopic forces.
    constraints: function of (t, q) → (m,), or Linear(A, b); constraints_jacobian (m, n),
        constraints_rate ∂g/∂t (m,), constraints_bias γ in g̈ = G v̇ + γ (m,): by differences if
        not given.
    contacts: a Contacts, or a list of them.
    energy: function of (t, q, v) → V, or (T, V), or (T, V, elastic) [J]. Without it all of `force`
        counts as work of loads in the energy ledger. With it, `loads` is the part of the force that
        does not derive from the energy (dampers, motors); none if not given.
    stiffness −∂f/∂q and damping −∂f/∂v: (n, n) or functions; by differences if not given.
    q0, v0: the start (zero if not given). names: of the coordinates, for channels NAME.q, NAME.v.
    check: True compares every derivative that was given with differences (``check_jacobians``).

    >>> ball = LagrangianSystem(1, mass=1.0, force=[-9.81], q0=[1.0], energy=lambda q: 9.81*q[0],
    ...                         contacts=Contacts(Linear([[1.0]]), restitution=0.9, name="floor"))
    >>> result = saltus.simulate(ball, step=0.005, until=1)
    """

    def __init__(self, nq, *, mass, force=None, constraints=None, contacts=(), energy=None,
                 loads=None, stiffness=None, damping=None, constraints_jacobian=None,
                 constraints_rate=None, constraints_bias=None, q0=None, v0=None, names=None,
                 constraint_names=None, name="user system", check=False):
        if not isinstance(nq, (int, np.integer)) or nq < 1:
            raise input_error("nq", f"is {nq!r}", "the number of coordinates, at least 1")
        n = int(nq)
        self.nq, self.name = n, name
        self.q0 = self._start("q0", q0, n)
        self.v0 = self._start("v0", v0, n)
        terms = _Terms(n, self.q0, self.v0)
        every = ("t", "q", "v")
        spec = {"q0": self.q0, "v0": self.v0}
        spec["mass"] = terms.term("mass", mass, (n, n), ("q",), diagonal=True)
        self._check_mass(spec["mass"], terms)
        spec["force"] = terms.term("force", 0.0 if force is None else force, (n,), every)
        spec["stiffness"] = terms.term("stiffness", stiffness, (n, n), every)
        spec["damping"] = terms.term("damping", damping, (n, n), every)
        spec["loads"] = terms.term("loads", loads, (n,), every)
        spec["loads_are_force"] = energy is None
        spec["constraints"], rows = terms.function("constraints", constraints,
                                                   constraints_jacobian, constraints_rate)
        spec["bias"] = terms.term("constraints_bias", constraints_bias, (rows,), every)
        spec["contacts"] = self._contacts(contacts, terms)
        spec["energy_size"], spec["energy"] = self._energy(energy, terms, every)
        spec["names"] = self._names("names", names, n, "q")
        spec["constraint_names"] = self._names("constraint_names", constraint_names, rows, "g")
        self._spec = spec  # keeps the functions alive
        self._core = _core.LagrangianSystem(spec)
        if check:  # also where no velocity is zero, so that no term vanishes
            self.check_jacobians()
            self.check_jacobians(v=self.v0 + 0.1 + 0.05 * np.arange(n) / n)

    @staticmethod
    def _start(name, value, n):
        array = np.zeros(n) if value is None else as_array(name, value).reshape(-1)
        if array.shape != (n,) or not np.all(np.isfinite(array)):
            raise input_error(name, f"is {value}", f"give {n} finite numbers")
        return array

    @staticmethod
    def _check_mass(mass, terms):
        if mass is None:
            raise input_error("mass", "is missing", "give a constant matrix or a function of q")
        matrix = mass
        if isinstance(mass, tuple):
            matrix = terms.call("mass", mass[1], mass[2])
            matrix = np.diag(matrix) if matrix.ndim == 1 else np.atleast_2d(matrix)
        if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=1e-12 * np.abs(matrix).max()):
            raise input_error("mass", "is not symmetric", "M = Mᵀ")
        if not np.all(np.linalg.eigvalsh(matrix) > 0):
            raise input_error("mass", "is not positive definite", "all its eigenvalues are > 0")

    @staticmethod
    def _contacts(contacts, terms):
        groups = contacts if isinstance(contacts, (list, tuple)) else [contacts]
        for group in groups:
            if not isinstance(group, Contacts):
                raise input_error("contacts", f"is {group!r}",
                                  "give saltus.Contacts(gap, …) or a list of them")
        specs = [group._spec(terms) for group in groups]
        names = [name for spec in specs for name in spec["names"]]
        for name in names:
            if names.count(name) > 1:
                raise input_error("contacts", f"two are called {name!r}", "give them names: "
                                  "saltus.Contacts(…, name=…)")
        return specs

    @staticmethod
    def _energy(energy, terms, every):
        if energy is None:
            return 0, None
        if not callable(energy):
            raise input_error("energy", f"is {type(energy).__name__}",
                              "give a function of (t, q, v)")
        bits = _argument_bits("energy", energy, every)
        size = terms.call("energy", energy, bits).size
        if size not in (1, 2, 3):
            raise input_error("energy", f"returned {size} numbers",
                              "return V, or (T, V), or (T, V, elastic)")
        return size, ("energy", energy, bits)

    @staticmethod
    def _names(item, names, count, letter):
        if names is None:
            return [f"{letter}{i}" for i in range(count)]
        names = [str(name) for name in names]
        if len(names) != count or len(set(names)) != count:
            raise input_error(item, f"are {names}", f"give {count} different names")
        return names

    def check_jacobians(self, t=0.0, q=None, v=None, tolerance=1e-5):
        """Compares every Jacobian that was given with central differences at (t, q, v).

        Returns {name: largest error relative to the largest entry}; raises InputError with the
        name and the entry if one exceeds the tolerance. The start is taken for q and v if not given.
        """
        q = self.q0 if q is None else np.asarray(q, dtype=float)
        v = self.v0 if v is None else np.asarray(v, dtype=float)

        def evaluate(term, t, q, v):
            if not isinstance(term, tuple):
                return np.asarray(term)
            values = {"t": t, "q": q.copy(), "v": v.copy()}
            arguments = [values[a] for a, bit in _BITS.items() if term[2] & bit]
            return np.asarray(term[1](*arguments), dtype=float)

        def difference(function, x):
            columns = []
            for i in range(len(x)):
                step = np.cbrt(np.finfo(float).eps) * max(1.0, abs(x[i]))
                plus, minus = x.copy(), x.copy()
                plus[i] += step
                minus[i] -= step
                columns.append((np.ravel(function(plus)) - np.ravel(function(minus))) / (2 * step))
            return np.array(columns).T

        spec, errors = self._spec, {}

        def compare(name, given, expected, floor=1e-300):
            given = np.asarray(given).reshape(expected.shape)
            scale = max(np.abs(expected).max(initial=0), np.abs(given).max(initial=0), floor)
            error = np.abs(given - expected) / scale
            errors[name] = float(error.max(initial=0))
            if errors[name] > tolerance:
                row, column = np.unravel_index(error.argmax(), error.shape)
                raise input_error(name, f"entry ({row}, {column}) is {given[row, column]:.9g}, "
                                  f"differences give {expected[row, column]:.9g}",
                                  f"relative error {errors[name]:.1e} > {tolerance:g}")

        def compare_function(name, function):
            if function is None or "A" in function:
                return
            value, jacobian, rate = (function[k] for k in ("value", "jacobian", "rate"))
            if jacobian is not None:
                compare(f"{name}_jacobian" if name == "constraints" else f"{name}.normal",
                        evaluate(jacobian, t, q, v),
                        difference(lambda x: evaluate(value, t, x, v), q))
            if rate is not None:
                compare(f"{name}_rate", evaluate(rate, t, q, v).reshape(-1, 1),
                        difference(lambda s: evaluate(value, s[0], q, v), np.array([float(t)])))

        def compare_bias():
            """γ = d²g(t + s, q + s v)/ds² at s = 0: a second difference, good to 1e-6."""
            if "A" in spec["constraints"]:
                second = np.zeros(len(spec["constraint_names"]))
            else:
                step = np.finfo(float).eps ** 0.25 / max(1.0, np.abs(v).max())
                value = spec["constraints"]["value"]
                before, here, after = (np.ravel(evaluate(value, t + s, q + s * v, v))
                                       for s in (-step, 0.0, step))
                second = (before - 2 * here + after) / step**2
            compare("constraints_bias", evaluate(spec["bias"], t, q, v).reshape(-1, 1),
                    second.reshape(-1, 1), floor=1.0)

        force = spec["force"]
        if spec["stiffness"] is not None:
            compare("stiffness", evaluate(spec["stiffness"], t, q, v),
                    -difference(lambda x: evaluate(force, t, x, v), q))
        if spec["damping"] is not None:
            compare("damping", evaluate(spec["damping"], t, q, v),
                    -difference(lambda x: evaluate(force, t, q, x), v))
        compare_function("constraints", spec["constraints"])
        if spec["bias"] is not None:
            compare_bias()
        for group in spec["contacts"]:
            gap = group["gap"]
            compare_function(gap["value"][0] if "value" in gap else "gap", gap)
        return errors

    def __repr__(self):
        rows = len(self._spec["constraint_names"])
        contacts = sum(len(group["names"]) for group in self._spec["contacts"])
        return (f"<saltus.LagrangianSystem {self.name!r}: {self.nq} coordinates, {rows} constraints, "
                f"{contacts} contacts>")
