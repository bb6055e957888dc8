#!/bin/bash
# Under every limit of the system, a run gives the right answer, or one clear message.
# usage: limits_test.sh TOOL [all]
set -u
tool=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/filigree-limits-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
chmod 755 .
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

nested=$(printf '(%.0s' $(seq 490))'x(i)'$(printf ')%.0s' $(seq 490))
sum="y(i) = $(printf 'x(i) + %.0s' $(seq 300))x(i)"
simple='y(i) = A(i,j)*x(j)'
"$tool" 'A(i,j) = 1 + i + j' -d i:50 -d j:40 -o A:A.tns || fail 'no input'
declare -A answers

# limited NAME LIMIT WORDS...: runs the tool below a limit, such as '-v 100000', without kernels from the cache.
limited() {
  local name=$1 limit=$2 code
  shift 2
  # Files that whoever started the test left open would count.
  (exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit $limit && FILIGREE_CACHE_SIZE=0 exec timeout 60 $as_user "$tool" "$@" > out 2> err)
  code=$?
  if [ $code = 0 ]; then
    [ -n "${answers[$name]+there}" ] || answers[$name]=$(FILIGREE_CACHE_SIZE=0 "$tool" "$@" | cksum)
    [ "$(cksum < out)" = "${answers[$name]}" ] || fail "$name, $limit: another answer"
  elif [ $code -gt 2 ]; then
    fail "$name, $limit: exit $code: $(head -c 300 err)"
  elif [ "$(grep -c '^error:' err)" != 1 ] || grep -qi 'internal error' err; then
    fail "$name, $limit: not one clear message: $(head -c 300 err)"
  fi
  outcomes="$outcomes $limit:$code"
}

as_user=
outcomes=
all=${2:-}

# Small stacks: all stages run on one of their own.
for kilobytes in ${all:+64 128 512 8192} 256 1024; do
  limited nested "-s $kilobytes" "y(i) = $nested" -i x:ones -d i:3
  [ -z "$all" ] || limited sum "-s $kilobytes" "$sum" -i x:ones -d i:3
  limited nested_interpreted "-s $kilobytes" "y(i) = $nested" -i x:ones -d i:3 --target interpret
  grep -q error err && fail "a stack of $kilobytes KiB is enough: $(head -c 300 err)"
done

# Little memory, from too little to start at all.
for kilobytes in ${all:+$(seq 40000 2000 118000) 140000 160000 180000 220000 250000 300000 500000} 120000 200000 400000; do
  limited simple "-v $kilobytes" "$simple" -i A:A.tns -i x:ones
  [ -z "$all" ] || limited simple_cc "-v $kilobytes" "$simple" -i A:A.tns -i x:ones --target cc
done

# Few files.
for files in ${all:+7 10 12} 6 8; do
  limited simple "-n $files" "$simple" -i A:A.tns -i x:ones
  [ -z "$all" ] || limited simple_cc "-n $files" "$simple" -i A:A.tns -i x:ones --target cc
done

# Small files, in units of 1 KiB: also those in memory.
for kilobytes in ${all:+2 8 16 32} 1 4; do
  limited simple "-f $kilobytes" "$simple" -i A:A.tns -i x:ones
  [ -z "$all" ] || limited simple_cc "-f $kilobytes" "$simple" -i A:A.tns -i x:ones --target cc
done
(ulimit -f 4 && exec "$tool" 'y(i) = x(i)' -i x:random -d i:10000 -o y:y.tns --target interpret) > out 2> err
[ $? = 1 ] && grep -q 'ulimit -f' err && [ ! -e y.tns ] || fail "a result that is too large: $(head -c 300 err)"
[ -z "$(find . -name '.filigree-*')" ] || fail 'a part of a result that is too large'

# Little time.
limited long '-t 1' 's max= a(i) + b(j) + c(k)' -i a:random -i b:random -i c:random -d i:100000 -d j:100000 -d k:100000 --threads 2
grep -q 'processor time' err || fail "no time: $(head -c 300 err)"

# No thread and no other process.  The limit is not for the superuser.
if [ "$(id -u)" = 0 ]; then
  as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
  setpriv --reuid 65534 --regid 65534 --clear-groups "$tool" --version > /dev/null 2>&1 || as_user=none
fi
if [ "$as_user" != none ]; then
  limited simple_no_thread '-u 1' "$simple" -i A:A.tns -i x:ones --threads 4
  grep -q error err && fail "no thread is needed: $(head -c 300 err)"
  # Enough entries, in another order than they are stored in, for several threads to read and sort them.
  seq 300000 | sed 's/.*/& &/' | tac > large.tns
  limited large_no_thread '-u 1' info large.tns
  grep -q error err && fail "no thread is needed to read a file: $(head -c 300 err)"
  limited nested_no_thread '-u 1 -s 256' "y(i) = $nested" -i x:ones -d i:3
  grep -q error err && fail "no thread is needed for a stack: $(head -c 300 err)"
  limited cc_no_process '-u 1' "$simple" -i A:A.tns -i x:ones --target cc
fi

[ -z "$all" ] || echo "exits:$outcomes"
[ $failures = 0 ] && echo 'all passed'
exit $((failures > 0))
