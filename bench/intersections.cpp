// Times products of sparse vectors for every co-iteration strategy and for the default.
//
//   bench_intersections dot [largest]        s = a(i)*b(i); the longer vector has 10^4 entries, up to `largest` (10^7)
//   bench_intersections product [largest]    c(i) = a(i)*b(i), c sparse
//
// `b` has `entries`, `a` a part of that; coordinates are random.  Runs of the strategies are interleaved, medians are
// reported, and every answer is compared with that of the first strategy.  The last columns are what the default is
// judged by; `merge/gallop` leaves out what a call costs that has nothing to do.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>

#include <fmt/format.h>

#include "compiler/kernel.h"
#include "notation/build.h"

namespace {

using namespace filigree;

/// About `count` coordinates spread over `extent`, increasing, with small whole values: sums are exact.
AnyTensor random_vector(std::int64_t count, std::int64_t extent, unsigned seed) {
  std::mt19937_64 random(seed);
  Coordinates list;
  list.dimensions = {extent};
  list.coordinate.resize(1);
  std::uniform_int_distribution<std::int64_t> anywhere(0, extent - 1);
  std::vector<std::int64_t>& at = list.coordinate[0];
  for (std::int64_t n = 0; n < count; n++) at.push_back(anywhere(random));
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  list.values = Array(ElementType::Float64, static_cast<std::int64_t>(at.size()));
  for (size_t n = 0; n < at.size(); n++)
    list.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, static_cast<double>(n % 9 + 1)));
  return AnyTensor::pack(list, parse_format("s", 1, "format"), Duplicates::Sum, "vector");
}

struct Strategy {
  const char* name;
  const char* schedule;
};

// Those that leave little in the caches come first, so that they slow down none but the merge.
const Strategy strategies[] = {
    {"hash", "protocol(a, i, hash)"},
    {"scan", "protocol(b, i, scan)"},
    {"merge", "protocol(a, i, step), protocol(b, i, step)"},
    {"seqiter", "protocol(b, i, seqiter)"},
    {"gallop", "protocol(b, i, gallop)"},
    {"both gallop", "protocol(a, i, gallop), protocol(b, i, gallop)"},
    {"default", ""},
    {"binary", "protocol(b, i, binary)"},
};

double sum(const AnyTensor& tensor) {
  double total = 0;
  for (std::int64_t n = 0; n < tensor.stored(); n++) total += tensor.values().get(n).as_double();
  return total;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Kernel make_kernel(const Strategy& strategy, bool dot) {
  IndexVar i("i");
  Format sparse = parse_format("s", 1, "format");
  TensorVar s("s", ElementType::Float64, Format::dense(0)), c("c", ElementType::Float64, sparse),
      a("a", ElementType::Float64, sparse), b("b", ElementType::Float64, sparse);
  KernelOptions options;
  if (*strategy.schedule) options.schedule = schedule::parse(strategy.schedule);
  return Kernel::compile(dot ? (s() = a(i) * b(i)) : (c(i) = a(i) * b(i)), options);
}

}  // namespace

/// What a call costs, in microseconds.
double time_of_empty_call(const Kernel& kernel) {
  AnyTensor empty = random_vector(0, 8, 1);
  std::vector<double> times;
  for (int n = 0; n < 1001; n++) {
    auto before = std::chrono::steady_clock::now();
    kernel.run({{"a", empty}, {"b", empty}});
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count());
  }
  return median(times);
}

int main(int argc, char** argv) {
  std::string what = argc > 1 ? argv[1] : "dot";
  std::int64_t largest = argc > 2 ? std::atoll(argv[2]) : 10'000'000;
  std::vector<Kernel> kernels;
  fmt::print("{:>9} {:>8}", "entries", "ratio");
  for (const Strategy& strategy : strategies) {
    kernels.push_back(make_kernel(strategy, what == "dot"));
    fmt::print(" {:>12}", strategy.name);
  }
  double call = time_of_empty_call(kernels.back());
  fmt::print(" {:>13} {:>13}     (a call with nothing to do: {:.1f} us)\n", "default/best", "merge/gallop", call);
  for (std::int64_t entries = 10'000; entries <= largest; entries *= 10) {
    AnyTensor b = random_vector(entries, 8 * entries, 1);
    for (std::int64_t ratio : {1, 2, 4, 8, 16, 32, 64, 100, 1000, 10000}) {
      AnyTensor a = random_vector(std::max<std::int64_t>(1, entries / ratio), 8 * entries, 2);
      Arguments arguments = {{"a", a}, {"b", b}};
      double expected = sum(kernels[0].run(arguments));
      std::map<std::string, std::vector<double>> times;
      auto start = std::chrono::steady_clock::now();
      auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
      for (int round = 0; round < 5 || (round < 201 && spent() < 0.5); round++) {
        for (size_t n = 0; n < kernels.size(); n++) {
          const char* name = strategies[n].name;
          if (name == std::string("scan") && entries * a.stored() > 200'000'000) continue;
          auto before = std::chrono::steady_clock::now();
          AnyTensor result = kernels[n].run(arguments);
          double taken = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count();
          if (sum(result) != expected) {
            fmt::print("{}: {} instead of {}\n", name, sum(result), expected);
            return 1;
          }
          if (round > 0) times[name].push_back(taken);
        }
      }
      fmt::print("{:>9} {:>8}", entries, fmt::format("1:{}", ratio));
      double best = 1e30;
      for (const Strategy& strategy : strategies) {
        if (times[strategy.name].empty()) {
          fmt::print(" {:>12}", "-");
          continue;
        }
        double time = median(times[strategy.name]);
        fmt::print(" {:>9.1f} us", time);
        best = std::min(best, time);
      }
      double gallop = std::max(0.01, median(times["gallop"]) - call),
             merge = std::max(0.01, median(times["merge"]) - call);
      fmt::print(" {:>13.2f} {:>13.1f}\n", median(times["default"]) / best, merge / gallop);
    }
  }
  return 0;
}
