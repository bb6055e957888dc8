#!/bin/bash
# Runs the tests of a build, and ends with one line that says how they went.
# usage: test.sh BUILD_DIR [ctest options]
set -uo pipefail
build=$1
shift
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" --timeout 900 "$@" 2>&1 | tee "$build/test.log"
status=${PIPESTATUS[0]}
failed=$(grep -cE '\*\*\*(Failed|Timeout|Exception|Not Run)' "$build/test.log")
skipped=$(grep -cE '\*\*\*Skipped' "$build/test.log")
passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed ' "$build/test.log")
[ "$skipped" = 0 ] || echo "$skipped skipped (what they need is not on this machine; see above)"
echo "$passed passed, $failed failed"
exit "$status"
