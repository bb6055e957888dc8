// Formats as values: formats::csr, formats::bcsr(4, 4), Format{formats::dense, formats::compressed}.
//
// A word stands for a format of tensors of any order it can have: formats::coo is good for matrices and for tensors of
// order five.
#pragma once

#include <string>

#include "tensor/format.h"

namespace filigree {

namespace formats {

// Whole formats.  dense, bitmap, lower and upper are also formats of a level.
inline constexpr Word dense("dense"), sparse("sparse"), csr("csr"), csc("csc"), dcsr("dcsr"), dcsc("dcsc"), csf("csf"),
    coo("coo"), coo_aos("coo_aos"), dia("dia"), ell("ell"), hash("hash"), dok("dok"), bitmap("bitmap"), lower("lower"),
    upper("upper"), symmetric("symmetric"), skew("skew"), hermitian("hermitian");
// Formats of a level.
inline constexpr Word compressed("compressed"), singleton("singleton"), hashed("hashed");

// In blocks of this size, one number for each dimension.
Format bcsr(std::int64_t rows, std::int64_t columns);
Format csb(std::int64_t rows, std::int64_t columns);
Format mode_generic(const std::vector<std::int64_t>& blocks);

}  // namespace formats

/// How a tensor whose order is known elsewhere is to be stored: a format, a word, or text such as "csr" or "(i,j) ->
/// (j: dense, i: compressed)".
class ChosenFormat {
 public:
  ChosenFormat(Format format) : format_(std::move(format)) {}
  ChosenFormat(const formats::Word& word) : text_(word.name()) {}
  ChosenFormat(std::string text) : text_(std::move(text)) {}
  ChosenFormat(const char* text) : text_(text) {}

  /// Throws UserError if it is not for tensors of this order.
  Format of_order(int order) const;

 private:
  std::optional<Format> format_;
  std::string text_;
};

}  // namespace filigree
