#!/bin/bash
# Makes a Python environment with NumPy and SciPy in FOLDER, for the tests that compare with them; does nothing if it is there.
# usage: python_environment.sh FOLDER
#
# Without a network the tests can still run: then this says what is lacking, and those that need it are skipped.
set -uo pipefail
folder=$1
works() { "$folder/bin/python" -c 'import numpy, scipy.sparse' 2> /dev/null; }
! works || exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "making a Python environment with NumPy and SciPy in $folder"
# Debian's interpreter first: another one on the path may have been built without what an environment needs.
for python in /usr/bin/python3 python3; do
  command -v "$python" > /dev/null || continue
  rm -rf "$folder"
  "$python" -m venv "$folder" > "$log" 2>&1 && "$folder/bin/pip" install -q --disable-pip-version-check 'numpy>=2' scipy >> "$log" 2>&1
  ! works || exit 0
done
tail -n 3 "$log" >&2
rm -rf "$folder"
echo "warning: There is no NumPy and SciPy for the tests that compare with them; these tests will be skipped" >&2
