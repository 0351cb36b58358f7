#!/usr/bin/python3
"""Our contact solvers and those of Siconos on the same FCLib files, in one run.

usage: compare_siconos.py PROGRAM [FOLDER] [--output FOLDER] [--limit SECONDS]

PROGRAM is build/native/bin/cones_files. FOLDER holds the files (default: $SALTUS_REFERENCE/fclib or
../shared/reference/fclib). Siconos (python3-siconos) runs its NSGS, NSN_AC, ADMM and PROX (3D; 2D: NSGS,
Lemke, CPG) with tolerance 1e-9 and 10 000 iterations, each in a process of its own with a time limit. In
3D each gets W as the sparse matrices it handles (blocks for NSGS and PROX, compressed columns for NSN_AC,
ADMM and PROX) and, if it is small, a dense one; the best counts; in 2D, where its solvers read nothing else, a dense one.
Everybody is judged alike, outside the solvers: relative <= 1e-8 and absolute <= 1e-9. Siconos stops by a
test of its own, near the second measure: what meets that alone is marked, and counts as its success in
the second mean. Times are CPU seconds of the process, all its threads, without reading and converting;
the best of up to five cold starts. Files take turns: ours, then theirs, so that load meets both.
Writes cones.csv, the table cones.md and the performance profile of Dolan and Moré, cones_profile.svg.
"""

import argparse
import csv
import math
import multiprocessing
import os
import pathlib
import subprocess
import sys
import time

COLUMNS = ["code", "solver", "file", "contacts", "solved", "seconds", "iterations", "relative",
           "absolute", "own"]
STORAGES = {"NSGS": ["blocks"], "NSN_AC": ["columns"], "ADMM": ["columns"],
            "PROX": ["columns", "blocks"]}
ROOT = pathlib.Path(__file__).resolve().parents[2]
REPEATS, ENOUGH = 5, 1.0  # cold starts, and the seconds after which there are no more
MAX_DENSE = 30  # contacts up to which Siconos also gets a dense W: faster there
START_UP = 2.0  # CPU seconds of a process before it solves: imports and reading


def read_problem(path):
    import h5py
    import numpy as np
    import scipy.sparse

    with h5py.File(path) as file:
        local = file["fclib_local"]
        matrix = local["W"]
        size = int(np.ravel(matrix["m"])[0])
        W = scipy.sparse.csc_matrix((matrix["x"][:], matrix["i"][:], matrix["p"][:]), (size, size))
        return (W.toarray(), np.ravel(local["vectors/q"][:]), np.ravel(local["vectors/mu"][:]),
                int(np.ravel(local["spacedim"])[0]))


def natural_map(r, u, mu, d, rho):
    import numpy as np

    R, U = r.reshape(-1, d), u.reshape(-1, d).copy()
    U[:, 0] += mu * np.linalg.norm(U[:, 1:], axis=1)
    X = R - rho[:, None] * U
    t = np.linalg.norm(X[:, 1:], axis=1)
    P = X.copy()
    inside = (X[:, 0] >= 0) & (t <= mu * X[:, 0])
    polar = (mu * t <= -X[:, 0]) & ~inside
    edge = ~inside & ~polar
    P[polar] = 0
    normal = (X[edge, 0] + mu[edge] * t[edge]) / (1 + mu[edge] ** 2)
    P[edge, 0] = normal
    P[edge, 1:] = X[edge, 1:] * (mu[edge] * normal / t[edge])[:, None]
    return np.linalg.norm(R - P)


def judge(problem, r):
    """Both measures, as saltus/cones/conic_problem.h defines them."""
    import numpy as np

    W, q, mu, d = problem
    if not np.all(np.isfinite(r)):
        return math.inf, math.inf
    u = W @ r + q
    rho = d / np.diag(W).reshape(-1, d).sum(axis=1)
    size = np.linalg.norm(r)
    reference = size if size > 0 else np.linalg.norm(np.repeat(rho, d) * q)
    relative = natural_map(r, u, mu, d, rho) / reference
    absolute = natural_map(r, u, mu, d, np.ones(len(mu))) / max(
        np.linalg.norm(q), size, np.linalg.norm(u))
    return relative, absolute


def make_problem(numerics, problem, storage):
    import numpy as np
    import scipy.sparse

    W, q, mu, d = problem
    if storage != "dense":
        columns = scipy.sparse.csc_matrix(W)
        columns.indices = columns.indices.astype(np.int64)
        columns.indptr = columns.indptr.astype(np.int64)
        W = columns if storage == "columns" else numerics.SBM_from_csparse(d, columns)[1]
    else:
        W = W.copy()
    return numerics.FrictionContactProblem(d, W, q.copy(), mu.copy()), W  # which must outlive it


