"""Contact problems: exact single contacts, matrices of all kinds, FCLib files."""

import os
import pathlib
import tempfile
import unittest

import numpy as np

import saltus
from common import SOURCE, ball_scene

# Exact solution of one sliding contact (shared/reference/README.md, FrictionContact3D_1c).
W = np.array([[15.0, -1, -2], [-1, 14, 1], [-2, 1, 16]])
Q = np.array([-1.0, 2, 3])
R = [0.0656956828977, -0.0036786149068, -0.0054430708136]


class Solving(unittest.TestCase):
    def test_single_contact(self):
        solution = saltus.solve_contact(W, Q, 0.1, tolerance=1e-12)
        np.testing.assert_allclose(solution.r, R, atol=1e-12)
        np.testing.assert_allclose(solution.u, W @ solution.r + Q, atol=1e-14)
        self.assertTrue(solution.converged)
        self.assertLess(solution.residual, 1e-12)

    def test_many_contacts_dense_and_sparse(self):
        """Unit problem W = I: r = (1, −0.0316…, −0.0948…) for each contact."""
        from scipy.sparse import coo_matrix, csc_matrix, identity
        q = np.tile([-1.0, 1.0, 3.0], 5)
        exact = np.tile([1, -0.0316227766, -0.0948683298], 5)
        for matrix in (np.eye(15), csc_matrix(np.eye(15)), identity(15),
                       coo_matrix((np.full(30, 0.5), (np.arange(30) % 15, np.arange(30) % 15)))):
            solution = saltus.solve_contact(matrix, q, 0.1)
            np.testing.assert_allclose(solution.r, exact, atol=1e-9)

    def test_dimensions(self):
        normal = saltus.solve_contact([[2.0, 1.0], [1.0, 2.0]], [-1.0, 1.0], 0, dimension=1)
        np.testing.assert_allclose(normal.r, [0.5, 0], atol=1e-12)
        plane = saltus.solve_contact(np.eye(2), [-1.0, 0.2], [0.1])
        self.assertEqual(plane.dimension, 2)
        np.testing.assert_allclose(plane.r, [1.0, -0.1], atol=1e-12)

    def test_all_solvers(self):
        for name in saltus.solvers():
            with self.subTest(solver=name):
                solution = saltus.solve_contact(W, Q, 0.1, solver=name, max_iterations=100000)
                if solution.status.startswith("unsupported") or "support" in solution.status:
                    continue
                if solution.converged:
                    np.testing.assert_allclose(solution.r, R, atol=1e-6)

    def test_rolling_and_spinning(self):
        """W = I decouples the groups: r_N = 1, and each moment opposes its velocity, as large as it
        must be to stop it (0.1) or as its bound allows."""
        q = [-1.0, 0.3, 0.0, 0.1, 0.0, 0.5]
        held = saltus.solve_contact(np.eye(6), q, mu=0.4, rolling=0.2, spinning=0.05)
        np.testing.assert_allclose(held.r, [1, -0.3, 0, -0.1, 0, -0.05], atol=1e-8)
        np.testing.assert_allclose(held.u, [0, 0, 0, 0, 0, 0.45], atol=1e-8)
        rolls = saltus.solve_contact(np.eye(5), q[:5], mu=0.4, rolling=0.04)
        np.testing.assert_allclose(rolls.r, [1, -0.3, 0, -0.04, 0], atol=1e-8)
        plane = saltus.solve_contact(np.eye(3), [-1, 0.3, 0.1], mu=0.4, rolling=0.04, dimension=3)
        np.testing.assert_allclose(plane.r, [1, -0.3, -0.04], atol=1e-8)
        with self.assertRaisesRegex(saltus.InputError, "rolling: is -1"):
            saltus.solve_contact(np.eye(5), q[:5], rolling=-1)

    def test_other_laws(self):
        """Answers by hand: W = I, one contact that separates or slides."""
        W = np.eye(3)
        bond = saltus.solve_contact(W, [0.5, 0, 0], 0.3, cohesion=2.0)  # holds: u = 0
        np.testing.assert_allclose(bond.r, [-0.5, 0, 0], atol=1e-9)
        broken = saltus.solve_contact(W, [5.0, 0, 0], 0.3, cohesion=2.0)
        np.testing.assert_allclose(broken.r, [-2, 0, 0], atol=1e-9)
        soft = saltus.solve_contact(W, [-1.0, 0, 0], 0.3, compliance=[1.0, 0, 0])
        np.testing.assert_allclose(soft.r, [0.5, 0, 0], atol=1e-9)
        np.testing.assert_allclose(soft.u, [0, 0, 0], atol=1e-9)
        slip = saltus.solve_contact(W, [-1.0, 3.0, 0], 0.1)
        np.testing.assert_allclose(slip.r, [1, -0.1, 0], atol=1e-9)
        # The projection of −q on the cone: opens by μ|u_T|.
        convex = saltus.solve_contact(W, [-1.0, 3.0, 0], 0.1, associated=True)
        np.testing.assert_allclose(convex.r, np.array([1, -0.1, 0]) * 1.3 / 1.01, atol=1e-8)
        self.assertAlmostEqual(convex.u[0], 0.1 * convex.u[1], places=8)
        pyramid = saltus.solve_contact(W, [-1.0, 3.0, 0], 0.1, facets=4)
        np.testing.assert_allclose(np.abs(pyramid.r[:2]), [1, 0.1], atol=0.1 * (1 - np.sqrt(0.5)))
        with self.assertRaisesRegex(saltus.InputError, "facets"):
            saltus.solve_contact(W, [-1.0, 3.0, 0], 0.1, facets=2)
        with self.assertRaisesRegex(saltus.InputError, "compliance"):
            saltus.solve_contact(W, [-1.0, 3.0, 0], 0.1, compliance=[1.0])

    def test_solver_with_options(self):
        solution = saltus.solve_contact(W, Q, 0.1, solver=saltus.Solver("nsgs", tolerance=1e-13))
        self.assertLess(solution.residual, 1e-13)

    def test_errors(self):
        for arguments, message in (((W[:2], Q), "W: has shape"), ((W, Q[:2]), "W: has shape"),
                                   ((W, Q, -1), "mu: is -1"), ((W * np.nan, Q), "W: holds nan"),
                                   ((np.eye(4), np.ones(4)), "q: has 4 numbers")):
            with self.assertRaisesRegex(saltus.InputError, message):
                saltus.solve_contact(*arguments)
        for options, message in ((dict(tolerance=-1), "tolerance: is -1"),
                                 (dict(tolerance=np.nan), "tolerance: is nan"),
                                 (dict(max_iterations=0), "max_iterations: is 0"),
                                 (dict(max_iterations=1.5), "max_iterations: is 1.5"),
                                 (dict(r0=[1, 2]), "r0: has 2 numbers"),
                                 (dict(r0=[np.nan] * 3), "r0: holds nan"),
                                 (dict(mu=[0.5, 0.5]), r"mu: has shape \(2,\)"),
                                 (dict(mu="x"), "mu: is 'x'")):
            with self.subTest(message), self.assertRaisesRegex(saltus.InputError, message):
                saltus.solve_contact(W, Q, **options)
        with self.assertRaisesRegex(saltus.InputError, "r: has 2 numbers"):
            saltus.ContactProblem(W, Q, 0.1).residual([1, 2])
        with self.assertRaisesRegex(saltus.InputError, "nsgs"):
            saltus.solve_contact(W, Q, 0.1, solver="nsg")


