"""User systems: known solutions, constants and functions, errors that name the function."""

import math
import time
import traceback
import unittest

import numpy as np

import saltus
from common import ball_system

# Those that treat contact of any kind; the others integrate smooth motion, or do without friction.
INTEGRATORS = [name for name in saltus.integrators()
               if not {"first_step", "smooth_solver"} & set(saltus.integrators().options(name))]


class BouncingBall(unittest.TestCase):
    """Reference R1 (shared/reference/README.md)."""

    def test_digits(self):
        """Moreau–Jean, θ = ½, h = 0.005: the digits of an independent implementation."""
        result = saltus.simulate(ball_system(), step=0.005, until=1, theta=0.5)
        self.assertAlmostEqual(result.q[-1, 0], 0.7140385, places=12)
        self.assertAlmostEqual(result.v[-1, 0], -1.3734, places=12)
        first = result.events[0]
        self.assertEqual((first.kind, first.name), ("impact", "floor"))
        self.assertAlmostEqual(first.value, 8.4366, places=12)
        self.assertLess(abs(result.audit["energy_closure"]), 1e-14)

    def test_functions_equal_constants(self):
        """The same numbers, bit for bit, whether terms are constants or functions."""
        functions = ball_system(
            mass=lambda q: [[1.0]], force=lambda t, q, v: np.array([-9.81]),
            contacts=saltus.Contacts(lambda q: q, normal=lambda q: [[1.0]], restitution=0.9))
        a = saltus.simulate(ball_system(), step=0.005, until=2)
        b = saltus.simulate(functions, step=0.005, until=2)
        np.testing.assert_array_equal(a.q, b.q)
        np.testing.assert_array_equal(a.v, b.v)

    def test_equals_the_scene(self):
        """The same ball as bodies and shapes of a scene."""
        scene = saltus.Scene(gravity=[0, 0, -9.81])
        scene.materials["m"] = saltus.Material(restitution=0.9, friction=0)
        scene.bodies["ball"] = saltus.Body(mass=1, inertia=[1, 1, 1], position=[0, 0, 1.5],
                                           shapes=[saltus.Sphere(radius=0.5, material="m")])
        scene.ground.shapes.append(saltus.HalfSpace(material="m"))
        bodies = saltus.simulate(scene, step=0.005, until=2)
        equations = saltus.simulate(ball_system(), step=0.005, until=2)
        np.testing.assert_allclose(bodies["ball.position.z"] - 0.5, equations["q0.q"], atol=1e-12)

    def test_every_integrator_runs_it(self):
        """Free fall is exact or nearly so for all; those with an impact law also bounce."""
        for name in saltus.integrators():
            with self.subTest(integrator=name):
                fall = saltus.simulate(ball_system(), step=1e-3, until=0.4, integrator=name)
                self.assertTrue(fall.finished, fall.outcome)
                self.assertAlmostEqual(fall.q[-1, 0], 1 - 9.81 * 0.08, delta=1e-3)
                if name not in ("moreau-jean", "nonsmooth-alpha", "event-driven"):
                    continue
                result = saltus.simulate(ball_system(), step=1e-3, until=1, integrator=name)
                # First order in the time of the impact; exact: R1.
                self.assertTrue(result.finished, result.outcome)
                self.assertAlmostEqual(result.q[-1, 0], 0.7109491443330, delta=0.02)


