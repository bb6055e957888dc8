// The state of one concretization and its steps; each kind of step has a file of its own.  Internal to this folder.
#pragma once

#include "concrete/concrete.h"
#include "concrete/level_space.h"
#include "concrete/loop_order.h"
#include "concrete/requests.h"
#include "concrete/slices.h"
#include "concrete/unions.h"
#include "concrete/vars.h"
#include "support/fresh_names.h"

namespace filigree::concrete {

/// A reduction inside an expression: computed into a temporary around loop number `depth` of its consumer.
struct Term {
  Access temporary;
  Stmt producer;
  size_t depth;
};

/// An operand in another storage order, made once outside all loops.
struct Reformat {
  TensorVar tensor;
  std::vector<int> dimensions;
  TensorVar copy;
  Stmt producer;
};

class Concretizer {
 public:
  Concretizer(const notation::Statement& statement, bool in_pieces, const Requests& requests);
  Program run();

 private:
  // concretize.cpp: the statement, and one nest of loops.
  Program finish(Stmt body, const TensorVar& result, bool direct);
  /// Every assignment to the result leaves out what equals the fill, if the format can do without it.
  Stmt pruned(const Stmt& body, const TensorVar& result);
  /// Where a component is stored several times its values are summed, and the sum starts at 0.
  void check_fills() const;
  Expr signed_rhs() const;
  /// A plain copy out of a format that pads leaves the padding behind.
  bool is_padded_copy() const;
  /// Where the left side is stored: its levels, if they are not its dimensions.
  Access target(const Access& lhs) { return lhs.tensor == *result_ ? space_.view(lhs) : lhs; }
  /// For choosing an order of loops: an operand that will be copied into any order or composed in some, or a result
  /// with levels of its own.
  Access stand_in(const Access& access);
  /// lhs op= rhs inside the loops `bound`; `shared` are loops of the consumer worth sharing.
  Stmt nest(const Access& lhs, std::optional<Operator> op, Expr rhs, const Vars& bound, const Vars& shared);
  /// The loops of a nest that are to be ordered.
  LoopOrderProblem order_problem(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Vars& bound,
                                 const Vars& shared);
  /// The loops for `var`: over blocks and what is inside them, if that is how the result is stored and every operand
  /// can follow.
  Vars over_blocks(const IndexVar& var, const Access& lhs, const std::vector<Access>& reads);
  /// A reduction that is the whole right side needs no temporary: the left side accumulates, if
  /// what it starts from is what absence means for it.
  void peel_reductions(const Access& lhs, std::optional<Operator>& op, Expr& rhs) const;
  /// Is the right side a sum whose terms can be added one after the other, absent ones adding nothing?
  static bool can_accumulate_terms(const Access& lhs, std::optional<Operator> op, const Expr& rhs);
  /// Must the reduction see absent points, because their fill is not where it starts?  Then whether
  /// anything was present is known only where one component's reduction is done in one go.
  static bool skips_matter(std::optional<Operator> op, const Expr& rhs);
  Vars nest_vars(const Access& lhs, const Expr& rhs, const Vars& bound) const;
  /// Indices that are divided into blocks by their parts.
  Vars in_parts(const Vars& vars) const;
  std::vector<TensorVar> operands();
  void collect_extents(const TensorVar& result);
  /// Variables that no dimension tells: a window does, or else the dimensions of what follows from them.
  void collect_windows(const Access& access);
  void collect_room(const Access& access);
  /// Refuses the statement because of a variable, showing its first use.
  [[noreturn]] void refuse(UserError error, const IndexVar& var) const;
  /// Variables of which only sums are known.
  Vars without_room() const;
  /// Takes them as given, or refuses them.
  void check_room();

  // walk_stored.cpp: operands that are visited as they are stored.
  Stmt copy(const Access& lhs);
  /// The assignment for each component of `source` that is stored; for symmetric ones also for its mirror image.
  Stmt visit_stored(const Access& source, const Assign& assign);
  Access mirrored_target(const Access& lhs, const IndexVar& i, const IndexVar& j);
  /// The operand to walk as it is stored, if `rhs` is a product in which it alone decides where there is something:
  /// every other factor can be looked up.  Of two that could be walked or looked up, such as hash tables, the first is
  /// walked.
  std::optional<Access> walked_operand(const Access& lhs, std::optional<Operator> op, const Expr& rhs,
                                       const Vars& bound);
  /// Do loops over the operand's coordinates reach the result's levels in order?  Then it is appended to, without
  /// counting first.
  bool is_appended_in_order(const Access& lhs, const Access& operand);
  /// lhs += rhs for a sum of operands whose inner levels cannot be walked in order: inside of loops over the outer
  /// ones, which the left side has too, one after the other is visited as it is stored, and nothing is copied.  Nothing
  /// if the sum is another.
  std::optional<Stmt> added_as_stored(const Access& lhs, std::optional<Operator> op, const Expr& rhs,
                                      const Vars& bound);
  /// lhs op= rhs, where `walked` is visited as it is stored.
  Stmt walk_nest(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Access& walked,
                 const Vars& bound);

