"""The numbers that prove a page of the gallery: each function takes the program and a result and returns a table in Markdown."""

import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "verification"))


def call(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def probe(program, result, *channels):
    lines = call(program, "probe", result, *channels, "--csv").splitlines()[1:]
    return [[float(value) for value in line.split(",")] for line in lines]


def rerun(program, scene, channels, *words):
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.h5"
        call(program, "run", ROOT / "scenes" / f"{scene}.yaml", "--quiet", "-o", result, *words)
        return probe(program, result, *channels)


def at(rows, time):
    return min(rows, key=lambda row: abs(row[0] - time))


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def prove_geneva(program, result):
    rows = probe(program, result, "axle.angle", "wheel.angular_velocity.y")
    lines = []
    for turn in range(1, 5):
        angle = at(rows, turn * 2 * math.pi / 10)[1]
        lines.append([f"wheel after {turn} turn{'s' if turn > 1 else ''} of the driver", f"{-turn * math.pi / 2:.6f} rad",
                      f"{angle:.6f} rad"])
    ratio = at(rows, math.pi / 10)[2] / 10
    lines.append(["largest ratio of the speeds, 1/(√2 − 1)", f"{1 / (math.sqrt(2) - 1):.4f}", f"{ratio:.4f}"])
    return table(["", "exact, without play", "ours"], lines) + "\n\nThe lock leaves the wheel a play of 7.7e-4 rad."


def prove_ratchet(program, result):
    rows = probe(program, result, "axle.angle")
    held = [at(rows, time)[1] for time in (0.25, 0.75, 1.25, 1.75)]
    lines = [[f"swing {k}", f"{2 * math.pi / 12:.9f} rad", f"{b - a:.9f} rad"]
             for k, (a, b) in enumerate(zip(held, held[1:]), start=1)]
    return table(["the wheel, held by the pawl, has gained", "one tooth", "ours"], lines)


def find_opening(rows):
    """When the follower meets its stop at 1.5 mm, after the coil begins at 5 ms: the line through the two frames before."""
    for first, second, third in zip(rows, rows[1:], rows[2:]):
        if third[1] >= 0.0015 - 1e-12:
            slope = (second[1] - first[1]) / (second[0] - first[0])
            return second[0] + (0.0015 - second[1]) / slope - 0.005
    return float("nan")


def prove_breaker(program, _result):
    lines = []
    for step in (8e-5, 4e-5, 2e-5, 1e-5, 5e-6, 2.5e-6, 1.25e-6):
        rows = rerun(program, "circuit_breaker", ["guide.displacement"], "--set", f"simulation.step={step}", "--set",
                     "output.every=1", "--until", 0.0085)
        lines.append([f"{1e6 * step:g} µs", f"{1e3 * find_opening(rows):.4f} ms"])
    return table(["step h", "opening time"], lines) + (
        "\n\nThe nose slips off at the end of some step, so that the time is known to about h: errors fall from 20 µs to 1 µs.")


def prove_bird(program, _result):
    lines = []
    for step in (4e-4, 2e-4, 1e-4, 5e-5):
        rows = rerun(program, "pecking_bird", ["contact.beak.impulse.n", "sleeve.position.z"], "--set",
                     f"simulation.step={step}", "--set", "output.every=1")
        pecks, last = [], 1.0
        for time, impulse, height in rows:
            if abs(impulse) > 1e-3 and time > last + 0.05:
                pecks.append((time, height))
                last = time
        count = len(pecks) - 1
        lines.append([f"{1e3 * step:g} ms", f"{(pecks[-1][0] - pecks[0][0]) / count:.4f} s",
                      f"{1e3 * (pecks[0][1] - pecks[-1][1]) / count:.2f} mm"])
    return table(["step h", "period, mean from 1 s on", "descent per period"], lines)


def prove_quadruped(program, result):
    rows = probe(program, result, "trunk.position.x", "trunk.position.z")
    places = [at(rows, 0.5 + 0.6 * k)[1] for k in range(9)]
    lines = [[f"{k}", f"{1e3 * (b - a):.4f} mm"] for k, (a, b) in enumerate(zip(places, places[1:]), start=1)]
    heights = [row[2] for row in rows]
    return table(["period", "advance of the trunk"], lines) + (
        f"\n\nHeight of the trunk: {min(heights):.4f} to {max(heights):.4f} m.")


def prove_arch(program, _result):
    import arch_study  # Needs numpy and scipy.
    lines = [[str(row["stones"]), f"{row['limit']:.4f}", f"{row['falls']:.4f} to {row['stands']:.4f}",
              f"{row['least_fall']:.1e} m", f"{row['most_rest']:.0e} m"] for row in arch_study.study(program, [9, 17, 27])]
    _, limit = arch_study.bisect(lambda ratio: arch_study.has_line_of_thrust(401, ratio), width=1e-6)
    lines.append(["401", f"{limit:.4f}", "", "", ""])
    return (table(["stones", "least t/R by limit analysis", "by bisection of runs", "least fall", "most settling"], lines)
            + "\n\nPublished for a ring of infinitely many radial joints: t/R = 0.1075 (Milankovitch 1907; Makris and Alexakis 2013). "
            "Fall and settling are those of the keystone in 0.25 s; `python3 verification/arch_study.py PROGRAM` repeats the table.")


PROOFS = {"geneva_drive": prove_geneva, "ratchet": prove_ratchet, "circuit_breaker": prove_breaker,
          "pecking_bird": prove_bird, "walking_quadruped": prove_quadruped, "masonry_arch": prove_arch}
