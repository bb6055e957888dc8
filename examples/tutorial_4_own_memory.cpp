// Memory of your own: arrays that are read where they are, results that go where you want them.
#include <iostream>
#include <memory>
#include <vector>

#include "filigree.h"

using namespace filigree;

int main() {
  // A dense matrix that another library holds.  The owner is kept alive as long as the tensor is.
  auto owner = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5, 6});
  auto A = Tensor<double>::borrow(owner->data(), {2, 3}, owner);

  // A matrix in CSR, as many libraries hold it: a dense level has no arrays, a compressed one has positions and coordinates.
  std::vector<std::int32_t> positions = {0, 1, 3, 4}, columns = {0, 0, 2, 1};
  std::vector<double> values = {10, 20, 30, 40};
  auto index = [](std::vector<std::int32_t>& array) { return Array::borrow(ElementType::Int32, array.data(), static_cast<std::int64_t>(array.size())); };
  auto B = Tensor<double>::borrow({3, 3}, formats::csr, {{}, {index(positions), index(columns)}}, values);

  // A result that is assigned to borrowed memory is written there.
  std::vector<double> result(6);
  auto C = Tensor<double>::borrow(result.data(), {2, 3});
  IndexVar i, j, k;
  C(i, j) = A(i, k) * B(k, j);
  C.evaluate();
  std::cout << "result[0] = " << result[0] << "\n";

  // Or ask for any tensor as a plain array.
  Tensor<double> D({3, 3}, formats::csc);
  D(i, j) = B(j, i);
  std::vector<double> transposed(9);
  D.evaluate_into(transposed);

  // The arrays are what statements read.
  values[0] = 100;
  C(i, j) = A(i, k) * B(k, j);
  C.evaluate();
  std::cout << "result[0] = " << result[0] << "\n";

  // What is wrong with arrays is found before anything can trip over it.
  columns[3] = 3;
  try {
    Tensor<double>::borrow({3, 3}, formats::csr, {{}, {index(positions), index(columns)}}, values);
    return 1;
  } catch (const UserError& error) {
    std::cout << error.text();
  }
  return result[0] == 140 && transposed[1] == 20 ? 0 : 1;
}
