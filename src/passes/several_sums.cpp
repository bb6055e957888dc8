#include "passes/several_sums.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace filigree::passes {

using namespace ir;
namespace {

/// A scalar from outside that each iteration combines with something, in any order.
struct Sum {
  Var var;
  Operator op;
};

std::vector<Stmt> statements_of(const Stmt& stmt) {
  const Block* block = stmt.as<Block>();
  return block ? block->statements : std::vector<Stmt>{stmt};
}

bool reads(const Expr& expr, const Var& var) {
  bool found = false;
  for_each_read(expr, [&](const Var& read) { found = found || read == var; });
  return found;
}

bool calls(const Expr& expr) {
  bool found = expr.as<Call>() != nullptr;
  for_each_child(expr, [&](const Expr& child) { found = found || calls(child); });
  return found;
}

std::optional<Sum> sum_of(const Assign& assign) {
  const Apply* apply = assign.value.as<Apply>();
  ElementType type = assign.var.type().element;
  bool updates = apply && apply->operands.size() == 2 && apply->operands[0] == Expr(assign.var) &&
                 !reads(apply->operands[1], assign.var);
  bool combines = updates && can_reduce(apply->op) && facts(apply->op).commutative && identity(apply->op, type) &&
                  result_type(apply->op, {type, type}) == type;
  return combines ? std::optional(Sum{assign.var, apply->op}) : std::nullopt;
}

/// What one iteration of a loop reads differs from what the next one reads.
class Varying {
 public:
  explicit Varying(const For& loop) { varying_.insert(loop.var); }

  void declare(const Var& var, const Expr& value) {
    if (reads_any(value, varying_)) varying_.insert(var);
    if (loads(value) || reads_any(value, loaded_)) loaded_.insert(var);
  }
  /// Does it load from a place that was itself loaded in this iteration?
  bool jumps(const Expr& expr) const {
    const Load* load = expr.as<Load>();
    bool found = load && (reads_any(load->index, loaded_) || loads(load->index));
    for_each_child(expr, [&](const Expr& child) { found = found || jumps(child); });
    return found;
  }

 private:
  static bool reads_any(const Expr& expr, const VarSet& vars) {
    bool found = false;
    for_each_read(expr, [&](const Var& read) { found = found || vars.contains(read); });
    return found;
  }
  bool loads(const Expr& expr) const {
    const Load* load = expr.as<Load>();
    bool found = load && reads_any(load->index, varying_);
    for_each_child(expr, [&](const Expr& child) { found = found || loads(child); });
    return found;
  }

  VarSet varying_, loaded_;
};

/// The sums of a loop that does nothing but add up, from places that are loaded; none if it is another.
std::vector<Sum> sums_in(const For& loop) {
  std::vector<Sum> sums;
  std::vector<Expr> read;
  VarSet summed;
  Varying varying(loop);
  bool jumps = false;
  for (const Stmt& stmt : statements_of(loop.body)) {
    const Declare* declared = stmt.as<Declare>();
    const Assign* assign = stmt.as<Assign>();
    if (stmt.as<Comment>()) continue;
    if (!(declared && declared->value) && !assign) return {};
    std::optional<Sum> sum = assign ? sum_of(*assign) : std::nullopt;
    if (assign && (!sum || !summed.insert(sum->var))) return {};
    if (sum) sums.push_back(*sum);
    read.push_back(assign ? assign->value.as<Apply>()->operands[1] : *declared->value);
    if (calls(read.back())) return {};
    jumps = jumps || varying.jumps(read.back());
    if (declared) varying.declare(declared->var, read.back());
  }
  // A sum that something else reads is needed in the order of the iterations.
  for (const Sum& sum : sums) {
    if (std::any_of(read.begin(), read.end(), [&](const Expr& expr) { return reads(expr, sum.var); })) return {};
  }
  return jumps ? sums : std::vector<Sum>();
}

/// The body for the iteration at `at`, with variables of its own, adding to `sums` in place of the loop's.
Stmt iteration(const For& loop, const Expr& at, const std::vector<Sum>& own, const std::vector<Var>& sums) {
  Substitution renamed;
  renamed.set(loop.var, at);
  std::vector<Stmt> code;
  for (const Stmt& stmt : statements_of(loop.body)) {
    if (const Declare* declared = stmt.as<Declare>()) {
      Var var(declared->var.name(), declared->var.type());
      code.push_back(Declare{var, substitute(*declared->value, renamed)});
      renamed.set(declared->var, var);
    } else if (const Assign* assign = stmt.as<Assign>()) {
      size_t n = 0;
      while (!(own[n].var == assign->var)) n++;
      Expr operand = substitute(assign->value.as<Apply>()->operands[1], renamed);
      code.push_back(Assign{sums[n], Apply{own[n].op, {sums[n], operand}}});
    } else {
      code.push_back(stmt);
    }
  }
  return block(code);
}

std::optional<Stmt> with_several(const For& loop, size_t at_once) {
  if (loop.loop != LoopKind::Simd || loop.unrolled > 0) return std::nullopt;
  std::vector<Sum> sums = sums_in(loop);
  if (sums.empty()) return std::nullopt;
  Var at(loop.var.name(), loop.var.type()), end(loop.var.name() + "_end", loop.var.type());
  std::vector<Stmt> code, turn, behind;
  std::vector<std::vector<Var>> copies(at_once);
  for (const Sum& sum : sums) {
    copies[0].push_back(sum.var);
    for (size_t n = 1; n < at_once; n++) {
      copies[n].emplace_back(sum.var.name(), sum.var.type());
      code.push_back(declare(copies[n].back(), constant(*identity(sum.op, sum.var.type().element))));
    }
  }
  code.push_back(declare(at, loop.begin));
  code.push_back(declare(end, loop.end));
  for (size_t n = 0; n < at_once; n++)
    turn.push_back(iteration(loop, add(at, integer(static_cast<std::int64_t>(n))), sums, copies[n]));
  Expr next = add(at, integer(static_cast<std::int64_t>(at_once)));
  turn.push_back(assign(at, next));
  code.push_back(While{Apply{Operator::LessEqual, {next, end}}, block(turn)});
  for (size_t s = 0; s < sums.size(); s++) {
    std::vector<Expr> left;  // each of the first half with one of the second, until one is left
    for (const std::vector<Var>& copy : copies) left.push_back(copy[s]);
    while (left.size() > 1) {
      size_t half = (left.size() + 1) / 2;
      for (size_t n = half; n < left.size(); n++) left[n - half] = Apply{sums[s].op, {left[n - half], left[n]}};
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(half), left.end());
    }
    code.push_back(assign(sums[s].var, left[0]));
  }
  Stmt rest = block({iteration(loop, at, sums, copies[0]), increment(at)});
  code.push_back(While{less(at, end), rest});
  return block(code);
}

Stmt rewrite(const Stmt& stmt, size_t at_once) {
  if (const For* loop = stmt.as<For>()) {
    if (std::optional<Stmt> several = with_several(*loop, at_once)) return *several;
  }
  Stmt inside = map_children(
      stmt, [&](const Stmt& child) { return rewrite(child, at_once); }, [](const Expr& expr) { return expr; });
  const Block* list = inside.as<Block>();
  return list ? block(list->statements) : inside;
}

}  // namespace

FunctionDef several_sums(const FunctionDef& function, int at_once) {
  if (at_once < 2) return function;
  FunctionDef out = function;
  out.body = rewrite(function.body, static_cast<size_t>(at_once));
  return out;
}

}  // namespace filigree::passes