class AnyIntegrator(unittest.TestCase):
    """Constraints, contact and friction from Python under every integrator that there is, with
    constant and with adaptive steps. Bounds: a few times h = 1e-3, the order of the simplest ones."""

    STEPS = ({}, {"adaptive": {"tolerance": 1e-5}})

    def test_constraints_and_impact(self):
        """A pendulum falls from the horizontal, |v|² = 2 g (−y) until it hits a wall at x = −0.3."""
        for name in INTEGRATORS:
            for steps in self.STEPS:
                with self.subTest(integrator=name, **steps):
                    elastic = name == "energy-momentum"
                    system = saltus.LagrangianSystem(
                        2, mass=1.0, force=[0, -9.81], q0=[-1.0, 0], constraints=lambda q: q @ q - 1,
                        contacts=saltus.Contacts(lambda q: [-0.3 - q[0]],
                                                 restitution=1 if elastic else 0.5))
                    result = saltus.simulate(system, integrator=name, step=1e-3, until=0.7, **steps)
                    self.assertTrue(result.finished, result.outcome)
                    self.assertLess(result.audit["max_constraint"], 1e-8)
                    before = result.q[:, 0] < -0.35
                    before[np.argmin(before):] = False
                    self.assertGreater(before.sum(), 300)
                    speed = (result.v**2).sum(axis=1)[before]
                    np.testing.assert_allclose(speed, -2 * 9.81 * result.q[before, 1], atol=0.05)
                    self.assertLess(result.q[:, 0].max(), -0.3 + 5e-3)

    def test_friction(self):
        """A block slides to rest: v0 − μ g t, then nothing."""
        for name in INTEGRATORS:
            for steps in self.STEPS:
                with self.subTest(integrator=name, **steps):
                    system = saltus.LagrangianSystem(
                        2, mass=1.0, force=lambda t, q, v: [0, -9.81], v0=[1.0, 0],
                        contacts=saltus.Contacts(lambda q: q[1:], tangent=[[1.0, 0]], friction=0.5))
                    try:
                        result = saltus.simulate(system, integrator=name, step=1e-3, until=0.3,
                                                 **steps)
                    except saltus.InputError as error:  # one that treats no friction says so
                        self.assertRegex(str(error), f"friction.*{name} cannot")
                        continue
                    self.assertTrue(result.finished, result.outcome)
                    exact = np.maximum(1 - 0.5 * 9.81 * result.time, 0)
                    # A two-step scheme starts anew wherever the step changes.
                    np.testing.assert_allclose(result.v[:, 0], exact, atol=0.05 if steps else 0.02)


def four_bar(**given):
    """A four-bar in three angles, with l2 = √0.13."""
    l1, l2, l3, d = 0.3, math.sqrt(0.13), 0.4, 0.7
    m, grav, tau = 1.0, 9.81, 6.0
    i1, i2, i3 = (m * x * x / 12 for x in (l1, l2, l3))

    def mass(q):
        c = m * l1 * l2 / 2 * math.cos(q[0] - q[1])
        return np.array([[i1 + m * l1**2 / 4 + m * l1**2, c, 0], [c, i2 + m * l2**2 / 4, 0],
                         [0, 0, i3 + m * l3**2 / 4]])

    def force(q, v):
        s = m * l1 * l2 / 2 * math.sin(q[1] - q[0])
        return np.array([-(m / 2 + m) * l1 * grav * math.cos(q[0]) + s * v[1]**2 + tau,
                         -m * grav * l2 / 2 * math.cos(q[1]) - s * v[0]**2,
                         -m * grav * l3 / 2 * math.cos(q[2])])

    def closure(q):
        return np.array([l1 * math.cos(q[0]) + l2 * math.cos(q[1]) - l3 * math.cos(q[2]) - d,
                         l1 * math.sin(q[0]) + l2 * math.sin(q[1]) - l3 * math.sin(q[2])])

    phi2 = math.atan2(0.4 * math.sin(2 * math.pi / 3) - 0.3 * math.sin(math.pi / 3),
                      d + 0.4 * math.cos(2 * math.pi / 3) - 0.3 * math.cos(math.pi / 3))
    return saltus.LagrangianSystem(3, mass=mass, force=force, constraints=closure,
                                   q0=[math.pi / 3, phi2, 2 * math.pi / 3],
                                   names=["phi1", "phi2", "phi3"], **given)


def four_bar_jacobian(q):
    l1, l2, l3 = 0.3, math.sqrt(0.13), 0.4
    s, c = np.sin(q), np.cos(q)
    return np.array([[-l1 * s[0], -l2 * s[1], l3 * s[2]], [l1 * c[0], l2 * c[1], -l3 * c[2]]])


