// Walking and rebuilding IR trees, compiled once for all passes.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "ir/ir.h"

namespace filigree::ir {

/// A callable passed down a call, never stored: what std::function is without the allocation.
template <class Signature>
class Callback;
template <class Result, class... Arguments>
class Callback<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, Callback>)
  Callback(Callable&& callable)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        invoke_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(arguments...);
        }) {}
  Result operator()(Arguments... arguments) const { return invoke_(object_, arguments...); }

 private:
  void* object_;
  Result (*invoke_)(void*, Arguments...);
};

/// A set of variables, by identity.
class VarSet {
 public:
  /// Was it new?
  bool insert(const Var& var) { return ids_.insert(var.id().value).second; }
  bool contains(const Var& var) const { return ids_.contains(var.id().value); }
  void erase(const Var& var) { ids_.erase(var.id().value); }
  void insert_all(const VarSet& other) { ids_.insert(other.ids_.begin(), other.ids_.end()); }
  std::size_t size() const { return ids_.size(); }

 private:
  std::unordered_set<std::uint64_t> ids_;
};

/// What stands for a variable from now on.
class Substitution {
 public:
  void set(const Var& var, const Expr& value) { values_.insert_or_assign(var.id().value, value); }
  void erase(const Var& var) { values_.erase(var.id().value); }
  const Expr* find(const Var& var) const {
    auto found = values_.find(var.id().value);
    return found == values_.end() ? nullptr : &found->second;
  }
  bool empty() const { return values_.empty(); }

 private:
  std::unordered_map<std::uint64_t, Expr> values_;
};

using ExprVisitor = Callback<void(const Expr&)>;
using StmtVisitor = Callback<void(const Stmt&)>;
using VarVisitor = Callback<void(const Var&)>;
using ExprMap = Callback<Expr(const Expr&)>;
using StmtMap = Callback<Stmt(const Stmt&)>;

/// The direct parts of a node, in the order they are evaluated.
void for_each_child(const Expr& expr, ExprVisitor visit);
void for_each_child(const Stmt& stmt, StmtVisitor statement, ExprVisitor expression);

/// The node with its direct parts replaced; the same handle when no part changed.  Statements are
/// rebuilt as they are: nothing is flattened or folded.
Expr map_children(const Expr& expr, ExprMap map);
Stmt map_children(const Stmt& stmt, StmtMap statement, ExprMap expression);

/// Every read of a variable replaced by what stands for it.  Arrays and tables are renamed when
/// another variable stands for them.
Expr substitute(const Expr& expr, const Substitution& substitution);
Stmt substitute(const Stmt& stmt, const Substitution& substitution);

/// The operator and the other operand of a store that is A[i] = op(A[i], x); nothing if it is not that.
struct Update {
  Operator op;
  Expr operand;
};
std::optional<Update> atomic_update(const Store& store);

/// The variables an expression reads: scalars, arrays it loads from, arguments of calls.
void for_each_read(const Expr& expr, VarVisitor visit);
/// The variables a statement reads anywhere inside it, including those it also writes.
VarSet variables_read(const Stmt& stmt);
/// The variables a statement mentions but does not declare, and all arrays and tables, in order of appearance.
std::vector<Var> free_variables(const Stmt& stmt);
/// The variables whose value or contents a statement changes anywhere inside it: assigned scalars,
/// loop variables, arrays stored to, allocated, grown, freed, moved, copied to or sorted, tables and parts changed.
VarSet variables_written(const Stmt& stmt);
/// The arrays and parts a statement allocates, the arrays it takes from parts and the tables it declares, in order of
/// appearance.
std::vector<Var> variables_allocated(const Stmt& stmt);
/// The statement as a loop whose iterations run at the same time, or nullptr.
const For* as_parallel_loop(const Stmt& stmt);
/// Is the function there in device code?
bool runs_on_device(Function function);
/// Does evaluating a call change its table or its arrays?
bool has_effect(Function function);
/// The table or the arrays that evaluating a call changes: its first arguments.
std::vector<Var> variables_changed(const Call& call);
/// Can a call end the function with OutOfMemory?  Such a call stands only as the whole value of a
/// declaration or assignment, or alone (Evaluate), so that C can test its result.
bool can_run_out_of_memory(Function function);
const Call* call_that_can_run_out_of_memory(const Expr& value);

}  // namespace filigree::ir
