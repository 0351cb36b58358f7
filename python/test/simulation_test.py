"""Running: to the end and step by step, checkpoints, observers, events, Ctrl-C."""

import gc
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import warnings
import weakref
from contextlib import redirect_stderr

import numpy as np

import saltus
from common import SOURCE, ball_for, ball_scene, ball_system


class Stepping(unittest.TestCase):
    def test_iteration_equals_run(self):
        whole = saltus.simulate(ball_scene())
        simulation = saltus.Simulation(ball_scene())
        times, gaps = [], []
        for s in simulation:
            times.append(s.time)
            gaps.append(s.contacts.gap.min() if len(s.contacts.gap) else np.nan)
            self.assertEqual(s.report.status, "ok")
        np.testing.assert_array_equal(times, whole.time[1:])
        np.testing.assert_array_equal(gaps, whole["contact.ball-ground.gap"][1:])
        np.testing.assert_array_equal(simulation.result.q, whole.q)
        self.assertEqual(simulation.outcome[0], "finished")

    def test_access(self):
        simulation = saltus.Simulation(ball_scene())
        for s in simulation:
            if s.report.impacts:
                break
        self.assertEqual(s.contacts.name, ["ball-ground"])
        self.assertTrue(s.contacts.impact[0])
        self.assertGreater(s.contacts.impulse[0, 0], 0)
        np.testing.assert_allclose(s.contacts.frame[0, 0], [0, 0, 1], atol=1e-12)
        self.assertGreater(s.body("ball").velocity[2], 0)
        self.assertAlmostEqual(s.energy.total, s.energy.kinetic + s.energy.potential)
        self.assertEqual(s.multipliers.shape, (0,))
        with self.assertRaisesRegex(saltus.InputError, "did you mean 'ball'"):
            s.body("bal")
        gc.collect()
        self.assertIn("stopped at", simulation.outcome[1])

    def test_break_leaves_a_readable_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            for s in saltus.Simulation(ball_scene(), output=path):
                if s.step_index == 10:
                    break
            result = saltus.load(path)
            self.assertEqual(len(result), 11)
            self.assertIn("stopped at t = 0.05 s", result.outcome)

    def test_set_state(self):
        simulation = saltus.Simulation(ball_scene())
        loop = iter(simulation)
        next(loop)
        v = simulation.v
        v[2] = 5.0
        simulation.set_state(v=v)
        next(loop)
        self.assertAlmostEqual(simulation.v[2], 5.0 - 9.81 * 0.005, places=12)
        # What was put in counts as work: the ledger still closes.
        self.assertLess(abs(simulation.audit["energy_closure"]), 1e-12)
        with self.assertRaisesRegex(saltus.InputError, "nan"):
            simulation.set_state(v=v * np.nan)
        with self.assertRaisesRegex(saltus.InputError, "has 2 numbers"):
            simulation.set_state(q=[1, 2])


class Checkpoints(unittest.TestCase):
    def test_two_parts_equal_one(self):
        for scene in (ball_scene(), saltus.read_scene(SOURCE / "scenes" / "four_bar_3d.yaml")):
            step = scene.simulation.step
            whole = saltus.simulate(scene, until=60 * step, every=1)
            first = saltus.simulate(scene, until=25 * step, every=1)
            second = saltus.simulate(scene, until=60 * step, every=1, restart=first)
            np.testing.assert_array_equal(second.q, whole.q[25:])
            np.testing.assert_array_equal(second["energy.total"], whole["energy.total"][25:])

    def test_through_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "part.h5")
            saltus.simulate(ball_system(), step=0.005, until=0.6, output=path)
            rest = saltus.simulate(ball_system(), step=0.005, until=1, restart=path)
            whole = saltus.simulate(ball_system(), step=0.005, until=1)
            np.testing.assert_array_equal(rest.q[-1], whole.q[-1])

    def test_foreign_checkpoints_are_refused(self):
        checkpoint = saltus.simulate(ball_scene()).checkpoint()
        self.assertEqual(checkpoint.time, 1.0)
        with self.assertRaisesRegex(saltus.InputError, "another mechanism"):
            saltus.simulate(ball_system(), restart=checkpoint)
        with self.assertRaisesRegex(saltus.InputError, "step"):
            saltus.simulate(ball_scene(), step=0.001, until=2, restart=checkpoint)


