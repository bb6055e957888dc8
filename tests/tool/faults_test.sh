#!/bin/bash
# What faults of machine and user must not do: lose results, leave files behind, crash, or send commands to a terminal.
# usage: faults_test.sh TOOL
set -u
tool=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/filigree-faults-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# check NAME CONDITION...: the condition is a command.
check() {
  local name=$1
  shift
  "$@" || fail "$name: $*"
}

# refused NAME CODE WORDS COMMAND...: ends with the code, one error that contains the words, and no internal error.
refused() {
  local name=$1 code=$2 words=$3 got
  shift 3
  "$@" > out 2> err
  got=$?
  [ "$got" = "$code" ] || fail "$name: exit $got instead of $code: $(head -c 300 err)"
  grep -q -- "$words" err || fail "$name: no '$words' in: $(head -c 300 err)"
  [ "$(grep -c '^error:' err)" = 1 ] || fail "$name: not one error: $(head -c 300 err)"
  grep -qi 'internal error' err && fail "$name: an internal error"
}

leftovers() { find . -name '.filigree-*.part' -o -name 'filigree-*.work'; }

two=('a(i) = 2*x(i); b(i) = 3*x(i)' -i x:ones -d i:3)
one=('a(i) = 2*x(i)' -i x:ones -d i:3)
answer=$(printf '1 2\n2 2\n3 2')

# ---- Two results in one file ----
refused 'one file twice' 2 'both written' "$tool" "${two[@]}" -o a:r.tns -o b:r.tns
refused 'two spellings' 2 'same file' "$tool" "${two[@]}" -o a:r.tns -o b:./r.tns
check 'nothing is written' [ ! -e r.tns ]
echo old > r.tns && ln -s r.tns soft.tns && ln r.tns hard.tns && ln -s new.tns d1.tns && ln -s ./new.tns d2.tns
refused 'a link' 2 'same file' "$tool" "${two[@]}" -o a:r.tns -o b:soft.tns
refused 'a hard link' 2 'same file' "$tool" "${two[@]}" -o a:hard.tns -o b:r.tns
refused 'two links to nothing' 2 'same file' "$tool" "${two[@]}" -o a:d1.tns -o b:d2.tns
refused 'the code and a result' 2 'both written' "$tool" "${two[@]}" -o a:r.tns --emit r.tns
check 'the old one stays' [ "$(cat r.tns)" = old ]
printf '1 5\n' > in.tns && ln -s in.tns in2.tns
refused 'the code and what is read' 2 'take the place' "$tool" 'a(i) = 2*x(i)' -f x:sparse -d x:3 -i x:in2.tns --emit in.tns
check 'the input stays' [ "$(cat in.tns)" = '1 5' ]
check '/dev/null takes both' "$tool" "${two[@]}" -o a:/dev/null -o b:/dev/null

