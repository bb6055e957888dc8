// Times conversions between formats, one request per line on standard input, so that a script can take turns with
// another program:
//
//   matrix FILE.mtx                    reads a matrix (float64, duplicates summed)
//   matrix random ROWS ENTRIES SEED    makes one; also: stencil SIDE, band ROWS WIDTH, power ROWS ENTRIES SEED
//   dump FILE                          writes it for the other program: rows, columns, entries (int64), then all rows
//   and columns (int32)
//                                      and all values (float64)
//   from FORMAT                        stores it in this format; 'shuffled' in front: its entries in no order
//   to FORMAT                          compiles the conversion and runs it once
//   run N                              runs it N times
//
// Each answer is one line of JSON; "ms" is the median of the processor's time, which other programs on the machine do
// not lengthen.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "compiler/kernel.h"
#include "io/files.h"

namespace filigree {
namespace {

class Builder {
 public:
  Builder(std::int64_t rows, std::int64_t columns) {
    entries_.dimensions = {rows, columns};
    entries_.coordinate.resize(2);
  }
  void add(std::int64_t i, std::int64_t j, double value) {
    entries_.coordinate[0].push_back(i);
    entries_.coordinate[1].push_back(j);
    values_.push_back(value);
  }
  Coordinates finish() {
    entries_.values = Array(ElementType::Float64, static_cast<std::int64_t>(values_.size()));
    std::copy(values_.begin(), values_.end(), entries_.values.as<double>().begin());
    return std::move(entries_);
  }

 private:
  Coordinates entries_;
  std::vector<double> values_;
};

Coordinates random_matrix(std::int64_t rows, std::int64_t count, std::uint64_t seed) {
  Builder matrix(rows, rows);
  std::mt19937_64 random(seed);
  auto size = static_cast<std::uint64_t>(rows);
  for (std::int64_t n = 0; n < count; n++) {
    auto i = static_cast<std::int64_t>(random() % size);
    matrix.add(i, static_cast<std::int64_t>(random() % size), static_cast<double>(1 + random() % 9));
  }
  return matrix.finish();
}

/// The 5-point stencil on a grid of side x side points.
Coordinates stencil(std::int64_t side) {
  Builder matrix(side * side, side * side);
  for (std::int64_t x = 0; x < side; x++) {
    for (std::int64_t y = 0; y < side; y++) {
      std::int64_t p = x * side + y;
      if (x > 0) matrix.add(p, p - side, -1);
      if (y > 0) matrix.add(p, p - 1, -1);
      matrix.add(p, p, 4);
      if (y + 1 < side) matrix.add(p, p + 1, -1);
      if (x + 1 < side) matrix.add(p, p + side, -1);
    }
  }
  return matrix.finish();
}

Coordinates band(std::int64_t rows, std::int64_t width) {
  Builder matrix(rows, rows);
  for (std::int64_t i = 0; i < rows; i++) {
    for (std::int64_t j = std::max<std::int64_t>(0, i - width); j <= std::min(rows - 1, i + width); j++)
      matrix.add(i, j, static_cast<double>(1 + (i * 7 + j) % 9));
  }
  return matrix.finish();
}

/// R-MAT: each entry descends into one of four quarters, again and again, with the probabilities 0.57, 0.19, 0.19,
/// 0.05.
Coordinates power(std::int64_t rows, std::int64_t count, std::uint64_t seed) {
  Builder matrix(rows, rows);
  std::mt19937_64 random(seed);
  for (std::int64_t n = 0; n < count;) {
    std::int64_t i = 0, j = 0;
    for (std::int64_t half = 1; half < rows; half *= 2) {
      double quarter = std::generate_canonical<double, 53>(random);
      i = 2 * i + (quarter >= 0.76), j = 2 * j + ((quarter >= 0.57 && quarter < 0.76) || quarter >= 0.95);
    }
    if (i >= rows || j >= rows) continue;
    matrix.add(i, j, static_cast<double>(1 + random() % 9));
    n++;
  }
  return matrix.finish();
}

Coordinates shuffled(const Coordinates& entries) {
  std::vector<std::int64_t> numbers(static_cast<size_t>(entries.count()));
  for (size_t n = 0; n < numbers.size(); n++) numbers[n] = static_cast<std::int64_t>(n);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(1));
  Builder out(entries.dimensions[0], entries.dimensions[1]);
  std::span<const double> values = entries.values.as<double>();
  for (std::int64_t n : numbers) out.add(entries.coordinate[0][n], entries.coordinate[1][n], values[n]);
  return out.finish();
}

class Session {
 public:
  std::string answer(std::istringstream line) {
    std::string request;
    line >> request;
    if (request == "matrix") return take_matrix(line);
    if (request == "dump") return dump(rest(line));
    if (request == "from") return take_source(line);
    if (request == "to") return compile(rest(line));
    int count = 1;
    line >> count;
    return run(count);
  }

