// Everything the expression, the options and the files say, put together: which tensors there are, how each is
// stored, which statement is to be compiled, how large everything is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "compiler/kernel.h"
#include "input.h"
#include "notation/parse.h"
#include "stopwatch.h"

namespace filigree::tool {

/// A result that `op=` starts from is an operand, too.
struct DeclaredTensor {
  notation::TensorUse use;
  ElementType type = ElementType::Float64;
  Format format;
  Scalar fill;                // --fill, or zero
  std::string format_reason;  // why this format, for --explain
  std::optional<Input> input;
  std::shared_ptr<const Coordinates> entries;           // of a file
  std::optional<std::vector<std::int64_t>> dimensions;  // -d T:10,20, or the file's
};

struct Problem {
  std::vector<DeclaredTensor> tensors;  // the result first
  notation::Statement statement;
  std::map<std::string, std::int64_t> given_extents;  // -d i:100
  bool has_data = false;                              // is something to be computed?
  bool force = false;                                 // --force
};

/// Parses the expression, checks that every option names something in it, reads the files, and decides on types
/// and formats.  Throws UserError.
Problem declare(const RunArguments& arguments, Timings& timings);

/// The extent of every index variable.  Throws UserError where two disagree, or one is known from nowhere.
std::map<IndexVar, std::int64_t> find_extents(const Problem& problem);

/// The operands, packed.  Gives up the files' entries.
std::map<std::string, Tensor> make_operands(Problem& problem, const std::map<IndexVar, std::int64_t>& extents, Timings& timings);

}  // namespace filigree::tool
