#include "data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "io/files.h"
#include "tensor/any_tensor.h"

namespace suite {

namespace {

using Random = std::mt19937_64;

/// Row by row; takes columns in any order, and a column only once.
class Rows {
 public:
  Rows(std::int64_t rows, std::int64_t columns, int number) : random_(static_cast<unsigned>(1000 + number)) {
    made_.rows = rows;
    made_.columns = columns;
    made_.start.push_back(0);
  }
  Random& random() { return random_; }
  std::vector<int>& row() { return row_; }
  void end_row() {
    std::sort(row_.begin(), row_.end());
    row_.erase(std::unique(row_.begin(), row_.end()), row_.end());
    made_.column.insert(made_.column.end(), row_.begin(), row_.end());
    made_.start.push_back(static_cast<int>(made_.column.size()));
    row_.clear();
  }
  Matrix finish(int number) {
    made_.value = make_values(static_cast<std::int64_t>(made_.column.size()), number);
    return std::move(made_);
  }

 private:
  Random random_;
  std::vector<int> row_;
  Matrix made_;
};

int anywhere(Random& random, std::int64_t extent) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(extent));
}

/// Small numbers are likely: the chance of n falls as 1 / (n + 1).
int power_law(Random& random, std::int64_t extent) {
  double u = static_cast<double>(random() >> 11) * 0x1p-53;
  return static_cast<int>(
      std::min<double>(std::pow(static_cast<double>(extent), u) - 1, static_cast<double>(extent - 1)));
}

