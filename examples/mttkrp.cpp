// A(i,j) = sum over k, l of B(i,k,l) C(k,j) D(l,j): the inner loop of tensor decompositions, as one fused kernel
// over a sparse tensor of order three.  Also shows the loops that were chosen.
#include <cstdio>

#include "concrete/concrete.h"
#include "filigree.h"

using namespace filigree;

static AnyTensor filled(std::vector<std::int64_t> dimensions, double value) {
  AnyTensor tensor(ElementType::Float64, dimensions, Format::dense(2));
  for (double& component : tensor.values().as<double>()) component = value;
  return tensor;
}

int main() {
  IndexVar i("i"), j("j"), k("k"), l("l");
  Format dense = Format::dense(2), csf = parse_format("csf", 3);
  TensorVar A("A", ElementType::Float64, dense), B("B", ElementType::Float64, csf);
  TensorVar C("C", ElementType::Float64, dense), D("D", ElementType::Float64, dense);
  Kernel mttkrp = Kernel::compile((A(i, j) = B(i, k, l) * C(k, j) * D(l, j)));
  std::printf("%s\n", concrete::to_lines(mttkrp.program().statement).c_str());

  Coordinates entries;
  entries.dimensions = {2, 3, 4};
  entries.coordinate = {{0, 0, 1}, {0, 2, 1}, {1, 3, 0}};
  entries.values = Array(ElementType::Float64, 3);
  for (double& value : entries.values.as<double>()) value = 1;
  AnyTensor tensor = AnyTensor::pack(entries, csf);

  AnyTensor result = mttkrp.run({{"B", tensor}, {"C", filled({3, 2}, 2)}, {"D", filled({4, 2}, 5)}});
  auto values = result.values().as<double>();
  std::printf("A = %g %g / %g %g\n", values[0], values[1], values[2], values[3]);
  return values[0] == 20 && values[3] == 10 ? 0 : 1;
}
