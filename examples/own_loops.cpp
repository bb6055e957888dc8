// Loops that are written rather than found: the square of a sparse matrix, row by row.
#include <cstdio>

#include "filigree.h"

using namespace filigree;

int main() {
  Format csr = parse_format("csr", 2);
  TensorVar A("A", ElementType::Float64, csr), B("B", ElementType::Float64, csr);
  concrete::Written loops(
      "forall(i, where(forall(j, A(i,j) = w(j)),"
      "                forall(k, forall(j, w(j) += B(i,k)*B(k,j)))))");
  Kernel square = Kernel::compile(loops, {{"A", A}, {"B", B}});

  // A ring of n nodes: node r leads to r + 1.
  const std::int64_t n = 6;
  Coordinates entries{{n, n}, {{}, {}}, Array(ElementType::Float64, n)};
  for (std::int64_t r = 0; r < n; r++) {
    entries.coordinate[0].push_back(r);
    entries.coordinate[1].push_back((r + 1) % n);
    entries.values.set(r, Scalar::of(ElementType::Float64, 2.0));
  }
  AnyTensor ring = AnyTensor::pack(entries, csr);
  AnyTensor result = square.run({{"B", ring}});
  std::printf("%s\n%ld entries\n", loops.meaning().c_str(), static_cast<long>(result.stored()));

  // Columns of a matrix by rows cannot be walked: the message says where.
  try {
    Kernel::compile(concrete::Written("forall(j, forall(i, y(i) += B(i,j)))"),
                    {{"B", B}, {"y", TensorVar("y", ElementType::Float64, Format::dense(1))}});
    return 1;
  } catch (const UserError& error) {
    std::printf("%s", error.text().c_str());
  }
  return result.stored() == n ? 0 : 1;
}
