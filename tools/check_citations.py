"""Citations: every `@cite Key` or `@cite Key, Key` names entries of docs/references.bib.

Every header directly in saltus/integrators/ cites the source of its method, and a class that
derives from Integrator also lists how it departs from that source, after the word "Deviation".
"""

import collections
import re

import source_tree

CITE = re.compile(r"@cite\s+(\w+(?:,\s*[A-Z][A-Za-z]*[12]\d{3}[a-z]?\b)*)")
ENTRY = re.compile(r"^@(\w+)\{([^,\s]+),(.*?)^\}", re.MULTILINE | re.DOTALL)
METHOD = re.compile(r":\s*public\s+(saltus::)?Integrator\b")
FIELDS = ("author", "title", "year")
INTERFACE = "saltus/integrators/integrator.h"


def entries(text):
    """Triples (key, set of field names, line number) of a BibTeX text."""
    for match in ENTRY.finditer(text):
        fields = set(re.findall(r"^\s*(\w+)\s*=", match[3], re.MULTILINE))
        yield match[2], fields, text.count("\n", 0, match.start()) + 1


def check(tree):
    bib = "docs/references.bib"
    text = tree.text(bib) if (tree.root / bib).exists() else ""
    seen = collections.Counter()
    for key, fields, number in entries(text):
        seen[key] += 1
        if seen[key] > 1:
            yield f"{bib}:{number}: {key} is defined twice"
        for field in FIELDS:
            if field not in fields:
                yield f"{bib}:{number}: {key} has no {field}"

    for path in tree.files(source_tree.CODE | {".md", ".py"}):
        if path.parts[0] == "tools":
            continue
        for number, line in tree.lines(path):
            for key in re.findall(r"\w+", " ".join(CITE.findall(line))):
                if key not in seen:
                    yield f"{path}:{number}: @cite {key} is not in {bib}"

    for path in tree.files({".h"}, under=("saltus/integrators/",)):
        if len(path.parts) != 3 or str(path) == INTERFACE:
            continue
        text = tree.text(path)
        if not CITE.search(text):
            yield f"{path}:1: an integrator header must @cite the source of its method"
        if METHOD.search(text) and "Deviation" not in text:
            yield f'{path}:1: a method lists its departures from the source: "Deviation: none" or more'


if __name__ == "__main__":
    source_tree.main(check)
