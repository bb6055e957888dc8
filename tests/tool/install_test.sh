#!/bin/sh
# Installs a build into a temporary prefix, builds a project outside and the examples against it, from CMake, and the tutorials from
# pkg-config, and runs all of it, with the build folder out of sight.
# usage: install_test.sh BUILD_DIR OUTSIDE_PROJECT CXX_COMPILER
set -eu
build=$1 project=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/an installation"  # with a blank in its name
cmake --install "$build" --prefix "$prefix" > "$work/install.log" || { cat "$work/install.log"; exit 1; }

# What was installed knows nothing of the build folder.
for file in "$prefix/bin/filigree" "$prefix"/lib*/libfiligree.a "$prefix"/lib*/cmake/Filigree/*.cmake "$prefix"/lib*/pkgconfig/filigree.pc; do
  if grep -q -a -F "$build" "$file"; then
    echo "$file names the build folder $build:" >&2
    grep -a -o -F "$build" "$file" | head -n 3 >&2
    exit 1
  fi
done

cmake -S "$project" -B "$work/app" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_INSTALL_PREFIX="$work/apps" > "$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/app" -j 2 > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
cmake --install "$work/app" > /dev/null

# The examples that were installed, as the tutorial says it.  Not optimized: they only have to work.
cmake -S "$prefix"/share/doc/*/examples -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug > "$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
programs="add_a_function own_data pagerank spmv"  # all of them compile in Filigree's own build; these are one of each kind
cmake --build "$work/examples" -j 2 --target $(for name in $programs; do echo "example_$name"; done) > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }

# pkg-config knows no blanks, so through a link without one.
ln -s "$prefix" "$work/plain"
PKG_CONFIG_PATH=$(dirname "$work"/plain/lib*/pkgconfig/filigree.pc)
export PKG_CONFIG_PATH
"$compiler" -o "$work/by_pkg_config" "$project/app.cpp" $(pkg-config --cflags --libs filigree)
for source in "$prefix"/share/doc/*/examples/tutorial_*.cpp; do
  "$compiler" -o "$work/$(basename "$source" .cpp)" "$source" $(pkg-config --cflags --libs filigree)
done

# The build folder is gone where the machine lets us hide it.
hidden="sh -c"
if unshare -rm true 2> /dev/null; then
  hidden="unshare -rm sh -c"
  export HIDE="mount -t tmpfs none $build &&"
fi
export FILIGREE_CACHE="$work/cache" work prefix
for program in "$work/app/app" "$work/apps/bin/app" "$work/by_pkg_config"; do
  rm -rf "$FILIGREE_CACHE"
  test "$($hidden "${HIDE:-} '$program'")" = "10 14" || { echo "$program does not work"; exit 1; }
done
rm -rf "$FILIGREE_CACHE"
test "$($hidden "${HIDE:-} '$prefix/bin/filigree' 's = b(i)*c(i)' -i b:ones -i c:ones -d i:12")" = 12
test -s "$prefix/share/man/man1/filigree.1"
bash -n "$prefix/share/bash-completion/completions/filigree"
works() {
  $hidden "${HIDE:-} '$1'" > "$work/example.log" 2>&1 || { echo "$1 fails:"; cat "$work/example.log"; exit 1; }
}
count=0
for tutorial in "$work"/tutorial_*; do
  works "$tutorial"
  count=$((count + 1))
done
test "$count" = 6
for name in $programs; do works "$work/examples/examples/$name"; done
echo "the installed tool, programs that use the installed library and $count tutorials work${HIDE:+, with the build folder out of sight}"
