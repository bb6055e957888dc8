#!/bin/bash
# Time in proportion: statements and programs of the largest size that is allowed take little processor time until they run.
# usage: times_test.sh TOOL
set -u
tool=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/filigree-times-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# takes SECONDS NAME RESULT WORDS...: ends well with at most so much processor time, and the last line printed is the result.
takes() {
  local most=$1 name=$2 result=$3
  shift 3
  (ulimit -t "$most" && exec "$tool" "$@" --target interpret > out 2> err)
  if [ $? != 0 ] || [ "$(tail -n 1 out)" != "$result" ]; then
    echo "FAILED: $name: '$(tail -n 1 out | head -c 200)' instead of '$result' within $most s: $(head -c 300 err)"
    failures=$((failures + 1))
  fi
}

# repeat COUNT SEPARATOR TEXT: every N in the text is the number, from 0.
repeat() {
  local n text=
  for ((n = 0; n < $1; n++)); do text+=${text:+$2}${3//N/$n}; done
  echo "$text"
}

takes 5 'a sum of 2499 terms' '3 2499' "y(i) = $(repeat 2499 ' + ' 'x(i)')" -i x:ones -d i:3
takes 5 'a sum of 2499 sparse terms' '3 2499' "y(i) = $(repeat 2499 ' + ' 'x(i)')" -i x:ones -d i:3 -f x:sparse
takes 5 'a product of 2499 factors' '3 1' "y(i) = $(repeat 2499 ' * ' 'x(i)')" -i x:ones -d i:3
inputs=()
for ((n = 0; n < 1500; n++)); do inputs+=(-i "x$n:ones"); done
takes 5 'a sum of 1500 tensors' '3 1500' "y(i) = $(repeat 1500 ' + ' 'xN(i)')" "${inputs[@]}" -d i:3
takes 5 'a sum of 300 sums' '900' "s = $(repeat 300 ' + ' 'xN(i)')" "${inputs[@]:0:600}" -d i:3
takes 5 'a minimum of 30 sums' '3' "s = $(repeat 29 '' 'min(sum(i, xN(i)), ')sum(i, x29(i))$(repeat 29 '' ')')" "${inputs[@]:0:60}" -d i:3
takes 5 '2000 statements one after the other' '3 2000' "a(i) = x(i); $(repeat 1999 '; ' 'a(i) = a(i) + x(i)')" -i x:ones -d i:3
chain='t0(i) = x(i)'
for ((n = 1; n < 2000; n++)); do chain+="; t$n(i) = t$((n - 1))(i) + x(i)"; done
takes 9 '2000 temporaries' '3 2000' "$chain" -i x:ones -d i:3
(ulimit -t 9 && exec "$tool" "${chain//x(i)/1}" --print notation > out 2> err) || { echo "FAILED: 2000 statements without data: $(head -c 300 err)"; failures=$((failures + 1)); }
takes 5 '2000 results' '3 1999' "$(repeat 2000 '; ' 'aN(i) = N*x(i)')" -i x:ones -d i:3
takes 2 'a tensor of order 64' '4' "y = A($(repeat 64 ',' 'iN'))" -i A:ones $(repeat 63 ' ' '-d iN:1') -d i63:4

"$tool" "y = A($(repeat 1000 ',' 'iN'))" > out 2> err
[ $? = 1 ] && grep -q "more than 64 indices" err || { echo "FAILED: order 1000: $(head -c 300 err)"; failures=$((failures + 1)); }

[ $failures = 0 ] && echo 'all passed'
exit $((failures > 0))
