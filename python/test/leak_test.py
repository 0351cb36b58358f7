"""Many simulations in a loop: memory stays where it is.

The short version runs in every test; `SALTUS_LEAK_RUNS=10000 python3 leak_test.py` is the long one.
"""

import gc
import os
import resource
import tempfile
import unittest

import saltus
from common import ball_scene, ball_system

RUNS = int(os.environ.get("SALTUS_LEAK_RUNS", "200"))
ROUNDS = 8


def resident():
    """Memory of this process [bytes]."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Leaks(unittest.TestCase):
    def measure(self, run, runs=RUNS):
        for _ in range(max(20, runs // 4)):  # caches and arenas fill up
            run()
        gc.collect()
        objects = len(gc.get_objects())
        # One run keeps at least 4000 bytes of arrays, so a leak shows in every round. The allocator
        # may take some hundred kB at any time, but not in each of them.
        for _ in range(ROUNDS):
            before = resident()
            for _ in range(runs):
                run()
            gc.collect()
            growth = (resident() - before) / runs
            print(f"{self.id()}: {growth:.1f} bytes per run over {runs} runs")
            if growth < 400:
                break
        self.assertLess(growth, 400)
        self.assertLess(len(gc.get_objects()) - objects, 100)

    def test_scenes(self):
        scene = ball_scene(until=0.5, step=0.01)
        self.measure(lambda: saltus.simulate(scene))

    def test_user_systems_with_functions(self):
        def run():
            result = saltus.simulate(
                ball_system(force=lambda t, q, v: [-9.81]), step=0.01, until=0.5,
                observers=[(lambda s: s.contacts, 10)])
            self.assertEqual(len(result), 51)

        self.measure(run)

    def test_errors(self):
        def bad(t, q, v):
            if t > 0.05:
                raise ArithmeticError("on purpose")
            return [-9.81]

        def run():
            try:
                saltus.simulate(ball_system(force=bad), step=0.01, until=0.5)
            except ArithmeticError:
                pass

        self.measure(run)

    def test_files(self):
        scene = ball_scene(until=0.1, step=0.01)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")

            def run():
                saltus.simulate(scene, output=path, force=True)
                saltus.load(path)["ball.position.z"]

            self.measure(run, max(20, RUNS // 10))


if __name__ == "__main__":
    unittest.main()
