// NumPy's arrays as they are, whatever they mean: for those who describe their storage themselves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "level/array.h"

namespace filigree {

struct NamedArray {
  std::vector<std::int64_t> shape;
  Array values;  // by rows
};
/// Those of a .npz file by their names, or that of a .npy file without a name.  Throws UserError for other files, and
/// for what holds no numbers.
std::map<std::string, NamedArray> read_arrays(const std::string& path);

/// Their names alone; none if it is not a .npz file.
std::vector<std::string> array_names(const std::string& path);

}  // namespace filigree
