"""Results and scenes in the browser: the page that ``saltus view`` writes, also inside notebooks."""

import html
import os
import pathlib
import tempfile
import webbrowser

from . import _core
from .errors import input_error

_HERE = pathlib.Path(__file__).resolve().parent


def _find_template():
    """viewer.html: named by SALTUS_VIEWER, inside the package, or in the build tree beside it."""
    package = pathlib.Path(_core.__file__).resolve().parent
    given = os.environ.get("SALTUS_VIEWER")
    places = [pathlib.Path(given)] if given else [
        _HERE / "viewer.html", package / "viewer.html",
        package.parent.parent / "share" / "saltus" / "viewer.html"]
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise input_error("view", "this build has no viewer",
                      "build the target saltus_viewer (it needs npm), or name the file by the "
                      "environment variable SALTUS_VIEWER")


class View:
    """A page that plays results. Shown inline by notebooks; ``save`` and ``open`` elsewhere."""

    def __init__(self, page, title, height=520):
        self.page, self.title, self.height = page, title, height

    def save(self, file):
        """Writes the page, one file that needs nothing else. Returns its path."""
        path = pathlib.Path(file)
        if path.suffix != ".html":
            raise input_error("file", f"cannot write the page to {str(file)!r}", "end it in .html")
        path.write_bytes(self.page)
        return str(path)

    def open(self):
        """Writes the page to a temporary file and shows it in the browser. Returns its path."""
        handle, path = tempfile.mkstemp(prefix="saltus_", suffix=".html")
        os.close(handle)
        self.save(path)
        webbrowser.open(pathlib.Path(path).as_uri())
        return path

    def _repr_html_(self):
        source = html.escape(self.page.decode("utf-8"), quote=True)
        return (f'<iframe srcdoc="{source}" title="{html.escape(self.title, quote=True)}" '
                f'style="width:100%; height:{int(self.height)}px; border:0"></iframe>')

    def __repr__(self):
        return f"<saltus.View {self.title!r}: {len(self.page) / 1e6:.1f} MB>"


def _write_source(thing, folder, index):
    """A file that the viewer reads: of a result, a scene, or where one is already."""
    from .results import Result
    from .scene import Scene
    if isinstance(thing, Result):
        if thing.path is not None:
            return thing.path
        return thing.save(os.path.join(folder, f"result_{index}.h5"))
    if isinstance(thing, Scene):
        core, _ = thing._make_core()
        path = os.path.join(folder, f"scene_{index}.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(core.to_yaml())
        return path
    return os.fspath(thing)


def view(*things, file=None, tabs=False, precision=1e-7, height=520):
    """A page for results, scenes or their files: side by side with one clock, or in tabs.

    file: write it there as well (.html). precision: error of positions relative to the size of the
    scene. height: in notebooks, pixels.
    """
    if not things:
        raise input_error("view", "there is nothing to show", "give a result or a scene")
    with tempfile.TemporaryDirectory(prefix="saltus_") as folder:
        files = [_write_source(thing, folder, i) for i, thing in enumerate(things)]
        page = _core.make_view_page(_find_template(), files, bool(tabs), float(precision), "")
    shown = View(page, ", ".join(str(getattr(t, "title", getattr(t, "name", t))) for t in things), height)
    if file is not None:
        shown.save(file)
    return shown