class Files(unittest.TestCase):
    def test_round_trip(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one.hdf5")
            problem = saltus.ContactProblem(W, Q, 0.1)
            problem.write(path)
            again = saltus.ContactProblem.read(path)
            np.testing.assert_array_equal(np.asarray(again.matrix().todense()), W)
            np.testing.assert_array_equal(again.q, Q)
            np.testing.assert_array_equal(again.mu, [0.1])
            self.assertLess(again.residual(R), 1e-9)

    def test_problems_of_a_run(self):
        """What the steps of a run solve, stored and solved again: the impulse of the impact."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            result = saltus.simulate(ball_scene(), output=path, dump_problems="all")
            files = sorted(pathlib.Path(folder).glob("ball_problem_*.h5"))
            self.assertTrue(files)
            impulse = result.events[0].value
            again = saltus.ContactProblem.read(files[0]).solve(tolerance=1e-12)
            self.assertAlmostEqual(again.r[0] / impulse, 1, delta=1e-9)
            with self.assertRaisesRegex(saltus.InputError, "did you mean 'slow'"):
                saltus.Simulation(ball_scene(), output=path, dump_problems="slo")
        with self.assertRaisesRegex(saltus.InputError, "dump_problems: has no place"):
            saltus.Simulation(ball_scene(), dump_problems="all")

    def test_reference_files(self):
        folder = pathlib.Path(os.environ.get("SALTUS_REFERENCE", SOURCE / ".." / "shared" /
                                             "reference"), "fclib")
        if not folder.is_dir():
            self.skipTest(f"no reference files in {folder}")
        files = sorted(folder.glob("*1c*")) + sorted(folder.glob("*over11035*"))
        self.assertTrue(files)
        exact = {"FrictionContact3D_1c": R,
                 "Rover11035": [3.8555649261285, 1.0750793188766, 2.4755284484174]}
        for path in files:
            for name, r in exact.items():
                if name in path.name:
                    solution = saltus.ContactProblem.read(path).solve(tolerance=1e-12)
                    np.testing.assert_allclose(solution.r, r, rtol=1e-9)


if __name__ == "__main__":
    unittest.main()