class FourBar(unittest.TestCase):
    """Reference states at t = 0.5 s and 1 s."""

    Q_HALF = [-0.664296630, -0.536415256, 4.317503423]
    Q_ONE = [1.558265824, -0.491232251, 2.810850592]

    def check_order_two(self, integrator, jacobian=four_bar_jacobian, **options):
        """Fitted over six steps; and the limit, extrapolated from the last two, has the nine digits
        of the reference up to the term of order 3 or 4 that is left."""
        steps, ends = [0.5 / n for n in (50, 100, 200, 400, 800, 1600)], []
        for h in steps:
            system = four_bar(constraints_jacobian=jacobian)
            result = saltus.simulate(system, step=h, until=0.5, integrator=integrator, **options)
            self.assertTrue(result.finished, result.outcome)
            ends.append(result.q[-1])
        errors = [np.abs(q - self.Q_HALF).max() for q in ends]
        order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        self.assertGreater(order, 1.9, errors)
        self.assertLess(order, 2.2, errors)
        self.assertLess(errors[-1], 2e-5)
        np.testing.assert_allclose((4 * ends[-1] - ends[-2]) / 3, self.Q_HALF, atol=1e-7)

    def test_moreau_jean(self):
        self.check_order_two("moreau-jean")

    def test_jacobian_by_differences(self):
        self.check_order_two("moreau-jean", jacobian=None)

    @unittest.skipUnless("nonsmooth-alpha" in INTEGRATORS, "nonsmooth-alpha is not there yet")
    def test_nonsmooth_alpha(self):
        self.check_order_two("nonsmooth-alpha", rho_inf=0.8)

    def test_later_state(self):
        system = four_bar(constraints_jacobian=four_bar_jacobian)
        result = saltus.simulate(system, step=2.5e-4, until=1)
        # Order 2 with the constant seen above: a few 1e-5 at this step.
        np.testing.assert_allclose(result.q[-1], self.Q_ONE, atol=2e-4)
        # The multipliers of the reference at t = 1, as means over the last step.
        np.testing.assert_allclose(result.multipliers[-1], [111.550177, -44.099083], rtol=2e-2)
        self.assertLess(result.audit["max_constraint"], 1e-9)
        self.assertEqual(result.coordinates, ["phi1", "phi2", "phi3"])

    def test_check_jacobians(self):
        errors = four_bar(constraints_jacobian=four_bar_jacobian).check_jacobians(v=[1, 2, 3])
        self.assertLess(errors["constraints_jacobian"], 1e-8)
        wrong = four_bar(constraints_jacobian=lambda q: four_bar_jacobian(q) * [1, 1, 1.01])
        with self.assertRaisesRegex(saltus.InputError, r"constraints_jacobian: entry \(0, 2\)"):
            wrong.check_jacobians()


class Friction(unittest.TestCase):
    def test_sliding_and_sticking(self):
        """A block on a plane with μ = 0.5 pushed by F: a = F − μ g if F > μ g, else it stays."""
        for push, acceleration in ((6.0, 6.0 - 0.5 * 9.81), (4.0, 0.0)):
            for function in (False, True):
                tangent = [[1.0, 0.0]]
                contacts = saltus.Contacts(
                    saltus.Linear([[0.0, 1.0]]), tangent=(lambda q: tangent) if function else tangent,
                    friction=0.5)
                system = saltus.LagrangianSystem(2, mass=[1.0, 1.0], force=[push, -9.81],
                                                 contacts=contacts)
                result = saltus.simulate(system, step=0.01, until=1)
                self.assertAlmostEqual(result.v[-1, 0], acceleration, places=9)

    def test_moving_belt(self):
        """A block dropped on a belt of speed 1 m/s ends at that speed."""
        contacts = saltus.Contacts(saltus.Linear([[0.0, 1.0]]), tangent=[[1.0, 0.0]],
                                   drift=[[-1.0]], friction=0.5)
        system = saltus.LagrangianSystem(2, mass=1.0, force=[0, -9.81], contacts=contacts)
        result = saltus.simulate(system, step=0.001, until=0.5)
        self.assertAlmostEqual(result.v[-1, 0], 1.0, places=9)
        self.assertAlmostEqual(result.v[100, 0], 0.1 * 0.5 * 9.81, places=9)

    def test_in_space(self):
        """Three-dimensional slip: friction opposes the direction of sliding."""
        contacts = saltus.Contacts(saltus.Linear([[0, 0, 1.0]]), friction=0.2,
                                   tangent=[[[1.0, 0, 0], [0, 1.0, 0]]])
        system = saltus.LagrangianSystem(3, mass=2.0, force=[0, 0, -2 * 9.81], v0=[3, 4, 0],
                                         contacts=contacts)
        result = saltus.simulate(system, step=0.01, until=1)
        slower = 5 - 0.2 * 9.81
        np.testing.assert_allclose(result.v[-1], [0.6 * slower, 0.8 * slower, 0], atol=1e-9)

    def test_lifting_floor(self):
        """A gap that depends on time carries the ball with it."""
        contacts = saltus.Contacts(lambda t, q: q - 0.5 * t)
        system = saltus.LagrangianSystem(1, mass=1.0, force=[-9.81], contacts=contacts, v0=[0.5])
        result = saltus.simulate(system, step=0.01, until=1)
        self.assertAlmostEqual(result.v[-1, 0], 0.5, places=9)
        self.assertAlmostEqual(result.q[-1, 0], 0.5, places=6)

    def test_speed(self):
        """A planar frictional mechanism with linear constraints: at least 20 000 steps/s."""
        M, f = np.diag([1.0, 1.0, 0.1, 2.0]), np.array([4.0, -9.81, 0, 1.0])
        A = np.array([[0, 0, 1.0, 0], [1.0, 0, 0, -1.0]])
        N = np.array([[0, 1.0, 0.5, 0], [0, 1.0, -0.5, 0]])
        T = np.array([[1.0, 0, 0, 0], [1.0, 0, 0, 0]])
        system = saltus.LagrangianSystem(
            4, mass=lambda q: M, force=lambda t, q, v: f, constraints=lambda q: A @ q,
            constraints_jacobian=lambda q: A, contacts=saltus.Contacts(
                lambda q: N @ q, normal=lambda q: N, tangent=lambda q: T, friction=0.3))
        best = 0
        for _ in range(5):  # time of computing; other work on the machine still costs caches
            start = time.process_time()
            result = saltus.simulate(system, step=1e-3, until=5)
            best = max(best, 5000 / (time.process_time() - start))
            if best >= 20000:
                break
        self.assertAlmostEqual(result.v[-1, 0], 5 * (5 - 0.3 * 9.81) / 3, places=6)
        self.assertGreaterEqual(best, 20000)


