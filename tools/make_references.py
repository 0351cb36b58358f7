"""Prints the list of references as a page, with one anchor per key: make_references.py FILE.bib"""

import re
import sys

from check_citations import ENTRY

# name = {value}, which may go over several lines
FIELD = re.compile(r"^\s*(\w+)\s*=\s*(\{.*?\}),?[ \t]*$", re.M | re.S)


def plain(value):
    """A BibTeX value without its braces and LaTeX signs."""
    text = re.sub(r"[{}]", "", value).replace("$\\alpha$", "α").replace("--", "–")
    return " ".join(text.split())


def main(path):
    print("# References\n")
    with open(path, encoding="utf-8") as file:
        found = sorted(ENTRY.findall(file.read()), key=lambda entry: entry[1])
    for _, key, body in found:
        fields = {k: plain(v) for k, v in FIELD.findall(body)}
        where = fields.get("journal") or fields.get("booktitle") or fields.get("school") or ""
        details = [where, fields.get("volume"), fields.get("pages"), fields.get("publisher")]
        print(f"@anchor {key} **{key}**: {fields['author'].replace(' and ', '; ')}. "
              f"*{fields['title']}*. {', '.join(d for d in details if d)}, {fields['year']}.\n")


if __name__ == "__main__":
    main(sys.argv[1])
