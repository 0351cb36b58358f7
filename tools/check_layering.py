"""Layering: a folder may include only itself and folders of lower layers.

The table is the one of docs/architecture.md. Folders of one layer never see each other. External
packages that belong to one folder (YAML to scene, HDF5 to output, ...) are kept there too.
"""

import re

import source_tree

LAYERS = {
    "base": 0,
    "math": 1, "linalg": 1,
    "collision": 2, "cones": 2,
    "dynamics": 3,
    "multibody": 4, "integrators": 4, "dae": 4, "problems": 4,
    "simulation": 5, "events": 5,
    "scene": 6, "output": 6,
    "apps": 7, "python": 7, "verification": 7, "benchmarks": 8, "examples": 7, "fuzz": 7, "test": 7,
}

# Test folders may in addition use these.
TEST_EXTRAS = {"integrators": {"problems"}, "dae": {"problems"}}

# First match wins; the folders that may include such a header.
PACKAGES = [
    (re.compile(r"<yaml-cpp/"), {"scene"}),
    (re.compile(r"<hdf5"), {"output", "cones", "fuzz"}),
    (re.compile(r"<(suitesparse/)?(klu|amd|cholmod)\.h>|<Eigen/(KLU|Cholmod)Support>"), {"linalg"}),
    (re.compile(r"<CLI/"), {"apps"}),
    (re.compile(r"<(urdf_parser|urdf_model|console_bridge)/|<tinyxml2\.h>"), {"import"}),
    (re.compile(r"<pybind11/"), {"python"}),
    (re.compile(r"<(fcl|bullet|BulletCollision|BulletDynamics)/|<bt[A-Z]"),
     {"collision", "benchmarks"}),
    (re.compile(r"<(gtest|gmock)/"), {"test"}),
    (re.compile(r"<benchmark/"), {"bench", "benchmarks"}),
]

INCLUDE = re.compile(r'\s*#\s*include\s*("[^"]+"|<[^>]+>)')
MODULE = re.compile(r"saltus_module\(\s*(\w+)([^)]*)\)")


def module_of(path):
    """The layer name of a path: saltus/cones/… -> cones, apps/… -> apps, else None."""
    parts = str(path).split("/")
    name = parts[1] if parts[0] == "saltus" and len(parts) > 2 else parts[0]
    return name if name in LAYERS else None


def may_use(user, used, in_test=False):
    if user == used or LAYERS[used] < LAYERS[user]:
        return True
    return in_test and used in TEST_EXTRAS.get(user, ())


def why_not(user, used):
    return (f"{user} (layer {LAYERS[user]}) may not use {used} (layer {LAYERS[used]}): "
            "a folder sees only lower layers")


def check_include(path, user, target):
    """The reason why this include is wrong, or None."""
    folders = {user, *path.parts[:-1]}
    if target.startswith("<"):
        for pattern, owners in PACKAGES:
            if pattern.match(target):
                if not owners & folders:
                    return f"{target} belongs to {' and '.join(sorted(owners))}, not to {user}"
                return None
        return None
    used = module_of(target.strip('"'))
    if used is None:
        return f'{target}: write the path from the root, e.g. "saltus/{user}/file.h"'
    if not may_use(user, used, in_test="test" in folders):
        return why_not(user, used)
    return None


def check(tree):
    for path in tree.files(source_tree.CODE):
        user = module_of(path)
        if user is None:
            continue
        for number, line in tree.lines(path):
            match = INCLUDE.match(line)
            reason = match and check_include(path, user, match[1])
            if reason:
                yield f"{path}:{number}: {reason}"
    for path in tree.files({".txt"}, under=("saltus/",)):
        for module in MODULE.finditer(tree.text(path)):
            deps = re.search(r"\bDEPS\b([a-z_\s]*)", module[2])
            for used in deps[1].split() if deps else []:
                if used not in LAYERS:
                    yield f"{path}:1: unknown module {used}"
                elif not may_use(module[1], used):
                    yield f"{path}:1: {why_not(module[1], used)}"


if __name__ == "__main__":
    source_tree.main(check)
