#!/bin/bash
# Installs what is missing to build and test Filigree on Debian 12 or a relative of it; does nothing if all is there.
set -euo pipefail

# The compiler and the build.  LLVM's CMake package also asks for llvm-19-linker-tools, zlib and zstd.
packages=(g++ make cmake ninja-build ccache libfmt-dev zlib1g-dev libgtest-dev
  llvm-19-dev libclang-19-dev liblld-19-dev llvm-19-linker-tools libzstd-dev)

if ! command -v dpkg-query > /dev/null; then
  echo "This machine has no dpkg, so packages are not installed for you." >&2
  echo "Filigree needs what these Debian packages hold: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

become_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "error: These packages are missing, and without root or sudo they cannot be installed: ${missing[*]}" >&2
    exit 1
  fi
  become_root=(sudo)
  [ -z "${CI:-}" ] || become_root=(sudo -n)
fi

echo "installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_missing() {
  "${become_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" > "$log" 2>&1
}
# The lists of packages may be old or absent: then they are fetched, and it is tried again.
if ! install_missing; then
  "${become_root[@]}" apt-get update -q > "$log" 2>&1 || true
  if ! install_missing; then
    tail -n 20 "$log" >&2
    echo "error: The packages could not be installed: ${missing[*]}" >&2
    exit 1
  fi
fi
