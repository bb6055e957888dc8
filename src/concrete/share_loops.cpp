#include "concrete/share_loops.h"

#include <algorithm>

#include "notation/substitute.h"

namespace filigree::concrete {
namespace {

/// Loops around assignments, and nothing else.
struct Nest {
  std::vector<const Forall*> loops;
  std::vector<Assign> assigns;
};

std::optional<Nest> as_nest(const Stmt& stmt) {
  Nest nest;
  const Stmt* body = &stmt;
  while (const Forall* loop = body->as<Forall>()) {
    nest.loops.push_back(loop);
    body = &loop->body;
  }
  std::vector<Stmt> inside = {*body};
  if (const Multi* multi = body->as<Multi>()) inside = multi->statements;
  for (const Stmt& s : inside) {
    const Assign* assign = s.as<Assign>();
    if (!assign) return std::nullopt;
    nest.assigns.push_back(*assign);
  }
  return nest;
}

bool is_always_found(const TensorVar& tensor) {
  const std::vector<Level>& levels = tensor.format().levels();
  return std::all_of(levels.begin(), levels.end(),
                     [](const Level& level) { return level::is_always_found(*level.format); });
}

/// Does nothing where operands are absent change anything, and can the result be filled in any order?
bool is_simple(const Assign& assign) {
  const TensorVar& result = assign.lhs.tensor;
  if (assign.drops_fill || assign.prunes || assign.unless_equal || (result.order() > 0 && !result.format().is_dense()))
    return false;
  std::optional<Scalar> fill = notation::fill_of(assign.rhs),
                        start = assign.op ? identity(*assign.op, result.type()) : Scalar(result.type());
  if (!start || !(*start == result.fill())) return false;
  return !fill || fill->cast(result.type()) == *start;
}

bool is_simple(const Program& program) {
  const Environment& environment = program.environment;
  return !program.made && environment.derivations.empty() && environment.windows.empty() &&
         environment.protocols.empty() && environment.two_passes.empty() &&
         std::all_of(program.operands.begin(), program.operands.end(), [](const TensorVar& t) {
           return t.format().is_plain() && t.format().symmetry() == Symmetry::None;
         });
}

std::vector<Access> reads_of(const Nest& nest) {
  std::vector<Access> all;
  for (const Assign& assign : nest.assigns) {
    for (const Access& access : notation::accesses(assign.rhs)) {
      if (std::find(all.begin(), all.end(), access) == all.end()) all.push_back(access);
    }
  }
  return all;
}

/// The second program in terms of the first one's variables.
class Renaming {
 public:
  Renaming(const Nest& first, const Nest& second) {
    for (size_t n = 0; n < first.loops.size(); n++) renamed_.insert({second.loops[n]->var, first.loops[n]->var});
  }

  Access operator()(const Access& access) const {
    Access out = access;
    for (IndexVar& var : out.indices) var = variable(var);
    return out;
  }

  Expr operator()(const Expr& expr) const {
    if (const Access* access = expr.as<Access>()) return Expr((*this)(*access), expr.span());
    if (const auto* coordinate = expr.as<notation::Coordinate>())
      return Expr(notation::Coordinate{variable(coordinate->var)}, expr.span());
    return notation::map_children(expr, [&](const Expr& child) { return (*this)(child); });
  }

 private:
  IndexVar variable(const IndexVar& var) const {
    auto found = renamed_.find(var);
    return found == renamed_.end() ? var : found->second;
  }
  std::map<IndexVar, IndexVar> renamed_;
};

bool contains(const std::vector<Access>& accesses, const Access& access) {
  return std::find(accesses.begin(), accesses.end(), access) != accesses.end();
}

/// Is everything that is walked in one walked in the other, at the same indices?
bool walks_the_same(const std::vector<Access>& some, const std::vector<Access>& others) {
  return std::all_of(some.begin(), some.end(),
                     [&](const Access& access) { return is_always_found(access.tensor) || contains(others, access); });
}

/// Is the variable an index of an operand that both read in the same way?
bool has_one_extent(const IndexVar& var, const std::vector<Access>& some, const std::vector<Access>& others) {
  return std::any_of(some.begin(), some.end(), [&](const Access& access) {
    return filigree::contains(access.indices, var) && contains(others, access);
  });
}

}  // namespace

std::optional<Program> share_loops(const Program& first, const Program& second) {
  std::optional<Nest> a = as_nest(first.statement), b = as_nest(second.statement);
  if (!a || !b || a->loops.empty() || a->loops.size() != b->loops.size() || !is_simple(first) || !is_simple(second))
    return std::nullopt;
  for (size_t n = 0; n < a->loops.size(); n++) {
    if (a->loops[n]->as_stored != b->loops[n]->as_stored) return std::nullopt;
  }
  Renaming renamed(*a, *b);
  std::vector<Access> reads = reads_of(*a), other_reads;
  for (const Access& access : reads_of(*b)) other_reads.push_back(renamed(access));
  if (!walks_the_same(reads, other_reads) || !walks_the_same(other_reads, reads)) return std::nullopt;
  for (const Forall* loop : a->loops) {
    if (!has_one_extent(loop->var, reads, other_reads)) return std::nullopt;
  }
  std::vector<Stmt> together;
  for (const Assign& assign : a->assigns) together.push_back(assign);
  for (const Assign& assign : b->assigns) together.push_back(assign.with(renamed(assign.lhs), renamed(assign.rhs)));
  for (const Stmt& s : together) {
    if (!is_simple(*s.as<Assign>())) return std::nullopt;
  }

  Program shared = first;
  Stmt body = Multi{together};
  for (auto loop = a->loops.rbegin(); loop != a->loops.rend(); ++loop) body = (*loop)->with(body);
  shared.statement = body;
  shared.results.insert(shared.results.end(), second.results.begin(), second.results.end());
  for (const TensorVar& operand : second.operands) {
    if (std::find(shared.operands.begin(), shared.operands.end(), operand) == shared.operands.end())
      shared.operands.push_back(operand);
  }
  const std::vector<std::string>& remarks = second.environment.remarks;
  shared.environment.remarks.insert(shared.environment.remarks.end(), remarks.begin(), remarks.end());
  return shared;
}

}  // namespace filigree::concrete
