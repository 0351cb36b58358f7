"""What the pages of the application scenes claim: applications_test.py PROGRAM [CASE]."""

import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "verification"))
PROGRAM = ""


def run(scene, channels, *words):
    """Runs a scene and returns rows [t, channel values…] of all recorded frames."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.h5"
        subprocess.run([PROGRAM, "run", ROOT / "scenes" / f"{scene}.yaml", "--quiet", "-o", result, *map(str, words)],
                       check=True)
        table = subprocess.run([PROGRAM, "probe", result, *channels, "--csv"], check=True, capture_output=True,
                               text=True).stdout.splitlines()
    return [[float(value) for value in line.split(",")] for line in table[1:]]


def at(rows, time):
    return min(rows, key=lambda row: abs(row[0] - time))


class GenevaDrive(unittest.TestCase):
    DISTANCE, SPEED, RADIUS = 0.1, 10, 0.1 * math.sin(math.pi / 4)

    def test_follows_the_formula_within_its_play(self):
        rows = run("geneva_drive", ["axle.angle"], "--until", 1.3, "--set", "output.every=1")
        lock_play = 2e-5 / (self.DISTANCE * math.sin(math.pi / 12))
        checked = 0
        for time, angle in rows:
            passed = self.SPEED * time - math.pi  # The pin starts opposite the slotted wheel.
            turn = round(passed / (2 * math.pi))
            pin = passed - 2 * math.pi * turn
            if abs(pin) < math.radians(40):
                x, z = self.DISTANCE - self.RADIUS * math.cos(pin), self.RADIUS * math.sin(pin)
                exact = -math.pi / 2 * turn - math.pi / 4 - math.atan2(z, x)
                self.assertLess(abs(angle - exact), 1.01 * 1e-4 / math.hypot(x, z), time)
                checked += 1
        self.assertGreater(checked, 500)
        for turn in (1, 2):
            held = at(rows, turn * 2 * math.pi / self.SPEED)[1]
            self.assertLess(abs(held + turn * math.pi / 2), 1.01 * lock_play)

    def test_the_largest_ratio_of_speeds(self):
        rows = run("geneva_drive", ["wheel.angular_velocity.y"], "--until", 0.4, "--set", "output.every=1")
        exact = self.RADIUS / (self.DISTANCE - self.RADIUS)
        self.assertLess(abs(at(rows, math.pi / self.SPEED)[1] / self.SPEED / exact - 1), 0.01)


class Ratchet(unittest.TestCase):
    def test_one_tooth_each_swing_and_never_back(self):
        rows = run("ratchet", ["axle.angle"], "--until", 1.3)
        held = [at(rows, time)[1] for time in (0.25, 0.75, 1.25)]
        for first, second in zip(held, held[1:]):
            self.assertAlmostEqual(second - first, 2 * math.pi / 12, delta=1e-8)
        # Never back by more than what the pawl leaves: to the face of the tooth, a tenth of a radian at the end of a swing.
        highest = -1
        for _, angle in rows:
            highest = max(highest, angle)
            self.assertGreater(angle, highest - 0.11)


class CircuitBreaker(unittest.TestCase):
    LIMIT = 2.6305e-3  # s, for steps of 1.25e-6 s under both integrators

    def opening_time(self, integrator, step):
        rows = run("circuit_breaker", ["guide.displacement"], "--integrator", integrator, "--set", f"simulation.step={step}",
                   "--set", "output.every=1", "--until", 0.0085)
        # The contacts part where the follower meets its stop: the line through the last two frames before.
        for first, second, third in zip(rows, rows[1:], rows[2:]):
            if third[1] >= 0.0015 - 1e-12:
                slope = (second[1] - first[1]) / (second[0] - first[0])
                return second[0] + (0.0015 - second[1]) / slope - 0.005
        raise AssertionError("the contacts do not part")

    def test_opening_time_converges(self):
        for step in (4e-5, 2e-5, 1e-5):
            self.assertLess(abs(self.opening_time("nonsmooth-alpha", step) - self.LIMIT), step)

    def test_both_integrators_agree(self):
        times = [self.opening_time(name, 1e-5) for name in ("moreau-jean", "nonsmooth-alpha")]
        self.assertLess(abs(times[0] - times[1]), 1e-7)


class PeckingBird(unittest.TestCase):
    def test_limit_cycle(self):
        rows = run("pecking_bird", ["contact.beak.impulse.n", "sleeve.position.z"], "--set", "output.every=1")
        pecks, last = [], 0
        for time, impulse, height in rows:
            if abs(impulse) > 1e-3 and time > last + 0.05:
                pecks.append((time, height))
                last = time
        pecks = [peck for peck in pecks if peck[0] > 1]
        self.assertGreaterEqual(len(pecks), 5)
        for first, second in zip(pecks, pecks[1:]):
            self.assertAlmostEqual(second[0] - first[0], 0.1945, delta=3e-4)
            self.assertAlmostEqual(first[1] - second[1], 0.01835, delta=1e-4)


class WalkingQuadruped(unittest.TestCase):
    def test_gait_repeats_itself(self):
        rows = run("walking_quadruped", ["trunk.position.x", "trunk.position.z"], "--until", 3.5)
        places = [at(rows, time)[1] for time in (0.5, 1.7, 2.3, 2.9, 3.5)]
        self.assertLess(abs(places[0]), 1e-9)  # It stands until 0.5 s.
        for first, second in zip(places[1:], places[2:]):
            self.assertAlmostEqual(second - first, 0.09719, delta=2e-5)
        self.assertTrue(all(0.355 < row[2] < 0.365 for row in rows))


class MasonryArch(unittest.TestCase):
    def test_limit_analysis_finds_the_published_value(self):
        import arch_study
        _, limit = arch_study.bisect(lambda ratio: arch_study.has_line_of_thrust(401, ratio), width=1e-6)
        self.assertAlmostEqual(limit, 0.1075, delta=5e-5)

    def test_runs_fall_below_the_limit_and_stand_above(self):
        import arch_study
        _, limit = arch_study.bisect(lambda ratio: arch_study.has_line_of_thrust(9, ratio), width=1e-6)
        self.assertGreater(arch_study.run_trial(PROGRAM, 9, limit - 3e-4), 1e-5)
        self.assertLess(abs(arch_study.run_trial(PROGRAM, 9, limit + 3e-4)), 1e-8)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
