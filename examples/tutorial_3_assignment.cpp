// What an assignment means: when it is computed, what it reads, and how a tensor is updated.
#include <iostream>

#include "filigree.h"

using namespace filigree;

int main() {
  auto x = Tensor<double>::vector({1, 2, 3});
  Tensor<double> y({3}), z({3});
  IndexVar i;

  // An assignment is remembered and computed when it is read, or by evaluate().  It always means the values of now:
  y(i) = x(i) + 1;
  x.insert({0}, 100);  // y is computed first
  std::cout << "y(0) = " << y.at(0) << ", x(0) = " << x.at(0) << "\n";

  // A tensor on both sides is read as it was before.
  y(i) = y(i) * y(i);
  z(i) = y(i) - x(i);

  // Updates change a dense tensor where it is: here two components of a million.
  Tensor<double> large({1000000}), few({1000000}, Format{formats::compressed});
  few.insert({3}, 1);
  few.insert({999999}, 2);
  for (int n = 0; n < 1000; n++) {
    large(i) += few(i);
    large.evaluate();
  }
  std::cout << "large(999999) = " << large.at(999999) << "\n";

  // So do updates of a part.
  Tensor<double> A({{1, 2, 3}, {4, 5, 6}});
  IndexVar j;
  A(1, j) += x(j);
  A(i, 0) -= 1;
  std::cout << A;

  // Copies are tensors of their own.
  Tensor<double> copy = A;
  copy(i, j) = 0;
  std::cout << "A(1,1) = " << A.at(1, 1) << ", copy(1,1) = " << copy.at(1, 1) << "\n";

  bool good = y.at(0) == 4 && x.at(0) == 101 && z.at(2) == 13 && large.at(3) == 1000 && large.at(999999) == 2000 && A.at(1, 0) == 104 && A.at(0, 0) == 0 && A.at(1, 1) == 7 && copy.at(1, 1) == 0;
  return good ? 0 : 1;
}
