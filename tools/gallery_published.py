"""The page of accepted steps: those that Haddouni (2015) prints beside ours, which verification/dae.md has (made by dae_study)."""

import re

TOLERANCES = ("1e-02", "1e-04", "1e-06", "1e-08", "1e-10")
# Accepted steps for these tolerances; our name of the solver: (name there, counts).
TABLES = {
    "Four-bar linkage": ("table 3.3, four-bar linkage, 2 s", {
        "hem5": (50, 86, 215, 557, 1188), "phem56": (45, 64, 128, 291, 699), "rkf45": (109, 99, 214, 504, 1241),
        "alpha-index2": (66, 235, 1067, 4937, 22897), "alpha-index3": (1146, 1356, 6455, 34607, None)}),
    "Slider-crank with an elastic rod": ("table 3.5, slider-crank with an elastic rod, 0.1 s", {
        "hem5": (961, 1066, 737, 1055, 3522), "phem56": (1131, 1712, 1752, 1733, 1861),
        "rkf45": (2005, 2245, 2769, 5428, 12989), "alpha-index2": (42, 127, 536, 2475, 11484),
        "alpha-index3": (382, 338, 2863, 11281, 15921)}),
}


def read_ours(text):
    """{heading: {(solver, tolerance): accepted}}"""
    ours, heading = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:].split(",")[0]
        row = re.match(r"\| ([\w-]+) \| (1e-\d\d) \| (\d+) \|", line)
        if row:
            ours.setdefault(heading, {})[row[1], row[2]] = int(row[3])
    return ours


def make_step_counts(root, folder):
    ours = read_ours((root / "verification" / "dae.md").read_text(encoding="utf-8"))
    parts = []
    for heading, (title, solvers) in TABLES.items():
        lines = ["| solver | " + " | ".join(TOLERANCES) + " |", "|---|" + "---|" * len(TOLERANCES)]
        for solver, counts in solvers.items():
            cells = [f"{count if count else '–'} / {ours[heading].get((solver, tolerance), '–')}"
                     for tolerance, count in zip(TOLERANCES, counts)]
            lines.append(f"| {solver} | " + " | ".join(cells) + " |")
        parts.append(f"## Haddouni 2015, {title}\n\n" + "\n".join(lines))
    (folder / "step_counts.md").write_text(
        "# Accepted steps: published / ours\n\n"
        "How many steps each solver accepts at a tolerance, as Haddouni (2015) prints it and as `dae_study` counts it here\n"
        "([drift, errors and times](../../verification/dae.md)). The control of the step is not printed in full there: limits of "
        "the drift\nthat count as rejections are probably why his index-3 scheme takes far more steps than ours.\n\n"
        + "\n\n".join(parts) + "\n", encoding="utf-8")
