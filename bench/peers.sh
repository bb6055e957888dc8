#!/bin/bash
# Installs the peers of the suite of benchmarks: Eigen and SuiteSparse:GraphBLAS from Debian, MKL and SciPy from PyPI into FOLDER.
# What cannot be installed is left out of the tables.
# usage: peers.sh FOLDER
set -uo pipefail
folder=$1
become_root=()
[ "$(id -u)" = 0 ] || become_root=(sudo)
missing=()
for package in libeigen3-dev libgraphblas-dev; do
  [ "$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null)" = "install ok installed" ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing ${missing[*]}"
  install() { "${become_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null 2>&1; }
  install || { "${become_root[@]}" apt-get update -qq > /dev/null 2>&1; install; } ||
    echo "warning: These peers could not be installed: ${missing[*]}" >&2
fi

works() { "$folder/bin/python" -c 'import numpy, scipy.sparse' 2> /dev/null; }
if ! works; then
  echo "making a Python environment with MKL and SciPy in $folder"
  for python in /usr/bin/python3 python3; do
    rm -rf "$folder"
    "$python" -m venv "$folder" > /dev/null 2>&1 && "$folder/bin/pip" install -q --disable-pip-version-check numpy scipy && break
  done
  works || echo "warning: There is no SciPy: it is left out" >&2
fi
if works && [ ! -e "$folder/mkl_was_tried" ]; then
  touch "$folder/mkl_was_tried"
  "$folder/bin/pip" install -q --disable-pip-version-check mkl || echo "warning: There is no MKL: it is left out" >&2
fi
exit 0
