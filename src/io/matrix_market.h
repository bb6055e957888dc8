// Matrix Market files (.mtx), and TACO's extension of them to tensors (.ttx).
#pragma once

#include <string>

#include "io/files.h"
#include "io/input.h"

namespace filigree::io {

enum class Symmetry { General, Symmetric, SkewSymmetric, Hermitian };

/// Everything in front of the entries.
struct MatrixMarketHeader {
  bool is_array = false;  // values of all components in column-major order, instead of entries
  bool is_pattern = false;
  Symmetry symmetry = Symmetry::General;
  ElementType type = ElementType::Float64;
  std::vector<std::int64_t> dimensions;
  bool is_vector = false;  // the one column is a vector's
  std::int64_t count = 0;  // of a coordinate file's entries
  std::string fill;        // what is not listed, as it is written; empty: 0
  long fill_line = 0;
  Cursor body;  // behind the header
};

/// Other programs read matrices only, so a vector is written as a matrix with one column, and this comment
/// behind the banner says what it was.
inline constexpr const char* vector_mark = "%filigree order=1";
inline constexpr const char* filigree_mark = "filigree";

MatrixMarketHeader read_matrix_market_header(const TextFile& file);
Contents read_matrix_market(TextFile& file, const ReadOptions& options);

/// `as_tensor`: a .ttx file, whose `tensor` object has any order.
void write_matrix_market(const std::string& path, const AnyTensor& tensor, bool as_tensor, const WriteOptions& options);

}  // namespace filigree::io
