"""Writes docs/gallery: for each ready scene a picture, what it shows, its audit, command and timing.

    make_gallery.py PROGRAM [NAME…]

The words come from the comment at the top of the scene, the numbers from the audit of the run and from gallery_proofs.py. Pages
with curves are those of gallery_curves.py. Results go to results/gallery; a result that is newer than its scene is taken as it
is, with the time that its run took.
"""

import json
import pathlib
import re
import subprocess
import sys
import time

import gallery_curves
import gallery_proofs
import gallery_published

ROOT = pathlib.Path(__file__).resolve().parent.parent
GALLERY = ROOT / "docs" / "gallery"
RESULTS = ROOT / "results" / "gallery"

# Name: (arguments of the run, time of the picture in s, camera, what is drawn beside the bodies).
SCENES = {
    "newtons_cradle": ([], 0.42, "25,12,1.6", "joints,ground"),
    "bouncing_ball": (["--until", "2"], 0.46, "25,12", "contacts,ground"),
    "domino_row": ([], 0.6, "35,25,1.1", "contacts,ground"),
    "brick_wall": (["--set", "push=10", "--until", "0.14"], 0.13, "30,18,1.2", "contacts,ground"),
    "masonry_arch": (["--until", "0.5"], 0.4, "20,10,3", "contacts,ground"),
    "sphere_pile_125": ([], 1.0, "30,25,1.1", "ground"),
    "stack_of_ten": ([], 0.5, "30,12", "contacts,ground"),
    "robot_arm_falls": ([], 0.6, "30,15", "joints,contacts,ground"),
    "slider_crank_clearance": ([], 0.02, "10,10", "joints,contacts,ground"),
    "four_bar_3d": ([], 0.5, "30,20", "joints,ground"),
    "chain_50": (["--until", "0.7"], 0.6, "20,10", "joints,ground"),
    "spinning_top": ([], 0.5, "30,20", "joints,contacts,ground"),
    "billiard_break": (["--until", "1"], 0.6, "0,50,1.1", "ground"),
    "eulers_disk": ([], 1.0, "30,25", "contacts,ground"),
    "tippe_top": ([], 3.5, "30,15,1.6", "contacts,ground"),
    "cam_follower": ([], 0.02, "20,10", "joints,springs,contacts,ground"),
    "circuit_breaker": ([], 0.0085, "0,8,1.1", "joints,springs,contacts"),
    "geneva_drive": ([], 0.3, "0,35,1.2", "contacts"),
    "ratchet": ([], 0.2, "0,12,1.7", "contacts"),
    "pecking_bird": ([], 0.42, "15,8,2.6", "joints,contacts"),
    "walking_quadruped": ([], 2.4, "40,15,1.5", "contacts,ground"),
    "gripper": ([], 1.4, "30,15", "contacts,ground"),
    "conveyor": ([], 1.6, "35,30,2.4", "ground"),
    "rock_fall": ([], 1.2, "40,20,1.8", "ground"),
    "granular_column": (["--until", "0.4"], 0.35, "30,15,1.2", "ground"),
    "hopper": ([], 0.45, "30,30,1.8", "ground"),
    "vehicle": ([], 1.5, "60,25,3.5", "ground"),
}
# Entries of the audit and their units.
KEYS = {"steps": "", "max_penetration": "m", "max_constraint": "m or rad", "energy_closure": "of the turnover",
        "events": "impacts", "wall_time": "s of computing"}


def read_words(scene):
    """The comment at the top of a scene, without its hints, in sentences."""
    lines = []
    for line in scene.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    text = " ".join(lines)
    text = re.sub(r"\s*\(@cite [\w, ]+\)|;\s*@cite [\w, ]+(?=\))|\s*@cite [\w, ]+", "", text)
    return re.sub(r"\s+", " ", re.split(r"\b(?:Look at|Try|Compare):", text)[0]).strip()


def format_value(value):
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def run(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def make_page(program, name):
    arguments, moment, camera, show = SCENES[name]
    scene = ROOT / "scenes" / f"{name}.yaml"
    result = RESULTS / f"{name}.h5"
    if not result.exists() or result.stat().st_mtime < scene.stat().st_mtime:
        run(program, "run", scene, "--quiet", "-o", result, *arguments)
    picture = GALLERY / f"{name}.png"
    run(program, "render", result, "--at", moment, "--camera", camera, "--show", show, "--size", "960x540",
        "-o", picture)
    info = json.loads(run(program, "info", result, "--json"))
    command = " ".join(["saltus run", f"scenes/{name}.yaml", *arguments])
    rows = "\n".join(f"| {key} | {format_value(info[key])} {unit} |".replace("  ", " ") for key, unit in KEYS.items() if key in info)
    proof = gallery_proofs.PROOFS.get(name, lambda *_: "")(program, result)
    (GALLERY / f"{name}.md").write_text(f"""# {info['title']}

![{info['title']} at t = {moment} s]({name}.png)

{read_words(scene)}

    {command}
    saltus view {name}.h5

Scene: [scenes/{name}.yaml](../../scenes/{name}.yaml), {len(info['bodies'])} bodies, t = 0 to {info['time_end']:g} s.

{proof + chr(10) + chr(10) if proof else ""}| audit | |
|---|---|
{rows}
""", encoding="utf-8")
    return info


def write_index():
    rows = []
    for name in (*SCENES, *gallery_curves.CURVES):
        page = GALLERY / f"{name}.md"
        if page.exists():
            text = page.read_text(encoding="utf-8")
            title = text.splitlines()[0].lstrip("# ")
            spent = re.search(r"\| wall_time \| (\S+) |Computing time of all runs: (\S+) s", text)
            spent = f"{spent[1] or spent[2]} s" if spent else ""
            rows.append(f"| [![{title}]({name}.png)]({name}.md) | [{title}]({name}.md) | {spent} |")
    (GALLERY / "README.md").write_text(
        "# Gallery\n\nMade by `./do gallery`: each page has the command that repeats it. The time is that of computing the run.\n"
        "[What of the published works is here](published.md), with [steps of solvers beside the published ones](step_counts.md).\n\n| | | computing |\n|---|---|---|\n"
        + "\n".join(rows) + "\n", encoding="utf-8")


def main(program, *names):
    GALLERY.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    pages = (*SCENES, *gallery_curves.CURVES)
    unknown = [name for name in names if name not in pages]
    if unknown:
        return f"make_gallery: no page is called {', '.join(unknown)}; there are {', '.join(pages)}"
    for name in names or pages:
        begin = time.monotonic()
        try:
            if name in SCENES:
                make_page(program, name)
            else:
                gallery_curves.make_curves(program, ROOT, GALLERY, RESULTS, name)
        except subprocess.CalledProcessError as error:
            return f"make_gallery: {name}: {error.stderr.strip()}"
        print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
    gallery_published.make_step_counts(ROOT, GALLERY)
    write_index()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
