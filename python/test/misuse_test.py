"""What goes wrong in the hands of users: it is said at once, by name, and nothing breaks."""

import copy
import os
import pickle
import signal
import tempfile
import threading
import unittest
import warnings

import numpy as np

import saltus
from common import ball_scene, ball_system


class OneRunAtATime(unittest.TestCase):
    def test_no_run_inside_a_run(self):
        simulation = saltus.Simulation(ball_scene())
        for inner in (lambda s: s.run(), lambda s: next(iter(s))):
            with self.assertRaisesRegex(RuntimeError, "running already"):
                saltus.Simulation(ball_scene()).run(observers=[inner])
        for s in simulation:
            with self.assertRaisesRegex(RuntimeError, "running already"):
                s.run()
            break
        self.assertTrue(simulation.run().finished)  # the loop was left: its turn is over

    def test_two_threads(self):
        """One runs, the other is told; reading from outside is refused, from an observer it works."""
        simulation = saltus.Simulation(ball_scene(), until=1)
        started, go_on, seen = threading.Event(), threading.Event(), []

        def wait(s):
            seen.append(s.q[2])
            started.set()
            go_on.wait(60)

        thread = threading.Thread(target=simulation.run, kwargs=dict(observers=[(wait, 100)],
                                                                     progress=False))
        thread.start()
        started.wait(60)
        with self.assertRaisesRegex(RuntimeError, "running already"):
            simulation.run()
        for look in (lambda s: s.q, lambda s: s.contacts, lambda s: s.result,
                     lambda s: s.checkpoint(), lambda s: s.set_state(q=np.zeros(7))):
            with self.assertRaisesRegex(RuntimeError, "another thread"):
                look(simulation)
        go_on.set()
        thread.join()
        self.assertEqual(len(seen), 3)
        self.assertEqual(len(simulation.result), 201)

    def test_a_look_at_the_result_on_the_way(self):
        simulation = saltus.Simulation(ball_scene())
        self.assertEqual(len(simulation.result), 0)
        for s in simulation:
            if s.step_index == 50:
                part = s.result
        self.assertEqual((len(part), part.outcome), (51, "running"))
        self.assertEqual(len(simulation.result), 201)
        np.testing.assert_array_equal(part.q, simulation.result.q[:51])