 private:
  static std::string rest(std::istringstream& line) {
    std::string text;
    std::getline(line >> std::ws, text);
    return text;
  }

  std::string take_matrix(std::istringstream& line) {
    std::string kind;
    std::int64_t rows = 0, second = 0;
    std::uint64_t seed = 1;
    line >> kind;
    Coordinates made;
    if (kind == "random") made = (line >> rows >> second >> seed, random_matrix(rows, second, seed));
    else if (kind == "stencil") made = (line >> rows, stencil(rows));
    else if (kind == "band") made = (line >> rows >> second, band(rows, second));
    else if (kind == "power") made = (line >> rows >> second >> seed, power(rows, second, seed));
    else made = read_file(kind, {.order = 2, .type = ElementType::Float64, .progress = false});
    entries_ = AnyTensor::pack(made, Format::sparse(2)).coordinates();  // no duplicates
    return fmt::format(R"({{"rows": {}, "columns": {}, "entries": {}}})", entries_.dimensions[0],
                       entries_.dimensions[1], entries_.count());
  }

  std::string dump(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    auto put = [&](const void* data, size_t bytes) {
      file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    };
    std::int64_t sizes[3] = {entries_.dimensions[0], entries_.dimensions[1], entries_.count()};
    put(sizes, sizeof sizes);
    for (const std::vector<std::int64_t>& coordinate : entries_.coordinate) {
      std::vector<std::int32_t> narrow(coordinate.begin(), coordinate.end());
      put(narrow.data(), narrow.size() * sizeof(std::int32_t));
    }
    put(entries_.values.data(), static_cast<size_t>(entries_.values.bytes()));
    return "{}";
  }

  std::string take_source(std::istringstream& line) {
    std::string text = rest(line);
    bool shuffles = text.starts_with("shuffled ");
    Format format = parse_format(shuffles ? text.substr(9) : text, 2);
    source_.emplace(AnyTensor::pack(shuffles ? shuffled(entries_) : entries_, format));
    return fmt::format(R"({{"stored": {}}})", source_->stored());
  }

  std::string compile(const std::string& format) {
    auto start = std::chrono::steady_clock::now();
    IndexVar i("i"), j("j");
    TensorVar in("B", ElementType::Float64, source_->format()), out("A", ElementType::Float64, parse_format(format, 2));
    kernel_.emplace(Kernel::compile(notation::Statement{notation::Access{out, {i, j}}, std::nullopt,
                                                        notation::Expr(notation::Access{in, {i, j}})}));
    AnyTensor result = kernel_->run({{"B", *source_}});
    double first = since(start), sum = 0;
    for (double value : result.values().as<double>()) sum += value;
    return fmt::format(R"({{"stored": {}, "sum": {}, "first_ms": {}}})", result.stored(), sum, first);
  }

  std::string run(int count) const {
    std::vector<double> times;
    for (int n = 0; n < count; n++) {
      double start = processor_ms();
      AnyTensor result = kernel_->run({{"B", *source_}});
      times.push_back(processor_ms() - start);
    }
    std::sort(times.begin(), times.end());
    return fmt::format(R"({{"ms": {}}})", times[times.size() / 2]);
  }

  static double processor_ms() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
  }

  static double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  Coordinates entries_;
  std::optional<AnyTensor> source_;
  std::optional<Kernel> kernel_;
};

}  // namespace
}  // namespace filigree

int main() {
  filigree::Session session;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << session.answer(std::istringstream(line)) << std::endl;
    } catch (const filigree::UserError& error) {
      std::string text = error.text();
      std::replace(text.begin(), text.end(), '"', '\'');
      std::replace(text.begin(), text.end(), '\n', ' ');
      std::cout << fmt::format(R"({{"error": "{}"}})", text) << std::endl;
    }
  }
}
