// The format of a result or temporary for which none is declared.
//
// A level is dense only if the statement reaches every coordinate there, whatever was reached above; else it is
// compressed.  Three things decide, level by level, dimensions in order:
//
//  * What the expression reaches: a coordinate that all operands skip is not reached.
//  * prune(...): the last level is compressed, so that it can leave out what equals the fill.
//  * What the left index reaches: D(i,i) one coordinate in each row, B(3,j) one row, B(61*i) one coordinate of 61.  An
//  index that reaches at
//    least half of its dimension, such as i+1, counts as one that reaches all: room for the others costs less than a
//    list of those reached.
//
//   y(i) = sum(j, A(i,j)*x(j))     A csr: dense            A dcsr: sparse
//   A(i,j) = B(i,j) + C(i,j)       B csr, C csr: csr       B csr, C dense: dense
//   B(i,j) = A(i(2,10),j+1)        A csr: csr              A dcsr: dcsr
//   B(i,j) = A(i,p(j))             A csr: csr              what is read at selected coordinates is left out where it is
//   not there D(i,i) = x(i)                  x dense: csr
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "notation/notation.h"

namespace filigree::notation {

/// What is known before the kernel runs.
struct SizeHints {
  std::map<IndexVar, std::int64_t> extents = {};     // as infer_extents makes them
  std::map<std::string, std::int64_t> entries = {};  // stored ones, by tensor
};

struct DefaultFormat {
  Format format;
  std::string reason;  // in plain words; empty for a scalar
};

/// For the left tensor of a complete statement; the format it has there does not matter.  Operands have theirs.
///
/// `is_temporary`: later statements read it, and nobody else does.  These look components of a vector up in any order,
/// so one that would be compressed is a bitmap if that is small: it stores the same components.
DefaultFormat default_format(const Statement& statement, const SizeHints& hints = {}, bool is_temporary = false);

}  // namespace filigree::notation
