// Conjugate gradients: a loop of statements, each compiled once.
#include <cmath>
#include <iostream>

#include "filigree.h"

using namespace filigree;

int main() {
  // The second difference in two dimensions, on a grid of n x n points.
  const int n = 60, points = n * n;
  Tensor<double> A({points, points}, formats::csr), b({points}), x({points});
  for (int row = 0; row < n; row++) {
    for (int column = 0; column < n; column++) {
      int p = row * n + column;
      A.insert({p, p}, 4);
      if (row > 0) A.insert({p, p - n}, -1);
      if (row < n - 1) A.insert({p, p + n}, -1);
      if (column > 0) A.insert({p, p - 1}, -1);
      if (column < n - 1) A.insert({p, p + 1}, -1);
      b.insert({p}, 1);
    }
  }

  Tensor<double> r({points}), p({points}), q({points}), rr, pq, rr_new;
  IndexVar i, j;
  r(i) = b(i);
  p(i) = b(i);
  rr = r(i) * r(i);
  int steps = 0;
  while (std::sqrt(rr.item()) > 1e-8 && steps < 1000) {
    q(i) = A(i, j) * p(j);
    pq = p(i) * q(i);
    // Scalars can be tensors or numbers; numbers that change cost no compilation.
    double alpha = rr.item() / pq.item();
    x(i) += alpha * p(i);
    r(i) -= alpha * q(i);
    rr_new = r(i) * r(i);
    p(i) = r(i) + rr_new / rr * p(i);
    rr = rr_new;
    steps++;
  }

  Tensor<double> error;
  error = max_over(i, abs(b(i) - sum(j, A(i, j) * x(j))));
  std::cout << steps << " steps, largest error " << error << "\n";
  return steps < 200 && error.item() < 1e-8 ? 0 : 1;
}
