"""What the checks share: the files of the project and the way a check reports."""

import os
import pathlib
import sys

SKIPPED = {"build", "results", ".git", ".cache", "__pycache__", "data", "node_modules"}
CODE = {".h", ".cc"}


class Tree:
    """The text files below a root folder, addressed by their path relative to it."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    def files(self, suffixes, under=("",)):
        """Relative paths of all files with one of the suffixes, in sorted order."""
        found = []
        for folder, subfolders, names in os.walk(self.root):
            subfolders[:] = [s for s in subfolders if s not in SKIPPED and s[:6] != "build-"]
            for name in names:
                path = pathlib.Path(folder, name).relative_to(self.root)
                if path.suffix in suffixes and str(path).startswith(tuple(under)):
                    found.append(path)
        return sorted(found)

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def lines(self, path):
        """Pairs (line number, text without the newline)."""
        return list(enumerate(self.text(path).split("\n"), start=1))


def main(check):
    """Runs check(tree), a generator of messages, on the folder named on the command line.

    A message that starts with "warning:" is shown but does not fail the check.
    """
    default = pathlib.Path(__file__).resolve().parent.parent
    messages = list(check(Tree(sys.argv[1] if len(sys.argv) > 1 else default)))
    errors = [m for m in messages if not m.startswith("warning:")]
    for message in messages:
        print(message)
    print(f"{len(errors)} error(s), {len(messages) - len(errors)} warning(s)")
    sys.exit(1 if errors else 0)
