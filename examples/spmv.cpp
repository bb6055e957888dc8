// y = A x: an expression made of typed objects, compiled once and run on matrices of different sizes.
#include <cstdio>

#include "filigree.h"

using namespace filigree;

// The n x n matrix of the second difference: 2 on the diagonal, -1 beside it.
static AnyTensor second_difference(std::int64_t n, const Format& format) {
  Coordinates entries;
  entries.dimensions = {n, n};
  entries.coordinate.resize(2);
  std::vector<double> values;
  for (std::int64_t row = 0; row < n; row++) {
    for (std::int64_t column = row - 1; column <= row + 1; column++) {
      if (column < 0 || column >= n) continue;
      entries.coordinate[0].push_back(row);
      entries.coordinate[1].push_back(column);
      values.push_back(row == column ? 2 : -1);
    }
  }
  entries.values = Array::borrow(ElementType::Float64, values.data(), static_cast<std::int64_t>(values.size()));
  return AnyTensor::pack(entries, format);
}

int main() {
  Format csr = parse_format("csr", 2);
  IndexVar i("i"), j("j");
  TensorVar y("y", ElementType::Float64, Format::dense(1));
  TensorVar A("A", ElementType::Float64, csr);
  TensorVar x("x", ElementType::Float64, Format::dense(1));

  // j is on the right only, so it is summed.
  Kernel spmv = Kernel::compile((y(i) = A(i, j) * x(j)));

  // Nothing is compiled again for new data or new sizes.
  for (std::int64_t n : {5, 1000}) {
    AnyTensor matrix = second_difference(n, csr);
    AnyTensor vector(ElementType::Float64, {n}, Format::dense(1));
    for (double& component : vector.values().as<double>()) component = 1;

    AnyTensor result = spmv.run({{"A", matrix}, {"x", vector}});
    auto values = result.values().as<double>();
    std::printf("n = %ld: y = %g %g ... %g\n", static_cast<long>(n), values[0], values[1], values[static_cast<size_t>(n) - 1]);
    if (values[0] != 1 || values[1] != 0 || values[static_cast<size_t>(n) - 1] != 1) return 1;
  }
}
