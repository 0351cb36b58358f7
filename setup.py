"""pip install . --no-build-isolation: CMake compiles the package's extension, setuptools packs it.

SALTUS_CMAKE_BUILD_DIR names a build tree to use (build/release after `./do build`); otherwise a tree
of its own is made in build/pip. JOBS=N sets the number of parallel compilations.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """Builds the target saltus_python and takes the module from the build tree."""

    def build_extension(self, ext):
        tree = pathlib.Path(os.environ.get("SALTUS_CMAKE_BUILD_DIR", ROOT / "build" / "pip"))
        if not (tree / "CMakeCache.txt").exists():
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", ROOT, "-B", tree, *generator,
                            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -g1 -DNDEBUG",
                            "-DSALTUS_BUILD_PYTHON=ON", "-DSALTUS_BUILD_TESTS=OFF",
                            f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        jobs = os.environ.get("JOBS", str(os.cpu_count()))
        subprocess.run(["cmake", "--build", tree, "--target", "saltus_python", "--parallel", jobs],
                       check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        built = tree / "python" / "saltus" / self.get_ext_filename("_core")
        shutil.copy(built, target)
        viewer = tree / "share" / "saltus" / "viewer.html"  # There if the tree was built with npm.
        if viewer.exists():
            shutil.copy(viewer, target.parent / viewer.name)


(ROOT / "build").mkdir(exist_ok=True)  # everything that is made goes there
setup(ext_modules=[Extension("saltus._core", sources=[])], cmdclass={"build_ext": CMakeBuild},
      options={"egg_info": {"egg_base": "build"}})