class Callbacks(unittest.TestCase):
    def test_what_is_no_observer(self):
        for wrong in (42, (print,), ("text", 1)):
            with self.assertRaisesRegex(TypeError, "observers are functions"):
                saltus.simulate(ball_scene(), observers=[wrong])
        with self.assertRaisesRegex(saltus.InputError, "interval"):
            saltus.simulate(ball_scene(), observers=[(print, -0.5)])
        with self.assertRaisesRegex(TypeError, "saltus.Event"):
            saltus.simulate(ball_scene(), events=[print])
        with self.assertRaisesRegex(saltus.InputError, "direction is 'up'"):
            saltus.Event(print, direction="up")
        seen = []
        saltus.simulate(ball_scene(), observers=(lambda s: seen.append(s.time), 100))
        self.assertEqual(len(seen), 3)

    def test_events_that_fail(self):
        for function, message in ((lambda s: None, "event 'apex': returned None at t = 0 s"),
                                  (lambda s: np.nan, "event 'apex': returned nan")):
            with self.assertRaisesRegex(saltus.InputError, message):
                saltus.simulate(ball_scene(), events=saltus.Event(function, name="apex"))
        with self.assertRaises(ZeroDivisionError) as caught:
            saltus.simulate(ball_scene(), events=saltus.Event(lambda s: 1 / 0, name="apex"))
        self.assertEqual(caught.exception.__notes__, ["in the event 'apex', at t = 0 s"])

    def test_an_error_at_the_start_ends_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            with self.assertRaises(ZeroDivisionError) as caught:
                saltus.simulate(ball_scene(), output=path, observers=[lambda s: 1 / 0])
            self.assertEqual(len(caught.exception.result), 1)
            # The file tells those of before: its writer was started, the observer was not.
            self.assertIn("ZeroDivisionError", saltus.load(path).outcome)

    def test_functions_of_time_are_named(self):
        scene = ball_scene()
        scene.forces["push"] = saltus.Load(on="ball", force=[lambda t: t and 1 / 0, 0, 0])
        with self.assertRaises(ZeroDivisionError) as caught:
            saltus.simulate(scene)
        self.assertIn("in the function at 'forces.push.force.0'", caught.exception.__notes__[0])

    def test_results_say_what_they_cannot_hold(self):
        scene = ball_scene()
        scene.forces["push"] = saltus.Load(on="ball", force=[lambda t: t, 0, 0])
        scene.forces["drag"] = saltus.UserForce("ball", lambda t, b: -b.velocity)
        result = saltus.simulate(scene)
        with self.assertWarnsRegex(saltus.SimulationWarning, "forces.push.force.0, forces.drag"):
            result.scene()
        with self.assertRaisesRegex(saltus.InputError, "forces.f: returned"):
            scene.forces["f"] = saltus.UserForce("ball", lambda t, b: np.zeros((3, 2)))
            saltus.simulate(scene)

    def test_ctrl_c_in_the_midst_of_a_function(self):
        """Whichever function it meets, the run counts as interrupted, not as failed."""
        def press(*_):
            signal.raise_signal(signal.SIGINT)
            return [0.0]

        late = ball_system(force=lambda t, q, v: press() if t > 0.1 else [-9.81])
        for run in (lambda: saltus.simulate(late, step=0.005),
                    lambda: list(saltus.Simulation(late, step=0.005)),
                    lambda: saltus.simulate(ball_scene(), observers=[
                        lambda s: s.step_index == 20 and press()])):
            with self.assertRaises(KeyboardInterrupt) as caught:
                run()
            self.assertRegex(caught.exception.result.outcome, "^interrupted at t = 0.1")
            self.assertEqual(len(caught.exception.result), 21)
        simulation = saltus.Simulation(ball_scene())
        with self.assertRaises(KeyboardInterrupt):  # in the body of a loop
            for s in simulation:
                if s.step_index == 20:
                    press()
        self.assertEqual(simulation.result.outcome, "stopped at t = 0.1 s")

    def test_an_error_in_a_loop_has_its_result(self):
        system = ball_system(force=lambda t, q, v: [-9.81 if t < 0.1 else 1 / 0])
        with self.assertRaises(ZeroDivisionError) as caught:
            for _ in saltus.Simulation(system, step=0.01):
                pass
        self.assertIn(len(caught.exception.result), (10, 11))


