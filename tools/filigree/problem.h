// Everything the expression, the options and the files say, put together: which tensors there are, how each is
// stored, which statements are to be compiled, how large everything is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "front/declare.h"
#include "input.h"
#include "io/contents.h"
#include "notation/parse.h"
#include "stopwatch.h"

namespace filigree::tool {

using front::DeclaredTensor;

/// `extents` are those of -d i:100.
struct Problem : front::DeclaredProgram {
  std::map<std::string, Input> inputs;                                // what -i says
  std::map<std::string, std::vector<std::int64_t>> given_dimensions;  // -d T:10,20
  std::vector<std::string> results;                                   // to be printed or written, in order
  std::vector<std::string> stored;                                    // temporaries that an option declares
  bool has_data = false;                                              // is something to be computed?
  bool force = false;                                                 // --force
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

/// The extents of all index variables and the dimensions of all inputs.  Throws UserError where two disagree, or one is
/// known from nowhere.
notation::ProgramSizes find_sizes(const Problem& problem);

/// An input, packed.  Gives up the file's entries.
AnyTensor make_input(const Problem& problem, DeclaredTensor& tensor, const notation::ProgramSizes& sizes,
                     Timings& timings);
/// All of them.
std::map<std::string, AnyTensor> make_inputs(Problem& problem, const notation::ProgramSizes& sizes, Timings& timings);

}  // namespace filigree::tool
