// Small inputs that reach the corners: empty tensors, empty rows, one entry, full, dimensions 1 and 0.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "notation/parse.h"
#include "tensor/coordinates.h"

namespace filigree::differential {

struct DataSet {
  std::string name;
  std::map<std::string, Coordinates> operands;
};

/// For the operands of a parsed statement, whose index variables give the shapes; float64.  The same
/// seed makes the same data.
std::vector<DataSet> data_sets(const notation::Parsed& parsed, unsigned seed);

/// A value for an entry: a small nonzero integer, now and then a zero.
std::int64_t random_value(std::mt19937& random);

}  // namespace filigree::differential
