#!/usr/bin/env bash
# The one script of the project. `./do help` tells what it can do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

build_packages=(g++ cmake ninja-build ccache python3 libeigen3-dev libsuitesparse-dev
                libyaml-cpp-dev libcli11-dev libfmt-dev libhdf5-dev zlib1g-dev libgtest-dev
                libgmock-dev liburdfdom-dev libtinyxml2-dev pkg-config)
python_packages=(pybind11-dev python3-dev python3-numpy python3-scipy python3-matplotlib python3-pil
                 python3-pandas python3-pip python3-setuptools python3-wheel python3-venv mypy)
bench_packages=(libbenchmark-dev libbullet-dev libfcl-dev pkg-config)
siconos_packages=(python3-numpy python3-scipy python3-h5py python3-siconos)
format_packages=(clang-format-14 python3)
browser_packages=(chromium fonts-dejavu-core)
robot_packages=(dart-doc libmujoco-samples)  # models that the tests of the import read
package_packages=(dpkg-dev lintian man-db)
fuzz_packages=(clang-14 libclang-rt-14-dev)
docs_packages=(doxygen python3 mkdocs mkdocs-material)
soak_packages=(python3-numpy python3-h5py)

demo_scenes=(newtons_cradle domino_row slider_crank_clearance robot_arm_falls sphere_pile_125)
results=results/demo

help() {
  cat <<'TEXT'
usage: ./do COMMAND

  demo                      install what is needed, build, run five scenes; a page that plays them
  build [PRESET]            configure and build: dev | release | native | asan   (release)
                            release and native also put the Python package in build/PRESET/python
  test [PRESET] [ARGS…]     build and run every test: release | dev | asan       (release)
                            ARGS go to ctest, e.g.  ./do test dev -R cones/
  bench [NAME…]             build and run the benchmarks whose name contains NAME (all)
  format                    format all C++ sources in place
  check                     formatting, layers, citations, sizes, style, links; builds nothing
  docs                      the site and the reference pages, to build/docs
  gallery [NAME…]           run scenes and write their pages and pictures to docs/gallery (all)
  package                   a Debian package and a Python wheel, tested, to build/packages
  fuzz [SECONDS] [NAME…]    fuzz the readers whose name contains NAME, each       (600, all)
  soak [HOURS] [PRESET…]    random scenes, kills, full disks, restarts           (1, release asan)
                            the reports go to results/soak_PRESET.md
  clean                     remove build/ and results/

Missing Debian packages are installed first (as root or with sudo). JOBS=N sets the number of
parallel compilations.
TEXT
}

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'do: %s\n' "$*" >&2; exit 1; }

# Installs those of the named Debian packages that are missing; says nothing if none is.
need() {
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  local root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "please install as root: ${missing[*]}"
    root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Bundles the viewer; where no npm command exists, Debian's.
need_npm() { command -v npm >/dev/null || need nodejs npm; }

build() {
  local preset=${1:-release}
  case $preset in
    dev | asan) need "${build_packages[@]}" ;;
    release) need "${build_packages[@]}" "${python_packages[@]}" && need_npm ;;
    native) need_npm && need "${build_packages[@]}" "${python_packages[@]}" "${bench_packages[@]}" ;;
    fuzz) need "${build_packages[@]}" "${fuzz_packages[@]}" ;;
    *) fail "unknown preset '$preset' (dev, release, native, asan)" ;;
  esac
  say "building $preset"
  mkdir -p build
  cmake --preset "$preset" >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; return 1; }
  cmake --build --preset "$preset" --parallel "${JOBS:-$(nproc)}"
}

run_tests() {
  local preset=release
  if (($#)) && [[ $1 != -* ]]; then
    preset=$1
    shift
  fi
  build "$preset"
  need "${robot_packages[@]}"
  [[ $preset != release && $preset != native ]] || need "${browser_packages[@]}"
  say "testing $preset"
  [[ $preset != asan ]] || set -- --label-exclude slow "$@"  # Sanitizers cost a factor of five.
  ctest --preset "$preset" --parallel "${JOBS:-$(nproc)}" --progress "$@"
}

demo() {
  need "${build_packages[@]}"
  need_npm
  say "building the program and the viewer"
  mkdir -p build "$results"
  cmake --preset release -DSALTUS_BUILD_PYTHON=OFF >build/release.log 2>&1 ||
    { cat build/release.log; return 1; }
  cmake --build --preset release --parallel "${JOBS:-$(nproc)}" --target saltus saltus_viewer
  local scene files=()
  for scene in "${demo_scenes[@]}"; do
    say "saltus run scenes/$scene.yaml"
    build/release/bin/saltus run "scenes/$scene.yaml" -o "$results/$scene.h5"
    files+=("$results/$scene.h5")
  done
  say "saltus view"
  build/release/bin/saltus view "${files[@]}" --tabs -o "$results/demo.html"
  say "open this page in a browser; it plays the ${#files[@]} scenes:"
  echo "file://$PWD/$results/demo.html"
}

bench() {
  build native
  local program name found=0
  for program in build/native/bin/*_bench; do
    [[ -x $program ]] || continue
    for name in "${@:-}"; do
      [[ ${program##*/} == *"$name"* ]] || continue
      found=1
      say "${program##*/}"
      "$program"
      break
    done
  done
  for name in "${@:-}"; do
    [[ cones == *"$name"* ]] || continue
    found=1
    need "${siconos_packages[@]}"
    say "contact solvers and Siconos on the same files"
    /usr/bin/python3 benchmarks/cones/compare_siconos.py build/native/bin/cones_files
    break
  done
  ((found)) || fail "no benchmark matches '${*:-}'"
}

