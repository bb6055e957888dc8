// Times kernels on one thread and on several, as they are scheduled by default: products with dense and sparse matrices, sums, sampled products,
// and products of a tensor with matrices.
//
//   bench_threads [threads] [runs] [FILE.mtx ...]      2, 9, and random matrices
//
// Runs on one thread and on several take turns; medians are reported, and what they make is compared, bit by bit.  Other programs on
// the machine lengthen some runs, so the shortest are reported too.  What the machine can give is measured along with them: how much more
// gets done when each thread runs the one-thread kernel by itself, so that they share nothing but memory and caches.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "compiler/kernel.h"
#include "io/files.h"
#include "notation/parse.h"

namespace {

using namespace filigree;

/// `count` entries at random places; `skewed`: coordinates at the front of the first dimension have many more than others.
Coordinates random_entries(const std::vector<std::int64_t>& dimensions, std::int64_t count, bool skewed) {
  std::mt19937_64 random(1);
  Coordinates list;
  list.dimensions = dimensions;
  list.coordinate.resize(dimensions.size());
  std::uniform_real_distribution<double> somewhere(0, 1);
  for (std::int64_t n = 0; n < count; n++) {
    for (size_t d = 0; d < dimensions.size(); d++) {
      double at = somewhere(random);
      list.coordinate[d].push_back(static_cast<std::int64_t>(static_cast<double>(dimensions[d]) * (skewed && d == 0 ? at * at * at : at)));
    }
  }
  list.values = Array(ElementType::Float64, count);
  std::span<double> values = list.values.as<double>();
  for (size_t n = 0; n < values.size(); n++) values[n] = static_cast<double>(n % 9 + 1) / 7;
  return list;
}

Tensor dense(std::int64_t rows, std::int64_t columns) {
  Coordinates list;
  list.dimensions = {rows, columns};
  list.coordinate.resize(2);
  list.values = Array(ElementType::Float64, rows * columns);
  std::span<double> values = list.values.as<double>();
  for (std::int64_t i = 0; i < rows; i++) {
    for (std::int64_t j = 0; j < columns; j++) {
      list.coordinate[0].push_back(i);
      list.coordinate[1].push_back(j);
      values[static_cast<size_t>(i * columns + j)] = static_cast<double>((i + j) % 9 + 1) / 7;
    }
  }
  return Tensor::pack(list, Format::dense(2));
}

struct Example {
  std::string name, statement, format;
  std::vector<std::pair<std::string, const Tensor*>> operands;
};

Kernel compile(const Example& example, int threads) {
  std::map<std::string, TensorVar> vars;
  vars.emplace("A", TensorVar("A", ElementType::Float64, parse_format(example.format, 2)));
  for (const auto& [name, tensor] : example.operands) vars.emplace(name, TensorVar(name, ElementType::Float64, tensor->format()));
  KernelOptions options;
  options.threads = threads;
  return Kernel::compile(notation::resolve(notation::parse(example.statement), vars), options);
}

bool same(const Tensor& a, const Tensor& b) {
  std::vector<const Array*> left = a.all_arrays(), right = b.all_arrays();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const Array* x, const Array* y) {
    return x->count() == y->count() && std::memcmp(x->data(), y->data(), static_cast<size_t>(x->bytes())) == 0;
  });
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double milliseconds(const std::function<void()>& action) {
  auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void run_independently(const Kernel& kernel, const Arguments& arguments, int threads) {
  std::vector<std::thread> others;
  for (int n = 1; n < threads; n++) others.emplace_back([&] { kernel.run(arguments); });
  kernel.run(arguments);
  for (std::thread& other : others) other.join();
}

void measure(const Example& example, int threads, int runs) {
  Arguments arguments;
  for (const auto& [name, tensor] : example.operands) arguments.push_back({name, *tensor});
  const Kernel kernels[] = {compile(example, 1), compile(example, threads)};
  Tensor expected = kernels[0].run(arguments);
  bool equal = same(kernels[1].run(arguments), expected);
  std::vector<double> times[3];
  for (int n = 0; n < runs; n++) {
    for (int k = 0; k < 2; k++) times[k].push_back(milliseconds([&] { kernels[k].run(arguments); }));
    times[2].push_back(milliseconds([&] { run_independently(kernels[0], arguments, threads); }));
  }
  auto least = [&](int k) { return *std::min_element(times[k].begin(), times[k].end()); };
  double ratio = median(times[0]) / median(times[1]), possible = threads * median(times[0]) / median(times[2]);
  fmt::print("{:<34} {:>9} stored   1 thread {:8.2f} ms   {} threads {:8.2f} ms   {:.2f}x, efficiency {:3.0f}%   least {:8.2f} {:8.2f} ms {:.2f}x   independent {:.2f}x, {:.2f}x   {}\n", example.name, expected.stored(),
             median(times[0]), threads, median(times[1]), ratio, 100 * ratio / threads, least(0), least(1), least(0) / least(1), possible, threads * least(0) / least(2), equal ? "same" : "DIFFERENT");
}

void measure_all(const std::string& name, const Coordinates& entries, int threads, int runs) {
  Tensor matrix = Tensor::pack(entries, parse_format("csr", 2), Duplicates::Sum, name);
  if (matrix.dimensions()[0] == matrix.dimensions()[1]) {
    measure({"B(i,k)*C(k,j), " + name, "A(i,j) = B(i,k)*C(k,j)", "csr", {{"B", &matrix}, {"C", &matrix}}}, threads, runs);
  }
  Coordinates mirrored = entries;
  for (std::int64_t& j : mirrored.coordinate[1]) j = entries.dimensions[1] - 1 - j;
  Tensor other = Tensor::pack(mirrored, parse_format("csr", 2), Duplicates::Sum, name);
  measure({"B(i,j)+C(i,j), " + name, "A(i,j) = B(i,j) + C(i,j)", "csr", {{"B", &matrix}, {"C", &other}}}, threads, runs);
  constexpr std::int64_t rank = 32, columns = 64;
  Tensor many = dense(matrix.dimensions()[1], columns);
  measure({"B(i,k)*C(k,j), 64 columns, " + name, "A(i,j) = B(i,k)*C(k,j)", "dense", {{"B", &matrix}, {"C", &many}}}, threads, runs);
  Tensor left = dense(matrix.dimensions()[0], rank), right = dense(matrix.dimensions()[1], rank);
  measure({"B(i,j)*C(i,k)*D(j,k), " + name, "A(i,j) = B(i,j)*C(i,k)*D(j,k)", "csr", {{"B", &matrix}, {"C", &left}, {"D", &right}}}, threads, runs);
}

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 2, runs = argc > 2 ? std::atoi(argv[2]) : 9;
  for (int n = 3; n < argc; n++) {
    std::string path = argv[n];
    measure_all(path.substr(path.rfind('/') + 1), read_file(path, {.type = ElementType::Float64}), threads, runs);
  }
  if (argc > 3) return 0;
  measure_all("10^5 at random", random_entries({10'000, 10'000}, 100'000, false), threads, runs);
  measure_all("10^6 at random", random_entries({100'000, 100'000}, 1'000'000, false), threads, runs);
  measure_all("10^6 skewed", random_entries({100'000, 100'000}, 1'000'000, true), threads, runs);
  constexpr std::int64_t rank = 32;
  for (bool skewed : {false, true}) {
    Tensor tensor = Tensor::pack(random_entries({10'000, 2'000, 2'000}, 1'000'000, skewed), parse_format("csf", 3));
    Tensor left = dense(2'000, rank), right = dense(2'000, rank);
    measure({fmt::format("B(i,k,l)*C(k,j)*D(l,j), {}", skewed ? "skewed" : "at random"), "A(i,j) = B(i,k,l)*C(k,j)*D(l,j)", "dense", {{"B", &tensor}, {"C", &left}, {"D", &right}}}, threads, runs);
  }
}
