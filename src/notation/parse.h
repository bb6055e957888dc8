// Text -> index notation.
//
// Parsing takes two steps because formats and types are usually given beside the expression:
// `parse` yields the syntax (names, indices, positions in the text) and the orders of the tensors;
// `resolve` turns it into a Statement once every tensor has a TensorVar.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "notation/notation.h"

namespace filigree::notation {

struct SyntaxTree;  // see syntax.h

/// A tensor as the text uses it.
struct TensorUse {
  std::string name;
  int order = 0;
  Span span;                 // of the first use
  bool is_result = false;    // on the left-hand side
  bool is_operand = false;   // on the right-hand side
  Span read_span = {};       // of the first use there
  bool is_index = false;     // its values are coordinates of another tensor
  bool is_gathered = false;  // it is read at coordinates that another tensor holds
};

struct Parsed {
  Source source;
  std::shared_ptr<const SyntaxTree> tree;
  std::vector<TensorUse> tensors;        // in order of first appearance, the result first
  std::vector<std::string> index_names;  // in order of first appearance
};

/// Statements separated by ';'.  Each has the whole text as its source.
struct ParsedProgram {
  Source source;
  std::vector<Parsed> statements;  // at least one
};

/// Throws UserError pointing at the offending character.  Checks that every use of a tensor has
/// the same number of indices and that names are not both tensor and index variable.  Depth is limited, so
/// that later stages may recurse: see syntax.h.  `declared` are names that are tensors, even if they are like those of
/// functions.
Parsed parse(const std::string& text, const std::set<std::string>& declared = {});

/// As `parse`, for several statements.  A tensor has the same number of indices in all of them, and no name is a tensor
/// in one and an index variable in another; apart from that, index variables are each statement's own.
ParsedProgram parse_program(const std::string& text, const std::set<std::string>& declared = {});

/// Requires: a TensorVar of the right order for every tensor of `parsed`, by name.
/// Ensures: the statement is complete; one name is one index variable throughout.
Statement resolve(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors);

/// The same with indices as they are written: x(p(i)) and wrap(x(i+1)) are not replaced by selections
/// (select_indices.h), so that no kernel can be made of it.  For those that compute what a statement means from what it
/// says.
Statement resolve_with_indices(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors);

/// `statement` as written, with reductions bound by the summation rule (bind_reductions), literals typed
/// (type_literals) and checked (check): what later stages take.
Statement complete(const Statement& statement);

/// The statement as it stands, with these index variables and no reductions added: an assignment inside
/// loops that bind them (concrete/parse.h).
/// Requires: a variable for every tensor and index name of `parsed`.
Statement resolve_as_written(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors,
                             const std::map<std::string, IndexVar>& indices);

}  // namespace filigree::notation
