// First steps: tensors, index notation, and results.
#include <iostream>

#include "filigree.h"

using namespace filigree;
using formats::csr;

int main() {
  // A sparse matrix of 3 rows and 4 columns, stored as CSR, and two dense vectors.
  Tensor<double> A({3, 4}, csr), x({4}), y({3});

  // Entries come in any order.  What is inserted at the same place is added up.
  A.insert({0, 0}, 10);
  A.insert({2, 3}, 40);
  A.insert({2, 1}, 25);
  A.insert({2, 1}, 5);
  for (int n = 0; n < 4; n++) x.insert({n}, n + 1);
  std::cout << A;

  // y is the product.  j is on the right only, so it is summed.
  IndexVar i, j;
  y(i) = A(i, j) * x(j);

  // The product is computed now, because it is read.
  std::cout << "y(2) = " << y.at(2) << "\n" << y;

  // A scalar needs no indices.
  Tensor<double> norm;
  norm = sum(i, y(i) * y(i));
  std::cout << "norm squared: " << norm << "\n";

  // What is stored, in order.
  for (const auto& [coordinates, value] : A) std::cout << coordinates[0] << ", " << coordinates[1] << ": " << value << "\n";

  return y.at(0) == 10 && y.at(1) == 0 && y.at(2) == 220 && norm.item() == 48500 ? 0 : 1;
}
