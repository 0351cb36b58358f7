"""The thinnest semicircular arch that stands, found by bisection over its thickness and by limit analysis.

    arch_study.py PROGRAM [STONES…]        (9 17 27)

Each trial runs scenes/masonry_arch.yaml for a quarter of a second: an arch that stands keeps its keystone to 1e-8 m, one that
falls has lost more than 1e-5 m of height by then. Limit analysis (the safe theorem, @cite Heyman1966) asks by linear programming
whether a line of thrust fits into the ring: stones of no tension, infinite strength and no sliding. For many stones the
limit is t/R = 0.1075 (found by Milankovitch in 1907; @cite MakrisAlexakis2013), R the mean radius.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
from scipy.optimize import linprog

SCENE = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "masonry_arch.yaml"
TIME = 0.25  # s
SUNK = 1e-6  # m: between the two outcomes above
WIDTH = 2e-4  # of the last interval of t/R


def thickness(ratio):
    """Of a ring of inner radius 1 with t/R = ratio."""
    return ratio / (1 - ratio / 2)


def find_weight(inner, outer, begin, end):
    """Area and abscissa of the centroid of a stone: the hull of its four corners."""
    corners = [(r * numpy.cos(a), r * numpy.sin(a)) for r, a in
               ((inner, begin), (outer, begin), (outer, end), (inner, end))]
    area = moment = 0.0
    for (x, z), (u, w) in zip(corners, corners[1:] + corners[:1]):
        cross = x * w - u * z
        area += cross / 2
        moment += (x + u) * cross / 6
    return area, moment / area


def has_line_of_thrust(stones, ratio):
    """Is there a reaction (H, V, M about the centre) whose force meets every joint between its ends with N ≥ 0?

    At the joint of angle a the force is F = (H, V − Σ w), its moment about the centre m = M − Σ x w, its normal part
    N = cos a F_z − sin a F_x; it meets the joint at the radius m/N: inner N ≤ m ≤ outer N.
    """
    inner, outer = 1 - ratio / 2, 1 + ratio / 2
    rows, bounds, weight, moment = [], [], 0.0, 0.0
    for joint in range(stones + 1):
        angle = numpy.pi * joint / stones
        normal = numpy.array([-numpy.sin(angle), numpy.cos(angle), 0])
        offset = -numpy.cos(angle) * weight
        about = numpy.array([0, 0, 1.0])
        for row, bound in ((inner * normal - about, -moment - inner * offset),
                           (about - outer * normal, moment + outer * offset), (-normal, offset)):
            rows.append(row)
            bounds.append(bound)
        if joint < stones:
            area, x = find_weight(inner, outer, angle, angle + numpy.pi / stones)
            weight += area
            moment += area * x
    return linprog([0, 0, 0], A_ub=rows, b_ub=bounds, bounds=[(None, None)] * 3).status == 0


def run_trial(program, stones, ratio):
    """How much the keystone sinks in a run, m."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "arch.h5"
        subprocess.run([program, "run", SCENE, "--set", f"stones={stones}", "--set", f"thick={thickness(ratio)}",
                        "--until", str(TIME), "--quiet", "-o", result], check=True, capture_output=True)
        table = subprocess.run([program, "probe", result, f"stone_{stones // 2}.position.z", "--csv"], check=True,
                               capture_output=True, text=True).stdout.splitlines()
    heights = [float(line.split(",")[1]) for line in table[1:]]
    return heights[0] - heights[-1]


def bisect(stands, low=0.08, high=0.13, width=WIDTH):
    """The interval of t/R that holds the limit: falls at its lower end, stands at its upper."""
    while high - low > width:
        middle = (low + high) / 2
        if stands(middle):
            high = middle
        else:
            low = middle
    return low, high


def study(program, counts):
    rows = []
    for stones in counts:
        sunk = {}

        def stands(ratio, stones=stones, sunk=sunk):
            sunk[ratio] = run_trial(program, stones, ratio)
            return sunk[ratio] < SUNK

        low, high = bisect(stands)
        _, limit = bisect(lambda ratio, stones=stones: has_line_of_thrust(stones, ratio), width=1e-6)
        rows.append({"stones": stones, "limit": limit, "falls": low, "stands": high, "runs": len(sunk),
                     "least_fall": min((s for s in sunk.values() if s >= SUNK), default=float("nan")),
                     "most_rest": max((s for s in sunk.values() if s < SUNK), default=float("nan"))})
    return rows


def main(program, *counts):
    rows = study(program, [int(count) for count in counts] or [9, 17, 27])
    print(json.dumps(rows, indent=1))
    return int(any(not row["falls"] - WIDTH < row["limit"] < row["stands"] + WIDTH for row in rows))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
