"""The tutorial notebooks run from top to bottom: their code cells are executed in order."""

import json
import os
import tempfile
import unittest

from common import SOURCE


class Notebooks(unittest.TestCase):
    def run_notebook(self, path):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(notebook["nbformat"], 4)
        names = {"__name__": "__main__"}
        for number, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] != "code":
                continue
            self.assertEqual(cell["outputs"], [], f"cell {number}: notebooks are kept without output")
            code = compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec")
            exec(code, names)

    def test_all(self):
        import matplotlib
        matplotlib.use("Agg")
        notebooks = sorted((SOURCE / "docs" / "tutorials").glob("*.ipynb"))
        self.assertTrue(notebooks)
        here = os.getcwd()
        for path in notebooks:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                try:
                    self.run_notebook(path)
                finally:
                    os.chdir(here)


if __name__ == "__main__":
    unittest.main()
