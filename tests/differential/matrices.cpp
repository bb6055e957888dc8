#include "tests/differential/matrices.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "io/files.h"

namespace filigree::differential {
namespace {

/// A matrix with the entries that `value` gives something for.
template <class Value>
Source make(const std::string& name, std::int64_t rows, std::int64_t columns, const Value& value) {
  Source source{name, "", {}};
  Coordinates& entries = source.entries;
  entries.dimensions = {rows, columns};
  entries.coordinate.resize(2);
  std::vector<double> values;
  for (std::int64_t i = 0; i < rows; i++) {
    for (std::int64_t j = 0; j < columns; j++) {
      std::optional<double> v = value(i, j);
      if (!v) continue;
      entries.coordinate[0].push_back(i);
      entries.coordinate[1].push_back(j);
      values.push_back(*v);
    }
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), entries.values.as<double>().begin());
  return source;
}

/// The same for (i,j) and (j,i).
double at_pair(std::int64_t i, std::int64_t j, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(std::max(i, j)) * 1009 +
                         static_cast<std::uint64_t>(std::min(i, j)));
  random.discard(2);
  return std::generate_canonical<double, 53>(random);
}

bool is_mirrored(const std::vector<Nonzero>& nonzeros, const std::vector<Nonzero>& other,
                 std::complex<double> (*mirror)(std::complex<double>)) {
  if (nonzeros.size() != other.size()) return false;
  for (size_t n = 0; n < nonzeros.size(); n++) {
    if (nonzeros[n].i != other[n].i || nonzeros[n].j != other[n].j || nonzeros[n].value != mirror(other[n].value))
      return false;
  }
  return true;
}

bool comes_before(const Nonzero& a, const Nonzero& b) { return a.i != b.i ? a.i < b.i : a.j < b.j; }

void find_properties(Matrix& matrix) {
  auto all = [&](auto holds) { return std::all_of(matrix.nonzeros.begin(), matrix.nonzeros.end(), holds); };
  matrix.lower = all([](const Nonzero& n) { return n.i >= n.j; });
  matrix.upper = all([](const Nonzero& n) { return n.i <= n.j; });
  if (matrix.entries.dimensions[0] != matrix.entries.dimensions[1]) return;
  std::vector<Nonzero> transposed = matrix.nonzeros;
  for (Nonzero& n : transposed) std::swap(n.i, n.j);
  std::sort(transposed.begin(), transposed.end(), comes_before);
  using Z = std::complex<double>;
  matrix.symmetric = is_mirrored(matrix.nonzeros, transposed, [](Z z) { return z; });
  matrix.skew = is_mirrored(matrix.nonzeros, transposed, [](Z z) { return -z; });
  matrix.hermitian = is_mirrored(matrix.nonzeros, transposed, [](Z z) { return std::conj(z); });
}

}  // namespace

std::vector<Source> generated_matrices(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto value = [&]() -> double { return static_cast<double>(1 + random() % 9); };
  auto chance = [&](double p) { return std::generate_canonical<double, 53>(random) < p; };
  using Maybe = std::optional<double>;
  auto scattered = [&](double density) {
    return [&, density](std::int64_t, std::int64_t) { return chance(density) ? Maybe(value()) : Maybe(); };
  };
  std::vector<Source> all;
  all.push_back(make("no rows", 0, 3, scattered(1)));
  all.push_back(make("no columns", 3, 0, scattered(1)));
  all.push_back(make("empty", 5, 4, scattered(0)));
  all.push_back(make("one component", 1, 1, scattered(1)));
  all.push_back(
      make("one entry", 6, 7, [&](std::int64_t i, std::int64_t j) { return i == 4 && j == 2 ? Maybe(3) : Maybe(); }));
  all.push_back(make("one row", 1, 9, scattered(0.6)));
  all.push_back(make("one column", 9, 1, scattered(0.6)));
  all.push_back(make("full", 6, 5, scattered(1)));
  all.push_back(make("wide", 7, 23, scattered(0.2)));
  all.push_back(make("tall", 29, 6, scattered(0.25)));
  all.push_back(make("square", 17, 17, scattered(0.15)));
  all.push_back(make("explicit zeros", 11, 8, [&](std::int64_t, std::int64_t) {
    return chance(0.4) ? Maybe(static_cast<double>(random() % 3)) : Maybe();
  }));
  all.push_back(make("band", 21, 21, [&](std::int64_t i, std::int64_t j) {
    return std::abs(i - j) <= 2 && chance(0.9) ? Maybe(value()) : Maybe();
  }));
  all.push_back(make("lower", 12, 12,
                     [&](std::int64_t i, std::int64_t j) { return j <= i && chance(0.5) ? Maybe(value()) : Maybe(); }));
  all.push_back(make("upper", 12, 12,
                     [&](std::int64_t i, std::int64_t j) { return j >= i && chance(0.5) ? Maybe(value()) : Maybe(); }));
  all.push_back(make("lower, wide", 5, 9,
                     [&](std::int64_t i, std::int64_t j) { return j <= i && chance(0.6) ? Maybe(value()) : Maybe(); }));
  all.push_back(make("symmetric", 13, 13, [&](std::int64_t i, std::int64_t j) {
    double p = at_pair(i, j, seed);
    return p < 0.3 ? Maybe(std::ceil(p * 30)) : Maybe();
  }));
  all.push_back(make("skew", 10, 10, [&](std::int64_t i, std::int64_t j) {
    double p = at_pair(i, j, seed + 1);
    return p < 0.4 && i != j ? Maybe(std::ceil(p * 20) * (i > j ? 1 : -1)) : Maybe();
  }));
  all.push_back(make("power law", 40, 33, [&](std::int64_t i, std::int64_t) {
    return chance(1.5 / static_cast<double>(1 + i)) ? Maybe(value()) : Maybe();
  }));
  all.push_back(make("empty rows and columns", 25, 31, [&](std::int64_t i, std::int64_t j) {
    return i % 3 == 1 && j % 4 == 2 && chance(0.7) ? Maybe(value()) : Maybe();
  }));
  return all;
}

