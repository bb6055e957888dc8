// Data of the suite, always the same for the same name: matrices and tensors with fixed seeds, and files.
//
// `size` says how large they are: entries are in proportion to it, and 1 is about two million of them.
#pragma once

#include <cstdint>
#include <string>

#include "vector.h"

namespace suite {

/// By rows, with sorted columns.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  Vector<int> start, column;
  Vector<double> value;
  std::int64_t entries() const { return static_cast<std::int64_t>(value.size()); }
};

/// Sorted entries, no two with the same coordinates.
struct Entries {
  std::vector<std::int64_t> dimensions;
  std::vector<Vector<int>> coordinate;
  Vector<double> value;
  int order() const { return static_cast<int>(dimensions.size()); }
  std::int64_t count() const { return static_cast<std::int64_t>(value.size()); }
};

/// A tree of coordinates: the children of node n of level l are at start[l][n] .. start[l][n + 1], and start[0] is
/// {0, number of nodes of level 0}.
struct Tree {
  std::vector<std::int64_t> dimensions;
  std::vector<Vector<int>> start, coordinate;
  Vector<double> value;
};

/// uniform: the same number of entries in every row, in random columns.  banded: a stencil of five points.  power: rows
/// and columns are the more likely the smaller their number.  blocks: dense 4 x 4 blocks at random places.  heavy: one
/// row has a tenth of all entries.  hypersparse: fifty times as many rows as entries.  Any other name is a file.
/// Matrices of the same name and size but other numbers have the same shape and other entries.
Matrix make_matrix(const std::string& name, double size, int number = 0);
/// uniform, power or heavy, and uniform and power tensors of any order; `extent` in every dimension.
Entries make_tensor(const std::string& name, int order, std::int64_t extent, std::int64_t count, int number = 0);
/// A vector with `count` entries at random places.
Entries make_vector(std::int64_t extent, std::int64_t count, int number = 0);
/// Small whole numbers: sums of their products are exact in any order.
Vector<double> make_values(std::int64_t count, int number = 0);

Entries entries_of(const Matrix& matrix);
Tree tree_of(const Entries& entries);
/// The columns as rows.
Matrix transposed(const Matrix& matrix);

}  // namespace suite