def run_siconos(path, name, storage, queue):
    import warnings

    import numpy as np
    import siconos.numerics as numerics

    warnings.simplefilter("ignore")

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Siconos prints.
    os.dup2(1, 2)
    numerics.numerics_set_verbose(0)
    problem = read_problem(path)
    W, q, mu, d = problem
    driver = numerics.fc3d_driver if d == 3 else numerics.fc2d_driver
    best, spent = math.inf, 0.0
    for _ in range(REPEATS):
        options = numerics.SolverOptions(getattr(numerics, f"SICONOS_FRICTION_{d}D_{name}"))
        options.iparam[0] = 10000
        options.dparam[0] = 1e-9
        contact_problem, matrix = make_problem(numerics, problem, storage)
        r, u = np.zeros(len(q)), np.zeros(len(q))
        start = time.process_time()
        driver(contact_problem, r, u, options)
        seconds = time.process_time() - start
        best = min(best, seconds)
        spent += seconds
        # Report after each start, so that a time limit does not lose what was measured.
        queue.put((best, int(options.iparam[1]), *judge(problem, r)))
        if spent > ENOUGH:
            break


def read_cpu_seconds(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_limited(path, name, storage, limit):
    """(seconds, iterations, relative, absolute) of one solver; infinite if it did not end."""
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=run_siconos, args=(str(path), name, storage, queue))
    process.start()
    # A limit set by the system (setrlimit) would make the clock of the process count in ticks.
    while process.is_alive():
        process.join(0.2)
        if read_cpu_seconds(process.pid) > limit + START_UP:
            process.kill()
            process.join()
    result = (math.inf, 0, math.inf, math.inf)
    while not queue.empty():
        result = queue.get()
    return result


def measure_siconos(path, limit):
    W, q, mu, d = read_problem(path)
    for name in (["NSGS", "NSN_AC", "ADMM", "PROX"] if d == 3 else ["NSGS", "LEMKE", "CPG"]):
        best = None
        small = ["dense"] if len(mu) <= MAX_DENSE else []
        for storage in (STORAGES[name] + small if d == 3 else ["dense"]):
            seconds, iterations, relative, absolute = run_limited(path, name, storage, limit)
            own = absolute <= 1e-9
            solved = relative <= 1e-8 and own
            record = dict(zip(COLUMNS, ["siconos", name, path.stem, len(mu), int(solved), seconds,
                                        iterations, relative, absolute, int(own)]))
            if best is None or (-record["solved"], -record["own"], seconds) < (
                    -best["solved"], -best["own"], best["seconds"]):
                best = record
        yield best


def measure_ours(program, path):
    done = subprocess.run([program, str(path)], check=True, capture_output=True, text=True)
    for row in csv.reader(done.stdout.splitlines()):
        record = dict(zip(COLUMNS, row))
        for key in ("contacts", "solved", "iterations"):
            record[key] = int(record[key])
        for key in ("seconds", "relative", "absolute"):
            record[key] = float(record[key])
        record["own"] = record["solved"]
        yield record


def make_profile(records, solvers, files):
    """Of each solver the ratios to the best time of each file, sorted; infinity: not solved."""
    times = {(r["code"], r["solver"], r["file"]): r["seconds"] for r in records if r["solved"]}
    best = {f: min([times[s + (f,)] for s in solvers if s + (f,) in times], default=math.inf)
            for f in files}
    return {s: sorted(times.get(s + (f,), math.inf) / best[f] for f in files) for s in solvers}


