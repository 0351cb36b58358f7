#!/usr/bin/env bash
# Installs each package of a folder in an empty place and runs the first example there.
#   test_packages.sh FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd "$1" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

deb=$(ls "$folder"/*.deb)
lintian --fail-on error "$deb" >"$place/lintian" || { cat "$place/lintian"; exit 1; }
dpkg-deb -x "$deb" "$place/debian"
program=$place/debian/usr/bin/saltus
(
  cd "$place"
  "$program" run "$root/scenes/bouncing_ball.yaml" --quiet -o ball.h5
  "$program" view ball.h5
  test -s ball.html
)
for page in "$place"/debian/usr/share/man/man1/*.gz; do
  [[ -z $(zcat "$page" | man --warnings -l - 2>&1 >/dev/null) ]] || { echo "$page: faulty"; exit 1; }
done
bash -n "$place/debian/usr/share/bash-completion/completions/saltus"
echo "$(basename "$deb"): installs, runs, plays; lintian finds no error"

wheel=$(ls "$folder"/*.whl)
/usr/bin/python3 -m venv --system-site-packages "$place/venv"  # numpy is Debian's.
"$place/venv/bin/pip" install --quiet --no-index "$wheel"
(
  cd "$place"
  MPLBACKEND=Agg "$place/venv/bin/python" "$root/examples/python/first_steps.py" >first_steps.txt
  "$place/venv/bin/python" -c "import saltus; saltus.load('ball.h5').view(file='wheel.html')"
  test -s wheel.html
)
echo "$(basename "$wheel"): installs with --no-index, runs, plays"