class Options(unittest.TestCase):
    def test_integrators_and_solvers_by_name(self):
        for integrator in saltus.integrators():
            with self.subTest(integrator=integrator):
                self.assertTrue(saltus.integrators().options(integrator))
                result = saltus.simulate(ball_for(integrator), integrator=integrator, step=1e-3,
                                         until=0.4)
                self.assertTrue(result.finished, result.outcome)
        for solver in saltus.solvers():
            saltus.Simulation(ball_scene(), solver=solver)
            saltus.Simulation(ball_scene(), solver={"name": solver, "tolerance": 1e-8})

    def test_wrong_names(self):
        with self.assertRaisesRegex(saltus.InputError, "moreau-jean"):
            saltus.simulate(ball_scene(), integrator="moreau-jan")
        with self.assertRaisesRegex(saltus.InputError, "simulation.thetta.*theta"):
            saltus.simulate(ball_scene(), thetta=1)
        with self.assertRaisesRegex(saltus.InputError, "simulation.step"):
            saltus.simulate(ball_system(), step=-1)
        with self.assertRaises(TypeError):
            saltus.simulate(42)

    def test_failed_runs_raise_with_the_result_inside(self):
        scene = ball_scene(solver={"name": "lemke"})  # cannot do friction
        scene.bodies["ball"].angular_velocity = [0, 10, 0]
        with self.assertRaises(saltus.SimulationFailed) as caught:
            saltus.simulate(scene)
        self.assertIn("ball-ground", str(caught.exception))
        self.assertFalse(caught.exception.result.finished)
        self.assertGreater(len(caught.exception.result), 10)
        with self.assertRaises(saltus.SimulationFailed):
            for _ in saltus.Simulation(scene):
                pass

    def test_failed_runs_are_values_with_a_warning_if_asked_for(self):
        scene = ball_scene(solver={"name": "lemke"})  # cannot do friction
        scene.bodies["ball"].angular_velocity = [0, 10, 0]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = saltus.simulate(scene, check=False)
        self.assertFalse(result.finished)
        self.assertIn("ball-ground", result.outcome)
        self.assertEqual(caught[0].category, saltus.SimulationWarning)

    def test_audit_limits(self):
        scene = ball_scene()
        scene.audit.max_penetration = 1e-12
        scene.simulation.update(projection=False, until=3)
        with self.assertWarnsRegex(saltus.SimulationWarning, "penetration"):
            result = saltus.simulate(scene)
        self.assertEqual(len(result.violations), 1)


class Observers(unittest.TestCase):
    def test_intervals(self):
        seen, tenth, timed = [], [], []
        saltus.simulate(ball_scene(), observers=[
            lambda s: seen.append(s.time), (lambda s: tenth.append(s.step_index), 10),
            (lambda s: timed.append(round(s.time, 9)), 0.25)])
        self.assertEqual(len(seen), 201)
        self.assertEqual(tenth, list(range(0, 201, 10)))
        self.assertEqual(timed, [0, 0.25, 0.5, 0.75, 1.0])

    def test_true_stops(self):
        result = saltus.simulate(ball_scene(), observers=lambda s: s.time >= 0.1)
        self.assertAlmostEqual(result.time[-1], 0.1)
        self.assertIn("interrupted at t = 0.1", result.outcome)

    def test_exceptions(self):
        def fails(simulation):
            if simulation.step_index == 7:
                raise KeyError("mine")

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            with self.assertRaises(KeyError) as caught:
                saltus.simulate(ball_scene(), observers=[fails], output=path)
            self.assertEqual(len(caught.exception.result), 8)
            self.assertIn("KeyError", saltus.load(path).outcome)
            self.assertEqual(len(saltus.load(path)), 8)

    def test_progress(self):
        calls = []
        saltus.simulate(ball_scene(), progress=lambda s: calls.append(s.time))
        self.assertEqual(calls[-1], 1.0)
        text = io.StringIO()
        with redirect_stderr(text):
            saltus.simulate(ball_scene(), progress=True)
        self.assertIn("100%", text.getvalue())

    def test_events(self):
        half = saltus.Event(lambda s: s.body("ball").position[2] - 0.6, name="half way")
        rising = saltus.Event(lambda s: s.body("ball").velocity[2], name="bottom", direction=1)
        result = saltus.simulate(ball_scene(), events=[half, rising])
        crossings = [e.time for e in result.events if e.name == "half way"]
        # Free fall from 1.1 m to 0.6 m; inside a step the path is interpolated linearly, which costs
        # at most g h²/8 / v = 1e-5 s.
        self.assertAlmostEqual(crossings[0], np.sqrt(2 * 0.5 / 9.81), delta=2e-5)
        self.assertEqual(len([e for e in result.events if e.name == "bottom"]), 1)
        self.assertEqual(len([e for e in result.events if e.kind == "impact"]), 1)

    def test_terminal_events_and_actions(self):
        def kick(simulation):
            simulation.set_state(v=-simulation.v)

        turn = saltus.Event(lambda s: s.q[0] - 0.5, action=kick, direction=-1, name="turn")
        stop = saltus.Event(lambda s: s.v[0], terminal=True, direction=-1, name="top")
        result = saltus.simulate(ball_system(), events=[turn, stop], step=1e-3, until=5)
        self.assertEqual([e.name for e in result.events], ["turn", "top"])
        self.assertAlmostEqual(result.q[-1, 0], 1.0, delta=1e-2)


