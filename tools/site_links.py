"""Hook of mkdocs: links that leave docs/ (to scenes, sources, …) become the path in the repository.

The site stands alone; those files are in the sources. tools/check_links.py checks that they exist.
"""

import pathlib
import re

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)


def on_page_markdown(markdown, page, config, files):
    docs = pathlib.Path(config["docs_dir"]).resolve()
    folder = docs.joinpath(page.file.src_path).parent

    def replace(match):
        picture, words, target = match.groups()
        place = target.partition("#")[0]
        if picture or not place or re.match(r"[a-z]+:", target):
            return match[0]
        full = (folder / place).resolve()
        if full.is_relative_to(docs) and not full.is_dir():
            return match[0]
        path = full.relative_to(docs.parent)
        return f"`{path}`" if words.strip("`/") in str(path) else f"{words} (`{path}`)"

    parts = CODE.split(markdown)
    return "".join(part if i % 2 else LINK.sub(replace, part) for i, part in enumerate(parts))
