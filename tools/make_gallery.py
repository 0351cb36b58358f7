"""Writes docs/gallery: for each ready scene a picture, what it shows, its audit, command and timing.

    make_gallery.py PROGRAM [NAME…]

The words come from the comment at the top of the scene, the numbers from the audit of the run. Results go to
results/gallery; a result that is newer than its scene is taken as it is.
"""

import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GALLERY = ROOT / "docs" / "gallery"
RESULTS = ROOT / "results" / "gallery"

# Name: (arguments of the run, time of the picture in s, camera, what is drawn beside the bodies).
SCENES = {
    "newtons_cradle": ([], 0.42, "25,12,1.1", "joints,ground"),
    "bouncing_ball": (["--until", "2"], 0.46, "25,12", "contacts,ground"),
    "domino_row": ([], 0.6, "35,25,1.1", "contacts,ground"),
    "brick_wall": (["--set", "push=10", "--until", "0.6"], 0.25, "30,18,1.2", "contacts,ground"),
    "masonry_arch": (["--until", "0.5"], 0.4, "20,10", "contacts,ground"),
    "sphere_pile_125": ([], 1.0, "30,25,1.1", "ground"),
    "stack_of_ten": ([], 0.5, "30,12", "contacts,ground"),
    "robot_arm_falls": ([], 0.6, "30,15", "joints,contacts,ground"),
    "slider_crank_clearance": ([], 0.02, "10,10", "joints,contacts,ground"),
    "four_bar_3d": ([], 0.5, "30,20", "joints,ground"),
    "chain_50": (["--until", "1"], 0.6, "20,10", "joints,ground"),
    "spinning_top": ([], 0.5, "30,20", "joints,contacts,ground"),
    "billiard_break": ([], 0.6, "0,50,1.1", "ground"),
    "eulers_disk": ([], 1.0, "30,25", "contacts,ground"),
    "tippe_top": ([], 1.0, "30,15", "contacts,ground"),
    "cam_follower": ([], 0.02, "20,10", "joints,springs,contacts,ground"),
    "gripper": ([], 1.4, "30,15", "contacts,ground"),
    "conveyor": ([], 2.0, "35,25,1.2", "contacts,ground"),
    "rock_fall": ([], 1.5, "40,20,1.2", "ground"),
    "granular_column": ([], 0.25, "30,15,1.2", "ground"),
}
KEYS = ("steps", "wall_time", "max_penetration", "max_constraint", "energy_closure", "events")


def read_words(scene):
    """The comment at the top of a scene, without its hints, in sentences."""
    lines = []
    for line in scene.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    text = " ".join(lines)
    text = re.sub(r"\(?@cite [\w, ]+\)?", "", text)
    return re.split(r"\b(?:Look at|Try|Compare):", text)[0].strip()


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
    rows = "\n".join(f"| {key} | {info[key]:.4g} |" for key in KEYS if key in info)
    (GALLERY / f"{name}.md").write_text(f"""# {info['title']}

![{info['title']} at t = {moment} s]({name}.png)

{read_words(scene)}

    {command}
    saltus view {name}.h5

Scene: [scenes/{name}.yaml](../../scenes/{name}.yaml), {len(info['bodies'])} bodies, t = 0 to {info['time_end']:g} s.

| audit | |
|---|---|
{rows}
""", encoding="utf-8")
    return info


def write_index():
    rows = []
    for name in SCENES:
        page = GALLERY / f"{name}.md"
        if page.exists():
            title = page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            rows.append(f"| [![{title}]({name}.png)]({name}.md) | [{title}]({name}.md) |")
    (GALLERY / "README.md").write_text(
        "# Gallery\n\nMade by `./do gallery`: each page has the command that repeats it.\n\n| | |\n|---|---|\n"
        + "\n".join(rows) + "\n", encoding="utf-8")


def main(program, *names):
    GALLERY.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in names if name not in SCENES]
    if unknown:
        return f"make_gallery: no page is called {', '.join(unknown)}; there are {', '.join(SCENES)}"
    for name in names or SCENES:
        begin = time.monotonic()
        try:
            make_page(program, name)
        except subprocess.CalledProcessError as error:
            return f"make_gallery: {name}: {error.stderr.strip()}"
        print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
    write_index()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
