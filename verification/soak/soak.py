"""Soak test: random scenes, kills, full disks and little memory, judged by an independent checker.

    soak.py PROGRAM --seconds 180 --report FILE       as long as asked for; writes a report
    soak.py PROGRAM --seed 17 --mode kill             one case again

A case fails if the program ends by a signal that nobody sent, hangs, prints a sanitizer report, leaves a
result that does not open or holds a NaN, says "good" where the checker finds overlap, open joints or
energy out of nothing, or continues otherwise than the uninterrupted run. Exit code 1 if a case failed.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

from checker import check_result
from scenes import make_scene, make_text

MODES = ("plain", "plain", "plain", "kill", "interrupt", "full", "memory", "readonly", "parallel")
TIMEOUT = 120  # s, for a run that takes one or two
# How far the checker may be above the limits of the verdict before it calls a "good" false: its own
# search among directions ends at 1e-9, frames are rounded, and closure may cancel within the run.
SLACK = 2.0
PENETRATION, JOINT, ENERGY = 1e-4, 1e-6, 3e-3


class Failure(Exception):
    """What is wrong with a case."""


class Case:
    def __init__(self, program, seed, mode, folder):
        self.program, self.seed, self.mode = program, seed, mode
        self.folder = pathlib.Path(folder)
        self.scene = make_scene(seed)
        self.file = self.folder / "scene.yaml"
        self.file.write_text(make_text(seed))
        self.rng = random.Random(seed * 31 + 7)
        self.verdict = "none"

    def start(self, *arguments, limits=()):
        def restrict():
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))
        return subprocess.Popen([self.program, *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace",
                                preexec_fn=restrict if limits else None)

    def finish(self, process, expected_signals=()):
        try:
            out, err = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"no end within {TIMEOUT} s") from None
        for word in ("AddressSanitizer", "runtime error:", "LeakSanitizer", "terminate called",
                     "broken invariant"):
            if word in err:
                raise Failure(f"{word}: {err[-2000:]}")
        code = process.returncode
        if code < 0 and -code not in expected_signals:
            raise Failure(f"ended by signal {-code}: {err[-500:]}")
        if code not in (0, 1, 2) and code >= 0:
            raise Failure(f"exit code {code}: {err[-500:]}")
        return code, out, err

    def run(self, output, *arguments, limits=(), source=None):
        first = ("--restart", source) if source else (self.file,)
        return self.finish(self.start("run", *first, "-o", self.folder / output, *arguments,
                                      limits=limits))

    def open(self, name):
        """Opens a result as any program may, and as saltus does."""
        path = self.folder / name
        code, out, err = self.finish(self.start("info", path, "--json"))
        if code != 0:
            raise Failure(f"{name} does not open: {err}")
        return json.loads(out), h5py.File(path, "r", locking=False)

    def judge(self, name):
        """Recomputes what the verdict claims."""
        info, file = self.open(name)
        with file:
            count = info["frames"]
            for dataset in ("bodies/position", "bodies/velocity", "energy/total"):
                if not np.isfinite(file[dataset][:count]).all():
                    raise Failure(f"{dataset} holds numbers that are not finite")
            self.verdict = info["verdict"]
            if info["verdict"] != "good":
                return
            found = check_result(self.scene, file)
        if found["overlap"] > SLACK * PENETRATION * found["smallest"]:
            raise Failure(f"false good: overlap {found['overlap']:.3g} m, shapes of "
                          f"{found['smallest']:.3g} m, audit {info['max_penetration']:.3g} m")
        if found["joint"] > 10 * SLACK * JOINT:
            raise Failure(f"false good: joint error {found['joint']:.3g} m, audit "
                          f"{info['max_constraint']:.3g}")
        if found["energy"] > SLACK * ENERGY:
            raise Failure(f"false good: {found['energy']:.3g} of the turnover is out of nothing, audit "
                          f"{info['energy_closure']:.3g}")

    # --- Modes ---------------------------------------------------------------------------------------

    def plain(self):
        self.run("out.h5")
        self.judge("out.h5")

    def kill(self):
        self._interrupted(signal.SIGKILL)

    def interrupt(self):
        self._interrupted(signal.SIGINT)

    def _interrupted(self, number):
        begin = time.monotonic()
        self.run("whole.h5")
        seconds = time.monotonic() - begin
        process = self.start("run", self.file, "-o", self.folder / "part.h5", "--checkpoint-every", "0.01")
        time.sleep(self.rng.uniform(0, seconds))
        process.send_signal(number)
        self.finish(process, expected_signals=(number,))
        if not (self.folder / "part.h5").exists():
            return
        info, file = self.open("part.h5")
        file.close()
        code, _, err = self.run("tail.h5", source=self.folder / "part.h5")
        if code == 2 and "no checkpoint" in err:
            return
        self._compare("whole.h5", "tail.h5")

    def _compare(self, whole, tail):
        """The last frames are equal bit for bit, or both stopped at the same place."""
        (a, file_a), (b, file_b) = self.open(whole), self.open(tail)
        with file_a, file_b:
            if a["outcome"] != b["outcome"] or a["verdict"] != b["verdict"]:
                raise Failure(f"continued otherwise: {a['outcome']}, {a['verdict']} / "
                              f"{b['outcome']}, {b['verdict']}")
            for name in ("bodies/position", "bodies/orientation", "bodies/velocity", "energy/total"):
                x, y = file_a[name][a["frames"] - 1], file_b[name][b["frames"] - 1]
                if not np.array_equal(x, y):
                    raise Failure(f"{name} differs after a restart by {np.abs(x - y).max():.3g}")

    def full(self):
        limit = self.rng.randrange(0, 2_000_000)
        code, _, err = self.run("out.h5", limits=((resource.RLIMIT_FSIZE, limit),))
        if code and "cannot" not in err and "failed" not in err and "error" not in err:
            raise Failure(f"a full disk without a sentence: {err}")
        if (self.folder / "out.h5").exists():
            self.open("out.h5")[1].close()

    def memory(self):
        if "asan" in self.program:  # shadow memory needs terabytes of addresses
            return self.plain()
        limit = self.rng.randrange(30, 300) << 20
        process = self.start("run", self.file, "-o", self.folder / "out.h5",
                             limits=((resource.RLIMIT_AS, limit),))
        code, _, err = self.finish(process, expected_signals=())
        if code == 0:
            self.judge("out.h5")
        elif "error" not in err:
            raise Failure(f"little memory without a sentence: {err}")

    def readonly(self):
        target = self.folder / "locked"
        target.mkdir()
        target.chmod(0o500)
        try:
            code, _, err = self.run("locked/out.h5")
        finally:
            target.chmod(0o700)
        if os.geteuid() != 0 and (code != 2 or "cannot be made" not in err):
            raise Failure(f"a folder without rights: {code} {err}")

    def parallel(self):
        runs = [self.start("run", self.file, "-o", self.folder / "out.h5") for _ in range(4)]
        codes = [self.finish(run)[0] for run in runs]
        if codes.count(2) != 3:
            raise Failure(f"parallel runs ended with {codes}")
        self.judge("out.h5")

    def do(self):
        getattr(self, self.mode)()


def run_case(program, seed, mode):
    """Returns (verdict, failure text or None)."""
    folder = tempfile.mkdtemp(prefix="saltus_soak_")
    try:
        case = Case(program, seed, mode, folder)
        case.do()
        return case.verdict, None
    except Failure as failure:
        return "none", str(failure)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--seed", type=int, help="only this case")
    parser.add_argument("--mode", choices=sorted(set(MODES)))
    parser.add_argument("--report")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    if arguments.seed is not None:
        verdict, failure = run_case(program, arguments.seed, arguments.mode or "plain")
        print(failure or f"fine, verdict: {verdict}")
        return 1 if failure else 0
    begin, failures, verdicts, counts = time.monotonic(), [], {"good": 0, "look at": 0, "none": 0}, {}
    seed = arguments.first_seed
    while time.monotonic() - begin < arguments.seconds:
        mode = arguments.mode or random.Random(seed).choice(MODES)
        verdict, failure = run_case(program, seed, mode)
        counts[mode] = counts.get(mode, 0) + 1
        verdicts[verdict if verdict in verdicts else "look at"] += 1
        if failure:
            command = f"/usr/bin/python3 verification/soak/soak.py {arguments.program} --seed {seed} --mode {mode}"
            failures.append((command, failure))
            print(f"FAILED: {failure}\n  {command}", flush=True)
        seed += 1
    lines = [f"# Soak of {arguments.program}", "",
             f"{seed - arguments.first_seed} cases in {time.monotonic() - begin:.0f} s, seeds "
             f"{arguments.first_seed} to {seed - 1}: " + ", ".join(f"{n} {m}" for m, n in sorted(counts.items())),
             f"verdicts: {verdicts['good']} good, {verdicts['look at']} to look at, {verdicts['none']} without",
             f"failures: {len(failures)}"]
    for command, failure in failures:
        lines += ["", f"    {command}", "", failure.strip()]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.report:
        pathlib.Path(arguments.report).write_text(text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
