#include <cstdio>

#include <filigree.h>

using namespace filigree;

int main() {
  IndexVar i("i");
  TensorVar a("a", ElementType::Float64, Format::dense(1)), b("b", ElementType::Float64, Format::sparse(1));
  Kernel twice = Kernel::compile((a(i) = 2 * b(i)));
  Coordinates entries{{4}, {{1, 3}}, Array(ElementType::Float64, 2)};
  entries.values.as<double>()[0] = 5;
  entries.values.as<double>()[1] = 7;
  AnyTensor result = twice.run({{"b", AnyTensor::pack(entries, Format::sparse(1))}});
  std::printf("%g %g\n", result.values().as<double>()[1], result.values().as<double>()[3]);
}
