// Statements as text, einsum, files, and kernels that you keep: compiled once, run on any data.
#include <filesystem>
#include <iostream>

#include "filigree.h"

using namespace filigree;
using formats::csr;

int main() {
  Tensor<double> B({{1, 2, 0}, {0, 0, 3}}, csr), C({{4, 0}, {0, 5}, {6, 0}}, csr);

  // As in NumPy.  The result's format follows from the operands.
  Tensor<double> A = einsum("ik,kj->ij", B, C);
  std::cout << A;

  // A statement as text, with the formats of its tensors by name.  Operands that are not named are dense.
  Kernel scale = compile("A(i,j) = d(i) * B(i,j)", {{"A", csr}, {"B", csr}});
  auto d = Tensor<double>::vector({10, 100});
  Tensor<double> scaled(scale.run({{"B", B}, {"d", d}}));
  std::cout << scaled;

  // A statement of tensor variables, which hold no data.  Arguments are keyed by them.
  IndexVar i, j;
  TensorVar y("y", ElementType::Float64, formats::dense(1)), M("M", ElementType::Float64, csr(2)), x("x", ElementType::Float64, formats::dense(1));
  Kernel spmv = Kernel::compile((y(i) = M(i, j) * x(j)));
  Tensor<double> product(spmv.run({{M, C}, {x, d}}));
  std::cout << product;

  // Files: what is written is read back as it was.
  std::filesystem::path path = std::filesystem::temp_directory_path() / "filigree_tutorial.mtx";
  write(path.string(), scaled);
  Tensor<float> back = read<float>(path.string(), formats::coo);
  std::filesystem::remove(path);

  // Mistakes are UserErrors that say what is wrong and what would work.
  try {
    Tensor<double> wrong({2, 2});
    IndexVar k;
    wrong(i, j) = B(i, k) * B(k, j);
    return 1;
  } catch (const UserError& error) {
    std::cout << error.text();
  }
  return A.at(0, 1) == 10 && scaled.at(1, 2) == 300 && product.at(1) == 500 && back.at(0, 1) == 20 ? 0 : 1;
}
