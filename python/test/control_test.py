"""Control: steps, joints, inputs; verdicts; results at any time, saved and joined; clear errors."""

import math
import os
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest

import numpy as np
import saltus
from common import ball_scene


def cart_scene():
    """A cart on a rail with a motor, and an arm on a driven hinge."""
    scene = saltus.Scene(name="Cart", gravity=[0, 0, 0])
    scene.bodies["cart"] = saltus.Body(mass=2, inertia=[1, 1, 1])
    scene.bodies["arm"] = saltus.Body(mass=1, inertia=[1, 1, 1], position=[0, 0, 5])
    scene.joints["rail"] = saltus.Prismatic(between=["ground", "cart"], at=[0, 0, 0], axis=[1, 0, 0])
    scene.joints["elbow"] = saltus.Revolute(between=["ground", "arm"], at=[0, 0, 5], axis=[0, 0, 1],
                                            drive={"angle": "0.5*t"})
    scene.forces["motor"] = saltus.Actuator(joint="rail", effort=0)
    scene.forces["push"] = saltus.Load(on="cart", force=[0, 0, 0])
    scene.simulation.update(step=0.01, until=4)
    return scene


class Control(unittest.TestCase):
    def test_steps(self):
        sim = saltus.Simulation(ball_scene())
        self.assertIs(sim.step(10), sim)
        self.assertEqual(sim.step_index, 10)
        sim.step(10**6)
        self.assertTrue(sim.done)
        result = sim.finish()
        whole = saltus.simulate(ball_scene())
        np.testing.assert_array_equal(result["ball.position"], whole["ball.position"])
        self.assertTrue(result.finished)
        self.assertEqual(result.verdict, "good")

    def test_a_run_that_is_left_early(self):
        sim = saltus.Simulation(ball_scene())
        sim.step(3)
        self.assertEqual(len(sim.result), 4)
        result = sim.finish()
        self.assertIn("stopped at t = 0.015", result.outcome)
        with self.assertRaisesRegex(RuntimeError, "step"):
            sim.finish()

    def test_an_actuator_takes_what_it_is_given(self):
        sim = saltus.Simulation(cart_scene())
        sim.inputs["motor"] = 4
        sim.step(100)
        rail = sim.joint("rail")
        self.assertAlmostEqual(rail.displacement, 0.5 * 2 * 1**2, places=9)
        self.assertAlmostEqual(rail.rate, 2, places=9)
        self.assertEqual(sim.inputs["motor"], 4)
        del sim.inputs["motor"]
        sim.inputs["push"] = [-4, 0, 0]
        sim.step(100)
        self.assertAlmostEqual(sim.joint("rail").rate, 0, places=9)
        self.assertEqual(sorted(sim.inputs), ["elbow", "motor", "push"])

    def test_a_drive_takes_a_rate(self):
        sim = saltus.Simulation(cart_scene())
        sim.step(100)
        self.assertAlmostEqual(sim.joint("elbow").angle, 0.5, places=9)
        sim.inputs["elbow"] = -2
        sim.step(100)
        self.assertAlmostEqual(sim.joint("elbow").angle, -1.5, places=9)
        self.assertAlmostEqual(sim.joint("elbow").rate, -2, places=9)

    def test_angles_count_turns(self):
        scene = cart_scene()
        scene.joints["elbow"].drive = {"angle": "5*t"}
        result = saltus.simulate(scene)
        self.assertAlmostEqual(result["elbow.angle"][-1], 20, places=9)

    def test_wrong_inputs(self):
        sim = saltus.Simulation(cart_scene())
        for name, value in (("moter", 1), ("motor", [1, 2]), ("motor", math.nan), ("push", 1)):
            with self.assertRaises(saltus.InputError):
                sim.inputs[name] = value
        with self.assertRaisesRegex(saltus.InputError, "elbow"):
            sim.joint("elbwo")
        with self.assertRaisesRegex(saltus.InputError, "n: is 0"):
            sim.step(0)

    def test_forces_of_a_joint(self):
        scene = cart_scene()
        scene.gravity = [0, 0, -9.81]
        sim = saltus.Simulation(scene)
        self.assertTrue(np.isnan(sim.joint("rail").force).all())
        sim.step()
        self.assertAlmostEqual(sim.joint("rail").force[2], 2 * 9.81, places=6)


