#!/bin/bash
# Installs what is missing to build and test Filigree on Debian 12 or a relative of it; does nothing if all is there.
# usage: install_packages.sh [--list]     --list prints the packages; tests/tool/packages_test.sh compares them with what a build reads
set -euo pipefail

# The compiler and the build.  LLVM's CMake package also asks for llvm-19-linker-tools, zlib and zstd.
packages=(g++ make cmake ninja-build ccache pkg-config libfmt-dev zlib1g-dev libgtest-dev
  llvm-19-dev libclang-19-dev liblld-19-dev llvm-19-linker-tools libzstd-dev)
# Proofs about layouts.
packages+=(libz3-dev libisl-dev)
# The tests that compare with NumPy and SciPy make an environment for these (scripts/python_environment.sh).
packages+=(python3 python3-venv)
# Emitted C must compile alone, with GCC and with clang.
packages+=(clang-19)
# Sanitizers and libFuzzer of clang, for make campaign.
packages+=(libclang-rt-19-dev)
# The manual page must be clean.
packages+=(groff-base)

if [ "${1:-}" = --list ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi
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
# Says how far it is: on a terminal in one line that changes, elsewhere now and then.
show_progress() {
  local terminal=0
  [ ! -t 1 ] || terminal=1
  awk -v terminal=$terminal '
    function show(text) { if (terminal) { printf "\r\033[K  %s", text; fflush() } else if (text != last) { print "  " text; fflush() } last = text }
    / newly installed/ { total = $3 }
    /^Need to get / && $4 > 0 { show("downloading " $4 " " $5 " for " total " packages") }
    /^Setting up / { done++; if (terminal || done % 25 == 0) show("installed " done " of " total) }
    END { if (terminal) printf "\r\033[K" }'
}
install_missing() {
  "${become_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" 2>&1 | tee "$log" | show_progress
}
# The lists of packages may be old or absent: then they are fetched, and it is tried again.
if ! install_missing; then
  echo "  fetching the lists of packages"
  "${become_root[@]}" apt-get update -q > "$log" 2>&1 || true
  if ! install_missing; then
    tail -n 20 "$log" >&2
    echo "error: The packages could not be installed: ${missing[*]}" >&2
    exit 1
  fi
fi
