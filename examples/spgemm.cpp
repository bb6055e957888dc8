// A = B C, all sparse.  Where many products have the same pattern, `assemble` finds it once and `compute` fills in
// the values each time.
#include <cstdio>

#include "filigree.h"

using namespace filigree;

int main() {
  Format csr = parse_format("csr", 2);
  IndexVar i("i"), j("j"), k("k");
  TensorVar A("A", ElementType::Float64, csr), B("B", ElementType::Float64, csr), C("C", ElementType::Float64, csr);
  Kernel multiply = Kernel::compile((A(i, j) = B(i, k) * C(k, j)));

  // A ring of n nodes: node r leads to r + 1.
  const std::int64_t n = 6;
  Coordinates entries;
  entries.dimensions = {n, n};
  entries.coordinate.resize(2);
  for (std::int64_t r = 0; r < n; r++) {
    entries.coordinate[0].push_back(r);
    entries.coordinate[1].push_back((r + 1) % n);
  }
  entries.values = Array(ElementType::Float64, n);
  AnyTensor ring = AnyTensor::pack(entries, csr);

  Arguments operands = {{"B", ring}, {"C", ring}};
  AnyTensor square = multiply.assemble(operands);
  std::printf("the square of the ring has %ld entries\n", static_cast<long>(square.stored()));
  for (double weight : {1.0, 2.0, 3.0}) {
    for (double& value : ring.values().as<double>()) value = weight;
    multiply.compute(square, operands);
    std::printf("weight %g: A(1,3) = %g\n", weight, square.values().as<double>()[0]);
    if (square.values().as<double>()[0] != weight * weight) return 1;
  }
  return square.stored() == n ? 0 : 1;
}
