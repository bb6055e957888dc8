// Small inputs that reach the corners: empty tensors, empty rows, one entry, full, dimensions 1 and 0.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "notation/parse.h"
#include "tensor/coordinates.h"
#include "tensor/format.h"

namespace filigree::differential {

struct DataSet {
  std::string name;
  std::map<std::string, Coordinates> operands;
};

/// For the operands of a parsed statement, whose index variables give the shapes; float64.  The same
/// seed makes the same data.  Variables in `sizes` have these extents in all sets.
std::vector<DataSet> data_sets(const notation::Parsed& parsed, unsigned seed,
                               const std::map<std::string, std::int64_t>& sizes = {});
/// The same, with sets in which all dimensions are equal.
std::vector<DataSet> square_data_sets(const notation::Parsed& parsed, unsigned seed);

/// Is there room for one coordinate of the last dimension only, whatever the others are?
bool has_one_child(const Format& format);

/// The entries changed so that the format can hold them and shows what it is: those outside a triangle left out, those
/// of a symmetric matrix mirrored, those of an unordered one shuffled, those of one that is not unique split in two.
/// Nothing if the shape does not fit.
std::optional<Coordinates> suited(const Coordinates& entries, const Format& format, unsigned seed);

/// A value for an entry: a small nonzero integer, now and then a zero.
std::int64_t random_value(std::mt19937& random);

}  // namespace filigree::differential