sources() {
  find saltus apps problems verification benchmarks fuzz examples python test \
    \( -name '*.h' -o -name '*.cc' \) -print0 2>/dev/null || true
}

format() {
  need "${format_packages[@]}"
  sources | xargs -0 -r clang-format-14 -i
}

check() {
  need "${format_packages[@]}"
  local status=0 tool
  say "format"
  sources | xargs -0 -r clang-format-14 --dry-run -Werror || status=1
  for tool in layering citations sizes style links; do
    say "$tool"
    python3 "tools/check_$tool.py" || status=1
  done
  ((status == 0)) || fail "the checks above failed (./do format repairs the format)"
}

docs() {
  need "${docs_packages[@]}"
  mkdir -p build/docs
  python3 tools/make_references.py docs/references.bib >build/docs/references.md
  doxygen docs/Doxyfile
  mkdocs build --quiet --strict
  say "open build/docs/site/index.html, and build/docs/html/index.html for the C++ reference"
}

gallery() {
  build release
  need "${browser_packages[@]}"
  /usr/bin/python3 tools/make_gallery.py build/release/bin/saltus "$@"
  say "open docs/gallery/README.md"
}

package() {
  need "${package_packages[@]}"
  build release
  cmake --build --preset release --target saltus_manual
  say "packages"
  rm -rf build/packages
  mkdir -p build/packages
  (cd build/release && cpack -B ../packages >../packages.log 2>&1) || { cat build/packages.log; return 1; }
  rm -rf build/packages/_CPack_Packages
  SALTUS_CMAKE_BUILD_DIR=$PWD/build/release /usr/bin/python3 -m pip wheel . --no-build-isolation \
    --no-deps --no-index --quiet --wheel-dir build/packages
  tools/test_packages.sh build/packages
  ls -l build/packages
}

# The time is shared by the presets. A case that fails prints the command that repeats it.
soak() {
  local hours=${1:-1} preset presets=(release asan) status=0
  (($# < 2)) || presets=("${@:2}")
  need "${soak_packages[@]}"
  mkdir -p results
  for preset in "${presets[@]}"; do build "$preset"; done
  for preset in "${presets[@]}"; do
    say "soak $preset"
    /usr/bin/python3 -B verification/soak/soak.py "build/$preset/bin/saltus" \
      --seconds "$(awk "BEGIN { print 3600 * $hours / ${#presets[@]} }")" \
      --report "results/soak_$preset.md" || status=1
  done
  return "$status"
}

fuzz() {
  local seconds=${1:-600} program found=0
  (($# == 0)) || shift
  build fuzz
  for program in build/fuzz/bin/*_fuzzer; do
    [[ -x $program ]] || continue
    found=1
    local name=${program##*/} seeds=() part wanted=$(($# == 0))
    name=${name%_fuzzer}
    for part in "$@"; do [[ $name != *"$part"* ]] || wanted=1; done
    ((wanted)) || continue
    [[ ! -d fuzz/seeds/$name ]] || seeds=("fuzz/seeds/$name")
    mkdir -p "build/fuzz/corpus/$name"
    say "$name: $seconds s"
    "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/" "build/fuzz/corpus/$name" "${seeds[@]}"
  done
  ((found)) || fail "there is no fuzz target under fuzz/"
}

command=${1:-help}
(($# == 0)) || shift
case $command in
  demo | build | bench | format | check | docs | gallery | package | fuzz | soak) "$command" "$@" ;;
  test) run_tests "$@" ;;
  clean) rm -rf build results ;;
  help | -h | --help) help ;;
  *) help >&2; fail "unknown command '$command'" ;;
esac
