// Z3 and isl, in a plug-in that is opened when it is needed first.  What Z3 proves is kept in memory and on disk.
#pragma once

#include <optional>
#include <string>

namespace filigree::polyhedral {

/// Was Filigree built with Z3 and isl?  Without them nothing is proven; all that works without proofs still does.
bool is_built_with_solver();

enum class Answer { Unsatisfiable, Satisfiable, Unknown };
struct Result {
  Answer answer = Answer::Unknown;
  std::string text;  // a model, or why there is no answer
};
/// Declarations and assertions in SMT-LIB.  Answers are found by their questions if they are known already.
Result solve(const std::string& smt);
/// Questions that Z3 itself was asked, in this process: for tests and for --time.
int questions_asked();

/// A set as isl writes them, simplified; nothing without isl.  Throws InternalError for what is no set.
struct SimplifiedSet {
  std::string text;
  bool is_empty = false;
};
std::optional<SimplifiedSet> simplify(const std::string& set, const std::string& context);

}  // namespace filigree::polyhedral