std::vector<std::string> matrix_files(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string path = entry.path().string();
    if (path.ends_with(".mtx") || path.ends_with(".mtx.gz")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Matrix load_matrix(const Source& source) {
  Coordinates entries = source.path.empty() ? source.entries
                                            : read_file(source.path, {.threads = 1, .progress = false});
  if (!is_complex(entries.values.type())) entries.values = entries.values.converted(ElementType::Float64);
  Matrix matrix{source.name, AnyTensor::pack(entries, Format::sparse(entries.order())).coordinates(), {}};
  if (matrix.entries.order() != 2) return matrix;
  matrix.nonzeros = nonzeros(matrix.entries);
  find_properties(matrix);
  return matrix;
}

std::vector<Nonzero> nonzeros(const Coordinates& sorted) {
  std::vector<Nonzero> out;
  bool complex = is_complex(sorted.values.type());
  std::span<const double> real;
  if (!complex) real = sorted.values.as<double>();
  for (std::int64_t n = 0; n < sorted.count(); n++) {
    std::complex<double> value = complex ? sorted.values.get(n).as_complex() : real[n];
    if (value != 0.0) out.push_back({sorted.coordinate[0][n], sorted.coordinate[1][n], value});
  }
  return out;
}

std::optional<std::string> find_difference(const std::vector<Nonzero>& expected, const std::vector<Nonzero>& found) {
  auto describe = [](const std::vector<Nonzero>& list, size_t n) {
    if (n >= list.size()) return std::string("nothing");
    return fmt::format("({}, {}) {}{:+}i", list[n].i, list[n].j, list[n].value.real(), list[n].value.imag());
  };
  auto same = [](const std::complex<double>& a, const std::complex<double>& b) {
    return a == b || (std::isnan(a.real()) && std::isnan(b.real()));
  };
  for (size_t n = 0; n < std::max(expected.size(), found.size()); n++) {
    bool agrees = n < expected.size() && n < found.size() && expected[n].i == found[n].i &&
                  expected[n].j == found[n].j && same(expected[n].value, found[n].value);
    if (!agrees)
      return fmt::format("{} of {} nonzeros came out; the first difference is number {}: {}, not {}", found.size(),
                         expected.size(), n, describe(found, n), describe(expected, n));
  }
  return std::nullopt;
}

bool can_hold(const Format& format, const Matrix& matrix) {
  if (format.symmetry() == Symmetry::Symmetric) return matrix.symmetric;
  if (format.symmetry() == Symmetry::Skew) return matrix.skew;
  if (format.symmetry() == Symmetry::Hermitian) return matrix.hermitian;
  std::string name = to_string(format);
  return name == "lower" ? matrix.lower : name == "upper" ? matrix.upper : true;
}

bool holds_every_component(const Format& format) {
  bool always_there = std::all_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
    return level.format->properties().full || level.format->stands_under_rows() || level.format->name() == "bitmap";
  });
  return always_there && std::none_of(format.levels().begin(), format.levels().end(),
                                      [](const Level& level) { return level.format->counts_entries(); });
}

}  // namespace filigree::differential
