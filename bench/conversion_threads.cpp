// Times conversions between matrix formats on one thread and on several.
//
//   bench_conversion_threads [rows] [entries] [threads] [runs]      10^6, 10^7, 2, 9
//
// Entries are at random places.  Runs on one thread and on several take turns; medians are reported, and what several
// threads make is compared with what one makes.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "compiler/kernel.h"
#include "notation/build.h"

namespace {

using namespace filigree;

Coordinates random_entries(std::int64_t rows, std::int64_t count) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> anywhere(0, rows - 1);
  Coordinates list;
  list.dimensions = {rows, rows};
  list.coordinate.resize(2);
  for (std::vector<std::int64_t>& c : list.coordinate) {
    c.resize(static_cast<size_t>(count));
    for (std::int64_t& at : c) at = anywhere(random);
  }
  list.values = Array(ElementType::Float64, count);
  std::span<double> values = list.values.as<double>();
  for (size_t n = 0; n < values.size(); n++) values[n] = static_cast<double>(n % 9 + 1);
  return list;
}

Kernel conversion(const char* from, const char* to, int threads) {
  IndexVar i("i"), j("j");
  TensorVar A("A", ElementType::Float64, parse_format(to, 2)), B("B", ElementType::Float64, parse_format(from, 2));
  KernelOptions options;
  options.threads = threads;
  return Kernel::compile((A(i, j) = B(i, j)), options);
}

bool same(const AnyTensor& a, const AnyTensor& b) {
  std::vector<const Array*> left = a.all_arrays(), right = b.all_arrays();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Array* x, const Array* y) { return *x == *y; });
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void compare(const Coordinates& entries, const char* from, const char* to, int threads, int runs) {
  AnyTensor operand = AnyTensor::pack(entries, parse_format(from, 2), Duplicates::Sum, "matrix");
  Kernel kernels[] = {conversion(from, to, 1), conversion(from, to, threads)};
  AnyTensor expected = kernels[0].run({{"B", operand}});
  bool equal = same(kernels[1].run({{"B", operand}}), expected);
  std::vector<double> times[2];
  for (int n = 0; n < runs; n++) {
    for (int k = 0; k < 2; k++) {
      auto start = std::chrono::steady_clock::now();
      AnyTensor made = kernels[k].run({{"B", operand}});
      times[k].push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
  }
  double one = median(times[0]), several = median(times[1]);
  auto least = [](const std::vector<double>& list) { return *std::min_element(list.begin(), list.end()); };
  fmt::print(
      "{:>12} -> {:<4} 1 thread {:7.1f} ms (least {:7.1f})   {} threads {:7.1f} ms (least {:7.1f})   {:.2f}x (least "
      "{:.2f}x)   {}\n",
      from, to, one, least(times[0]), threads, several, least(times[1]), one / several,
      least(times[0]) / least(times[1]), equal ? "same" : "DIFFERENT");
}

}  // namespace

int main(int argc, char** argv) {
  auto argument = [&](int n, double standard) { return argc > n ? std::atof(argv[n]) : standard; };
  Coordinates entries =
      random_entries(static_cast<std::int64_t>(argument(1, 1e6)), static_cast<std::int64_t>(argument(2, 1e7)));
  int threads = static_cast<int>(argument(3, 2)), runs = static_cast<int>(argument(4, 9));
  compare(entries, "coo", "csr", threads, runs);
  compare(entries, "csr", "csc", threads, runs);
}