  // terms.cpp: parts of an expression that are computed on their own.
  /// A long sum of sparse terms: one after the other into the same tensor, so that code grows with the
  /// number of terms and not with the number of subsets.
  Stmt in_sequence(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Vars& bound);
  /// `rhs` with large unions marked once more, if loops along `path` need copies that make its own unions oversized.
  std::optional<Expr> marked_for_copies(const Expr& rhs, const Vars& path);
  /// `rhs`, which is a part of the `whole` expression, with each outermost reduction replaced by the temporary it is
  /// computed into.
  Expr extract_terms(const Expr& rhs, const Expr& whole, const Vars& bound, const Vars& order,
                     std::vector<Term>& terms);
  /// Operands of the `whole` expression without whose entries the reduction is not needed, if it is worth computing
  /// only there: reductions over sparse operands are not, which may be done quicker for many components at once.
  std::vector<Access> guards_of(const Expr& expr, const Expr& whole);
  /// What a part is worth where nothing in it is present, reductions inside it included; nothing if it is always
  /// computed.
  static std::optional<Scalar> absent_value(const Expr& expr);
  /// The same for a reduction that may also have no points.
  static Scalar absent_value(const notation::Reduce& reduce, ElementType type);
  Term make_term(const Expr& expr, const Expr& whole, const Vars& bound, const Vars& consumer_order);

  // asked_workspaces.cpp: parts that a schedule wants to be computed on their own.
  /// Loops that must be around others, so that each asked-for workspace of `rhs` is made inside of the loops it shares.
  std::vector<std::pair<IndexVar, IndexVar>> around_workspaces(const Expr& rhs) const;
  /// Orders that were asked for; else loops that a workspace of `rhs` has no use for inside of those that it needs, so
  /// that it is not filled again in each.
  std::vector<Vars> wished_orders(const Expr& rhs, const Vars& vars) const;
  Term make_asked_term(const Expr& expr, const Vars& bound, const Vars& consumer_order);
  /// The same with a workspace's own variables; what goes into workspaces inside of it is asked for again, with these.
  /// Requires: none of them is in an index such as j+1.
  Expr renamed(const Expr& expr, const std::map<IndexVar, IndexVar>& names);

  // reformat.cpp: operands that the loops cannot follow as they are.
  /// `rhs` with operands that cannot be walked along `path` composed, or replaced by reformatted copies.
  Expr reformat(const Expr& rhs, const Vars& path) { return reformat(rhs, path, rhs); }
  /// The same for a part of the `whole` expression.
  Expr reformat(const Expr& rhs, const Vars& path, const Expr& whole);
  /// `rhs` as loops along `path` will see it, for counting cases: operands that must be copied are sparse where their
  /// copies are, not where they are as they are stored.  `originals` gets what each copy stands for.  Reductions have
  /// loops of their own.
  Expr with_copies(const Expr& rhs, const Vars& path, std::map<TensorVar, Expr>& originals);
  Expr with_copies(const Expr& rhs, const Vars& path);
  void remark_composed(const Access& access, const Vars& order);
  const Reformat& reformatted(const Access& access, const std::vector<int>& dimensions);
  /// A matrix is sorted into rows by counting them, if the copy's loops allow that; other copies are made in the format
  /// `otherwise`.
  std::pair<TensorVar, Stmt> make_copy(const std::string& name, const TensorVar& tensor, const Format& otherwise,
                                       const std::function<Stmt(const TensorVar&)>& copied_into);
  /// What an access with indices such as i+1 shows of its tensor, as a tensor over its index variables in the order of
  /// the loops.
  Access sliced(const Access& access, const Vars& path);

  /// The same components, by a search for where they begin and end.
  Access through_window(const Access& access);
  /// The condition with levels in the order of the loops.
  Access ordered_condition(const Access& access, const Vars& path);

  const notation::Statement& statement_;
  Expr rhs_;  // the statement's, with tensors for conditions
  bool in_pieces_;
  Requests requests_;
  UnionLimits limits_;
  Environment environment_;
  std::vector<Reformat> reformats_;
  FreshNames names_;
  LevelSpace space_{environment_, names_};
  Slices slices_{environment_, names_, *requests_.policy};
  std::vector<std::pair<Access, Access>> slice_copies_;  // what was shown, and the copy
  std::optional<TensorVar> result_;
  std::map<TensorVar, TensorVar> stand_ins_;
  std::map<IndexVar, Vars> parts_;
  std::map<std::pair<TensorVar, std::vector<int>>, TensorVar> ordered_conditions_;
};

}  // namespace filigree::concrete
