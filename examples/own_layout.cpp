// A layout that no format describes, and arrays in it that belong to somebody else: jagged diagonals.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "filigree.h"

using namespace filigree;

/// Rows in some order.  Diagonal d has the entries number d of all rows that have so many: perm(k) is the row of place
/// k.
polyhedral::UsedLayout jagged_diagonals() {
  using layouts::build::ArrayName, layouts::build::Description, layouts::build::implies, layouts::build::Value;
  Value rows("rows"), columns("columns"), diagonals("diagonals"), entries("entries");
  Value d("d"), k("k"), i("i"), j("j"), a("a");
  ArrayName perm("perm", {rows}), start("start", {diagonals + 1}), col("col", {entries}), vals("vals", {entries});
  Value place = start(d) + k;
  Description description("jagged", {rows, columns});
  description.arrays({perm, start, col, vals})
      .relation(
          {d, k}, {i, j},
          0 <= d && d < diagonals && 0 <= k && k < rows && place < start(d + 1) && i == perm(k) && j == col(place),
          vals(place))
      .where(0 <= perm(a) && perm(a) < rows)
      .where(implies(a != a.other(), perm(a) != perm(a.other())))
      .where(0 <= col(a) && col(a) < columns);
  return polyhedral::use_layout(description.layout());
}

template <class T>
Array borrowed(std::vector<T>& elements) {
  return Array::borrow(element_type_of<T>(), elements.data(), static_cast<std::int64_t>(elements.size()));
}

int main() {
  // 3 . . 5 / . 7 . . / 1 2 4 .      rows by length: 2, 0, 1
  std::vector<std::int64_t> perm = {2, 0, 1}, start = {0, 3, 5, 6}, col = {0, 0, 1, 1, 3, 2};
  std::vector<double> vals = {1, 3, 7, 2, 5, 4};
  polyhedral::UsedLayout jagged = jagged_diagonals();
  layouts::Data data{{3, 4}, {}};
  data.arrays.emplace("perm", borrowed(perm));
  data.arrays.emplace("start", borrowed(start));
  data.arrays.emplace("col", borrowed(col));
  data.arrays.emplace("vals", borrowed(vals));

  Tensor<double> A(polyhedral::make_tensor(jagged, data, "A"));
  Tensor<double> x = Tensor<double>::vector({1, 10, 100, 1000}), y({3});
  IndexVar i, j;
  y(i) = A(i, j) * x(j);
  std::printf("y = %g %g %g\n", y.at(0), y.at(1), y.at(2));
  if (y.at(0) != 5003 || y.at(1) != 70 || y.at(2) != 421) return 1;

  // Two rows at one place: the properties say that this cannot be.
  perm[1] = 2;
  try {
    polyhedral::make_tensor(jagged, data, "A");
    return 1;
  } catch (const UserError& error) {
    std::printf("%s\n", error.text().c_str());
  }
  return 0;
}
