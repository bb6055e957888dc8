// Matrices for round trips: a few made up with the corners that formats have, and real ones from files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensor/any_tensor.h"

namespace filigree::differential {

/// A matrix that is still in its file, or is there already.
struct Source {
  std::string name, path;
  Coordinates entries;
};

/// One component that is not zero.
struct Nonzero {
  std::int64_t i, j;
  std::complex<double> value;
};

struct Matrix {
  std::string name;
  Coordinates entries;            // float64 or complex128, each place once
  std::vector<Nonzero> nonzeros;  // sorted by i, then j
  bool symmetric = false, skew = false, hermitian = false, lower = false, upper = false;
};

/// Empty ones, full ones, one row, one column, bands, triangles, symmetric ones, power laws, explicit zeros.
std::vector<Source> generated_matrices(std::uint64_t seed);
/// The matrix files in a folder, in order of their names; none if there is no such folder.
std::vector<std::string> matrix_files(const std::string& folder);
/// Throws UserError.
Matrix load_matrix(const Source& source);

std::vector<Nonzero> nonzeros(const Coordinates& sorted);
/// In words; nothing if they are the same.
std::optional<std::string> find_difference(const std::vector<Nonzero>& expected, const std::vector<Nonzero>& found);

/// Whatever memory it takes: can the format represent the matrix?
bool can_hold(const Format& format, const Matrix& matrix);
/// Does every component of the matrix take memory, or about half of them?
bool holds_every_component(const Format& format);

}  // namespace filigree::differential
