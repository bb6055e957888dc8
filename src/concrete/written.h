// Loops that a person writes in concrete index notation, in place of those that concretize() would make.
//
//   forall(i, forall(j, y(i) += A(i,j)*x(j)))
//
// What they compute is a statement of index notation (written_scopes.h); types, formats and sizes are said of that, and
// a kernel of it runs with these loops.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "concrete/concrete.h"

namespace filigree::concrete {

struct WrittenScopes;

class Written {
 public:
  /// Throws UserError pointing into the text: see written_scopes.h for what is checked.
  explicit Written(const std::string& text);
  /// The loops of a tree, such as one that C++ code puts together.  Its workspaces keep their formats.
  explicit Written(const Stmt& stmt);

  /// What the loops compute, in index notation.
  const std::string& meaning() const { return meaning_; }
  /// The same with these tensors.  Throws UserError for a tensor that is missing or has another order.
  notation::Statement statement(const std::map<std::string, TensorVar>& tensors) const;
  /// The tensors that producers fill, and how many indices each has.
  std::map<std::string, int> workspaces() const;
  /// How a workspace is stored, if not as concrete/workspace.h would: levels that loops cannot insert into, or that
  /// would not tell what was written, become tables.  Throws UserError for a format with a map.
  void set_format(const std::string& workspace, const Format& format);

  /// The loops, for a statement that says what meaning() says; nothing for another, such as one that starts from an old
  /// value.  Throws UserError where loops cannot walk an operand as it is stored.
  std::optional<Program> loops_for(const notation::Statement& statement) const;

 private:
  std::shared_ptr<const WrittenScopes> scopes_;
  std::string meaning_;
  std::map<std::string, Format> formats_;
};

}  // namespace filigree::concrete
