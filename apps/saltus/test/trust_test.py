"""Can a run be trusted at a glance, and is nothing lost? Verdicts, events, locks, full disks, restarts.

Usage: trust_test.py PROGRAM [unittest arguments]; needs only the standard library.
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""

BALL = """\
saltus: 1
name: Bouncing ball
parameters: {e: 0.7}
materials: {rubber: {density: 1000, friction: 0.3, restitution: "${e}"}}
bodies:
  ball: {position: [0, 0, 0.5], velocity: [0.5, 0, 0], shapes: [{sphere: {radius: 0.1}, material: rubber}]}
ground: {shapes: [{half_space: {}, material: rubber}]}
simulation: {step: 0.002, until: 2}
"""

OVERLAP = """\
saltus: 1
name: Two boxes start half inside each other
materials: {m: {density: 1000, friction: 0.5}}
bodies:
  a: {position: [0, 0, 0.1], shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: m}]}
  b: {position: [0.1, 0, 0.1], shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: m}]}
ground: {shapes: [{half_space: {}, material: m}]}
simulation: {step: 0.001, until: 0.01}
"""

BEAM = """\
saltus: 1
name: Clamped beam that does not move
bodies: {beam: {mass: 10, inertia: [0.1, 1, 1], position: [0.3, 0, 0]}}
joints: {clamp: {type: fixed, between: [ground, beam], at: [0, 0, 0]}}
forces: {F: {type: force, on: beam, at: [0.7, 0, 0], force: [0, 0, -5]}}
simulation: {step: 0.01, until: 1}
audit: {energy_closure: 1e-3}
"""

PRESS = """\
saltus: 1
name: A driven press against a rigid box
materials: {m: {density: 1000, friction: 0.3}}
bodies:
  ram: {mass: 5, inertia: [1, 1, 1], position: [0, 0, 0.27], shapes: [{box: {size: [0.3, 0.3, 0.1]}, material: m}]}
  box: {position: [0, 0, 0.1], shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: m}]}
ground: {shapes: [{half_space: {}, material: m}]}
joints:
  slide: {type: prismatic, between: [ground, ram], at: [0, 0, 0.5], axis: [0, 0, 1], drive: {displacement: "-0.2*t"}}
simulation: {step: 0.001, until: 0.3}
"""

TWO_DRIVES = """\
saltus: 1
bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [0.4, 0, 1]}}
joints:
  h1: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], drive: {angle: "t"}}
  h2: {type: revolute, between: [ground, arm], at: [0, 0, 0.5], axis: [0, 0, 1], drive: {angle: "2*t"}}