def draw_profile(profile, path):
    width, height, left, top, decades = 790, 420, 60, 20, 5
    colours = ["#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#bcbd22",
               "#7f7f7f", "#e377c2", "#000000", "#4444aa", "#aa4444", "#44aa44", "#aaaa00"]
    plot_w, plot_h = width - left - 250, height - top - 50

    def x_of(ratio):
        return left + plot_w * min(math.log10(ratio) / decades, 1)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for k in range(decades + 1):
        x = left + plot_w * k / decades
        parts.append(f'<path d="M{x:.1f} {top}V{top + plot_h}" stroke="#ddd"/>'
                     f'<text x="{x:.1f}" y="{top + plot_h + 16}" text-anchor="middle">{10 ** k:g}</text>')
    for k in range(6):
        y = top + plot_h * (1 - k / 5)
        parts.append(f'<path d="M{left} {y:.1f}H{left + plot_w}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{k / 5:g}</text>')
    parts.append(f'<text x="{left + plot_w / 2}" y="{height - 12}" text-anchor="middle">'
                 'time / best time of the file</text>')
    parts.append(f'<text transform="translate(14 {top + plot_h / 2}) rotate(-90)" '
                 'text-anchor="middle">share of files solved</text>')
    for index, ((code, name), ratios) in enumerate(profile.items()):
        points, level = f"M{left} {top + plot_h}", 0
        for ratio in ratios:
            if not math.isfinite(ratio):
                break
            points += f"H{x_of(ratio):.1f}"
            level += 1 / len(ratios)
            points += f"V{top + plot_h * (1 - level):.1f}"
        points += f"H{left + plot_w}"
        dash = ' stroke-dasharray="5 3"' if code == "siconos" else ""
        colour = colours[index % len(colours)]
        y = top + 14 + 18 * index
        parts.append(f'<path d="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
                     f'<path d="M{width - 215} {y}h24" stroke="{colour}" stroke-width="2"{dash}/>'
                     f'<text x="{width - 185}" y="{y + 4}">{code} {name}</text>')
    path.write_text("\n".join(parts) + "\n</svg>\n")


def format_time(record):
    if not record or not record["own"]:
        return "—"
    text = f"{1e3 * record['seconds']:.3g}"
    return text if record["solved"] else f"({text})"


def mean_ratio(records, files, key):
    """Geometric mean of auto's time over the fastest success of Siconos, and the number of files."""
    cell = {r["file"]: r for r in records if (r["code"], r["solver"]) == ("saltus", "auto")}
    logs = []
    for file in files:
        theirs = [r["seconds"] for r in records
                  if r["code"] == "siconos" and r["file"] == file and r[key]]
        if cell[file]["solved"] and theirs:
            logs.append(math.log(cell[file]["seconds"] / min(theirs)))
    return (math.exp(sum(logs) / len(logs)), len(logs)) if logs else (math.nan, 0)


def write_table(records, solvers, files, path):
    """Milliseconds of each solver on each file, failures as a dash, and the summary."""
    cell = {(r["code"], r["solver"], r["file"]): r for r in records}
    lines = ["| file | contacts | " + " | ".join(f"{c} {s}" for c, s in solvers) + " |",
             "|---|---|" + "---|" * len(solvers)]
    for file in files:
        contacts = next(r["contacts"] for r in records if r["file"] == file)
        row = [cell.get(s + (file,)) for s in solvers]
        lines.append(f"| {file} | {contacts} | " + " | ".join(map(format_time, row)) + " |")
    for title, key in (("solved", "solved"), ("met its own test", "own")):
        lines.append(f"| **{title}** | | " + " | ".join(
            str(sum(1 for f in files if cell.get(s + (f,), {}).get(key))) for s in solvers) + " |")
    for key, what in (("solved", "that is solved by both measures"),
                      ("own", "by its own test alone")):
        mean, count = mean_ratio(records, files, key)
        lines += ["", f"Geometric mean of auto's time over the fastest success of Siconos {what}, "
                      f"{count} files: {mean:.3f}"]
    path.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    reference = os.environ.get("SALTUS_REFERENCE", ROOT.parent / "shared" / "reference")
    parser.add_argument("folder", nargs="?", default=pathlib.Path(reference) / "fclib")
    parser.add_argument("--output", default=ROOT / "results" / "bench")
    parser.add_argument("--limit", type=float, default=30, help="CPU seconds for one solver and file")
    arguments = parser.parse_args()
    files = sorted(pathlib.Path(arguments.folder).glob("*.h5"))
    if not files:
        print(f"skipped: no FCLib files in {arguments.folder} (set SALTUS_REFERENCE)")
        return 0
    try:
        import siconos.numerics  # noqa: F401
        has_siconos = True
    except ImportError:
        has_siconos = False
        print("python3-siconos is not installed: our own solvers only")
    records = []
    for path in files:
        records += measure_ours(arguments.program, path)
        if has_siconos:
            records += measure_siconos(path, arguments.limit)
        print(f"{path.stem}: done", file=sys.stderr)
    records.sort(key=lambda r: r["code"])  # ours first, stable
    output = pathlib.Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)
    with open(output / "cones.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(records)
    names = [path.stem for path in files]
    solvers = list(dict.fromkeys((r["code"], r["solver"]) for r in records))
    write_table(records, solvers, names, output / "cones.md")
    draw_profile(make_profile(records, solvers, names), output / "cones_profile.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
