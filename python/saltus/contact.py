"""Contact problems without mechanics: u = W r + q with Coulomb friction, solved as such."""

import os

import numpy as np

from . import _core
from .errors import as_array, check_number, input_error


class ContactSolution:
    """What a solver found.

    r: impulses [N s], u = W r + q: relative velocities [m/s], both per contact N, T1, T2; converged;
    status; iterations; residual: relative natural-map residual, computed outside the solver;
    worst_contact: the one with the largest share in it.
    """

    def __init__(self, values, dimension):
        (self.r, self.u, self.status, self.converged, self.iterations, self.residual,
         self.absolute_residual, self.worst_contact) = values
        self.dimension = dimension

    def __repr__(self):
        return (f"<saltus.ContactSolution {self.status}: {len(self.r) // self.dimension} contacts, "
                f"{self.iterations} iterations, residual {self.residual:.1e}>")


def _as_csr(W):
    """indptr, columns and values of a dense or scipy matrix in compressed rows."""
    if hasattr(W, "tocsr"):
        W = W.tocsr(copy=True)
        W.sum_duplicates()
        return W.shape, W.indptr, W.indices, W.data
    W = as_array("W", W)
    if W.ndim != 2:
        raise input_error("W", f"has shape {W.shape}", "give a square matrix")
    rows, columns = np.nonzero(W)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=W.shape[0]))])
    return W.shape, indptr, columns, W[rows, columns]


def _coefficients(name, given, count):
    """One number ≥ 0 for each contact."""
    given = as_array(name, given)
    if given.shape not in ((), (count,)):
        raise input_error(name, f"has shape {given.shape}",
                          f"give a number, or {count} of them: one for each contact (compliance: row)")
    if not np.all(np.isfinite(given)):
        raise input_error(name, "holds nan or inf", "numbers must be finite")
    if np.any(given < 0):
        raise input_error(name, f"is {given.min()}", "coefficients are ≥ 0")
    return np.array(np.broadcast_to(given, (count,)))


