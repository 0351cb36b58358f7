"""Links: every relative link of a Markdown page leads to a file, and every anchor to a heading."""

import re

import source_tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchors(text):
    """The anchors of a page's headings, as they are made from their words."""
    names = set()
    for heading in HEADING.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        words = re.sub(r"[`*]", "", heading).strip().lower()
        names.add(re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", words)))
    return names


def check(tree):
    texts = {path: "\n".join(line for _, line in tree.lines(path)) for path in tree.files({".md"})}
    for path, text in texts.items():
        for target in LINK.findall(CODE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            place, _, anchor = target.partition("#")
            goal = path.parent.joinpath(place) if place else path
            full = (tree.root / goal).resolve()
            if not full.exists():
                yield f"{path}:1: the link '{target}' leads nowhere"
            elif anchor and full.suffix == ".md" and anchor not in anchors(full.read_text("utf-8")):
                yield f"{path}:1: the link '{target}' has no such heading"


if __name__ == "__main__":
    source_tree.main(check)