Matrix uniform(double size, int number) {
  std::int64_t n = std::max<std::int64_t>(static_cast<std::int64_t>(200'000 * size), 16);
  Rows rows(n, n, number);
  for (std::int64_t i = 0; i < n; i++, rows.end_row())
    for (int e = 0; e < 10; e++) rows.row().push_back(anywhere(rows.random(), n));
  return rows.finish(number);
}

Matrix banded(double size, int number) {
  int side = std::max(4, static_cast<int>(1000 * std::sqrt(size / 2)));
  int n = side * side;
  Rows rows(n, n, number);
  for (int i = 0; i < n; i++, rows.end_row()) {
    rows.row().push_back(i);
    if (i >= side) rows.row().push_back(i - side);
    if (i % side > 0) rows.row().push_back(i - 1);
    if (i % side < side - 1) rows.row().push_back(i + 1);
    if (i + side < n) rows.row().push_back(i + side);
  }
  return rows.finish(number);
}

Matrix power(double size, int number) {
  std::int64_t n = std::max<std::int64_t>(static_cast<std::int64_t>(200'000 * size), 16);
  // The row with the number n has about n / (n + 1) times the entries of the first; columns likewise, and both are
  // scattered, so that large rows are anywhere.
  Rows rows(n, n, number);
  std::vector<int> place(static_cast<std::size_t>(n));
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), rows.random());
  std::vector<double> length(static_cast<std::size_t>(n));
  double sum = 0;
  for (std::int64_t i = 0; i < n; i++) sum += 1 / std::sqrt(static_cast<double>(i + 1));
  for (std::int64_t i = 0; i < n; i++)
    length[static_cast<std::size_t>(place[static_cast<std::size_t>(i)])] = 10.0 * static_cast<double>(n) / sum /
                                                                           std::sqrt(static_cast<double>(i + 1));
  for (std::int64_t i = 0; i < n; i++, rows.end_row()) {
    for (int e = 0; e < static_cast<int>(length[static_cast<std::size_t>(i)] + 0.5); e++) {
      // A half of them anywhere, so that the first columns do not have all rows.
      int j = e % 2 == 0 ? anywhere(rows.random(), n) : power_law(rows.random(), n);
      rows.row().push_back(place[static_cast<std::size_t>(j)]);
    }
  }
  return rows.finish(number);
}

Matrix blocks(double size, int number) {
  std::int64_t n = std::max<std::int64_t>(static_cast<std::int64_t>(40'000 * size), 8);
  Rows rows(4 * n, 4 * n, number);
  std::vector<int> places;
  for (std::int64_t i = 0; i < n; i++) {
    places.clear();
    for (int e = 0; e < 3; e++) places.push_back(anywhere(rows.random(), n));
    for (int r = 0; r < 4; r++, rows.end_row())
      for (int place : places)
        for (int c = 0; c < 4; c++) rows.row().push_back(4 * place + c);
  }
  return rows.finish(number);
}

Matrix heavy(double size, int number) {
  std::int64_t n = std::max<std::int64_t>(static_cast<std::int64_t>(200'000 * size), 16);
  Rows rows(n, n, number);
  for (std::int64_t i = 0; i < n; i++, rows.end_row())
    for (std::int64_t e = 0; e < (i == n / 3 ? n : 9); e++) rows.row().push_back(anywhere(rows.random(), n));
  return rows.finish(number);
}

Matrix hypersparse(double size, int number) {
  std::int64_t count = std::max<std::int64_t>(static_cast<std::int64_t>(200'000 * size), 16), n = 50 * count;
  Rows rows(n, n, number);
  for (std::int64_t i = 0; i < n; i++, rows.end_row())
    if (rows.random()() % 50 == 0) rows.row().push_back(anywhere(rows.random(), n));
  return rows.finish(number);
}

Matrix of_file(const std::string& path) {
  filigree::AnyTensor read = filigree::AnyTensor::pack(filigree::read_file(path), filigree::parse_format("csr", 2));
  Matrix made;
  made.rows = read.dimensions()[0];
  made.columns = read.dimensions()[1];
  const filigree::Array &start = read.level_arrays()[1][0], &column = read.level_arrays()[1][1];
  for (std::int64_t n = 0; n < start.count(); n++) made.start.push_back(static_cast<int>(start.index_at(n)));
  for (std::int64_t n = 0; n < column.count(); n++) made.column.push_back(static_cast<int>(column.index_at(n)));
  made.value = make_values(column.count());
  return made;
}

}  // namespace

Vector<double> make_values(std::int64_t count, int number) {
  Random random(static_cast<unsigned>(77 + number));
  Vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = static_cast<double>(1 + random() % 8);
  return values;
}

Matrix make_matrix(const std::string& name, double size, int number) {
  if (name == "uniform") return uniform(size, number);
  if (name == "banded") return banded(size, number);
  if (name == "power") return power(size, number);
  if (name == "blocks") return blocks(size, number);
  if (name == "heavy") return heavy(size, number);
  if (name == "hypersparse") return hypersparse(size, number);
  return of_file(name);
}

Entries make_tensor(const std::string& name, int order, std::int64_t extent, std::int64_t count, int number) {
  Random random(static_cast<unsigned>(500 + number));
  std::vector<std::vector<int>> list(static_cast<std::size_t>(count));
  for (std::vector<int>& at : list)
    for (int d = 0; d < order; d++)
      at.push_back(name == "power" && random() % 2 == 0 ? power_law(random, extent) : anywhere(random, extent));
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  Entries made;
  made.dimensions.assign(static_cast<std::size_t>(order), extent);
  made.coordinate.resize(static_cast<std::size_t>(order));
  for (const std::vector<int>& at : list)
    for (std::size_t d = 0; d < at.size(); d++) made.coordinate[d].push_back(at[d]);
  made.value = make_values(static_cast<std::int64_t>(list.size()), number);
  return made;
}

Entries make_vector(std::int64_t extent, std::int64_t count, int number) {
  return make_tensor("uniform", 1, extent, count, number + 50);
}

Entries entries_of(const Matrix& matrix) {
  Entries made{{matrix.rows, matrix.columns}, {{}, matrix.column}, matrix.value};
  made.coordinate[0].reserve(matrix.column.size());
  for (std::int64_t i = 0; i < matrix.rows; i++)
    for (int p = matrix.start[static_cast<std::size_t>(i)]; p < matrix.start[static_cast<std::size_t>(i) + 1]; p++)
      made.coordinate[0].push_back(static_cast<int>(i));
  return made;
}

Tree tree_of(const Entries& entries) {
  std::size_t order = entries.coordinate.size();
  Tree tree{entries.dimensions, std::vector<Vector<int>>(order), std::vector<Vector<int>>(order), entries.value};
  tree.start[0].push_back(0);
  for (std::size_t n = 0; n < entries.value.size(); n++) {
    // From the first level on whose coordinate differs from that of the entry before, there are nodes of their own.
    std::size_t level = 0;
    while (n > 0 && level + 1 < order && entries.coordinate[level][n] == entries.coordinate[level][n - 1]) level++;
    for (; level < order; level++) {
      tree.coordinate[level].push_back(entries.coordinate[level][n]);
      if (level + 1 < order) tree.start[level + 1].push_back(static_cast<int>(tree.coordinate[level + 1].size()));
    }
  }
  for (std::size_t level = 0; level < order; level++)
    tree.start[level].push_back(static_cast<int>(tree.coordinate[level].size()));
  return tree;
}

Matrix transposed(const Matrix& matrix) {
  Matrix made{matrix.columns, matrix.rows, Vector<int>(static_cast<std::size_t>(matrix.columns) + 1),
              Vector<int>(matrix.column.size()), Vector<double>(matrix.value.size())};
  for (int j : matrix.column) made.start[static_cast<std::size_t>(j) + 1]++;
  std::partial_sum(made.start.begin(), made.start.end(), made.start.begin());
  Vector<int> next = made.start;
  for (std::int64_t i = 0; i < matrix.rows; i++) {
    for (int p = matrix.start[static_cast<std::size_t>(i)]; p < matrix.start[static_cast<std::size_t>(i) + 1]; p++) {
      int to = next[static_cast<std::size_t>(matrix.column[static_cast<std::size_t>(p)])]++;
      made.column[static_cast<std::size_t>(to)] = static_cast<int>(i);
      made.value[static_cast<std::size_t>(to)] = matrix.value[static_cast<std::size_t>(p)];
    }
  }
  return made;
}

}  // namespace suite