simulation: {step: 0.001, until: 0.1}
"""


def saltus(*arguments, cwd=None, timeout=300, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                          timeout=timeout, **options)


class Trust(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="saltus_trust_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, text, name="scene.yaml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def run_text(self, text, *arguments, code=0, output="out.h5"):
        done = saltus("run", self.write(text), "-o", self.folder / output, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def info(self, output="out.h5"):
        done = saltus("info", self.folder / output, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def table(self, output, *channels):
        done = saltus("probe", self.folder / output, *channels, "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split(",") for line in done.stdout.splitlines()]


class Verdicts(Trust):
    def test_a_good_run_says_so_in_its_last_line(self):
        done = self.run_text(BALL)
        self.assertEqual(done.stdout.splitlines()[-1], "verdict: good")
        self.assertEqual(self.info()["verdict"], "good")
        self.assertIn("verdict   good", saltus("info", self.folder / "out.h5").stdout)

    def test_rows_that_say_nothing_are_hidden(self):
        done = self.run_text(BALL)
        self.assertNotIn("loss_decohesion", done.stdout)
        done = self.run_text(BALL, "--all", "--force")
        self.assertIn("loss_decohesion", done.stdout)
        self.assertNotIn("loss_decohesion", saltus("info", self.folder / "out.h5").stdout)
        self.assertIn("loss_decohesion", saltus("info", self.folder / "out.h5", "--all").stdout)

    def test_an_overlapping_start_is_in_the_verdict(self):
        done = self.run_text(OVERLAP, code=1)
        self.assertRegex(done.stdout.splitlines()[-1], "look at: penetration 100 mm at a-b, t = 0 s")
        self.assertAlmostEqual(self.info()["max_penetration"], 0.1, places=9)

    def test_a_beam_at_rest_passes(self):
        self.run_text(BEAM)

    def test_limits_of_the_scene_count(self):
        done = self.run_text(BALL + "audit: {max_penetration: 0, energy_closure: none}\n", code=1)
        self.assertIn("max_penetration", done.stderr)

    def test_accepted_failures_fail_the_run(self):
        endless = ("--set", "simulation.on_failure=flag", "--set",
                   "simulation.solver={name: pgs, tolerance: 1.0e-300, max_iterations: 1}")
        text = BALL.replace("position: [0, 0, 0.5]", "position: [0, 0, 0.1]")
        done = saltus("run", self.write(text), "-o", self.folder / "out.h5", "--until", "0.02", *endless)
        if self.info()["flagged"] > 0:  # else the solver met a tolerance that cannot be met
            self.assertEqual(done.returncode, 1)
            self.assertIn("accepted by on_failure: flag", done.stdout)

    def test_a_press_names_the_drive_and_the_contacts(self):
        done = self.run_text(PRESS, code=1)
        self.assertRegex(done.stderr, "drive 'slide' works against contacts "
                                      "(box-ram|ram-box) and (box-ground|ground-box)")
        self.assertNotIn("smaller step", done.stderr)

    def test_drives_that_contradict_each_other_are_named(self):
        done = self.run_text(TWO_DRIVES, code=1)
        self.assertIn("drives 'h1' and 'h2' contradict each other", done.stderr)

    def test_numbers_without_end(self):
        done = self.run_text(BALL, "--set", "gravity=[0, 0, -1e300]", code=1)
        self.assertRegex(done.stderr, "failed: .*(not finite|NaN or infinity)")


class NothingLost(Trust):
    def test_events_are_complete_whatever_the_interval(self):
        self.run_text(BALL, output="all.h5")
        self.run_text(BALL + "output: {dt: 0.5}\n", output="few.h5")
        lists = [json.loads(saltus("events", self.folder / name, "--json").stdout)
                 for name in ("all.h5", "few.h5")]
        self.assertGreater(len(lists[0]), 3)
        self.assertEqual(*lists)
        self.assertEqual(len(lists[0]), self.info("few.h5")["events"])
        self.assertEqual({e["kind"] for e in lists[0]}, {"impact"})
        self.assertEqual({e["name"] for e in lists[0]}, {"ball-ground"})
        self.assertIn("ball-ground", saltus("events", self.folder / "few.h5").stdout)

    def test_events_are_complete_with_adaptive_steps(self):
        adaptive = BALL.replace("until: 2", "until: 2, adaptive: {tolerance: 1.0e-4}")
        self.run_text(adaptive + "output: {dt: 0.5}\n")
        events = json.loads(saltus("events", self.folder / "out.h5", "--json").stdout)
        self.assertEqual(len(events), self.info()["events"])
        self.assertGreater(len(events), 3)

    def test_a_result_is_not_replaced_without_being_asked(self):
        self.run_text(BALL)
        before = (self.folder / "out.h5").read_bytes()
        done = self.run_text(BALL, "--set", "e=0.1", code=2)
        self.assertIn("--force", done.stderr)
        self.assertEqual((self.folder / "out.h5").read_bytes(), before)
        self.run_text(BALL, "--set", "e=0.1", "--force")
        self.assertNotEqual((self.folder / "out.h5").read_bytes(), before)
        self.run_text(BALL, output="out.csv")
        self.assertIn("it exists", self.run_text(BALL, output="out.csv", code=2).stderr)

    def test_a_result_that_is_being_written_is_locked(self):
        scene, out = self.write(BALL), self.folder / "out.h5"
        first = subprocess.Popen([PROGRAM, "run", scene, "-o", out, "--until", "1e6"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(first.wait)
        self.addCleanup(first.kill)
        while not out.exists():
            time.sleep(0.01)
        for arguments in ((), ("--force",)):
            done = saltus("run", scene, "-o", out, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("another run is writing it", done.stderr)
        first.kill()
        first.wait()
        self.run_text(BALL, "--force")  # the lock dies with its owner

    def test_parallel_runs_into_one_name(self):
        """One run gets the name; the others say why not; the file is that of one run."""
        scene = self.write(BALL)
        for turn in range(5):
            out = self.folder / f"race_{turn}.h5"
            runs = [subprocess.Popen([PROGRAM, "run", "-q", scene, "-o", out, "--set", f"e=0.{e}"],
                                     stderr=subprocess.PIPE, text=True) for e in range(1, 9)]
            codes = [run.wait() for run in runs]
            words = [run.stderr.read() for run in runs]
            for run in runs:
                run.stderr.close()
            self.assertEqual(sorted(codes), [0] + 7 * [2], words)
            for code, word in zip(codes, words):
                if code:
                    self.assertRegex(word, "another run is writing it|it exists")
            e = codes.index(0) + 1
            alone = self.folder / f"alone_{turn}.h5"
            saltus("run", scene, "-o", alone, "--set", f"e=0.{e}")
            self.assertEqual(self.table(out.name, "ball.position.z"),
                             self.table(alone.name, "ball.position.z"))
            self.assertEqual(list(self.folder.glob("*.part*")), [])

    def test_restart_takes_the_scene_of_the_result(self):
        setting = ("--set", "e=0.2")
        self.run_text(BALL, *setting, output="whole.h5")
        self.run_text(BALL, *setting, "--until", "1", output="part.h5")
        done = saltus("run", "--restart", "part.h5", "--until", "2", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        tail = self.table("part_continued.h5", "ball.position.z", "ball.velocity.x")
        whole = self.table("whole.h5", "ball.position.z", "ball.velocity.x")
        self.assertEqual(tail[-500:], whole[-500:])

        done = saltus("join", "part.h5", "part_continued.h5", "-o", "joined.h5", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.table("joined.h5", "ball.position.z", "ball.velocity.x"), whole)
        self.assertEqual(self.info("joined.h5")["verdict"], "good")
        events = [saltus("events", name, "--json", cwd=self.folder).stdout
                  for name in ("joined.h5", "whole.h5")]
        self.assertEqual(*events)

    def test_restart_refuses_another_scene(self):
        scene = self.write(BALL, "ball.yaml")
        self.run_text(BALL, "--until", "1", output="part.h5")
        for arguments in ((scene, "--set", "e=0.1"), ("--set", "e=0.1"), ("--step", "0.001")):
            done = saltus("run", "--restart", self.folder / "part.h5", "-o", self.folder / "b.h5",
                          "--until", "2", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("--allow-changes", done.stderr)
        done = saltus("run", scene, "--restart", self.folder / "part.h5", "-o", self.folder / "b.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = saltus("run", scene, "--restart", self.folder / "part.h5", "-o", self.folder / "c.h5",
                      "--set", "e=0.1", "--allow-changes")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_printed_command_continues_the_run(self):
        out = self.folder / "part.h5"
        process = subprocess.Popen([PROGRAM, "run", self.write(BALL), "-o", out, "--set", "e=0.1",
                                    "--until", "1e5"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        while not out.exists():
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
        command = errors.split("continue with: saltus ")[1].split()
        end = self.info("part.h5")["time_end"]
        done = saltus(*command, "--until", repr(end + 1), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_text(BALL, "--set", "e=0.1", "--until", repr(end + 1), output="whole.h5")
        self.assertEqual(self.table("part_continued.h5", "ball.position.z")[-400:],
                         self.table("whole.h5", "ball.position.z")[-400:])

    def test_a_full_disk_ends_with_a_sentence_and_whole_frames(self):
        """A limit on the size of files stands for the disk: the same write fails."""
        scene = self.write(BALL)
        whole = self.folder / "whole.h5"
        arguments = ("--step", "1e-4", "--until", "4")
        self.assertEqual(saltus("run", scene, "-o", whole, *arguments).returncode, 0)
        expected = self.table("whole.h5", "ball.position.z", "energy.total")
        generator = random.Random(7)
        for turn in range(12):
            limit = generator.randrange(0, 8_000_000)
            out = self.folder / f"full_{turn}.h5"
            done = saltus("run", scene, "-o", out, *arguments,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)  # never a signal
            if done.returncode == 0:
                continue
            self.assertRegex(done.stderr, "cannot (write|be made): ")
            if not out.exists():
                continue
            frames = self.table(out.name, "ball.position.z", "energy.total")
            self.assertEqual(frames, expected[:len(frames)])
            self.assertGreater(len(frames), 1)
            if limit > 3_000_000:  # what fits is there, but for the last pieces
                self.assertGreater(len(frames), 1000)

    def test_step_counts_are_exact(self):
        text = """\