class ContactProblem:
    """u = W r + q,  K_μ* ∋ u + μ|u_T| n ⟂ r ∈ K_μ for each contact.

    W: (c·d, c·d) numpy or scipy matrix [1/kg]; q: (c·d,) [m/s]; mu: (c,) or a number; d = 3 rows per
    contact N, T1, T2 (2 in the plane; 1: frictionless). ``read`` and ``write`` use FCLib's files.

    rolling and spinning [m]: bounds of the moments |m_R| ≤ rolling·r_N and |m_S| ≤ spinning·r_N, (c,)
    or numbers. The rows of a contact are then, by its dimension d: 3: N, T, R (in the plane);
    4: N, T1, T2, S; 5: N, T1, T2, R1, R2; 6: N, T1, T2, R1, R2, S.

    Other laws, never chosen silently: cohesion [N s], (c,) or a number: bonds that pull until
    r_N = −cohesion, |r_T| ≤ μ (r_N + cohesion). compliance [1/kg], (c·d,) or a number, added to the
    diagonal of W: u = (W + C) r + q. facets ≥ 3: a friction pyramid instead of the cone (d = 3).
    associated: the convex relaxation, whose sliding contacts open by μ|u_T|: not Coulomb's law.
    """

    def __init__(self, W, q, mu=0.0, dimension=None, rolling=None, spinning=None, *, cohesion=0.0,
                 compliance=0.0, facets=0, associated=False):
        q = as_array("q", q).reshape(-1)
        shape, indptr, columns, values = _as_csr(W)
        if shape != (len(q), len(q)):
            raise input_error("W", f"has shape {shape}", f"q has {len(q)} numbers: W must be square "
                              "of that size")
        mu = as_array("mu", mu)
        rolls = rolling is not None or spinning is not None
        usual = 3 if not rolls else 4 if rolling is None else 5 if spinning is None else 6
        if dimension is None:
            dimension = len(q) // mu.size if mu.ndim == 1 and mu.size else usual
        allowed = (3, 4, 5, 6) if rolls else (1, 2, 3)
        if dimension not in allowed or len(q) % dimension:
            raise input_error("q", f"has {len(q)} numbers in contacts of dimension {dimension}",
                              f"{allowed[0]} to {allowed[-1]} numbers per contact")
        count = len(q) // dimension
        for name, numbers in (("W", values), ("q", q)):
            if not np.all(np.isfinite(numbers)):
                raise input_error(name, "holds nan or inf", "numbers must be finite")
        mu = _coefficients("mu", mu, count)
        moments = [_coefficients(name, 0.0 if given is None else given, count if rolls else 0)
                   for name, given in (("rolling", rolling), ("spinning", spinning))]
        self._core = _core.ContactProblem(indptr, columns, values, q, mu, dimension, *moments)
        check_number("facets", facets, 0, 1000, whole=True)
        if facets and (facets < 3 or dimension != 3 or rolls):
            raise input_error("facets", f"is {facets} in contacts of dimension {dimension}",
                              "a pyramid has 3 facets or more, and its contacts have rows N, T1, T2")
        elastic = np.any(as_array("compliance", compliance))
        self._core.set_laws(_coefficients("cohesion", cohesion, count),
                            _coefficients("compliance", compliance, len(q)) if elastic else [],
                            int(facets), bool(associated))

    @classmethod
    def read(cls, path):
        """A local problem from an FCLib file (HDF5)."""
        problem = cls.__new__(cls)
        problem._core = _core.ContactProblem.read(os.fspath(path))
        return problem

    def write(self, path):
        """Writes an FCLib file."""
        self._core.write(os.fspath(path))

    @property
    def q(self):
        """Velocities without impulses [m/s]."""
        return self._core.q

    @property
    def mu(self):
        """Friction coefficient of each contact."""
        return self._core.mu

    @property
    def dimension(self):
        """Rows per contact."""
        return self._core.dimension

    def matrix(self):
        """W as a scipy sparse matrix, or as a dense array where scipy is missing."""
        indptr, columns, values = self._core.matrix()
        n = len(indptr) - 1
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            W = np.zeros((n, n))
            W[np.repeat(np.arange(n), np.diff(indptr)), columns] = values
            return W
        return csr_matrix((values, columns, indptr), shape=(n, n))

    def residual(self, r):
        """Relative natural-map residual of impulses r."""
        return self._core.residual(self._impulses("r", r))

    def _impulses(self, name, values):
        array = as_array(name, values).reshape(-1)
        if array.size != len(self.q) or not np.all(np.isfinite(array)):
            raise input_error(name, f"has {array.size} numbers" if array.size != len(self.q)
                              else "holds nan or inf", f"give {len(self.q)} finite numbers")
        return array

    def solve(self, solver="auto", *, tolerance=1e-9, max_iterations=1000, r0=None):
        """Solves it: solver (``saltus.solvers()``, or a saltus.Solver with its own tolerance and
        max_iterations), tolerance on the residual, in (0, 1], start r0 [N s]."""
        if isinstance(solver, dict):
            tolerance = solver.get("tolerance", tolerance)
            max_iterations = solver.get("max_iterations", max_iterations)
            solver = solver.get("name", "auto")
        check_number("tolerance", tolerance, np.nextafter(0, 1), 1)
        check_number("max_iterations", max_iterations, 1, 10**8, whole=True)
        start = np.zeros(len(self.q)) if r0 is None else self._impulses("r0", r0)
        return ContactSolution(self._core.solve(solver, tolerance, max_iterations, start),
                               self.dimension)


def solve_contact(W, q, mu=0.0, *, dimension=None, rolling=None, spinning=None, cohesion=0.0,
                  compliance=0.0, facets=0, associated=False, solver="auto", tolerance=1e-9,
                  max_iterations=1000, r0=None):
    """Solves u = W r + q with Coulomb friction μ exactly; see ContactProblem, which explains the
    laws, and ContactSolution.

    >>> solution = saltus.solve_contact(W, q, mu=0.3)
    >>> solution.r, solution.u, solution.residual
    """
    problem = ContactProblem(W, q, mu, dimension, rolling, spinning, cohesion=cohesion,
                             compliance=compliance, facets=facets, associated=associated)
    return problem.solve(solver, tolerance=tolerance, max_iterations=max_iterations, r0=r0)
