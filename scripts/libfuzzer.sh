#!/bin/bash
# Fuzzes readers, parser, formats and schedules guided by coverage, with address and undefined-behaviour sanitizers, from the inputs of fuzz/corpus.
# usage: libfuzzer.sh BUILD_DIR [SECONDS_FOR_EACH]      findings are left in BUILD_DIR/findings
set -euo pipefail
build=$1 seconds=${2:-60}
echo "building the targets in $build/"
CC=clang-19 CXX=clang++-19 cmake -S . -B "$build" -DFILIGREE_LIBFUZZER=ON -DFILIGREE_SANITIZE=address,undefined -DFILIGREE_EXAMPLES=OFF -Wno-dev --log-level=WARNING
cmake --build "$build" -j "$(nproc)" --target fuzz_read fuzz_notation fuzz_format fuzz_schedule
mkdir -p "$build/findings"
status=0
for target in read notation format schedule; do
  mkdir -p "$build/corpus/$target"
  # New inputs go to the build folder; those of the project stay as they are.
  "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=4096 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$build/findings/$target-" "$build/corpus/$target" "fuzz/corpus/$target" > "$build/findings/$target.log" 2>&1 || status=1
  units=$(grep -oE 'number_of_executed_units: *[0-9]+' "$build/findings/$target.log" | grep -oE '[0-9]+' || true)
  if [ -n "$units" ]; then echo "$target: $units runs"; else echo "$target: FAILED, see $build/findings/$target.log"; fi
done
[ "$status" = 0 ] && echo "nothing found" || echo "failed"
exit "$status"
