// Everything the expression, the options and the files say, put together: which tensors there are, how each is
// stored, which statements are to be compiled, how large everything is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "compiler/program.h"
#include "input.h"
#include "io/contents.h"
#include "notation/parse.h"
#include "stopwatch.h"

namespace filigree::tool {

/// A tensor as it is given, or as an assignment leaves it.
struct DeclaredTensor {
  notation::TensorUse use;
  bool is_input = false;  // it has a value before the first statement
  ElementType type = ElementType::Float64;
  Format format;
  Scalar fill;                // --fill, or zero
  std::string format_reason;  // why this format, for --explain
  std::optional<Input> input;
  std::shared_ptr<Contents> entries;                    // of a file
  std::optional<std::vector<std::int64_t>> dimensions;  // -d T:10,20, or the file's
};

struct Problem {
  /// In order of first appearance, each statement's result before its operands.  One that is assigned again with
  /// another type or format is there again, at the end.
  std::vector<DeclaredTensor> tensors;
  std::vector<notation::Statement> statements;        // linked (notation/program.h)
  std::vector<std::string> results;                   // to be printed or written, in order
  std::vector<std::string> stored;                    // temporaries that an option declares
  std::map<std::string, std::int64_t> given_extents;  // -d i:100
  bool has_data = false;                              // is something to be computed?
  bool force = false;                                 // --force
};

/// A file that was read, and as what.
struct ReadFile {
  std::string path;
  std::optional<int> base;
  int order;
  std::optional<ElementType> type;
  std::optional<std::vector<std::int64_t>> dimensions;
  std::shared_ptr<Contents> entries;
};
using ReadFiles = std::vector<ReadFile>;

/// Parses the expression, checks that every option names something in it, reads the files, and decides on types
/// and formats.  Files that are among `known` are not read again; those that are read are added.  Throws UserError.
Problem declare(const RunArguments& arguments, Timings& timings, ReadFiles& known);

/// As far as they are known.  Throws UserError where two disagree.
notation::ProgramSizes find_known_sizes(const Problem& problem);
/// The extents of all index variables and the dimensions of all inputs.  Throws UserError where two disagree, or one is
/// known from nowhere.
notation::ProgramSizes find_sizes(const Problem& problem);

/// What -d says about results and index variables.
Sizes given_sizes(const Problem& problem);

/// An input, packed.  Gives up the file's entries.
AnyTensor make_input(const Problem& problem, DeclaredTensor& tensor, const notation::ProgramSizes& sizes,
                     Timings& timings);
/// All of them.
std::map<std::string, AnyTensor> make_inputs(Problem& problem, const notation::ProgramSizes& sizes, Timings& timings);

}  // namespace filigree::tool
