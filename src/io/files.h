// Reading and writing tensors as files.  The extension decides the format: .mtx and .ttx are Matrix Market, .tns is
// FROSTT, .el, .edges, .txt, .csv and .tsv are edge lists, each also with .gz; .npy and .npz are NumPy's and SciPy's.
// The name "-" is standard input or output; "-.tns" says in which format.  docs/files.md says what is accepted and what
// is not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/contents.h"
#include "tensor/any_tensor.h"

namespace filigree {

/// What the reader knows beforehand; a file that says otherwise is an error.
struct ReadOptions {
  /// Number of dimensions.  A matrix with one column or one row can be read as a vector (1).
  std::optional<int> order = {};
  std::optional<std::vector<std::int64_t>> dimensions = {};
  /// Read values as this type; nothing: the file decides.
  std::optional<ElementType> type = {};
  /// Threads that parse; 0: as many as there are cores.
  int threads = 0;
  /// What is read, for messages.
  std::string tensor = {};
  /// Show progress on a terminal when reading takes long.
  bool progress = true;
  /// What coordinates in a text count from, 0 or 1; nothing: 0 in an edge list, 1 in other files.
  std::optional<int> base = {};
};

struct WriteOptions {
  /// What coordinates of an edge list count from, 0 or 1; nothing: 0.  Other files have no choice.
  std::optional<int> base = {};
  /// Show progress on a terminal when writing takes long.
  bool progress = false;
};

/// The entries of a file, in the order they are in.  Duplicates are kept, symmetric halves expanded.
/// Throws UserError with the file and the line; also if what is not listed has a fill other than 0.
Coordinates read_file(const std::string& path, const ReadOptions& options = {});
/// The same, and storage is left as it is in files that hold a tensor's arrays.
Contents read_contents(const std::string& path, const ReadOptions& options = {});

/// Writes a tensor, replacing what is there only once everything is written.  Reading the file back gives
/// the same dimensions, element type, values and fill.  A file that cannot tell a fill other than 0 (edge lists, .npy)
/// gets every component; throws UserError if that would be too many.
void write_file(const std::string& path, const AnyTensor& tensor, const WriteOptions& options = {});

/// Removes files that write_file has begun and not finished, and folders in which kernels are being compiled.  May be
/// called from a signal handler.
void remove_unfinished_files();

/// ".mtx", ".tns", ...
const std::vector<std::string>& file_extensions();
/// The same as words in a sentence.
std::string describe_extensions();
/// Does the name end in one of these, or is it a standard stream?
bool is_file_name(const std::string& path);
/// Does it matter for a file of this name whether its coordinates are said to count from `base`?
bool heeds_base(const std::string& path, int base);
/// The same for what is written; a device, a pipe or /dev/stdout need no extension and get the format that "-" does.
bool is_writable_name(const std::string& path);
/// Is it "-", or that and an extension?
bool is_standard_stream(const std::string& path);

}  // namespace filigree
