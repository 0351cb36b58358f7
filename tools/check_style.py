"""Style: the habits of CONTRIBUTING.md that a line of text can show."""

import re

import source_tree

ABORT = "saltus/base/error.cc"  # says on stderr which invariant broke before it aborts
COLUMNS = 100  # characters, not bytes: equations are written in UTF-8

NOTE = re.compile(r"\b(TO" + "DO|FIX" + "ME|X" + r"XX)\b")
PRINT = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(f|v)?printf\s*\(|\bf?puts\s*\(|\bfmt::print\b")
USING = re.compile(r"\s*using\s+namespace\b")
VAGUE = re.compile(r"\b(class|struct)\s+\w*(Manager|Helper|Utils?)\b")
GETTER = re.compile(r"\bGet[A-Z]\w*\s*\(")


def check_line(path, line):
    """The complaints about one line of C++."""
    code = line.split("//", 1)[0]
    in_library = path.parts[0] == "saltus" and not {"test", "bench"} & set(path.parts)
    if len(line) > COLUMNS and not line.startswith("#include"):
        yield f"{len(line)} columns, at most {COLUMNS} are allowed"
    if "\t" in line:
        yield "tab; indent with spaces"
    if in_library and PRINT.search(code) and str(path) != ABORT:
        yield "the library prints nothing: return a report or take a callback"
    if path.suffix == ".h" and USING.match(code):
        yield "using namespace in a header"
    if VAGUE.search(code):
        yield "name the thing by what it is, not Manager, Helper or Util"
    if in_library and path.suffix == ".h" and GETTER.search(code):
        yield "no Get: accessors are lower_case nouns, computations start with Calc or Find"


def check(tree):
    texts = {".md", ".py", ".cmake", ".txt", ".yaml", ".json"}
    for path in tree.files(source_tree.CODE | texts):
        try:
            lines = tree.lines(path)
        except UnicodeDecodeError:
            yield f"{path}:1: not UTF-8"
            continue
        for number, line in lines:
            where = f"{path}:{number}"
            if line != line.rstrip():
                yield f"{where}: trailing white space"
            if path.suffix != ".md" and NOTE.search(line):
                yield f"{where}: unfinished note; open an issue instead"
            if path.suffix in source_tree.CODE:
                for complaint in check_line(path, line):
                    yield f"{where}: {complaint}"
        if lines[-1][1] != "":
            yield f"{path}:{lines[-1][0]}: no newline at the end of the file"
        if path.suffix == ".h" and all(line != "#pragma once" for _, line in lines):
            yield f"{path}:1: no #pragma once"


if __name__ == "__main__":
    source_tree.main(check)
