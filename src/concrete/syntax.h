// Concrete index notation as it is written: names, and where they stand in the text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "concrete/concrete.h"
#include "notation/parse.h"
#include "notation/syntax.h"

namespace filigree::concrete {

/// Loops, workspaces and sequences may nest so deep, so that later stages may recurse.
constexpr int max_nesting = 200;

struct Syntax {
  enum class Kind { Forall, Where, Sequence, Multi, Assign };
  Kind kind = Kind::Assign;
  Span span = {};               // of a loop its variable, of an assignment all of it; else the first word
  std::string var = {};         // Forall
  LoopTag tag = {};             // Forall
  std::vector<Syntax> parts{};  // a loop's body; consumer and producer; statements one after the other
  // Assign:
  std::string text = {};                        // index notation: what spans of `parsed` point into
  std::shared_ptr<const notation::Parsed> parsed = {};
  bool drops_fill = false;                                                // if stored
  std::optional<std::pair<std::string, std::string>> unless_equal = {};  // unless i = j
};

/// How a variable follows from others: a line below the statement, as stages print it.
///
///   ib = i/4      ii = i%4      i = 4*ib + ii      d = j - i
struct WrittenRelation {
  std::string var;
  Span span;
  std::vector<std::pair<std::int64_t, std::string>> terms = {};  // factors and variables, to be added up
  std::int64_t offset = 0;
  std::int64_t divisor = 0, modulus = 0;  // of one term that is divided: 0 where it is not, or takes no remainder

  bool divides() const { return divisor > 0; }
  bool subtracts() const {
    return !divides() && offset == 0 && terms.size() == 2 && terms[0].first == 1 && terms[1].first == -1;
  }
};

struct WrittenText {
  Syntax statement;
  std::vector<WrittenRelation> relations;
};

/// Throws UserError pointing into the text.
WrittenText parse_syntax(const Source& source);

}  // namespace filigree::concrete
