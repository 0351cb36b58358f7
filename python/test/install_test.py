"""pip install . --no-build-isolation, offline, from the present build tree into an empty folder."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import saltus
from common import SOURCE


class Install(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("pip") and importlib.util.find_spec("setuptools"),
                         "pip and setuptools are needed")
    def test_pip(self):
        tree = pathlib.Path(saltus.__file__).parents[2]
        if not (tree / "CMakeCache.txt").exists():
            self.skipTest("the package is not used from a build tree")
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "SALTUS_CMAKE_BUILD_DIR": str(tree), "PYTHONPATH": ""}
            subprocess.run([sys.executable, "-m", "pip", "install", str(SOURCE), "-q", "--no-index",
                            "--no-build-isolation", "--no-deps", "--target", folder],
                           check=True, env=environment, capture_output=True)
            environment["PYTHONPATH"] = folder
            code = ("import saltus, os; print(os.path.dirname(saltus.__file__)); "
                    "print(saltus.simulate(saltus.LagrangianSystem(1, mass=1.0), until=0.01))")
            done = subprocess.run([sys.executable, "-c", code], check=True, env=environment,
                                  capture_output=True, text=True, cwd=folder)
            self.assertIn(folder, done.stdout)
            self.assertIn("finished", done.stdout)
            installed = os.listdir(os.path.join(folder, "saltus"))
            self.assertIn("py.typed", installed)
            self.assertIn("__init__.pyi", installed)


if __name__ == "__main__":
    unittest.main()