class Verdicts(unittest.TestCase):
    def test_good_and_bad(self):
        self.assertEqual(saltus.simulate(ball_scene()).verdict, "good")
        scene = ball_scene(until=0.01)
        scene.bodies["other"] = saltus.Body(position=[0.1, 0, 1.1],
                                            shapes=[saltus.Sphere(radius=0.1, material="rubber")])
        with self.assertWarnsRegex(saltus.SimulationWarning, "ball-other"):
            result = saltus.simulate(scene)
        self.assertRegex(result.verdict, "look at: penetration 100 mm at ball-other, t = 0 s")

    def test_failures_are_pickled(self):
        error = pickle.loads(pickle.dumps(saltus.SimulationFailed("why")))
        self.assertEqual(str(error), "why")


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_at(self):
        result = saltus.simulate(ball_scene(until=0.2))
        t = 0.0333
        self.assertAlmostEqual(result.at(t, "ball.position.z"), 1.1 - 9.81 * t**2 / 2, places=13)
        z, v = result.at([0, 0.1, t], "ball.position.z", "ball.velocity.z")
        np.testing.assert_allclose(v, [0, -0.981, -9.81 * t], atol=1e-12)
        self.assertEqual(z[0], 1.1)
        self.assertIn("ball.velocity.x", result.at(0.1))
        with self.assertRaisesRegex(saltus.InputError, "outside"):
            result.at(1, "ball.position.z")

    def test_save(self):
        memory = saltus.simulate(ball_scene())
        file = saltus.load(memory.save(self.path("ball.h5")))
        for name in memory.channels():
            np.testing.assert_array_equal(memory[name], file[name], name)
        self.assertEqual((file.verdict, file.outcome), (memory.verdict, memory.outcome))
        self.assertEqual(file.events, memory.events)
        self.assertEqual(file.audit["events"], memory.audit["events"])
        with self.assertRaisesRegex(saltus.InputError, "exists"):
            memory.save(self.path("ball.h5"))

    def test_join(self):
        whole = saltus.simulate(ball_scene())
        saltus.simulate(ball_scene(), until=0.5, output=self.path("a.h5"))
        saltus.simulate(ball_scene(), restart=self.path("a.h5"), output=self.path("b.h5"))
        joined = saltus.join([self.path("a.h5"), self.path("b.h5")], self.path("whole.h5"))
        np.testing.assert_array_equal(joined["ball.position"], whole["ball.position"])
        self.assertEqual(joined.events, whole.events)

    def test_events_are_complete(self):
        few = saltus.simulate(ball_scene(), every=50)
        self.assertEqual(few.events, saltus.simulate(ball_scene()).events)
        self.assertGreater(len(few.events), 0)

    def test_a_full_disk_is_an_exception(self):
        """The interpreter lives on; the frames before are readable."""
        code = textwrap.dedent(f"""
            import resource, signal, saltus
            from common import ball_scene
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
            try:
                saltus.simulate(ball_scene(), step=1e-5, output={self.path("full.h5")!r}, record=False)
            except saltus.OutputError as error:
                print("caught:", error)
            print(len(saltus.load({self.path("full.h5")!r})))
            """)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              cwd=os.path.dirname(__file__))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("caught:", done.stdout)
        self.assertGreater(int(done.stdout.split()[-1]), 1000)


class Errors(unittest.TestCase):
    def test_positional_arguments(self):
        with self.assertRaisesRegex(TypeError, r"Sphere takes its values by key, Sphere\(radius=0.1"):
            saltus.Sphere(0.1)
        with self.assertRaisesRegex(TypeError, "Revolute takes its values by key"):
            saltus.Revolute("ground")
        with self.assertRaisesRegex(TypeError, "Body takes its values by key"):
            saltus.Body(2)


if __name__ == "__main__":
    unittest.main()
