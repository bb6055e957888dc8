#!/bin/bash
# A tour in a minute: a matrix of a physics problem, three computations with it, and the code that does one of them.
# usage: demo.sh FILIGREE
set -euo pipefail
filigree=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
side=300
start=$(date +%s.%N)

# The 5-point stencil: how heat spreads on a grid of side x side points.
awk -v n=$side 'BEGIN {
  print "%%MatrixMarket matrix coordinate real general"
  print n * n, n * n, 5 * n * n - 4 * n
  for (x = 0; x < n; x++) for (y = 0; y < n; y++) {
    p = x * n + y + 1
    print p, p, 4
    if (x > 0) print p, p - n, -1
    if (x < n - 1) print p, p + n, -1
    if (y > 0) print p, p - 1, -1
    if (y < n - 1) print p, p + 1, -1
  }
}' > "$work/heat.mtx"

show() {
  printf '\n$ filigree'
  for argument in "$@"; do
    argument=${argument//"$work/"/}
    case $argument in *[\ \(\)\*]*) printf " '%s'" "$argument" ;; *) printf ' %s' "$argument" ;; esac
  done
  echo
  "$filigree" "$@"
}

echo "Filigree compiles tensor algebra to fused kernels.  The matrix of this demonstration is the"
echo "5-point stencil on a grid of $side x $side points:"
show info "$work/heat.mtx" -f csr

printf '\n--- A matrix times a vector: the points next to the border lose heat.\n'
show 'y(i) = A(i,j) * x(j)' -f A:csr -i A:"$work/heat.mtx" -i x:ones -o y:"$work/y.tns" --time 20
show 'lost = y(i)' -i y:"$work/y.tns"

printf '\n--- The square of the matrix: two sparse operands, a sparse result, and a workspace for each row.\n'
show 'A(i,j) = B(i,k) * C(k,j)' -f B:csr -f C:csr -i B:"$work/heat.mtx" -i C:"$work/heat.mtx" --time 5

printf '\n--- A sum in which one operand is transposed, so that it is reordered first.\n'
show 'A(i,j) = B(i,j) + 0.5 * C(j,i)' -f B:csr -f C:csr -i B:"$work/heat.mtx" -i C:"$work/heat.mtx" --time 5 --explain

printf '\n--- The code that multiplies the matrix with the vector.\n'
show 'y(i) = A(i,j) * x(j)' -f A:csr --print c

printf '\nThe demonstration ran six commands in %.1f seconds.  Next: filigree --help, README.md, examples/.\n' "$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')"
