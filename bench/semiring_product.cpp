// Times products of sparse matrices over several semirings, with the size doubled again and again: the time per pair of
// entries that meet should stay what it is, but for caches.
//
//   bench_semiring_product [entries a row] [largest n] [rows that are compared]
//
// Matrices are n x n with that many entries in every row (10), in random columns.  Medians of interleaved runs; a part
// of every answer is compared with a plain one.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include <fmt/format.h>

#include "compiler/kernel.h"
#include "notation/parse.h"

namespace {

using namespace filigree;

struct Semiring {
  const char* name;
  const char* statement;
  double zero;  // the fill of all matrices
  double (*add)(double, double);
  double (*multiply)(double, double);
};

constexpr double inf = std::numeric_limits<double>::infinity();

const Semiring semirings[] = {
    {"plus-times", "A(i,j) = B(i,k) * C(k,j)", 0, [](double a, double b) { return a + b; },
     [](double a, double b) { return a * b; }},
    {"min-plus", "A(i,j) min= B(i,k) + C(k,j)", inf, [](double a, double b) { return std::min(a, b); },
     [](double a, double b) { return a + b; }},
    {"max-plus", "A(i,j) max= B(i,k) + C(k,j)", -inf, [](double a, double b) { return std::max(a, b); },
     [](double a, double b) { return a + b; }},
    {"max-min", "A(i,j) max= min(B(i,k), C(k,j))", -inf, [](double a, double b) { return std::max(a, b); },
     [](double a, double b) { return std::min(a, b); }},
};

using Row = std::map<std::int64_t, double>;

/// n rows with `entries` entries each, small whole numbers: sums are exact.
std::vector<Row> random_rows(std::int64_t n, int entries, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Row> rows(static_cast<std::size_t>(n));
  for (Row& row : rows) {
    while (static_cast<int>(row.size()) < std::min<std::int64_t>(entries, n))
      row[static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n))] = static_cast<double>(1 + random() % 9);
  }
  return rows;
}

AnyTensor pack(const std::vector<Row>& rows, double fill) {
  std::int64_t n = static_cast<std::int64_t>(rows.size());
  Coordinates list;
  list.dimensions = {n, n};
  list.coordinate.resize(2);
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); i++) {
    for (const auto& [j, value] : rows[i]) {
      list.coordinate[0].push_back(static_cast<std::int64_t>(i));
      list.coordinate[1].push_back(j);
      values.push_back(value);
    }
  }
  list.values = Array::borrow(ElementType::Float64, values.data(), static_cast<std::int64_t>(values.size()));
  return AnyTensor::pack(list, parse_format("csr", 2), Duplicates::Error, "matrix", false,
                         Scalar::of(ElementType::Float64, fill));
}

/// Compares the first rows.  Requires: the product is stored as CSR.
bool is_right(const AnyTensor& product, const std::vector<Row>& b, const std::vector<Row>& c, const Semiring& semiring,
              std::size_t count) {
  const Array &positions = product.level_arrays()[1][0], &columns = product.level_arrays()[1][1];
  for (std::size_t i = 0; i < std::min(count, b.size()); i++) {
    Row expected, actual;
    for (const auto& [k, x] : b[i]) {
      for (const auto& [j, y] : c[static_cast<std::size_t>(k)]) {
        auto [sum, is_new] = expected.emplace(j, semiring.multiply(x, y));
        if (!is_new) sum->second = semiring.add(sum->second, semiring.multiply(x, y));
      }
    }
    std::int64_t row = static_cast<std::int64_t>(i);
    for (std::int64_t p = positions.index_at(row); p < positions.index_at(row + 1); p++)
      actual[columns.index_at(p)] = product.values().get(p).as_double();
    if (actual != expected) return false;
  }
  return true;
}

Kernel compile(const Semiring& semiring) {
  std::map<std::string, TensorVar> vars;
  for (const char* name : {"A", "B", "C"}) {
    vars.emplace(name, TensorVar(name, ElementType::Float64, parse_format("csr", 2),
                                 Scalar::of(ElementType::Float64, semiring.zero)));
  }
  return Kernel::compile(notation::resolve(notation::parse(semiring.statement), vars));
}

double seconds_of(const std::function<void()>& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  int entries = argc > 1 ? std::atoi(argv[1]) : 10;
  std::int64_t largest = argc > 2 ? std::atoll(argv[2]) : 200'000;
  std::size_t compared = argc > 3 ? static_cast<std::size_t>(std::atoll(argv[3])) : 1000;
  constexpr int runs = 7;
  std::vector<Kernel> kernels;
  for (const Semiring& semiring : semirings) kernels.push_back(compile(semiring));
  fmt::print("{:>10} {:>12} {:>12} {:>12} {:>10} {:>12}\n", "n", "semiring", "pairs", "stored", "ms", "ns per pair");
  for (std::int64_t n = 25'000; n <= largest; n *= 2) {
    std::vector<Row> b = random_rows(n, entries, 1), c = random_rows(n, entries, 2);
    std::int64_t pairs = 0;
    for (const Row& row : b) {
      for (const auto& [k, x] : row) pairs += static_cast<std::int64_t>(c[static_cast<std::size_t>(k)].size());
    }
    std::vector<std::pair<AnyTensor, AnyTensor>> operands;
    for (const Semiring& semiring : semirings) operands.emplace_back(pack(b, semiring.zero), pack(c, semiring.zero));
    std::vector<std::vector<double>> times(std::size(semirings));
    std::vector<std::int64_t> stored(std::size(semirings));
    for (int run = 0; run < runs; run++) {
      for (std::size_t s = 0; s < std::size(semirings); s++) {
        AnyTensor product;
        times[s].push_back(
            seconds_of([&] { product = kernels[s].run({{"B", operands[s].first}, {"C", operands[s].second}}); }));
        stored[s] = product.stored();
        if (run > 0 || is_right(product, b, c, semirings[s], compared)) continue;
        fmt::print("the {} product is wrong\n", semirings[s].name);
        return 1;
      }
    }
    for (std::size_t s = 0; s < std::size(semirings); s++) {
      std::sort(times[s].begin(), times[s].end());
      double median = times[s][runs / 2];
      fmt::print("{:10} {:>12} {:12} {:12} {:10.1f} {:12.2f}\n", n, semirings[s].name, pairs, stored[s], median * 1e3,
                 median * 1e9 / static_cast<double>(pairs));
    }
  }
}
