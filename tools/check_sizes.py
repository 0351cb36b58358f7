"""Sizes: a source file has at most 600 lines; a function longer than a screen is pointed out."""

import re

import source_tree

MAX_FILE = 600
MAX_FUNCTION = 80

# At the left margin, as our format puts every free function and out-of-class member.
OPENING = re.compile(r"[A-Za-z_\[~]")
NO_FUNCTION = re.compile(r"(namespace|class|struct|enum|union|using|typedef|extern)\b")


def functions(lines):
    """Pairs (first line number, length) of the function bodies that start at the left margin."""
    start = None
    for number, line in lines:
        if line == "}" and start is not None:
            yield start, number - start + 1
        if line.startswith("}"):
            start = None
        elif OPENING.match(line):
            if line.endswith(";") or NO_FUNCTION.match(line):
                start = None
            elif start is None:
                start = number


def check(tree):
    for path in tree.files(source_tree.CODE | {".py", ".cmake"}):
        lines = tree.lines(path)
        count = len(lines) - (lines[-1][1] == "")
        if count > MAX_FILE:
            yield f"{path}:{count}: {count} lines, at most {MAX_FILE} are allowed; split the file"
        if path.suffix == ".cc":
            for number, length in functions(lines):
                if length > MAX_FUNCTION and "test" not in path.parts:
                    yield f"warning: {path}:{number}: function of {length} lines (> {MAX_FUNCTION})"


if __name__ == "__main__":
    source_tree.main(check)
