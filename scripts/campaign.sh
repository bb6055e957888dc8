#!/bin/bash
# The full counts: every combination of formats, every matrix through every pair of formats, many fuzz seeds,
# sanitizers, SciPy on every matrix.  Takes long; ends with a summary, and fails if any part failed.
# usage: campaign.sh BUILD_DIR SANITIZER_BUILD_DIR
#   FUZZ_SEEDS  how many random programs, 2 % of them also compiled (default 1000000: some hours)
#   SCHEDULES   how many random schedules, on 1, 2 and 4 threads, 3 % of them also compiled (default 100000)
#   MUTANTS     how many mutated programs and files each, with sanitizers, and a quarter as many plans (default 200000)
#   FAULTS      how many kills, damages and attacks each (default 1000)
#   LIBFUZZER   seconds for each of its targets (default 60)
set -uo pipefail
build=$1 sanitized=$2
seeds=${FUZZ_SEEDS:-1000000}
mutants=${MUTANTS:-200000} faults=${FAULTS:-1000}
summary=()
failures=0

# part NAME COMMAND...: runs it, keeps its last line and its time for the summary.
part() {
  local name=$1 begin=$SECONDS log="$build/campaign-${1// /-}.log"
  shift
  printf '\n=== %s\n' "$name"
  if "$@" 2>&1 | tee "$log"; then verdict=passed; else verdict=FAILED; failures=$((failures + 1)); fi
  summary+=("$(printf '%-28s %-7s %5d s   %s' "$name" "$verdict" $((SECONDS - begin)) "$(grep -v '^ *$' "$log" | tail -n 1)")")
}
absent() {
  summary+=("$(printf '%-28s %-7s         %s is not built' "$1" FAILED "$2")")
  failures=$((failures + 1))
}

part "tests" scripts/test.sh "$build"
if [ -x "$build/tests/combinations" ]; then
  part "combinations" "$build/tests/combinations"
  part "combinations of named formats" "$build/tests/combinations" --named
else
  absent "combinations" "$build/tests/combinations"
fi
if [ -x "$build/tests/round_trip" ]; then
  part "round trips" "$build/tests/round_trip"
else
  absent "round trips" "$build/tests/round_trip"
fi
if [ -x "$build/tests/layouts_differential_test" ]; then
  part "layouts" env FILIGREE_ALL=1 "$build/tests/layouts_differential_test"
else
  absent "layouts" "$build/tests/layouts_differential_test"
fi
if [ -x "$build/fuzz/fuzz" ]; then
  part "fuzz" "$build/fuzz/fuzz" --from 1 --to "$seeds" --jit-percent 2 --workers 2
  part "frontiers" "$build/fuzz/fuzz" --from 1 --to 0 --frontiers 700 --members 40 --workers 2
  part "unclear sums" "$build/fuzz/fuzz" --from 1 --to 1 --sums $((seeds / 10)) --workers 2
else
  absent "fuzz" "$build/fuzz/fuzz"
fi
part "schedules" "$build/tests/schedules" --from 1 --to "${SCHEDULES:-100000}" --jit-percent 3
part "figure 6, the largest row" "$build/tests/autoschedule_test" --gtest_also_run_disabled_tests --gtest_filter='*Mttkrp*'
part "tests with sanitizers" scripts/test.sh "$sanitized" -LE slow
if [ -x "$sanitized/tests/combinations" ]; then
  part "combinations with sanitizers" "$sanitized/tests/combinations" --sample 200 --jit-percent 5 --sanitize
  part "named formats with sanitizers" "$sanitized/tests/combinations" --named --sample 200 --jit-percent 5 --sanitize
fi

python=$build/python/bin/python  # made by make campaign
part "recipes, timed" "$python" tests/tool/recipes.py "$build/bin/filigree" docs/recipes.md --time
part "newcomers' tasks, timed" "$python" tests/tool/newcomer_tasks.py "$build/bin/filigree" --time
part "gather beside NumPy" "$python" tests/tool/gather_compare.py "$build/bin/filigree" 3000 2
part "SciPy" "$python" tests/tool/scipy_compare.py "$build/bin/filigree"

part "mutants with sanitizers" "$sanitized/fuzz/mutants" --programs "$mutants" --files "$mutants" --plans "$((mutants / 4))"
part "libFuzzer" scripts/libfuzzer.sh "$build-libfuzzer" "${LIBFUZZER:-60}"
part "limits of the system" tests/tool/limits_test.sh "$build/bin/filigree" all
for trial in kills corruption second_user; do
  part "faults: $trial" "$python" "tests/faults/$trial.py" "$build/bin/filigree" "$faults"
done

printf '\n=== summary\n'
printf '%s\n' "${summary[@]}"
if [ "$failures" = 0 ]; then echo "campaign passed"; else echo "campaign failed: $failures parts"; fi
[ "$failures" = 0 ]
