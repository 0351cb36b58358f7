"""The types file says what the package has; everything that users see is documented."""

import ast
import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import saltus
from common import SOURCE

HAS_MYPY = importlib.util.find_spec("mypy") is not None


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = (pathlib.Path(saltus.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
        cls.stub = {node.name: node for node in ast.parse(text).body
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef))}

    def test_names(self):
        new = {name for name in saltus.__all__ if inspect.isclass(getattr(saltus, name))
               and issubclass(getattr(saltus, name), saltus.Integrator)}  # come from the registry
        self.assertEqual(set(saltus.__all__) - set(self.stub) - new, set())
        hidden = {"Names", "Integrators", "ContactRows"}  # returned, not imported
        self.assertEqual(set(self.stub) - set(saltus.__all__), hidden)

    def test_keys_of_items(self):
        """A stub without **keys lists all keys of the scene format, any stub lists only those."""
        for name, node in self.stub.items():
            known = getattr(saltus, name, None)
            maker = next((m for m in node.body if getattr(m, "name", "") == "__init__"), None) \
                if isinstance(node, ast.ClassDef) else None
            if maker is None or not inspect.isclass(known) or not issubclass(known, saltus.Item) \
                    or known in (saltus.Item, saltus.Scene):
                continue
            keys = {"from" if key == "from_" else key for key in self.parameters(maker)} - {"repeat"}
            signature = inspect.signature(known).parameters
            real = {p.name for p in signature.values() if p.kind is p.KEYWORD_ONLY}
            if any(p.kind is p.VAR_KEYWORD for p in signature.values()):
                real |= set(known.keys_known())
            self.assertEqual(keys - real - {"point_mass"}, set(), f"{name}: not in the format")
            if maker.args.kwarg is None and not issubclass(known, saltus.Integrator):
                self.assertEqual(real - keys, set(), f"{name}: missing in __init__.pyi")

    def run_mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "MYPYPATH": str(SOURCE / "python"), "PYTHONPATH":
                           str(pathlib.Path(saltus.__file__).parents[1])}
            done = subprocess.run([sys.executable, "-m", *arguments], cwd=folder, text=True,
                                  env=environment, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(HAS_MYPY, "mypy is not installed")
    def test_mypy_accepts_the_examples(self):
        examples = sorted((SOURCE / "examples" / "python").glob("*.py"))
        self.run_mypy("mypy", "--ignore-missing-imports", "--check-untyped-defs",
                      "--cache-dir=/dev/null", *map(str, examples))

    def parameters(self, node):
        arguments = node.args
        names = [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
        return [name for name in names if name not in ("self", "cls")]

    def test_functions_and_methods(self):
        for name, node in self.stub.items():
            known = getattr(saltus, name, None)
            if inspect.isfunction(known):
                self.assertEqual(self.parameters(node), list(self.plain(known)), name)
            if not inspect.isclass(known) or issubclass(known, (saltus.Item, Exception)):
                continue
            for member in node.body:
                if not isinstance(member, ast.FunctionDef) or isinstance(known, type(saltus.Checkpoint)):
                    continue
                found = inspect.getattr_static(known, member.name)
                if isinstance(found, property):
                    continue
                found = getattr(found, "__func__", found)
                self.assertEqual(self.parameters(member), list(self.plain(found)),
                                 f"{name}.{member.name}")

    @staticmethod
    def plain(function):
        variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return [p.name for p in inspect.signature(function).parameters.values()
                if p.kind not in variable and p.name not in ("self", "cls")]

    def test_help(self):
        for name in saltus.__all__:
            known = getattr(saltus, name)
            self.assertTrue(inspect.getdoc(known), f"{name} has no docstring")
            if inspect.isclass(known) and not issubclass(known, dict):
                for member, value in vars(known).items():
                    if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{member} has no docstring")
        self.assertIn("[m/s]", saltus.Simulation.v.__doc__)
        self.assertIn("[kg", saltus.Body.__doc__)


if __name__ == "__main__":
    unittest.main()