# ---- Links, devices and pipes ----
mkdir sub && ln -s sub/target.tns dangling.tns
check 'a link to nothing' "$tool" "${one[@]}" -o a:dangling.tns
check 'the link stays' [ -L dangling.tns ]
check 'its target is written' [ "$(cat sub/target.tns 2> /dev/null)" = "$answer" ]
ln -s nowhere/target.tns lost.tns
refused 'a link into no folder' 1 'no directory' "$tool" "${one[@]}" -o a:lost.tns
ln -s loop2.tns loop1.tns && ln -s loop1.tns loop2.tns
refused 'a circle of links' 1 'circle' "$tool" "${one[@]}" -o a:loop1.tns
check 'the circle stays' [ -L loop1.tns ]
check '/dev/null' "$tool" "${one[@]}" -o a:/dev/null
check '/dev/null stays' [ -c /dev/null ]
check '/dev/stdout to a pipe' [ "$("$tool" "${one[@]}" -o a:/dev/stdout | cat)" = "$answer" ]
{ echo first; "$tool" "${one[@]}" -o a:/dev/stdout; echo last; } > mixed
check '/dev/stdout to a file' [ "$(cat mixed)" = "first
$answer
last" ]
if [ "$(id -u)" = 0 ]; then
  mkdir -m 1777 for_all && echo old > mine.tns && ln -s ../mine.tns for_all/own.tns && ln -s ../mine.tns for_all/theirs.tns && chown -h 65534 for_all/theirs.tns
  refused "another user's link in a folder for all" 1 "link of another user" "$tool" "${one[@]}" -o a:for_all/theirs.tns
  check 'what it leads to stays' [ "$(cat mine.tns)" = old ]
  check 'an own link there' "$tool" "${one[@]}" -o a:for_all/own.tns
  check 'is followed' [ "$(cat mine.tns)" = "$answer" ]
fi
as_user=
[ "$(id -u)" = 0 ] && as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
chmod 755 . && mkdir -m 755 closed && touch closed/open.tns && chmod 666 closed/open.tns && [ "$(id -u)" = 0 ] || chmod 555 closed
if FILIGREE_CACHE_SIZE=0 $as_user "$tool" --version > /dev/null 2>&1; then
  export FILIGREE_CACHE_SIZE=0
  refused 'a file in a closed folder' 1 "in the folder 'closed' you may not replace" $as_user "$tool" "${one[@]}" -o a:closed/open.tns
  refused 'a new file in a closed folder' 1 "may not create files in the folder 'closed'" $as_user "$tool" "${one[@]}" -o a:closed/new.tns
  if [ "$(id -u)" = 0 ]; then
    mkdir -m 1777 sticky && touch sticky/theirs.tns && chmod 666 sticky/theirs.tns
    refused "another user's file in a folder for all" 1 "in the folder 'sticky' you may not replace" $as_user "$tool" "${one[@]}" -o a:sticky/theirs.tns
  fi
  unset FILIGREE_CACHE_SIZE
fi
chmod 755 closed
mkfifo pipe.tns
timeout 20 cat pipe.tns > read_from_pipe &
check 'a named pipe' timeout 20 "$tool" "${one[@]}" -o a:pipe.tns
wait $!
check 'the pipe got it' [ "$(cat read_from_pipe)" = "$answer" ]
check 'the pipe stays' [ -p pipe.tns ]
"$tool" 'v(i) = i' -d i:3 -o v:v.tns && chmod 640 v.tns
check 'a file that is read and written' "$tool" 'w(i) = v(i) + 1' -i v:v.tns -o w:v.tns
check 'all of it was read first' [ "$(grep -v '#' v.tns | cut -d' ' -f2 | tr '\n' ' ')" = '1 2 3 ' ]
check 'permissions stay' [ "$(stat -c %a v.tns)" = 640 ]

# ---- What a killed process leaves ----
touch .filigree-0123456789ab.part .filigree-notours.part held
mkdir other && touch other/.filigree-0123456789ab.part
check 'a run' "$tool" "${one[@]}" -o a:s.tns
check 'what was left is gone' [ ! -e .filigree-0123456789ab.part ]
check 'what is not ours stays' [ -e .filigree-notours.part ]
check 'other folders stay' [ -e other/.filigree-0123456789ab.part ]
rm -rf .filigree-notours.part other
touch .filigree-abcdefghijkl.part
flock .filigree-abcdefghijkl.part sleep 2 &
sleep 0.2
check 'a run beside another' "$tool" "${one[@]}" -o a:s.tns
check 'what another still writes stays' [ -e .filigree-abcdefghijkl.part ]
wait $!
"$tool" 'a(i) = x(i)' -i x:random -d i:20000000 -o a:big.tns &
for _ in $(seq 300); do [ -n "$(leftovers | grep -v abcdefghijkl)" ] && break; sleep 0.02; done
kill -9 $! ; wait $! 2> /dev/null
check 'a killed run leaves a part' [ -n "$(leftovers)" ]
check 'the next run' "$tool" "${one[@]}" -o a:s.tns
check 'nothing is left' [ -z "$(leftovers)" ]
check 'no half of a file' [ ! -e big.tns ]

# ---- On the disk before it has its name ----
cat > log_calls.c << 'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>
static void note(const char* what) { FILE* log = fopen(getenv("CALLS"), "a"); fprintf(log, "%s\n", what); fclose(log); }
int fsync(int file) {
  struct stat facts;
  fstat(file, &facts);
  note(S_ISDIR(facts.st_mode) ? "fsync folder" : "fsync file");
  if (getenv("FAIL_FSYNC")) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
int rename(const char* from, const char* to) { note("rename"); return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to); }
C
if ! nm "$tool" 2> /dev/null | grep -q __asan_init && cc -shared -fPIC -o log_calls.so log_calls.c -ldl 2> /dev/null; then
  for name in s.tns s.tns.gz s.npz; do
    rm -f calls
    CALLS=calls LD_PRELOAD=./log_calls.so "$tool" "${one[@]}" -o a:$name
    check "$name is on the disk" [ "$(tr '\n' ' ' < calls)" = 'fsync file rename fsync folder ' ]
  done
  cp s.tns kept
  refused 'a disk that fails' 1 "Cannot write 's.tns'" env CALLS=calls FAIL_FSYNC=1 LD_PRELOAD=./log_calls.so "$tool" 'a(i) = 5*x(i)' -i x:ones -d i:3 -o a:s.tns
  check 'the old file is there' cmp -s s.tns kept
  check 'and nothing else' [ -z "$(leftovers)" ]
fi

# ---- Control characters ----
escape=$(printf '\033')
has_no_escape() { ! LC_ALL=C grep -q "$escape" "$1"; }
evil=$(printf 'e\033]0;title\007.tns')
printf '1 1\n' > "$evil"
for command in "info|$evil" "convert|$evil|-" "info|no$evil" "y(i) = x(i)|-i|x:$evil|--time|1|--explain" "y(i) = x(i)|-i|x:$evil|-o|y:$evil.el" "y(i) = x(i) + $evil" \
  "y(i) = x(i)|-i|$evil:ones" "y(i) = x(i)|--$evil" "y(i) = x(i)|-f|x:$evil" "y(i) = x(i)|-s|$evil" "y(i) = $(printf '\233')x(i)" "y(i) = x(i)|--color|$evil" "info|$evil|--base|$evil"; do
  IFS='|' read -r -a words <<< "$command"
  "$tool" "${words[@]}" > out 2> err
  [ $? -le 2 ] || fail "control characters: exit of $command"
  check "no escape in what '${words[0]%%$escape*}' prints" has_no_escape out
  check "no escape in what '${words[0]%%$escape*}' tells" has_no_escape err
  LC_ALL=C grep -q "$(printf '\233')" err && fail 'a byte that is no UTF-8'
done

# ---- Folders of the C compiler ----
mkdir tmp
cat > slow_cc << 'C'
#!/bin/sh
exec sleep 2
C
chmod +x slow_cc
for signal in INT TERM HUP QUIT ALRM USR1 USR2 VTALRM PROF KILL; do
  # What a shell starts in the background ignores SIGINT, unless it is told otherwise.
  env --default-signal=INT,QUIT TMPDIR="$work/tmp" CC="$work/slow_cc" FILIGREE_CACHE_SIZE=0 "$tool" "${one[@]}" --target cc > /dev/null 2>&1 &
  for _ in $(seq 200); do [ -n "$(find tmp -name 'messages')" ] && break; sleep 0.02; done
  kill -$signal $!
  wait $! 2> /dev/null
  [ $signal = KILL ] || check "no folder after SIG$signal" [ -z "$(ls tmp)" ]
done
check 'a folder after SIGKILL' [ -n "$(ls tmp)" ]
TMPDIR=$work/tmp FILIGREE_CACHE_SIZE=0 "$tool" "${one[@]}" --target cc > /dev/null || fail 'cc'
check 'no folder after the next run' [ -z "$(ls tmp)" ]

# ---- Sizes out of proportion ----
printf '%%%%MatrixMarket matrix coordinate real general\n2147483648 5 1\n1 1 1\n' > rows.mtx
refused 'rows without entries' 1 'GiB stored as bcsr' timeout 5 "$tool" info rows.mtx -f 'bcsr(4,4)'
refused 'rows of a CSR matrix' 1 'GiB' timeout 5 "$tool" info rows.mtx -f csr
check 'a sparser format' "$tool" info rows.mtx -f dcsr > /dev/null
printf '%%%%MatrixMarket matrix coordinate real general\n20000000 5 1\n1 1 1\n' > many_rows.mtx
check 'many rows are fine' "$tool" info many_rows.mtx -f csr > /dev/null

[ $failures = 0 ] && echo 'all passed'
exit $((failures > 0))
