"""Integrators, solver and settings as classes: the same words, ranges and results as in a scene."""

import inspect
import pickle
import unittest

import numpy as np

import saltus
from common import ball_for, ball_scene, ball_system

CLASSES = {name: getattr(saltus, "".join(word.capitalize() for word in name.split("-")))
           for name in saltus.integrators()}


class Integrators(unittest.TestCase):
    def test_there_is_a_class_for_each(self):
        for name, kind in CLASSES.items():
            with self.subTest(name):
                options = saltus.integrators().options(name)
                self.assertEqual(list(inspect.signature(kind).parameters), list(options))
                for option, summary in options.items():
                    self.assertIn(summary, kind.__doc__)
                self.assertEqual(kind().integrator, name)
                self.assertEqual(pickle.loads(pickle.dumps(kind())), kind())
                by_class = saltus.simulate(ball_for(name), integrator=kind(), until=0.1)
                by_name = saltus.simulate(ball_for(name), integrator=name, until=0.1)
                np.testing.assert_array_equal(by_class.q, by_name.q)

    def test_options_of_a_class_are_used(self):
        damped = saltus.MoreauJean(theta=1.0)
        reference = saltus.simulate(ball_scene(), theta=1.0)
        in_scene = ball_scene()
        in_scene.simulation.update(damped)
        for result in (saltus.simulate(ball_scene(), integrator=damped), saltus.simulate(in_scene),
                       saltus.simulate(ball_scene(theta=0.5), integrator=damped)):
            np.testing.assert_array_equal(result.q, reference.q)
        # What is given beside the class wins; a solver may be a name or a Solver.
        half = saltus.simulate(ball_scene(), integrator=damped, theta=0.5)
        np.testing.assert_array_equal(half.q, saltus.simulate(ball_scene()).q)
        for solver in ("nsgs", saltus.Solver("nsgs", tolerance=1e-10), {"name": "nsgs"}):
            result = saltus.simulate(ball_scene(), integrator=saltus.MoreauJean(solver=solver))
            self.assertTrue(result.finished)
            self.assertTrue(saltus.simulate(ball_scene(), solver=solver).finished)

    def test_options_of_another_integrator_are_left_out(self):
        scene = ball_scene(theta=0.7, projection=True)
        result = saltus.simulate(scene, integrator=saltus.NonsmoothAlpha(rho_inf=0.5))
        self.assertTrue(result.finished)
        self.assertEqual(result.scene().simulation.rho_inf, 0.5)
        self.assertIsNone(result.scene().simulation.theta)

    def test_wrong_options(self):
        with self.assertRaisesRegex(saltus.InputError, "MoreauJean.thetta.*theta, contact_rows"):
            saltus.MoreauJean(thetta=1)
        with self.assertRaisesRegex(saltus.InputError, r"simulation.theta.*\[0, 1\]"):
            saltus.simulate(ball_scene(), integrator=saltus.MoreauJean(theta=2))
        with self.assertRaisesRegex(TypeError, "MoreauJean"):
            saltus.Integrator()


class Settings(unittest.TestCase):
    def test_unknown_keys_are_refused_at_once(self):
        scene = saltus.Scene()
        for part, key, near in (("simulation", "stp", "step"), ("audit", "max_penetraton",
                                                                "max_penetration"),
                                ("output", "evry", "every")):
            with self.assertRaisesRegex(saltus.InputError, f"did you mean '{near}'"):
                setattr(scene[part], key, 1)
            with self.assertRaisesRegex(saltus.InputError, f"did you mean '{near}'"):
                scene[part].update({key: 1})
        with self.assertRaisesRegex(saltus.InputError, "did you mean 'step'"):
            scene.simulation = {"stp": 1}
        scene.simulation = {"step": 0.01}
        self.assertIsInstance(scene.simulation, saltus.SimulationOptions)
        self.assertIsNone(scene.simulation.until)

    def test_adaptive_steps(self):
        """The height after one bounce, v(t) = e √(2 g h0) − g (t − t1): exact to the tolerance."""
        fall = np.sqrt(2 / 9.81)
        after, up = 0.7 - fall, 0.9 * np.sqrt(2 * 9.81)
        exact = up * after - 9.81 * after**2 / 2
        result = saltus.simulate(ball_system(), until=0.7, step=0.01,
                                 adaptive=saltus.Adaptive(tolerance=1e-6))
        # One impact whose instant is known to tolerance/|Δv|, and 70 pieces without error.
        self.assertAlmostEqual(result.q[-1, 0], exact, delta=1e-5)
        self.assertLess(result.audit["min_step"], 1e-4)


if __name__ == "__main__":
    unittest.main()