saltus: 1
planar: xz
bodies: {bead: {point_mass: 1}}
gravity: [0, 0, 0]
simulation: {step: 1.0e-6, until: 8.5}
output: {every: 1000000}
"""
        self.run_text(text)
        self.assertEqual(self.info()["steps"], 8_500_000)
        self.assertEqual(self.table("out.h5", "time")[-1], ["8.5", "8.5"])

    def test_the_start_has_no_forces_and_says_so(self):
        self.run_text(BEAM)
        force = self.table("out.h5", "clamp.force.z")
        self.assertEqual(force[1][1], "nan")
        self.assertAlmostEqual(float(force[2][1]), 10 * 9.81 + 5, places=6)

    def test_gap_and_position_belong_to_one_instant(self):
        self.run_text(BALL)
        rows = self.table("out.h5", "ball.position.z", "contact.ball-ground.gap")[1:]
        compared = 0
        for _, z, gap in rows:
            if gap != "nan":
                self.assertAlmostEqual(float(gap), float(z) - 0.1, places=12)
                compared += 1
        self.assertGreater(compared, 3)


class Habits(Trust):
    def test_misspelled_commands(self):
        done = saltus("rnu", "x.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no command 'rnu'; did you mean 'run'?", done.stderr)
        self.assertEqual(saltus("run").returncode, 2)


class Kills(Trust):
    """SIGKILL at random instants: every result opens, every restart equals the uninterrupted run."""

    TURNS = int(os.environ.get("SALTUS_KILLS", "12"))

    def test_kills_and_restarts(self):
        scene = self.write(BALL + "output: {every: 25}\n")
        until = ("--until", "600")
        self.assertEqual(saltus("run", scene, "-o", self.folder / "whole.h5", *until).returncode, 0)
        whole = {row[0]: row for row in self.table("whole.h5", "ball.position.z", "ball.position.x",
                                                   "energy.total", "ledger.friction_loss")}
        generator = random.Random(11)
        continued = 0
        for turn in range(self.TURNS):
            part, tail = self.folder / f"part_{turn}.h5", self.folder / f"tail_{turn}.h5"
            process = subprocess.Popen([PROGRAM, "run", "-q", scene, "-o", part, *until,
                                        "--checkpoint-every", "0.01"])
            time.sleep(generator.uniform(0, 1.5))
            process.kill()
            process.wait()
            if not part.exists():
                continue
            rows = self.table(part.name, "ball.position.z", "ball.position.x", "energy.total",
                              "ledger.friction_loss")
            for row in rows[1:]:
                self.assertEqual(row, whole[row[0]])
            done = saltus("run", "-q", "--restart", part, "-o", tail)
            if done.returncode == 2 and "no checkpoint" in done.stderr:
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            continued += 1
            rows = self.table(tail.name, "ball.position.z", "ball.position.x", "energy.total",
                              "ledger.friction_loss")
            self.assertEqual(rows[-1], whole["600"])
            for row in rows[2:]:
                self.assertEqual(row, whole[row[0]])
            part.unlink()
            tail.unlink()
        self.assertGreater(continued, self.TURNS // 4)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