class Errors(unittest.TestCase):
    def test_shapes_at_construction(self):
        cases = [(dict(force=lambda q: np.zeros(2)), r"force: returned an array of shape \(2,\)"),
                 (dict(force=np.zeros(2)), r"force: has shape \(2,\)"),
                 (dict(force=[math.nan]), "force: has nan"),
                 (dict(force=lambda t, x: 0), r"force: takes the parameters \(t, x\)"),
                 (dict(mass=[[1.0, 0], [0, 1]]), "mass: has shape"),
                 (dict(mass=[-1.0]), "mass: is not positive definite"),
                 (dict(contacts=saltus.Contacts(lambda q: q, friction=1)), "contact.*friction"),
                 (dict(contacts=saltus.Contacts(lambda q: q, restitution=2)), "restitution"),
                 (dict(q0=[1, 2]), "q0"), (dict(names=["a", "b"]), "names"),
                 (dict(constraints=[1.0]), "constraints"),
                 (dict(energy=lambda q: [1, 2, 3, 4]), "energy: returned 4 numbers")]
        for change, message in cases:
            with self.subTest(message), self.assertRaisesRegex(saltus.InputError, message):
                ball_system(**change)

    def late(self, value):
        """A force that is good until t = 0.1 s and then returns `value`."""
        return lambda t, q, v: [-9.81] if t < 0.1 else value()

    def test_shapes_and_nan_while_running(self):
        for value, message in ((lambda: [1.0, 2.0], r"force: returned an array of shape \(2,\)"),
                               (lambda: [math.nan], "force: returned nan in component 0 at t ="),
                               (lambda: [math.inf], "force: returned inf")):
            with self.subTest(message):
                system = ball_system(force=self.late(value))
                with self.assertRaisesRegex(saltus.InputError, message) as caught:
                    saltus.simulate(system, step=0.01, until=1)
                result = caught.exception.result
                self.assertIn(len(result), (10, 11))
                self.assertTrue(np.all(np.isfinite(result.q)))
                self.assertIn("by an error", result.outcome)

    def test_exceptions_keep_their_traceback(self):
        def broken():
            raise ZeroDivisionError("the user's mistake")

        system = ball_system(force=self.late(broken))
        try:
            saltus.simulate(system, step=0.01, until=1)
            self.fail("no exception")
        except ZeroDivisionError as caught:
            error = caught
            text = "".join(traceback.format_exception(error))
        self.assertIn("in broken", text)
        self.assertIn("function 'force' of a user system, at t = 0.1", text)
        self.assertIn(len(error.result), (10, 11))

    def test_arguments_cannot_be_changed_and_may_be_kept(self):
        kept = []

        def force(t, q, v):
            kept.append(q)
            return [-9.81]

        saltus.simulate(ball_system(force=force), step=0.1, until=0.4)
        self.assertGreater(len({float(q[0]) for q in kept}), 3)

        def assigns(q):
            q[0] = 1
            return [0.0]

        with self.assertRaisesRegex(ValueError, "read-only"):
            saltus.simulate(ball_system(force=lambda t, q, v: assigns(q) if t > 0 else [0.0]))


if __name__ == "__main__":
    unittest.main()
