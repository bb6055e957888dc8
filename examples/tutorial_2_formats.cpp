// Formats are values: every tensor has one, and every statement works with all of them.
#include <iostream>

#include "filigree.h"

using namespace filigree;

int main() {
  using formats::bcsr, formats::compressed, formats::coo, formats::csc, formats::csr, formats::dense;

  // A name, a level for each dimension, or text.
  Tensor<double> B({{1, 0, 2}, {0, 0, 3}, {4, 5, 0}}, csr);
  Tensor<double> C({3, 3}, Format{dense, compressed});        // the same as csr
  Tensor<double> D({3, 3}, Format({dense, compressed}, {1, 0}));  // columns first: the same as csc
  Tensor<double> E({3, 3}, "(i,j) -> (j-i: compressed, i: range, j: offset)");  // by diagonals
  Tensor<double> T({2, 3, 4}, coo);                            // a name that is good for any order

  // Copies from one format into another are assignments.
  IndexVar i, j, k;
  C(i, j) = B(i, j);
  D(i, j) = B(i, j);
  E(i, j) = C(j, i);
  std::cout << to_string(C.format()) << ", " << to_string(D.format()) << ", " << to_string(E.format()) << "\n" << E;

  // Operands in different formats, and a result in blocks.
  Tensor<double> F({3, 3}, bcsr(2, 2));
  F(i, j) = B(i, k) * D(k, j) + E(i, j);
  std::cout << F;

  // Tensors of higher order are no different.
  T.insert({0, 1, 2}, 1.5);
  T.insert({1, 2, 3}, 2.5);
  Tensor<double> slice({3, 4}, csr);
  slice(j, k) = T(1, j, k);  // a number stands for one coordinate
  std::cout << slice;

  bool good = D.at(2, 1) == 5 && E.at(1, 2) == 5 && F.at(0, 0) == 10 && F.at(0, 2) == 6 && slice.at(2, 3) == 2.5;
  return good ? 0 : 1;
}
