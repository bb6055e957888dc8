// Arrays that belong to the caller are used where they are: nothing is copied, but they are checked once.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "filigree.h"

using namespace filigree;

int main() {
  // A 3 x 4 matrix in CSR, as many libraries hold it:  10 . 20 . / . . . . / . 30 . 40.
  std::vector<std::int32_t> positions = {0, 2, 2, 4};
  std::vector<std::int32_t> columns = {0, 2, 1, 3};
  std::vector<double> values = {10, 20, 30, 40};
  std::vector<double> weights = {1, 2, 3, 4};

  // A dense level has no arrays, a compressed one has positions and coordinates.
  Format csr = parse_format("csr", 2);
  AnyTensor matrix = AnyTensor::from_arrays({3, 4}, csr, {{}, {Array::borrow(ElementType::Int32, positions.data(), 4), Array::borrow(ElementType::Int32, columns.data(), 4)}},
                                      Array::borrow(ElementType::Float64, values.data(), 4), "matrix");
  AnyTensor vector = AnyTensor::from_arrays({4}, Format::dense(1), {{}}, Array::borrow(ElementType::Float64, weights.data(), 4), "weights");

  IndexVar i("i"), j("j");
  TensorVar y("y", ElementType::Float64, Format::dense(1)), A("A", ElementType::Float64, csr), x("x", ElementType::Float64, Format::dense(1));
  Kernel spmv = Kernel::compile((y(i) = A(i, j) * x(j)));
  AnyTensor result = spmv.run({{"A", matrix}, {"x", vector}});
  std::printf("y = %g %g %g\n", result.values().as<double>()[0], result.values().as<double>()[1], result.values().as<double>()[2]);
  if (result.values().as<double>()[2] != 220) return 1;

  // The caller's arrays are what the kernel reads.
  values[0] = 100;
  if (spmv.run({{"A", matrix}, {"x", vector}}).values().as<double>()[0] != 160) return 1;

  // What is wrong with arrays is found before a kernel can trip over it.
  columns[3] = 4;
  try {
    AnyTensor::from_arrays({3, 4}, csr, {{}, {Array::borrow(ElementType::Int32, positions.data(), 4), Array::borrow(ElementType::Int32, columns.data(), 4)}},
                        Array::borrow(ElementType::Float64, values.data(), 4), "matrix");
  } catch (const UserError& error) {
    std::printf("%s", error.text().c_str());
    return 0;
  }
  return 1;
}
