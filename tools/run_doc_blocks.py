"""Runs the code blocks of a page of the documentation, in order, in an empty folder.

    run_doc_blocks.py PAGE.md PROGRAM

```python blocks share one namespace. ```yaml blocks are saved under the name that the text before them gives
(`NAME.yaml`). Each line of a ```console block is a command; `saltus` is PROGRAM. The first block that fails ends the page.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"`([\w.-]+\.yaml)`")


def blocks(text):
    """Kind, text, first line number and the words before, for each fenced block."""
    for match in FENCE.finditer(text):
        before = text[:match.start()]
        yield match[1], match[2], before.count("\n") + 2, before


def main(page, program):
    path = pathlib.Path(page).resolve()
    program = os.path.abspath(program)
    namespace = {"__name__": "__main__"}
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind, code, line, before in blocks(path.read_text(encoding="utf-8")):
            if kind == "yaml":
                names = FILE_NAME.findall(before)
                if names:
                    pathlib.Path(names[-1]).write_text(code, encoding="utf-8")
                continue
            if kind == "python":
                exec(compile("\n" * (line - 1) + code, str(path), "exec"), namespace)
            elif kind == "console":
                for command in code.strip().splitlines():
                    words = shlex.split(command)
                    words[0] = program if words[0] == "saltus" else words[0]
                    print("$", command, flush=True)
                    subprocess.run(words, check=True)
            else:
                continue
            count += 1
    print(f"{path.name}: {count} blocks")
    return 0 if count else f"{path.name}: there is no block to run"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
