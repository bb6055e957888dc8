#!/bin/sh
# Installs a build into a temporary prefix, builds a project outside against it, and runs both.
# usage: install_test.sh BUILD_DIR OUTSIDE_PROJECT CXX_COMPILER
set -eu
build=$1 project=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" > "$work/install.log" || { cat "$work/install.log"; exit 1; }
# The plug-in must be found from where it is installed, not from the build folder.
cmake -S "$project" -B "$work/app" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" > "$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/app" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
export FILIGREE_CACHE="$work/cache"
test "$("$work/app/app")" = "10 14"
test "$("$work/prefix/bin/filigree" 's = b(i)*c(i)' -i b:ones -i c:ones -d i:12)" = 12
test -s "$work/prefix/share/man/man1/filigree.1"
bash -n "$work/prefix/share/bash-completion/completions/filigree"
echo "the installed tool and a project outside that uses the installed library both work"
