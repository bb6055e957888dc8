// Several statements: steps of PageRank, compiled once and run until the ranks settle.
//
// The rank of a page is what it gets from the pages that link to it, of which each divides its own among those it links to.
// The ranks of the last step are the operand `x` of the next one.
#include <cmath>
#include <cstdio>

#include "filigree.h"

using namespace filigree;

int main() {
  Format csr = parse_format("csr", 2);
  IndexVar i("i"), j("j");
  TensorVar A("A", ElementType::Float64, csr);
  TensorVar x("x", ElementType::Float64, Format::dense(1)), y("y", ElementType::Float64, Format::dense(1));
  TensorVar change("change", ElementType::Float64, Format());

  // Each statement reads what those before it left: the second one has the new y and the old x, the third assigns x.
  Program step = Program::compile({
      (y(i) = 0.85 * A(i, j) * x(j) + 0.15),
      (change() = sum(i, abs(y(i) - x(i)))),
      (x(i) = y(i)),
  });

  // Page 0 links to 1 and 2, page 1 to 2, page 2 to 0.  A(i,j): the share of page j that goes to i.
  Coordinates links;
  links.dimensions = {3, 3};
  links.coordinate = {{1, 2, 2, 0}, {0, 0, 1, 2}};
  links.values = Array(ElementType::Float64, 4);
  const double shares[] = {0.5, 0.5, 1, 1};
  for (int n = 0; n < 4; n++) links.values.set(n, Scalar::of(ElementType::Float64, shares[n]));
  AnyTensor matrix = AnyTensor::pack(links, csr);

  Coordinates start;
  start.dimensions = {3};
  start.coordinate = {{0, 1, 2}};
  start.values = Array(ElementType::Float64, 3);
  for (int n = 0; n < 3; n++) start.values.set(n, Scalar::of(ElementType::Float64, 1.0));
  AnyTensor ranks = AnyTensor::pack(start, Format::dense(1));

  int steps = 0;
  for (double moved = 1; moved > 1e-9 && steps < 1000; steps++) {
    std::map<std::string, AnyTensor> results = step.run({{"A", matrix}, {"x", ranks}});
    moved = results.at("change").values().as<double>()[0];
    ranks = results.at("x");
  }
  double total = 0;
  for (double rank : ranks.values().as<double>()) {
    std::printf("%.4f\n", rank);
    total += rank;
  }
  std::printf("after %d steps\n", steps);
  return std::abs(total - 3) < 1e-6 ? 0 : 1;
}