class Systems(unittest.TestCase):
    def test_every_wrong_term_is_named(self):
        gap = saltus.Contacts(lambda q: q)
        cases = [(dict(mass="x"), "mass: is 'x'"), (dict(force=[1j]), "force: is"),
                 (dict(force=lambda q: None), "force: returned None at the start"),
                 (dict(force=lambda q: "x"), "force: returned 'x'"),
                 (dict(contacts=lambda q: q), "contacts: is <function"),
                 (dict(contacts=[3]), "contacts: is 3"),
                 (dict(contacts=[gap, gap]), "contacts: two are called 'contact'"),
                 (dict(contacts=saltus.Contacts(lambda q: q, restitution=[0.1, 0.2])),
                  r"restitution: has shape \(2,\)"), (dict(q0="x"), "q0: is 'x'")]
        for change, message in cases:
            with self.subTest(message), self.assertRaisesRegex(saltus.InputError, message):
                ball_system(**change)
        for count in (1.5, "x", 0):
            with self.assertRaisesRegex(saltus.InputError, "nq: is"):
                saltus.LagrangianSystem(count, mass=1.0)
        with self.assertRaises(ZeroDivisionError) as caught:
            ball_system(force=lambda q: 1 / 0)
        self.assertIn("function 'force'", caught.exception.__notes__[0])

    def test_late_surprises(self):
        late = dict(step=0.1, until=2)
        for terms, message in (
                (dict(force=lambda q: [0.0] if q[0] < 0.5 else None), "force: returned None at t"),
                (dict(mass=lambda q: [[1 - q[0]]]), "mass: .* not positive definite")):
            with self.subTest(message), self.assertRaisesRegex(saltus.InputError, message):
                saltus.simulate(saltus.LagrangianSystem(1, **{"mass": 1.0, **terms}, v0=[1.0]), **late)

    def test_starts_that_fulfil_nothing_are_told(self):
        system = saltus.LagrangianSystem(
            2, mass=1.0, v0=[1.0, 0.0], constraints=lambda q: [q[0] - 1, q[0]],
            constraint_names=["far", "moving"], contacts=saltus.Contacts(lambda q: [q[1] - 0.5]))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            saltus.Simulation(system, until=0.1)
        text = "\n".join(str(warning.message) for warning in caught)
        for part in ("constraint 'far': q0 breaks it: g = -1", "'moving': v0 breaks it: dg/dt = 1",
                     "contact 'contact': q0 is inside: gap = -0.5"):
            self.assertIn(part, text)
        self.assertEqual(caught[0].filename, __file__)  # the line of the user

    def test_checks_on_request(self):
        def circle(**given):
            return saltus.LagrangianSystem(
                2, mass=1.0, q0=[1.0, 0], v0=[0, 1.0], constraints=lambda q: [q @ q - 1], check=True,
                **given)

        circle(constraints_jacobian=lambda q: [2 * q],
               constraints_bias=lambda v: [2 * v @ v])
        with self.assertRaisesRegex(saltus.InputError, "constraints_jacobian: entry"):
            circle(constraints_jacobian=lambda q: [3 * q])
        with self.assertRaisesRegex(saltus.InputError, "constraints_bias: entry"):
            circle(constraints_bias=lambda v: [3 * v @ v])


class Values(unittest.TestCase):
    def test_settings_out_of_range(self):
        for setting in (dict(compression=11), dict(compression="x"), dict(checkpoint_every=-1)):
            with self.assertRaisesRegex(saltus.InputError, next(iter(setting))):
                saltus.Simulation(ball_scene(), **setting)

    def test_pickles_and_copies(self):
        """For processes that hand results to each other."""
        result = saltus.simulate(ball_scene())
        for same in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            np.testing.assert_array_equal(same.q, result.q)
            self.assertEqual(same.events, result.events)
            self.assertEqual(same.audit, result.audit)
            with self.assertRaises(ValueError):
                same.time[0] = 1
        checkpoint = pickle.loads(pickle.dumps(result.checkpoint()))
        on = saltus.simulate(ball_scene(), until=1.5, restart=checkpoint)
        whole = saltus.simulate(ball_scene(), until=1.5)
        np.testing.assert_array_equal(on.q[-1], whole.q[-1])
        self.assertEqual(on.audit["events"], whole.audit["events"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            saltus.simulate(ball_scene(), output=path)
            again = pickle.loads(pickle.dumps(saltus.load(path)))
            np.testing.assert_array_equal(again["ball.position"], result["ball.position"])

    def test_results(self):
        result = saltus.simulate(ball_scene())
        self.assertEqual(result.unit("ball.velocity"), "m/s")
        with self.assertRaisesRegex(TypeError, "channels have names"):
            result[3]
        with self.assertRaisesRegex(saltus.InputError, "LagrangianSystem"):
            saltus.simulate(ball_system()).scene()
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(saltus.InputError, "is a folder"):
                saltus.load(folder)
            with self.assertRaisesRegex(saltus.InputError, "every: is 0"):
                result.to_vtk(folder, every=0)
            for wrong in (dict(fps=0), dict(speed=-1)):
                with self.assertRaisesRegex(saltus.InputError, "must be > 0"):
                    result.animate(os.path.join(folder, "film.gif"), **wrong)


if __name__ == "__main__":
    unittest.main()
