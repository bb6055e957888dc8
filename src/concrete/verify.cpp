#include "concrete/verify.h"

#include <algorithm>

#include "concrete/loop_order.h"
#include "concrete/parts.h"
#include "concrete/derivations.h"
#include "support/check.h"

namespace filigree::concrete {
namespace {

class Verifier {
 public:
  Verifier(const Program& program, const std::string& stage)
      : program_(program), stage_(stage), numbered_(all_parts(program.environment)) {
    std::erase_if(numbered_, [](const PointParts& parts) { return !parts.numbering.by_number; });
  }

  void visit(const Stmt& stmt, std::vector<IndexVar> bound, std::vector<TensorVar> readable) {
    match(
        stmt,
        [&](const Forall& n) {
          check(!contains(bound, n.var), "index variable '" + n.var.name() + "' is bound twice", stmt);
          check(program_.environment.extents.count(n.var) > 0, "index variable '" + n.var.name() + "' has no extent",
                stmt);
          check(has_all_numbers(n.var, bound),
                "loops over some parts of '" + n.var.name() + "' are around it, but not over all", stmt);
          bound.push_back(n.var);
          visit(n.body, with_derived_for(n.body, bound), readable);
        },
        [&](const Where& n) {
          visit(n.producer, with_derived_for(n.producer, bound), readable);
          for (const TensorVar& temporary : targets(n.producer)) readable.push_back(temporary);
          visit(n.consumer, with_derived_for(n.consumer, bound), readable);
        },
        [&](const Sequence& n) {
          for (const Stmt& s : n.statements) visit(s, bound, readable);
        },
        [&](const Multi& n) {
          for (const Stmt& s : n.statements) visit(s, bound, readable);
        },
        [&](const Assign& n) {
          check_access(n.lhs, with_slots(n.lhs, bound), stmt);
          bool is_result = std::find(program_.results.begin(), program_.results.end(), n.lhs.tensor) !=
                           program_.results.end();
          check(!n.prunes || is_result, "'" + n.lhs.tensor.name() + "' is pruned, but no result", stmt);
          notation::for_each(n.rhs, [&](const Expr& e) {
            check(!e.as<notation::Reduce>(), "a reduction is left in an assignment", stmt);
          });
          for (const Access& access : notation::accesses(n.rhs)) {
            check_access(access, bound, stmt);
            bool is_given = access.tensor.condition() || program_.environment.windows.count(access.tensor);
            check(is_given || std::find(readable.begin(), readable.end(), access.tensor) != readable.end(),
                  "'" + access.tensor.name() + "' is read before it is written", stmt);
            check(follows(access, bound), "'" + access.tensor.name() + "' cannot be walked in this order of loops",
                  stmt);
          }
        });
  }

 private:
  std::vector<IndexVar> with_derived_for(const Stmt& stmt, std::vector<IndexVar> bound) const {
    for (const Derivation& d : derived(program_.environment, bound, stmt)) bound.push_back(d.var);
    return bound;
  }

  /// Of loops over numbers of parts of the same points, are all around the loop that visits these, or none?
  bool has_all_numbers(const IndexVar& var, const std::vector<IndexVar>& bound) const {
    for (const PointParts& parts : numbered_) {
      if (parts.numbering.loops.front() != var) continue;
      auto around = std::count_if(parts.parts.begin(), parts.parts.end(),
                                  [&](const PointPart& part) { return contains(bound, part.loops.front()); });
      if (around != 0 && around + 1 != static_cast<std::ptrdiff_t>(parts.parts.size())) return false;
    }
    return true;
  }

  void check(bool holds, const std::string& what, const Stmt& stmt) const {
    if (!holds) throw InternalError(stage_, what, to_string(stmt));
  }

  /// Entries of a result get their slots as they come.
  std::vector<IndexVar> with_slots(const Access& lhs, std::vector<IndexVar> bound) const {
    for (const IndexVar& var : lhs.indices) {
      if (is_slot(program_.environment, var)) bound.push_back(var);
    }
    return bound;
  }

  void check_access(const Access& access, const std::vector<IndexVar>& bound, const Stmt& stmt) const {
    check(static_cast<int>(access.indices.size()) == access.tensor.order(),
          "'" + access.tensor.name() + "' has the wrong number of indices", stmt);
    for (const IndexVar& var : access.indices)
      check(contains(bound, var), "index variable '" + var.name() + "' is not bound", stmt);
  }

  const Program& program_;
  const std::string& stage_;
  std::vector<PointParts> numbered_;
};

}  // namespace

void verify(const Program& program, const std::string& stage) {
  std::vector<IndexVar> constant;
  for (const Derivation& d : derived(program.environment, {}, program.statement)) constant.push_back(d.var);
  Verifier(program, stage).visit(program.statement, constant, program.operands);
}

}  // namespace filigree::concrete
