// A program as text, and what is said about its tensors by name, become statements over tensors with types, formats
// and fills.  What nobody says follows from the data or from what is assigned.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "front/program_names.h"
#include "io/contents.h"
#include "notation/notation.h"
#include "notation/program.h"

namespace filigree::front {

/// What is said about one tensor.
struct Stated {
  std::optional<ElementType> type;
  std::optional<Format> format;
  std::optional<Scalar> fill;
  std::optional<std::vector<std::int64_t>> dimensions;
  std::shared_ptr<Contents> contents;  // its value as it was read, if it comes from a file
  std::optional<double> density;       // of its value, if that comes from elsewhere: how much of it is stored
};
using StatedByName = std::map<std::string, Stated>;

/// A tensor as it is given, or as an assignment leaves it.
struct DeclaredTensor {
  notation::TensorUse use;
  bool is_input = false;  // it has a value before the first statement
  ElementType type = ElementType::Float64;
  Format format;
  Scalar fill;
  std::string format_reason;                            // why this format, for people
  std::shared_ptr<Contents> contents;                   // of a file
  std::optional<std::vector<std::int64_t>> dimensions;  // as they are said, or the file's
};

struct DeclaredProgram {
  /// In order of first appearance, each statement's result before its operands.  One that is assigned again with
  /// another type or format is there again, at the end.
  std::vector<DeclaredTensor> tensors;
  std::vector<notation::Statement> statements;  // linked (notation/program.h)
  std::map<std::string, std::int64_t> extents;  // of index variables, as they are said

  /// The one with this name that comes first.
  const DeclaredTensor* find(const std::string& name) const;
};

struct DeclareOptions {
  std::map<std::string, std::int64_t> extents = {};  // of index variables
  std::set<std::string> outputs = {};                // results that are asked for, though other statements read them
  bool splits_updates = true;  // is y(i+1) += x(i), where y has a value, two statements with a tensor between them?
};

/// Files that do not say how large a tensor is get the sizes that others tell.  Throws UserError for what cannot be,
/// such as a fill that does not follow from the expression.
DeclaredProgram declare(const notation::ParsedProgram& program, const ProgramNames& names, const StatedByName& stated,
                        const DeclareOptions& options = {});

}  // namespace filigree::front
