// Libraries as contenders.  A kernel says what is computed from what; each library that was found when the suite was
// built enters the race if it has that operation.
#pragma once

#include "race.h"

namespace suite {

enum class Operation {
  Spmv,            // dense y = A x
  SpmvTransposed,  // dense y = A' x
  Spmm,            // dense Y = A X
  SpmmFloat,       // the same with float32
  SpgemmSorted,    // A = B C
  SpgemmAsMade,    // the same, rows in any order
  MaskedSpgemm,    // A = M .* (B C), operands M, B, C
  MinPlus,         // A = B C with (min, +)
  Add,             // A = B + C
  Add3,            // A = B + C + D
  AddTransposed,   // A = B + B'
  Multiply3,       // A = B .* C .* D
  InnerProduct,    // s = sum of B .* C
  Triangles,       // s = sum of A .* (A A)
  Sddmm,           // S = M .* (Q K'), Q and K dense by rows
  SpmspvSparse,    // sparse y = A x, x sparse
  SpmspvDense,     // dense y = A x, x sparse
  Transpose,       // by columns from by rows
  ToBlocks,        // blocks of 4 x 4 from by rows
  ToDiagonals,     // diagonals from by rows
  FromEntries,     // by rows from shuffled entries
  FromSorted,      // by rows from sorted entries
  AddVectors,      // sparse a = b + c: matrices of one row
  Dot,             // s = sum of b .* c
  ReadFile,        // by rows from a file
};

struct Task {
  Operation operation;
  std::vector<std::shared_ptr<const Matrix>> matrices = {};
  std::vector<std::shared_ptr<const Vector<double>>> dense = {};
  int columns = 0;                                   // of dense matrices
  std::shared_ptr<const Entries> entries = nullptr;  // for FromEntries and FromSorted
  std::string file = {};
};

/// All libraries that there are.
void enter_libraries(Race& race, const Task& task);

void enter_eigen(Race& race, const Task& task);
void enter_graphblas(Race& race, const Task& task);
/// MKL is loaded from the file that $FILIGREE_BENCH_MKL names.
void enter_mkl(Race& race, const Task& task);
/// SciPy runs in a process of its own, of the interpreter that $FILIGREE_BENCH_PYTHON names, and says its times.
void enter_scipy(Race& race, const Task& task);

/// For results whose rows may not be sorted, or of other index types.
template <class Start, class Column>
Answer answer_of_rows(std::int64_t rows, const Start* start, const Column* column, const double* value) {
  Answer answer;
  for (std::int64_t i = 0; i < rows; i++)
    for (auto p = start[i]; p < start[i + 1]; p++) answer.add(i, static_cast<std::int64_t>(column[p]), value[p]);
  return answer;
}

}  // namespace suite
