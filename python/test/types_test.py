"""The types file says what the package has; everything that users see is documented."""

import ast
import inspect
import pathlib
import unittest

import saltus


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = (pathlib.Path(saltus.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
        cls.stub = {node.name: node for node in ast.parse(text).body
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef))}

    def test_names(self):
        self.assertEqual(set(saltus.__all__) - set(self.stub), set())
        hidden = {"Names", "Integrators", "ContactRows"}  # returned, not imported
        self.assertEqual(set(self.stub) - set(saltus.__all__), hidden)

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
