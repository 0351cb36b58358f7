"""Sizes: a source file has at most 600 lines, a class at most 30 data members and 700 lines over all
its files; a function longer than a screen is pointed out."""

import collections
import re

import source_tree

MAX_FILE = 600
MAX_FUNCTION = 80
MAX_MEMBERS = 30
MAX_CLASS = 700

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


CLASS = re.compile(r"^\s*(?:template <.*> )?(?:class|struct) ((?:\w+::)*\w+)(?: final)?(?: :[^:].*)?\s*\{")
METHOD = re.compile(r"\b((?:\w+(?:<\w+>)?::)*\w+)(?:<\w+>)?::~?\w+\(")
# Data members end with an underscore: "int a_ = 0, b_;" declares two.
MEMBER = re.compile(r"\b[a-z]\w*_(?=\s*(?:[;,]|=|\{))")


def classes(lines):
    """Triples (name, lines, data members) of the classes whose bodies stand in a file."""
    text = [line.split("//")[0] for _, line in lines]
    for first, line in enumerate(text):
        opening = CLASS.match(line)
        if not opening:
            continue
        depth, members, count = 0, 0, 0
        for inner in text[first:]:
            if depth == 1 and "(" not in inner.split("=")[0]:
                members += len(MEMBER.findall(inner))
            depth += inner.count("{") - inner.count("}")
            count += 1
            if depth <= 0:
                break
        yield opening.group(1), count, members


def check_classes(tree):
    """The parts of a class are found by its name, with that of the class around it."""
    size, members = collections.Counter(), collections.Counter()
    for path in tree.files(source_tree.CODE, ("saltus", "apps", "python")):
        if "test" in path.parts:
            continue
        lines = tree.lines(path)
        for name, count, data in classes(lines):
            size[name] += count
            members[name] += data
        if path.suffix == ".cc":
            for number, length in functions(lines):
                method = METHOD.search(lines[number - 1][1])
                if method:
                    size[re.sub("<.*?>", "", method.group(1))] += length
    for name in sorted(size):
        if members[name] > MAX_MEMBERS:
            yield f"class {name}: {members[name]} data members, at most {MAX_MEMBERS} are allowed"
        if members[name] and size[name] > MAX_CLASS:
            yield f"class {name}: {size[name]} lines in all, at most {MAX_CLASS} are allowed"


def check(tree):
    yield from check_classes(tree)
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
