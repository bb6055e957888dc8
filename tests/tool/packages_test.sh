#!/bin/bash
# Whatever a build reads of the system (headers, archives) comes from a package of scripts/install_packages.sh, or from one that it depends on.
# A machine on which more is installed would hide that something is missing from the list.
# usage: packages_test.sh BUILD_DIR INSTALL_PACKAGES
set -uo pipefail
build=$1 install_packages=$2
if ! command -v dpkg-query > /dev/null || ! command -v apt-cache > /dev/null; then echo "skipped: this is no Debian"; exit 77; fi
if [ ! -e "$build/build.ninja" ]; then echo "skipped: the build is not Ninja's"; exit 77; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t listed < <("$install_packages" --list)
apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "${listed[@]}" 2> /dev/null |
  grep -oE '[a-z0-9][a-z0-9.+-]*' | sort -u > "$work/allowed"

{ ninja -C "$build" -t deps; ninja -C "$build" -t commands; } 2> /dev/null |
  grep -oE '/usr/(include|lib)/[^ ]+\.(h|hpp|a|so[.0-9]*|[a-zA-Z_]+)' | sort -u > "$work/candidates"
# Headers of the standard library have no extension, so all files that exist count.
{ ninja -C "$build" -t deps 2> /dev/null | grep -oE '^ +/usr/[^ ]+' | tr -d ' '; cat "$work/candidates"; } | sort -u |
  while read -r file; do [ -f "$file" ] && { realpath -s "$file"; realpath "$file"; }; done | sort -u > "$work/files"
if [ "$(wc -l < "$work/files")" -lt 50 ]; then echo "only $(wc -l < "$work/files") files of the system are read: this test is broken"; exit 1; fi

xargs -a "$work/files" dpkg-query -S 2> "$work/foreign" | while IFS= read -r line; do
  file=${line##*: }
  packages=${line%: *}
  ok=false
  for package in ${packages//,/ }; do grep -qxF "${package%%:*}" "$work/allowed" && ok=true; done
  $ok || echo "$file is of $packages, which scripts/install_packages.sh does not install"
done > "$work/missing"
if [ -s "$work/missing" ]; then
  head -n 20 "$work/missing"
  exit 1
fi
echo "$(wc -l < "$work/files") files of the system are read, all of listed packages"
