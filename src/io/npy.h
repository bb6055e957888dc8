// NumPy's .npy files: one array, with a header that is a Python dictionary.
//
//   \x93NUMPY 1 0 118 0 {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/contents.h"
#include "io/files.h"
#include "io/input.h"

namespace filigree::io {

bool is_npy(std::string_view bytes);

/// An array as it is in a file; its values in the order of this machine's bytes.
struct NpyArray {
  std::vector<std::int64_t> shape;
  bool by_columns = false;  // the first dimension is fastest
  Array values;
  std::string text;  // instead of values, if it holds one text
};

/// Gives up the bytes, which become the array's memory.  `name` is for messages: the member of an archive.  Throws
/// UserError if it is not such a file, or holds what is no tensor.
NpyArray parse_npy(Bytes bytes, const std::string& name = "");

/// Its values with the last dimension fastest.
Array by_rows(NpyArray array);

Contents read_npy(Bytes bytes, const ReadOptions& options);

/// The header of a file with such an array, by rows, or by columns.
std::string npy_header(ElementType type, const std::vector<std::int64_t>& shape, bool by_columns = false);
/// That of one text of so many bytes.
std::string npy_text_header(size_t size);
/// What follows the header.
std::string_view bytes_of(const Array& values);

/// Every component, whatever is stored.
void write_npy(const std::string& path, const AnyTensor& tensor, const WriteOptions& options);

}  // namespace filigree::io
