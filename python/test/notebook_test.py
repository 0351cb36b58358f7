"""The tutorial notebooks and the Python of the README run from top to bottom."""

import json
import os
import re
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

    def setUp(self):
        import matplotlib
        matplotlib.use("Agg")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def test_notebooks(self):
        notebooks = sorted((SOURCE / "docs" / "tutorials").glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            with self.subTest(path.name):
                self.run_notebook(path)

    def test_readme(self):
        """The code blocks of the README, in one session: they leave their pictures."""
        blocks = re.findall(r"^```python\n(.*?)^```", (SOURCE / "README.md").read_text("utf-8"),
                            re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 2)
        names = {"__name__": "__main__"}
        for block in blocks:
            exec(compile(block, "README.md", "exec"), names)
        for picture in ("bouncing_ball.png", "pendulum.png"):
            self.assertGreater(os.path.getsize(picture), 10000)


if __name__ == "__main__":
    unittest.main()
