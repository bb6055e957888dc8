// Times kernels on one thread and on several, as they are scheduled by default: products with dense and sparse
// matrices, sums, sampled products, and products of a tensor with matrices.
//
//   bench_threads [threads] [runs] [FILE.mtx ...]      2, 20 (or the next multiple of 5), and random matrices
//
// Runs on one thread and on several take turns; medians of their times and of the ratios of neighbours are reported,
// and what they make is compared, bit by bit.  Other programs on the machine lengthen some runs, so the shortest are
// reported too.  Where operands lie in memory changes times by a third and more: every fifth run works on new copies.
// What the machine can give is measured along with them: how much more gets done when each thread runs the one-thread
// kernel by itself, so that they share nothing but memory and caches.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "compiler/kernel.h"
#include "io/files.h"
#include "notation/parse.h"

namespace {

using namespace filigree;

/// `count` entries at random places; `skewed`: coordinates at the front of the first dimension have many more than
/// others.
Coordinates random_entries(const std::vector<std::int64_t>& dimensions, std::int64_t count, bool skewed) {
  std::mt19937_64 random(1);
  Coordinates list;
  list.dimensions = dimensions;
  list.coordinate.resize(dimensions.size());
  std::uniform_real_distribution<double> somewhere(0, 1);
  for (std::int64_t n = 0; n < count; n++) {
    for (size_t d = 0; d < dimensions.size(); d++) {
      double at = somewhere(random);
      list.coordinate[d].push_back(
          static_cast<std::int64_t>(static_cast<double>(dimensions[d]) * (skewed && d == 0 ? at * at * at : at)));
    }
  }
  list.values = Array(ElementType::Float64, count);
  std::span<double> values = list.values.as<double>();
  for (size_t n = 0; n < values.size(); n++) values[n] = static_cast<double>(n % 9 + 1) / 7;
  return list;
}

AnyTensor dense(std::int64_t rows, std::int64_t columns) {
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
  return AnyTensor::pack(list, Format::dense(2));
}

struct Example {
  std::string name, statement, format;
  std::vector<std::pair<std::string, const AnyTensor*>> operands;
};

Kernel compile(const Example& example, int threads) {
  std::map<std::string, TensorVar> vars;
  vars.emplace("A", TensorVar("A", ElementType::Float64, parse_format(example.format, 2)));
  for (const auto& [name, tensor] : example.operands)
    vars.emplace(name, TensorVar(name, ElementType::Float64, tensor->format()));
  KernelOptions options;
  options.threads = threads;
  return Kernel::compile(notation::resolve(notation::parse(example.statement), vars), options);
}

bool same(const AnyTensor& a, const AnyTensor& b) {
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

/// Times of one kernel: on one thread, on all, and one run on each thread.
struct Times {
  std::vector<double> one, all, each;
  static double least(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }
  /// The median of factor * one / other, run by run.
  double gain(const std::vector<double>& other, double factor) const {
    std::vector<double> ratios;
    for (size_t n = 0; n < one.size(); n++) ratios.push_back(factor * one[n] / other[n]);
    return median(ratios);
  }
};

void measure(const Example& example, int threads, int runs) {
  constexpr int runs_on_a_copy = 5;
  const Kernel one = compile(example, 1), all = compile(example, threads);
  Times times;
  bool equal = true;
  std::int64_t stored = 0;
  std::list<AnyTensor> copies, before;  // those before are kept until there are new ones, which so lie elsewhere
  while (static_cast<int>(times.one.size()) < runs) {
    before = std::move(copies);
    copies.clear();
    Arguments arguments;
    for (const auto& [name, tensor] : example.operands) arguments.push_back({name, copies.emplace_back(*tensor)});
    AnyTensor expected = one.run(arguments);
    equal = equal && same(all.run(arguments), expected);
    stored = expected.stored();
    for (int n = 0; n < runs_on_a_copy; n++) {
      times.one.push_back(milliseconds([&] { one.run(arguments); }));
      times.all.push_back(milliseconds([&] { all.run(arguments); }));
      times.each.push_back(milliseconds([&] { run_independently(one, arguments, threads); }));
    }
  }
  double gain = times.gain(times.all, 1), possible = times.gain(times.each, threads);
  double least = Times::least(times.one), least_all = Times::least(times.all);
  fmt::print(
      "{:<42} {:>8} stored   {:7.2f} {:7.2f} ms   {:.2f}x, efficiency {:3.0f}%, {:3.0f}% of what the machine gives "
      "({:.2f}x)   least {:7.2f} {:7.2f} ms, {:.2f}x   {}\n",
      example.name, stored, median(times.one), median(times.all), gain, 100 * gain / threads, 100 * gain / possible,
      possible, least, least_all, least / least_all, equal ? "same" : "DIFFERENT");
}

void measure_all(const std::string& name, const Coordinates& entries, int threads, int runs) {
  AnyTensor matrix = AnyTensor::pack(entries, parse_format("csr", 2), Duplicates::Sum, name);
  if (matrix.dimensions()[0] == matrix.dimensions()[1]) {
    measure({"B(i,k)*C(k,j), " + name, "A(i,j) = B(i,k)*C(k,j)", "csr", {{"B", &matrix}, {"C", &matrix}}}, threads,
            runs);
  }
  Coordinates mirrored = entries;
  for (std::int64_t& j : mirrored.coordinate[1]) j = entries.dimensions[1] - 1 - j;
  AnyTensor other = AnyTensor::pack(mirrored, parse_format("csr", 2), Duplicates::Sum, name);
  measure({"B(i,j)+C(i,j), " + name, "A(i,j) = B(i,j) + C(i,j)", "csr", {{"B", &matrix}, {"C", &other}}}, threads,
          runs);
  constexpr std::int64_t rank = 32, columns = 64;
  AnyTensor many = dense(matrix.dimensions()[1], columns);
  measure({"B(i,k)*C(k,j), 64 columns, " + name, "A(i,j) = B(i,k)*C(k,j)", "dense", {{"B", &matrix}, {"C", &many}}},
          threads, runs);
  AnyTensor left = dense(matrix.dimensions()[0], rank), right = dense(matrix.dimensions()[1], rank);
  measure({"B(i,j)*C(i,k)*D(j,k), " + name,
           "A(i,j) = B(i,j)*C(i,k)*D(j,k)",
           "csr",
           {{"B", &matrix}, {"C", &left}, {"D", &right}}},
          threads, runs);
}

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 2, runs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 20;
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
    AnyTensor tensor =
        AnyTensor::pack(random_entries({10'000, 2'000, 2'000}, 1'000'000, skewed), parse_format("csf", 3));
    AnyTensor left = dense(2'000, rank), right = dense(2'000, rank);
    measure({fmt::format("B(i,k,l)*C(k,j)*D(l,j), {}", skewed ? "skewed" : "at random"),
             "A(i,j) = B(i,k,l)*C(k,j)*D(l,j)",
             "dense",
             {{"B", &tensor}, {"C", &left}, {"D", &right}}},
            threads, runs);
  }
}