class UserForces(unittest.TestCase):
    def falling(self, **forces):
        scene = saltus.Scene(gravity=[0, 0, -9.81])
        scene.bodies["ball"] = saltus.Body(mass=2, inertia=[0.1, 0.2, 0.3], velocity=[1, 0, 0],
                                           angular_velocity=[0, 0, 1])
        for name, force in forces.items():
            scene.forces[name] = force
        return scene

    def test_linear_drag(self):
        """v(t) = v∞ + (v0 − v∞) exp(−c t/m), spin decays as exp(−k t/J)."""
        drag = saltus.UserForce("ball", lambda t, b: (-0.5 * b.velocity, -0.6 * b.angular_velocity))
        result = saltus.simulate(self.falling(drag=drag), step=1e-3, until=1)
        decay = np.exp(-0.25)
        # The θ-scheme has order 2: h² = 1e-6 times constants below 1.
        np.testing.assert_allclose(result["ball.velocity"][-1],
                                   [decay, 0, -39.24 * (1 - decay)], atol=1e-6)
        np.testing.assert_allclose(result["ball.angular_velocity.z"][-1], np.exp(-2), atol=1e-6)
        self.assertLess(abs(result.audit["energy_closure"]), 1e-6)
        self.assertLess(result.audit["work_loads"], 0)

    def test_errors(self):
        for function, message in ((lambda t, b: [1, 2], "forces.f: returned"),
                                  (lambda t, b: "text", "forces.f: returned 'text'"),
                                  (lambda t, b: [np.nan, 0, 0], "forces.f: returned nan")):
            with self.assertRaisesRegex(saltus.InputError, message):
                saltus.simulate(self.falling(f=saltus.UserForce("ball", function)))
        with self.assertRaisesRegex(saltus.InputError, "did you mean 'ball'"):
            saltus.simulate(self.falling(f=saltus.UserForce("bal", lambda t, b: [0, 0, 0])))
        with self.assertRaises(ZeroDivisionError) as caught:
            saltus.simulate(self.falling(f=saltus.UserForce("ball", lambda t, b: 1 / 0)))
        self.assertIn("in the user force 'f'", caught.exception.__notes__[0])
        with self.assertRaises(saltus.InputError):
            self.falling(f=saltus.UserForce("ball", lambda t, b: [0, 0, 0])).to_yaml()


class Threads(unittest.TestCase):
    def test_other_threads_go_on(self):
        """Python's lock is free while a run goes on."""
        scene = saltus.read_scene(SOURCE / "scenes" / "sphere_pile_125.yaml")
        beats, done = [0], threading.Event()

        def beat():
            while not done.is_set():
                beats[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=beat)
        simulation = saltus.Simulation(scene, until=0.3)
        thread.start()
        simulation.run(progress=False)
        done.set()
        thread.join()
        self.assertGreater(beats[0], 5)

    def interrupt(self, code):
        """What a program that prints "started" prints after a Ctrl-C a second later."""
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "started\n")
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        return output

    def test_interrupt(self):
        """Ctrl-C ends a run, raises KeyboardInterrupt and leaves a readable file."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            code = textwrap.dedent(f"""
                import os, saltus, sys
                sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
                from common import ball_scene
                print("started", flush=True)
                try:
                    saltus.simulate(ball_scene(), until=1e6, output={path!r}, record=False)
                except KeyboardInterrupt as error:
                    print("interrupted", len(error.result) > 0, flush=True)
            """)
            self.assertEqual(self.interrupt(code), "interrupted True\n")
            self.assertIn("interrupted at t", saltus.load(path).outcome)

    def test_interrupt_within_a_step(self):
        """Ctrl-C does not wait for the end of a step that takes very long."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            for loop in ("simulation.run()", "list(simulation)"):
                code = textwrap.dedent(f"""
                    import saltus, sys
                    sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
                    from common import ball_scene
                    endless = dict(name="pgs", tolerance=1e-300, max_iterations=100000000)
                    scene = ball_scene(until=1e6, solver=endless)
                    simulation = saltus.Simulation(scene, output={path!r}, record=False)
                    print("started", flush=True)
                    try:
                        {loop}
                    except KeyboardInterrupt:
                        print("interrupted", flush=True)
                """)
                self.assertEqual(self.interrupt(code), "interrupted\n")
                self.assertIn("interrupted at t", saltus.load(path).outcome)

    def test_no_cycles_stay(self):
        """Functions that lead back to their simulation are collected."""
        class Owner:
            def __init__(self):
                self.system = ball_system(force=self.force)
                self.simulation = saltus.Simulation(self.system, until=0.01)
                self.scene = ball_scene()
                self.scene.forces["push"] = saltus.Load(on="ball", force=[self.push, 0, 0])
                self.other = saltus.Simulation(self.scene, until=0.01)

            def force(self, t, q, v):
                return [-9.81]

            def push(self, t):
                return 0.0

        owner = Owner()
        owner.simulation.run(observers=[lambda s: None])
        owner.other.run()
        trace = weakref.ref(owner)
        del owner
        gc.collect()
        self.assertIsNone(trace())


if __name__ == "__main__":
    unittest.main()
