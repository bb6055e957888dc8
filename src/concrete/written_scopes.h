// Which names of written loops are index variables, workspaces, operands and the result, and what each scope sees.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "concrete/syntax.h"

namespace filigree::concrete {

struct WrittenLoop {
  std::string name;  // loops over different dimensions have different ones: see name_loops
  Span span;
  size_t group = 0;  // those of one have the same number of coordinates
};

struct WrittenAssign {
  const Syntax* syntax;
  std::string target;
  std::vector<size_t> around;                // loops, by number, outermost first
  size_t own = 0;                            // the first of these that is inside of where the target starts
  std::map<std::string, size_t> loop_of;     // by name
  std::map<std::string, size_t> workspaces;  // that can be read here, by name
};

/// A tensor that the producer of a `where` fills.
struct WrittenWorkspace {
  std::string name;
  std::vector<size_t> assigns = {};  // by number
};

struct WrittenScopes {
  Source source;
  Syntax root;
  std::vector<WrittenRelation> relations;  // of variables that loops over levels have
  std::vector<WrittenLoop> loops;
  std::vector<WrittenAssign> assigns;
  std::vector<WrittenWorkspace> workspaces;
  std::map<const Syntax*, size_t> loop_numbers, assign_numbers;
  std::string result;
  std::vector<size_t> result_assigns;

  /// How the variable follows from others by being divided, or as their difference; null if it does not.
  const WrittenRelation* level_of(const std::string& var) const;
  /// `names` and all that follows from them.
  std::set<std::string> with_related(std::set<std::string> names) const;
  /// Names of variables of levels -> those of the dimensions that they are made of, each once.
  std::vector<std::string> dimensions_of(const std::vector<std::string>& names) const;

  /// A place in an assignment, in the whole text.
  Span in_text(const Syntax& assign, Span span) const {
    return {assign.span.begin + span.begin, assign.span.begin + span.end};
  }
  /// Throws the error, pointing at it.
  [[noreturn]] void refuse(UserError error, Span span) const { throw std::move(error).at(source, span); }
};

/// Throws UserError unless
///  1. every index is a variable of a loop around it, and no loop binds a variable that is bound around it;
///  2. a tensor has the same number of indices everywhere;
///  3. one tensor is the result, which is not read; workspaces are read only beside the producers that fill them;
///  4. what is written in a loop over another variable accumulates, by an operator that has a reduction, and what is
///  written several times is added up.
/// Requires: `syntax` stays where it is.
void find_scopes(WrittenScopes& scopes);

/// Loops that share a name but not a dimension get different names.
void name_loops(WrittenScopes& scopes);

/// The index variables of an access, by name.
std::vector<std::string> index_names(const notation::SyntaxNode& access);
/// The accesses of an assignment, the left side first.
std::vector<const notation::SyntaxNode*> accesses(const WrittenAssign& assign);
/// Is it the value of an index variable?
bool is_value(const WrittenAssign& assign, const notation::SyntaxNode& access);

/// What the loops compute, in index notation: reductions in place of loops, and what fills a workspace in place of the
/// workspace.
///
///   forall(i, where(y(i) = t, forall(j, t += A(i,j)*x(j))))   ->   y(i) = sum(j, A(i,j)*x(j))
std::string meaning(const WrittenScopes& scopes);

/// The loops, for a statement with that meaning; `formats` are those of workspaces that have some.  Throws UserError
/// where loops cannot walk an operand as it is stored, or where what they skip would count.
Program written_program(const WrittenScopes& scopes, const notation::Statement& statement,
                        const std::map<std::string, Format>& formats);

}  // namespace filigree::concrete
