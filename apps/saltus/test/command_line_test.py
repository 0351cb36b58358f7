"""The command line as its users see it: exit codes, streams, files, interruption and restart.

Usage: command_line_test.py PROGRAM [unittest arguments]; needs only the standard library.
"""

import csv
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""

SCENE = """\
saltus: 1
name: Ball and pendulum
parameters: {r: 0.1}
materials:
  rubber: {density: 1000, friction: 0.3, restitution: 0.7}
bodies:
  ball:
    mass: 1
    inertia: [0.004, 0.004, 0.004]
    position: [0, 0, "${r + 1}"]
    velocity: [0.5, 0, 0]
    shapes:
      - {sphere: {radius: "${r}"}, material: rubber}
  rod: {mass: 2, inertia: [0.02, 0.02, 0.002], position: [3, 0, 2]}
ground:
  shapes:
    - {half_space: {normal: [0, 0, 1], offset: 0}, material: rubber}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [2.5, 0, 2], axis: [0, 1, 0]}
simulation: {integrator: moreau-jean, step: 0.005, until: 1}
"""


def saltus(*arguments, cwd=None, text=True):
    """Runs the program; returns the finished process with its streams."""
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=text, cwd=cwd, timeout=300)


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="saltus_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.scene = self.folder / "mixed.yaml"
        self.scene.write_text(SCENE)

    def run_scene(self, *arguments, output="out.h5"):
        done = saltus("run", self.scene, "-o", self.folder / output, "--force", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / output

    def table(self, result, *channels):
        """All frames of the channels, as the text of the CSV file: equal texts are equal bits."""
        done = saltus("probe", result, *channels, "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.reader(done.stdout.splitlines()))

    def all_channels(self, result):
        done = saltus("list", "channels", result)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split()[0] for line in done.stdout.splitlines()]


class Usage(CommandLine):
    def test_help_everywhere_with_examples(self):
        self.assertIn("Examples", saltus("--help").stdout)
        for command in ("run", "check", "info", "probe", "plot", "list", "compare", "solve"):
            done = saltus(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Examples", done.stdout, command)

    def test_version(self):
        self.assertRegex(saltus("--version").stdout, r"^saltus \d+\.\d+\.\d+\n$")

    def test_bad_flags_are_bad_input(self):
        for arguments in ([], ["walk"], ["run"], ["run", self.scene, "--sep", "1"],
                          ["run", self.scene, "--threads", "0"], ["probe"], ["list", "songs"]):
            done = saltus(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "", arguments)
            self.assertTrue(done.stderr.startswith("saltus: error: "), done.stderr)

    def test_lists(self):
        for topic, member in (("integrators", "moreau-jean"), ("solvers", "nsgs"),
                              ("joints", "revolute"), ("shapes", "sphere"), ("forces", "spring"),
                              ("problems", "four-bar")):
            done = saltus("list", topic)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, rf"(?m)^\s*{member}\s+\S", topic)


class BadInput(CommandLine):
    def expect_error(self, *arguments, code=2, has=()):
        done = saltus(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertTrue(done.stderr.startswith("saltus: error: "), done.stderr)
        for part in has:
            self.assertIn(part, done.stderr)

    def test_scene_errors_have_file_and_line(self):
        self.scene.write_text(SCENE.replace("mass: 1\n", "mas: 1\n"))
        for command in ("run", "check", "info"):
            self.expect_error(command, self.scene, has=["mixed.yaml:8:", "mass"])

    def test_missing_files(self):
        for command in ("run", "check", "info"):
            self.expect_error(command, "missing.yaml", has=["missing.yaml"])
            self.expect_error(command, self.folder, has=["is a folder"])
        self.expect_error("probe", "missing.h5", "time", has=["missing.h5"])
        self.expect_error("probe", self.folder, "time", has=["is a folder"])

    def test_check_goes_on_after_an_error(self):
        done = saltus("check", "missing.yaml", self.scene)
        self.assertEqual(done.returncode, 2)
        self.assertIn("good", done.stdout)

    def test_settings_are_checked(self):
        self.expect_error("run", self.scene, "--step", "-1", has=["step"])
        self.expect_error("run", self.scene, "--step", "1e-300", has=["step", "10^15 steps"])
        self.expect_error("check", self.scene, "--set", "simulation.until=1e300", has=["10^15 steps"])
        self.expect_error("run", self.scene, "--set", "bodies.ball.mas=2")
        self.expect_error("check", self.scene, "--set", "simulation.sovler.name=nsgs",
                          has=["did you mean 'solver'"])
        self.expect_error("check", self.scene, "--set", "simulation.adaptive.tolerance=-1",
                          has=["adaptive.tolerance"])
        self.expect_error("run", self.scene, "--integrator", "moreau-jan", has=["moreau-jean"])

    def test_output_places(self):
        self.expect_error("run", self.scene, "-o", "no/such/folder/out.h5", has=["no/such/folder"])
        self.expect_error("run", self.scene, "-o", "out.txt", has=[".h5"])
        self.expect_error("run", self.scene, "-o", self.folder)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["mixed.yaml"])

    def test_results(self):
        result = self.run_scene("--until", "0.05")
        self.expect_error("probe", result, "ball.positon.z", has=["ball.position.z"])
        self.expect_error("probe", result, "time", "--at", "7", has=["outside"])
        self.expect_error("probe", result, "time", "--at", "now", has=["now"])
        self.expect_error("probe", self.scene, "time", has=["mixed.yaml"])
        result.write_bytes(result.read_bytes()[:5000])
        self.expect_error("info", result, has=["out.h5"])
        self.expect_error("run", self.scene, "--restart", result, has=["out.h5"])


class Running(CommandLine):
    def test_default_output_and_audit(self):
        done = saltus("run", self.scene, "--until", "0.1", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("max_penetration", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertTrue((self.folder / "mixed.h5").exists())

    def test_problems_run_by_name(self):
        done = saltus("run", "problem:four-bar", "--until", "0.2", "--integrator", "phem56",
                      "--set", "simulation.tolerance=1e-9", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "four-bar.h5").exists())
        done = saltus("run", "problem:fourbar", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("four-bar", done.stderr)

    def test_smooth_solvers_name_the_contact_that_closes(self):
        done = saltus("run", "problem:bouncing-ball", "--integrator", "hem5", cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("floor", done.stderr)
        self.assertIn("event-driven", done.stderr)
        done = saltus("run", "problem:bouncing-ball", "--integrator", "event-driven",
                      "--step", "0.05", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_quiet(self):
        done = saltus("run", self.scene, "--until", "0.1", "--quiet", "-o", self.folder / "a.h5")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_info_as_json(self):
        info = json.loads(saltus("info", self.run_scene(), "--json").stdout)
        for key in ("max_penetration", "max_constraint", "max_constraint_rate",
                    "max_complementarity", "energy_closure", "steps", "rejected", "events",
                    "newton_iterations", "solver_iterations", "wall_time"):
            self.assertIn(key, info)
        self.assertEqual(info["steps"], 200)
        self.assertEqual(info["outcome"], "finished")
        self.assertEqual(info["frames"], 201)
        self.assertEqual(info["bodies"], ["ball", "rod"])
        self.assertEqual(info["contacts"], ["ball-ground"])

    def test_dumped_problems_can_be_solved(self):
        result = self.run_scene("--until", "0.6", "--dump-problems", "all")
        problems = sorted(self.folder.glob("out_problem_*.h5"))
        self.assertGreater(len(problems), 0)
        solved = self.folder / "solved.h5"
        done = saltus("solve", problems[-1], "-o", solved)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("status", "relative", "absolute", "worst"):
            self.assertIn(word, done.stdout)
        done = saltus("solve", solved, "--warm")
        self.assertRegex(done.stdout, r"iterations +0\n")
        self.assertEqual(saltus("solve", result).returncode, 2)
        self.assertEqual(saltus("solve", solved, "--solver", "lemk").returncode, 2)
        done = saltus("solve", problems[-1], "--tol", "1e-16", "--max-iterations", "1",
                      "--solver", "prox")
        self.assertIn(done.returncode, (0, 1))

    def test_the_scene_is_embedded(self):
        result = self.run_scene("--until", "0.05", "--set", "r=0.2")
        again = self.folder / "again.yaml"
        again.write_text(saltus("info", result, "--scene").stdout)
        done = saltus("run", again, "--until", "0.05", "-o", self.folder / "again.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        channels = ("ball.position.z", "rod.velocity.z")
        self.assertEqual(self.table(result, *channels),
                         self.table(self.folder / "again.h5", *channels))

    def test_the_embedded_scene_needs_no_files(self):
        """Of a mesh the result holds the triangles."""
        floor = self.folder / "floor.obj"
        floor.write_text("v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n")
        self.scene.write_text(SCENE.replace("half_space: {normal: [0, 0, 1], offset: 0}",
                                            "mesh: {file: floor.obj}"))
        result = self.run_scene()
        floor.unlink()
        again = self.folder / "again.yaml"
        again.write_text(saltus("info", result, "--scene").stdout)
        done = saltus("run", again, "-o", self.folder / "again.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.table(result, "ball.position.z"),
                         self.table(self.folder / "again.h5", "ball.position.z"))

    def test_free_fall_is_exact_in_every_format(self):
        """θ = ½ is exact under constant gravity: z = 1.1 − g t²/2 until the first impact.

        The tolerance is that of 20 roundings of numbers of size 1.
        """
        result = self.run_scene("--until", "0.1")
        table = self.run_scene("--until", "0.1", output="out.csv")
        done = saltus("probe", result, "ball.position.z", "--at", "0.1")
        self.assertIn("# ball.position.z [m]: recorded", done.stdout)
        value = float(done.stdout.split()[-1])
        self.assertAlmostEqual(value, 1.1 - 9.81 * 0.1**2 / 2, delta=1e-14)
        with open(table, newline="") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertEqual(f"{float(last['ball.position.z']):.16g}", f"{value:.16g}")
        self.assertEqual(float(last["time"]), 0.1)

    def test_interpolation_is_stated(self):
        """A parabola is met exactly by the cubic between frames."""
        result = self.run_scene("--until", "0.1")
        done = saltus("probe", result, "ball.position.z", "ball.velocity.z", "--at", "0.0123")
        self.assertIn("cubic Hermite", done.stdout)
        self.assertIn("linear", done.stdout)
        value = float(done.stdout.split()[-2])
        self.assertAlmostEqual(value, 1.1 - 9.81 * 0.0123**2 / 2, delta=1e-14)

    def test_contacts_and_joints_are_recorded(self):
        result = self.run_scene()
        impulses = [float(row[1]) for row in self.table(result, "contact.ball-ground.impulse.n")[1:]]
        self.assertGreater(max(impulses), 1.0)
        angle = self.table(result, "hinge.angle")
        self.assertEqual(float(angle[1][1]), 0.0)
        self.assertNotEqual(float(angle[-1][1]), 0.0)

    def test_output_interval(self):
        self.scene.write_text(SCENE + "output: {dt: 0.1}\n")
        times = [float(row[0]) for row in self.table(self.run_scene(), "time")[1:]]
        self.assertEqual(len(times), 11)
        for k, t in enumerate(times):
            self.assertAlmostEqual(t, 0.1 * k, delta=1e-12)

    def test_plot(self):
        result = self.run_scene()
        image = self.folder / "plot.svg"
        done = saltus("plot", result, "ball.position.z", "energy.total", "-o", image)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("</svg>", image.read_text())
        done = saltus("plot", result, "time", "-o", self.folder / "plot.png")
        self.assertEqual(done.returncode, 2)
        self.assertIn("end it in .svg", done.stderr)

    def test_numbers_without_end(self):
        """The step that cannot be done says why."""
        done = saltus("run", self.scene, "--set", "gravity=[0, 0, -1e300]", "-o",
                      self.folder / "out.h5")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "failed: .*(the energy is not finite|NaN or infinity)")

    def test_audit_limits_fail_the_run(self):
        self.scene.write_text(SCENE + "audit: {energy_closure: 0, max_constraint: 0}\n")
        done = saltus("run", self.scene, "-o", self.folder / "out.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("saltus: error: audit: ", done.stderr)
        self.assertEqual(saltus("info", self.folder / "out.h5").returncode, 0)

    def test_a_fallen_arm_comes_to_rest(self):
        """Contacts with restitution in a jammed loop: nothing moves, and projection adds nothing."""
        scene = pathlib.Path(__file__).resolve().parents[3] / "scenes" / "robot_arm_falls.yaml"
        out = self.folder / "arm.h5"
        done = saltus("run", scene, "--until", "6", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        late = [[float(x) for x in row] for row in
                self.table(out, "ledger.projection", "energy.kinetic")[1:] if float(row[0]) > 3]
        self.assertLess(max(row[2] for row in late), 1e-12)
        self.assertLess(max(row[1] for row in late) - min(row[1] for row in late), 1e-9)


class Repeatability(CommandLine):
    def assert_same_tail(self, whole, tail, first_time):
        """From first_time on, both results hold the same bits in every channel.

        Left out: contact values at first_time itself (they belong to the step before) and what
        counts wall time.
        """
        channels = [c for c in self.all_channels(whole) if c in self.all_channels(tail)]
        rows = {row[0]: row for row in self.table(whole, *channels)}
        compared = 0
        for row in self.table(tail, *channels)[1:]:
            if float(row[0]) > first_time:
                self.assertEqual(row, rows[row[0]])
                compared += 1
        self.assertGreater(compared, 0)
        self.assertEqual(self.table(tail, "time")[-1], self.table(whole, "time")[-1])

    def test_two_runs_are_identical(self):
        first, second = self.run_scene(output="a.h5"), self.run_scene(output="b.h5")
        channels = self.all_channels(first)
        self.assertEqual(channels, self.all_channels(second))
        self.assertEqual(self.table(first, *channels), self.table(second, *channels))

    def test_restart_equals_the_uninterrupted_run(self):
        whole = self.run_scene(output="whole.h5")
        part = self.run_scene("--until", "0.47", output="part.h5")
        tail = self.run_scene("--restart", part, output="tail.h5")
        self.assertEqual(float(self.table(tail, "time")[1][0]), 0.47)
        self.assert_same_tail(whole, tail, 0.47)
        audits = [json.loads(saltus("info", r, "--json").stdout) for r in (whole, tail)]
        for key in ("steps", "events", "max_penetration", "energy_closure_joule", "loss_impact"):
            self.assertEqual(audits[0][key], audits[1][key], key)

    def test_restart_refuses_what_does_not_fit(self):
        part = self.run_scene("--until", "0.1", output="part.h5")
        done = saltus("run", self.scene, "--restart", part, "-o", part)
        self.assertEqual(done.returncode, 2)
        done = saltus("run", self.scene, "--restart", part, "--step", "0.001", "--allow-changes",
                      cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("step", done.stderr)
        done = saltus("run", self.scene, "--restart", part, "--until", "0.05", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("later --until", done.stderr)
        done = saltus("run", part, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("HDF5", done.stderr)
        self.scene.write_text(SCENE.replace("  rod:", "  bar:").replace(", rod]", ", bar]"))
        done = saltus("run", self.scene, "--restart", part, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the scene differs", done.stderr)
        done = saltus("run", self.scene, "--restart", part, "--allow-changes", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another mechanism", done.stderr)

    def start(self, output, *arguments):
        """Starts a run that would take very long, and waits until its file is there."""
        process = subprocess.Popen(
            [PROGRAM, "run", self.scene, "-o", output, "--until", "1e5", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not output.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return process

    def test_interrupt_ends_cleanly_and_continues_bit_for_bit(self):
        part = self.folder / "part.h5"
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(part)
            time.sleep(0.3)
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1)
            self.assertIn("--restart", errors)
            info = json.loads(saltus("info", part, "--json").stdout)
            self.assertIn("interrupted", info["outcome"])
            end = info["time_end"]
            self.assertEqual(float(self.table(part, "time")[-1][0]), end)
            until = ("--until", repr(end + 0.5))
            tail = self.run_scene("--restart", part, *until, output="tail.h5")
            whole = self.run_scene(*until, output="whole.h5")
            self.assert_same_tail(whole, tail, end)
            part.unlink()

    def start_endless_step(self, output):
        """Starts a run whose first step cannot reach its tolerance, but goes on trying."""
        endless = ("solver={name: pgs, tolerance: 1.0e-300, max_iterations: 100000000}",
                   "activation=linearized")
        self.scene.write_text(SCENE.replace("[0, 0, \"${r + 1}\"]", "[0, 0, \"${r}\"]"))
        settings = [word for key in endless for word in ("--set", "simulation." + key)]
        process = self.start(output, *settings)
        time.sleep(0.5)
        return process

    def test_interrupt_ends_within_a_step(self):
        part = self.folder / "part.h5"
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_endless_step(part)
            begin = time.monotonic()
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - begin, 5)  # a tenth of a second on a quiet machine
            self.assertEqual(process.returncode, 1)
            self.assertIn("interrupted at t = 0.0", errors)
            info = json.loads(saltus("info", part, "--json").stdout)
            self.assertIn("interrupted", info["outcome"])
            self.assertEqual((info["steps"], info["frames"]), (0, 1))
            part.unlink()

    def test_second_interrupt_ends_at_once(self):
        """The run takes some milliseconds to end by itself: one of the tries is quicker."""
        part = self.folder / "part.h5"
        for tenths in range(30):
            process = self.start_endless_step(part)
            process.send_signal(signal.SIGINT)
            time.sleep(1e-4 * tenths)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            info = json.loads(saltus("info", part, "--json").stdout)  # readable in any case
            self.assertEqual(info["frames"], 1)
            part.unlink()
            if process.returncode == -signal.SIGTERM:
                return
            self.assertEqual(process.returncode, 1)
        self.fail("the second signal never ended the program")

    def test_kill_leaves_a_readable_result(self):
        part = self.folder / "part.h5"
        process = self.start(part, "--checkpoint-every", "0.1")
        time.sleep(2.5)
        process.kill()
        process.communicate()
        info = json.loads(saltus("info", part, "--json").stdout)
        self.assertEqual(info["outcome"], "running")
        self.assertGreater(info["frames"], 1)
        end = info["time_end"]
        whole = self.run_scene("--until", repr(end), output="whole.h5")
        frames = self.table(part, "ball.position.x", "rod.position.z")
        self.assertEqual(frames, self.table(whole, "ball.position.x", "rod.position.z"))
        tail = self.run_scene("--restart", part, "--until", repr(end), output="tail.h5")
        self.assertLessEqual(float(self.table(tail, "time")[1][0]), end)
        self.assertTrue(math.isfinite(end))


class Compare(CommandLine):
    BALL = """\
saltus: 1
bodies: {ball: {point_mass: 1, position: [0, 0, 1]}}
contacts: {floor: {point: {on: ball}, plane: {normal: [0, 0, 1]}, restitution: 0.5}}
simulation: {step: 0.01, until: 0.4}
reference: {ball.position.z: "1 - 4.905*t^2"}
"""

    def setUp(self):
        super().setUp()
        self.ball = self.folder / "ball.yaml"
        self.ball.write_text(self.BALL)

    def compare(self, *arguments, code=0):
        done = saltus("compare", self.ball, *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def test_table_order_and_files(self):
        out = self.folder / "out"
        done = self.compare("-i", "moreau-jean", "-i", "moreau-jean:theta=1", "--steps",
                            "0.02,0.01,0.005", "-o", out)
        # theta = 1 falls with v(t + h/2): error of the height g h t/2, order 1; theta = 1/2 is exact.
        self.assertIn("moreau-jean:theta=1: order 1.0", done.stdout)
        self.assertEqual(done.stdout.count("\nmoreau-jean:theta=1 "), 3)
        for name in ("summary.csv", "error_step.svg", "error_cost.svg", "energy.svg", "gap.svg",
                     "velocity.svg", "channels.svg", "moreau-jean_h0.01.csv"):
            self.assertTrue((out / name).stat().st_size > 100, name)
        rows = list(csv.DictReader((out / "summary.csv").open()))
        self.assertEqual(len(rows), 6)
        self.assertLess(float(rows[0]["error"]), 1e-13)
        mean_of_t = 0.2  # of the steps 0, h, ..., 0.4
        self.assertAlmostEqual(float(rows[3]["error"]), 9.81 * 0.02 / 2 * mean_of_t, delta=1e-12)
        history = list(csv.DictReader((out / "moreau-jean_h0.01.csv").open()))
        self.assertEqual(len(history), 41)
        self.assertAlmostEqual(float(history[-1]["contact.floor.gap"]), 1 - 4.905 * 0.16, places=12)

    def test_references(self):
        done = self.compare("--steps", "0.02,0.01", "--reference", "finest", "-i",
                            "moreau-jean:theta=1")
        self.assertIn("reference: moreau-jean:theta=1 with step 0.005 s", done.stdout)
        for name in ("fine.h5", "fine.csv"):
            saltus("run", self.ball, "--step", "0.001", "-o", name, cwd=self.folder)
            done = self.compare("--steps", "0.02,0.01", "--reference", name, "--channel",
                                "ball.position.z", "-i", "moreau-jean:theta=1")
            self.assertIn("order 1.0", done.stdout)

    def test_other_integrators(self):
        done = self.compare("-i", "moreau-jean", "-i", "schatzman-paoli", "-i",
                            "generalized-alpha-index3", "--until", "1", "--steps", "0.01")
        self.assertEqual(done.stdout.count("\ngeneralized-alpha-index3 "), 1)

    def test_a_failing_run_is_a_row(self):
        self.scene.write_text(SCENE.replace("until: 1", "until: 0.2"))
        done = saltus("compare", self.scene, "-i", "generalized-alpha-index3", "-i", "moreau-jean",
                      "--steps", "0.01,0.005", "--set", "bodies.ball.position=[0, 0, 0.1]")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED", done.stdout)
        self.assertIn("friction", done.stdout)
        self.assertIn("\nmoreau-jean ", done.stdout)

    def test_bad_input(self):
        for arguments, word in ((["-i", "moreau-jan"], "moreau-jean"), (["--steps", "0.1,x"], "x"),
                                (["-i", "moreau-jean:theta=7"], "theta"),
                                (["-i", "moreau-jean:theta"], "KEY=VALUE"),
                                (["--norm", "small"], "mean"),
                                (["--channel", "ball.position.x"], "ball.position.z"),
                                (["--reference", "finest", "--channel", "bal.position.z"], "ball"),
                                (["--reference", "missing.h5"], "missing.h5")):
            done = self.compare(*arguments, code=2)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
