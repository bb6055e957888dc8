// .npz files: archives of NumPy arrays that are together a sparse matrix, as scipy.sparse.save_npz writes them.
//
//   csr, csc   indptr, indices, data            coo   row, col, data; or coords (a row for each dimension), data
//   bsr        the same, data in blocks         dia   offsets, data (a row for each diagonal, by columns)
//
// and always shape and format.  Without format, coords, data, shape and fill_value are a tensor of the package sparse.
#pragma once

#include <string>

#include "io/contents.h"
#include "io/files.h"
#include "io/input.h"

namespace filigree::io {

Contents read_npz(Bytes bytes, const ReadOptions& options);

/// In the tensor's format where SciPy has it; otherwise as csr or coo.
void write_npz(const std::string& path, const AnyTensor& tensor, const WriteOptions& options);

}  // namespace filigree::io
