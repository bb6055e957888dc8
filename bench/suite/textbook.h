// Kernels as one writes them by hand, in plain loops with OpenMP: they stand in for compilers and libraries that cannot
// be installed.  All matrices are by rows with sorted columns unless a name says otherwise.
#pragma once

#include "data.h"

namespace suite::textbook {

void spmv(const Matrix& a, const double* x, double* y, int threads);
/// By columns: y is cleared first, and on several threads every thread adds to a vector of its own.
void spmv_columns(const Matrix& transposed, const double* x, double* y, int threads);
void spmv_entries(const Entries& a, const double* x, double* y, int threads);
/// Blocks of 4 x 4, by rows of blocks; their values one after the other.
struct Blocks {
  std::int64_t rows;
  Vector<int> start, column;
  Vector<double> value;
};
Blocks blocks_of(const Matrix& a);
void spmv_blocks(const Blocks& a, const double* x, double* y, int threads);
/// Diagonals of a square matrix: value[d * rows + i] is at (i, i + offset[d]).
struct Diagonals {
  std::int64_t rows;
  Vector<int> offset;
  Vector<double> value;
};
Diagonals diagonals_of(const Matrix& a);
void spmv_diagonals(const Diagonals& a, const double* x, double* y, int threads);
/// As many slots in every row as the longest one has entries: entry s of row i is at s * rows + i, its column is -1 if
/// there is none.
struct Slots {
  std::int64_t rows, count;
  Vector<int> column;
  Vector<double> value;
};
Slots slots_of(const Matrix& a);
void spmv_slots(const Slots& a, const double* x, double* y, int threads);
/// The lower half of a symmetric matrix.
void spmv_symmetric(const Matrix& lower, const double* x, double* y, int threads);
Matrix lower_half(const Matrix& a);

/// Y = A X, X and Y by rows.
template <class T>
void spmm(const Matrix& a, const T* values, const T* x, T* y, int columns, int threads);
/// The values of S(i,j) = M(i,j) * sum over k of Q(i,k) * K(j,k).
void sddmm(const Matrix& m, const double* q, const double* k, int length, double* s, int threads);

enum class Order { Sorted, AsMade };
Matrix spgemm(const Matrix& b, const Matrix& c, Order order, int threads);
/// With the least of the sums in place of the sum of the products.
Matrix min_plus(const Matrix& b, const Matrix& c, int threads);
Matrix masked_spgemm(const Matrix& m, const Matrix& b, const Matrix& c, int threads);
/// The sum of the products of all components.
double triangles(const Matrix& a, int threads);

Matrix add(const Matrix& b, const Matrix& c, int threads);
Matrix add(const Matrix& b, const Matrix& c, const Matrix& d, int threads);
Matrix multiply(const Matrix& b, const Matrix& c, const Matrix& d, int threads);
double sum_of_products(const Matrix& b, const Matrix& c, int threads);

Matrix transpose(const Matrix& a, int threads);
/// Entries in any order, no two at the same place.
Matrix by_rows(const Entries& entries, int threads);

/// Vectors are matrices of one row.
Matrix one_row(const Entries& vector);
Matrix add_vectors(const Matrix& b, const Matrix& c);
double dot(const Matrix& b, const Matrix& c);
/// The columns of x that A has, as rows of its transpose: sums in a dense vector, and its places sorted.
Matrix spmspv(const Matrix& transposed, const Matrix& x);
/// Row by row, x scattered into a dense vector that is zero before and after.
void spmspv_rows(const Matrix& a, const Matrix& x, double* scattered, double* y, int threads);

/// y(i,j) = B(i,j,k) c(k), dense.
void ttv(const Tree& b, const double* c, double* y, int threads);
/// Y(i,j,l) = B(i,j,k) C(k,l); a row of Y for each node of the second level.
void ttm(const Tree& b, const double* c, int columns, double* y, int threads);
/// A(i,r) = B(i,j,k) C(j,r) D(k,r), and the same with a fourth and a fifth dimension.
void mttkrp(const Tree& b, const std::vector<const double*>& factors, int columns, double* a, int threads);
double inner_product(const Tree& b, const Tree& c);
Tree add(const Tree& b, const Tree& c);

}  // namespace suite::textbook
