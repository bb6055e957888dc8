#include "concrete/concretize.h"

#include <algorithm>

#include <fmt/format.h>

#include "concrete/aligned_blocks.h"
#include "concrete/level_space.h"
#include "concrete/loop_order.h"
#include "concrete/merge_reductions.h"
#include "concrete/products.h"
#include "concrete/unions.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"
#include "notation/substitute.h"
#include "support/fresh_names.h"
#include "support/text.h"

namespace filigree::concrete {
namespace {

using notation::Apply;
using notation::Reduce;

using Vars = std::vector<IndexVar>;

void append_new(Vars& vars, const Vars& more) {
  for (const IndexVar& var : more) {
    if (!contains(vars, var)) vars.push_back(var);
  }
}

Vars without(const Vars& vars, const Vars& removed) {
  Vars left;
  for (const IndexVar& var : vars) {
    if (!contains(removed, var)) left.push_back(var);
  }
  return left;
}

Vars concat(Vars a, const Vars& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string names(const Vars& vars) {
  std::vector<std::string> parts;
  for (const IndexVar& var : vars) parts.push_back(var.name());
  return join(parts, ", ");
}

/// Accesses outside reductions, which this nest reads itself, and those inside, which terms read.
void split_accesses(const Expr& expr, std::vector<Access>& own, std::vector<Access>& inside) {
  if (const Reduce* reduce = expr.as<Reduce>()) {
    for (const Access& access : notation::accesses(reduce->body)) inside.push_back(access);
  } else if (const Access* access = expr.as<Access>()) {
    own.push_back(*access);
  } else if (const Apply* apply = expr.as<Apply>()) {
    for (const Expr& operand : apply->operands) split_accesses(operand, own, inside);
  }
}

bool is_zero(const Expr& expr) {
  const Apply* negated = expr.as<Apply>();
  if (negated && negated->op == Operator::Negate) return is_zero(negated->operands[0]);
  const notation::Literal* literal = expr.as<notation::Literal>();
  return literal && literal->value.is_zero();
}

/// Can every level be looked up?
bool can_be_located(const Format& format) {
  return format.is_plain() && std::all_of(format.levels().begin(), format.levels().end(), [](const Level& level) { return level.format->locate() != nullptr; });
}

Expr with_access(const Expr& expr, const Access& from, const Expr& to) {
  if (const Access* access = expr.as<Access>()) return *access == from ? to : expr;
  return notation::map_children(expr, [&](const Expr& child) { return with_access(child, from, to); });
}

/// The same with two index variables exchanged.
Vars swapped(Vars vars, const IndexVar& a, const IndexVar& b) {
  for (IndexVar& var : vars) var = var == a ? b : var == b ? a : var;
  return vars;
}

/// A reduction inside an expression: computed into a temporary around loop number `depth` of its consumer.
struct Term {
  Access temporary;
  Stmt producer;
  size_t depth;
};

class Concretizer {
 public:
  Concretizer(const notation::Statement& statement, bool in_pieces) : statement_(statement), in_pieces_(in_pieces) {
    names_.use(statement.lhs.tensor.name());
    for (const IndexVar& var : notation::index_vars(statement)) names_.use(var.name());
    for (const Access& access : notation::accesses(statement.rhs)) names_.use(access.tensor.name());
  }

  Program run() {
    check_fills();
    const TensorVar& declared = statement_.lhs.tensor;
    Scalar fill = result_fill();
    bool direct = can_be_assembled(declared.format());
    TensorVar result(declared.name(), declared.type(), direct ? declared.format() : assembled_instead(declared.format()), fill);
    if (!direct) {
      environment_.remarks.push_back(fmt::format("'{}' is made as {} and packed into {} afterwards", result.name(), to_string(result.format()), to_string(declared.format())));
    }
    Access lhs{result, statement_.lhs.indices};
    result_.emplace(result);
    std::optional<AlignedBlocks> aligned;
    if (!is_padded_copy()) aligned = align_blocks(lhs, signed_rhs(), space_);
    if (aligned) {
      parts_ = aligned->parts;
      environment_.remarks.push_back("all operands divide their indices into the same blocks, so loops run over blocks");
      Stmt body = nest(aligned->lhs, accumulation(), aligned->rhs, {}, {});
      return finish(body, result, direct);
    }
    bool walks = is_padded_copy() && statement_.rhs.as<Access>()->tensor.format().symmetry() == Symmetry::None;
    return finish(walks ? copy(lhs) : nest(lhs, accumulation(), signed_rhs(), {}, {}), result, direct);
  }

 private:
  Program finish(Stmt body, const TensorVar& result, bool direct) {
    for (const Reformat& r : reformats_) body = Where{body, r.producer};
    const TensorVar& view = space_.view(result);
    collect_extents(view);
    Program program{body, {view}, operands(), environment_};
    if (!direct) program.made = result.format();
    return program;
  }

  /// Where a component is stored several times its values are summed, and the sum starts at 0.
  void check_fills() const {
    for (const Access& access : notation::accesses(statement_.rhs)) {
      const TensorVar& tensor = access.tensor;
      if (tensor.fill().is_zero() || !has_duplicates(tensor.format())) continue;
      throw UserError(fmt::format("'{}' ({}) may store a component several times, so its fill cannot be {}", tensor.name(), to_string(tensor.format()), to_string(tensor.fill())))
          .hint("use a format that stores every component once");
    }
  }

  /// An operand in another storage order, made once outside all loops.
  struct Reformat {
    TensorVar tensor;
    std::vector<int> dimensions;
    TensorVar copy;
    Stmt producer;
  };

  /// The result starts empty, so adding to it is assigning; other operators start at their identity.
  std::optional<Operator> accumulation() const {
    bool additive = statement_.op == Operator::Add || statement_.op == Operator::Subtract;
    return additive ? std::nullopt : statement_.op;
  }
  Scalar result_fill() const {
    const TensorVar& declared = statement_.lhs.tensor;
    if (std::optional<Operator> op = accumulation()) return identity(*op, declared.type()).value_or(declared.fill());
    return notation::fill_of(signed_rhs()).value_or(declared.fill()).cast(declared.type());
  }
  Expr signed_rhs() const {
    Expr rhs = merge_reductions(statement_.rhs);
    return statement_.op == Operator::Subtract ? Expr(Apply{Operator::Negate, {rhs}}, rhs.span()) : rhs;
  }

  /// A plain copy out of a format that pads leaves the padding behind.
  bool is_padded_copy() const {
    const Access* source = statement_.rhs.as<Access>();
    if (!source || statement_.op || source->tensor.order() == 0) return false;
    Vars missing = without(statement_.lhs.indices, source->indices);
    return missing.empty() && source->tensor.format().pads() && !statement_.lhs.tensor.format().is_dense();
  }

  Stmt copy(const Access& lhs) {
    const Access& source = *statement_.rhs.as<Access>();
    environment_.remarks.push_back(fmt::format("'{}' is stored with padding: values that equal its fill are left out",
                                               source.tensor.name()));
    std::optional<Operator> op = has_duplicates(source.tensor.format()) ? std::optional(Operator::Add) : std::nullopt;
    return foralls(space_.walk(source), visit_stored(source, Assign{target(lhs), op, statement_.rhs, true}), true);
  }

  /// Where the left side is stored: its levels, if they are not its dimensions.
  Access target(const Access& lhs) { return lhs.tensor == *result_ ? space_.view(lhs) : lhs; }

  /// The assignment for each component of `source` that is stored; for symmetric ones also for its mirror image.
  Stmt visit_stored(const Access& source, const Assign& assign) {
    Access stored = space_.view(source);
    Assign here{assign.lhs, assign.op, with_access(assign.rhs, source, Expr(stored)), assign.drops_fill};
    Symmetry symmetry = source.tensor.format().symmetry();
    if (symmetry == Symmetry::None) return here;
    const IndexVar &i = source.indices[0], &j = source.indices[1];
    std::function<Expr(const Expr&)> mirrored = [&](const Expr& e) -> Expr {
      const Access* access = e.as<Access>();
      if (!access) return notation::map_children(e, mirrored);
      if (!(*access == source)) return Expr(Access{access->tensor, swapped(access->indices, i, j)}, e.span());
      if (symmetry == Symmetry::Skew) return Apply{Operator::Negate, {Expr(stored)}};
      return symmetry == Symmetry::Hermitian && is_complex(e.type()) ? Expr(Apply{Operator::Conjugate, {Expr(stored)}}) : Expr(stored);
    };
    Assign there{mirrored_target(assign.lhs, i, j), assign.op, mirrored(assign.rhs), assign.drops_fill, std::pair(i, j)};
    return Sequence{{here, there}};
  }

  Access mirrored_target(const Access& lhs, const IndexVar& i, const IndexVar& j) {
    if (!(lhs.tensor == space_.view(*result_)) || result_->format().is_plain()) return {lhs.tensor, swapped(lhs.indices, i, j)};
    return space_.view(Access{*result_, swapped(statement_.lhs.indices, i, j)});
  }

  /// The operand to walk as it is stored, if `rhs` is a product in which it alone decides where there is something: every other
  /// factor can be looked up.
  std::optional<Access> walked_operand(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Vars& bound) {
    std::vector<Access> factors, divisors;
    if (!collect_factors(rhs, factors, divisors)) return std::nullopt;
    std::optional<Access> walked;
    for (const Access& access : factors) {
      if (is_tame(access.tensor.format()) && !repeats_coordinates(access.tensor.format())) continue;
      if (walked) return std::nullopt;
      walked = access;
    }
    if (!walked || is_appended_in_order(lhs, *walked)) return std::nullopt;
    const Format& format = walked->tensor.format();
    // Where an index follows from levels no loop runs over it, in which something could be found missing.
    for (const Access& access : factors) {
      bool found = can_be_located(access.tensor.format()) && format.is_plain() && without(access.indices, walked->indices).empty() &&
                   follows(access, level_vars(*walked));
      if (!(access == *walked) && !access.tensor.format().is_dense() && !found) return std::nullopt;
    }
    for (const Access& access : divisors) {
      // x/0 + y/0 is not (x + y)/0.
      if (!access.tensor.format().is_dense() || has_duplicates(format)) return std::nullopt;
    }
    // Only what is stored is visited: the rest has to be 0 and to add nothing.
    bool skips = walked->tensor.fill().is_zero() && (!op || identity(*op, rhs.type()) == Scalar(rhs.type()));
    if (!skips && (op || !rhs.as<Access>())) return std::nullopt;
    bool accumulates = has_duplicates(format) || format.symmetry() != Symmetry::None;
    bool adds = (!op || *op == Operator::Add) && lhs.tensor.fill().is_zero() && walked->tensor.fill().is_zero();
    // A mirror image is stored elsewhere, which a result that is filled in order cannot do.
    bool anywhere = format.symmetry() == Symmetry::None || !(lhs.tensor == *result_) || lhs.tensor.format().is_dense();
    bool free = anywhere && std::none_of(walked->indices.begin(), walked->indices.end(), [&](const IndexVar& v) { return contains(bound, v); });
    return free && (!accumulates || adds) && !skips_matter(op, rhs) ? walked : std::nullopt;
  }

  /// Do loops over the operand's coordinates reach the result's levels in order?  Then it is appended to, without counting first.
  bool is_appended_in_order(const Access& lhs, const Access& operand) {
    if (in_pieces_ || !(lhs.tensor == *result_) || !is_tame(operand.tensor.format())) return false;
    const std::vector<Level>& levels = lhs.tensor.format().levels();
    bool appends = std::any_of(levels.begin(), levels.end(), [](const Level& level) { return !level.format->insert(); });
    return appends && lhs.tensor.format().is_plain() && level_vars(lhs) == level_vars(operand);
  }

  /// lhs op= rhs, where `walked` is visited as it is stored.
  Stmt walk_nest(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Access& walked, const Vars& bound) {
    Vars walk = space_.walk(walked);
    Vars around = concat(bound, concat(walk, without(walked.indices, walk)));
    std::vector<Access> others;
    for (const Access& access : notation::accesses(rhs)) {
      if (!(access == walked)) others.push_back(access);
    }
    Vars rest = choose_order({around, without(nest_vars(lhs, rhs, bound), around), others, stand_in(lhs), {}, {}});
    if (has_duplicates(walked.tensor.format()) && !op) op = Operator::Add;
    environment_.remarks.push_back(fmt::format("'{}' is visited as it is stored ({})", walked.tensor.name(), to_string(walked.tensor.format())));
    return foralls(walk, foralls(rest, visit_stored(walked, Assign{target(lhs), op, rhs})), true);
  }

  /// For choosing an order of loops: an operand that will be copied into any order, or a result with levels of its own.
  Access stand_in(const Access& access) {
    const Format& format = access.tensor.format();
    if (format.is_plain() && (is_tame(format) || access.tensor == *result_)) return access;
    auto known = stand_ins_.find(access.tensor);
    if (known == stand_ins_.end()) {
      TensorVar any("any", access.tensor.type(), Format::dense(access.tensor.order()), access.tensor.fill());
      known = stand_ins_.insert({access.tensor, any}).first;
    }
    return {known->second, access.indices};
  }

  /// lhs op= rhs inside the loops `bound`; `shared` are loops of the consumer worth sharing.
  Stmt nest(const Access& lhs, std::optional<Operator> op, Expr rhs, const Vars& bound, const Vars& shared) {
    peel_reductions(lhs, op, rhs);
    if (can_accumulate_terms(lhs, op, rhs) && is_oversized(rhs)) return in_sequence(lhs, op, rhs, bound);
    rhs = mark_unions(rhs);
    if (std::optional<Access> walked = walked_operand(lhs, op, rhs, bound)) return walk_nest(lhs, op, rhs, *walked, bound);

    LoopOrderProblem problem{bound, nest_vars(lhs, rhs, bound), {}, stand_in(lhs), {}, shared, skips_matter(op, rhs)};
    split_accesses(rhs, problem.operands, problem.hints);
    for (Access& access : problem.operands) access = stand_in(access);
    for (Access& access : problem.hints) access = stand_in(access);
    Vars order = choose_order(problem);
    Vars path = concat(bound, order);

    std::vector<Term> terms;
    rhs = reformat(extract_terms(rhs, bound, order, terms), path);
    std::vector<Access> reads = notation::accesses(rhs);
    for (const Term& term : terms) {
      for_each(term.producer, [&](const Stmt& s) {
        const Assign* assign = s.as<Assign>();
        for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>()) reads.push_back(access);
      });
    }
    Stmt body = Assign{target(lhs), op, rhs};
    for (size_t depth = order.size() + 1; depth-- > 0;) {
      if (depth < order.size()) body = foralls(over_blocks(order[depth], lhs, reads), body);
      for (const Term& term : terms) {
        if (term.depth == depth) body = Where{body, term.producer};
      }
    }
    return body;
  }

  /// The loops for `var`: over blocks and what is inside them, if that is how the result is stored and every operand can follow.
  Vars over_blocks(const IndexVar& var, const Access& lhs, const std::vector<Access>& reads) {
    if (!(lhs.tensor == *result_) || lhs.tensor.format().is_plain() || !contains(lhs.indices, var)) return {var};
    Vars blocks;
    for (int l = 0; l < lhs.tensor.format().level_count(); l++) {
      const relation::Digits* digits = lhs.tensor.format().levels()[l].coordinate.as<relation::Digits>();
      if (!digits || !(lhs.indices[digits->dimension] == var)) continue;
      if (digits->divisor == 1 && digits->modulus == 0) return {var};
      blocks.push_back(target(lhs).indices[l]);
    }
    bool all_follow = blocks.size() > 1;
    for (const Access& access : reads) {
      for (const Level& level : access.tensor.format().levels()) {
        all_follow = all_follow && (access.indices[level.dimension()] != var || level::is_always_found(*level.format));
      }
    }
    return all_follow ? blocks : Vars{var};
  }

  /// A reduction that is the whole right side needs no temporary: the left side accumulates, if
  /// what it starts from is what absence means for it.
  static void peel_reductions(const Access& lhs, std::optional<Operator>& op, Expr& rhs) {
    while (const Reduce* reduce = rhs.as<Reduce>()) {
      if (reduce->vars.empty()) {
        rhs = Expr(reduce->body);
        continue;
      }
      std::optional<Scalar> start = identity(reduce->op, lhs.tensor.type());
      if ((op && *op != reduce->op) || !start || !(*start == lhs.tensor.fill()) || rhs.type() != lhs.tensor.type()) return;
      op = reduce->op;
      rhs = Expr(reduce->body);
    }
  }

  /// Is the right side a sum whose terms can be added one after the other, absent ones adding nothing?
  static bool can_accumulate_terms(const Access& lhs, std::optional<Operator> op, const Expr& rhs) {
    std::vector<Expr> terms = additive_terms(rhs);
    return (!op || *op == Operator::Add) && lhs.tensor.fill().is_zero() && terms.size() > 1 &&
           std::all_of(terms.begin(), terms.end(), [&](const Expr& term) {
             std::optional<Scalar> fill = notation::fill_of(term);
             // A term without some variable of a reduction counts once for each of its coordinates.
             Vars reached = concat(lhs.indices, notation::free_vars(term));
             return (!fill || fill->is_zero()) && without(notation::free_vars(rhs), reached).empty();
           });
  }

  /// Must the reduction see absent points, because their fill is not where it starts?  Then whether
  /// anything was present is known only where one component's reduction is done in one go.
  static bool skips_matter(std::optional<Operator> op, const Expr& rhs) {
    if (!op || !facts(*op).idempotent) return false;
    std::optional<Scalar> fill = notation::fill_of(rhs);
    return fill && identity(*op, rhs.type()) != fill;
  }

  Vars nest_vars(const Access& lhs, const Expr& rhs, const Vars& bound) const {
    Vars vars = in_parts(lhs.indices);
    append_new(vars, in_parts(notation::free_vars(rhs)));
    return without(vars, bound);
  }

  /// Indices that are divided into blocks by their parts.
  Vars in_parts(const Vars& vars) const {
    Vars out;
    for (const IndexVar& var : vars) {
      auto parts = parts_.find(var);
      append_new(out, parts == parts_.end() ? Vars{var} : parts->second);
    }
    return out;
  }

  /// A long sum of sparse terms: one after the other into the same tensor, so that code grows with the
  /// number of terms and not with the number of subsets.
  Stmt in_sequence(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Vars& bound) {
    LoopOrderProblem problem{bound, nest_vars(lhs, rhs, bound), notation::accesses(rhs), stand_in(lhs), {}, {}};
    for (Access& access : problem.operands) access = stand_in(access);
    Vars prefix;
    for (const IndexVar& var : choose_order(problem)) {
      if (!contains(lhs.indices, var) || union_points(rhs, var) > 0) break;
      prefix.push_back(var);
    }
    std::vector<Stmt> statements;
    std::vector<Expr> terms = additive_terms(rhs);
    std::erase_if(terms, is_zero);  // it would only make every component present
    if (terms.size() == 1) return nest(lhs, op, terms[0], bound, {});
    for (const Expr& term : terms) {
      statements.push_back(nest(lhs, Operator::Add, term, concat(bound, prefix), {}));
    }
    environment_.remarks.push_back(fmt::format("the {} terms of '{}' are added one after the other: a loop over their union would need a case for every subset",
                                               terms.size(), lhs.tensor.name()));
    return foralls(prefix, Sequence{statements});
  }

  /// `rhs` with each outermost reduction replaced by the temporary it is computed into.
  Expr extract_terms(const Expr& rhs, const Vars& bound, const Vars& order, std::vector<Term>& terms) {
    if (rhs.as<Reduce>()) {
      terms.push_back(make_term(rhs, bound, order));
      return Expr(terms.back().temporary, rhs.span());
    }
    return notation::map_children(rhs, [&](const Expr& child) { return extract_terms(child, bound, order, terms); });
  }

  /// What a reduction is worth when none of its points is present: reductions inside it have none either.
  static Scalar absent_value(const Reduce& reduce, ElementType type) {
    std::function<Expr(const Expr&)> without_inner = [&](const Expr& e) -> Expr {
      if (const Reduce* inner = e.as<Reduce>()) return Expr(notation::Literal{absent_value(*inner, e.type()), true});
      return notation::map_children(e, without_inner);
    };
    std::optional<Scalar> fill = notation::fill_of(Expr(Reduce{reduce.op, reduce.vars, reduce.body}));
    if (!fill) fill = notation::fill_of(notation::simplify(Expr(Reduce{reduce.op, reduce.vars, without_inner(reduce.body)})));
    Scalar start = identity(reduce.op, type).value_or(Scalar(type));
    return fill.value_or(start).cast(type);
  }

  Term make_term(const Expr& expr, const Vars& bound, const Vars& consumer_order) {
    const Reduce& reduce = *expr.as<Reduce>();
    Vars free = without(in_parts(notation::free_vars(expr)), bound);
    Vars vars = free;
    append_new(vars, in_parts(reduce.vars));
    TensorVar shape("shape", expr.type(), workspace_format(static_cast<int>(free.size())));
    LoopOrderProblem problem{bound, vars, notation::accesses(reduce.body), Access{shape, free}, {}, consumer_order, skips_matter(reduce.op, reduce.body)};
    for (Access& access : problem.operands) access = stand_in(access);
    Vars order = choose_order(problem);
    // What is walked as it is stored shares no loop.
    Access any{TensorVar("any", expr.type(), Format(), absent_value(reduce, expr.type())), {}};
    bool walks = walked_operand(any, reduce.vars.empty() ? std::nullopt : std::optional(reduce.op), reduce.body, bound).has_value();
    if (walks) order.clear();
    size_t depth = 0;
    // A part that was marked to keep unions small shares no loop in which its operands would meet the others.
    auto may_share = [&](const IndexVar& var) {
      return reduce.vars.empty() ? union_points(expr, var) == 0 : !is_oversized_inside(expr, var);
    };
    while (depth < order.size() && depth < consumer_order.size() && order[depth] == consumer_order[depth] && may_share(order[depth])) depth++;
    Vars around(consumer_order.begin(), consumer_order.begin() + depth);
    Vars indices;  // in the consumer's order, so that it reads the temporary in order
    for (const IndexVar& var : consumer_order) {
      if (contains(free, var) && !contains(around, var)) indices.push_back(var);
    }
    Scalar fill = absent_value(reduce, expr.type());
    int rank = static_cast<int>(indices.size());
    TensorVar temporary(names_.make(rank == 0 ? "t" : "w"), expr.type(), workspace_format(rank), fill);
    Access access{temporary, indices};
    std::optional<Operator> op = reduce.vars.empty() ? std::nullopt : std::optional(reduce.op);
    if (rank > 0) {
      environment_.remarks.push_back(fmt::format("'{}' is computed into the workspace '{}' over {}", notation::to_string(expr),
                                                 temporary.name(), names(indices)));
    }
    // Accumulating by the reduction's operator is right only from its identity; a temporary with
    // another fill is unwritten where nothing was reduced, and then reads as that fill.
    return {access, nest(access, op, reduce.body, concat(bound, around), {}), depth};
  }

  /// `rhs` with operands that cannot be walked along `path` replaced by reformatted copies.
  Expr reformat(const Expr& rhs, const Vars& path) { return reformat(rhs, path, rhs); }
  Expr reformat(const Expr& rhs, const Vars& path, const Expr& whole) {
    if (const Access* access = rhs.as<Access>()) {
      bool tame = is_tame(access->tensor.format());
      if ((tame || can_be_found(whole, *access, path)) && follows(*access, path)) return rhs;
      const Reformat& r = reformatted(*access, dimensions_in_order(*access, path));
      std::vector<IndexVar> indices;
      for (int dimension : r.dimensions) indices.push_back(access->indices[dimension]);
      return Expr(Access{r.copy, indices}, rhs.span());
    }
    return notation::map_children(rhs, [&](const Expr& child) { return reformat(child, path, whole); });
  }

  const Reformat& reformatted(const Access& access, const std::vector<int>& dimensions) {
    const TensorVar& tensor = access.tensor;
    for (const Reformat& r : reformats_) {
      if (r.tensor == tensor && r.dimensions == dimensions) return r;
    }
    std::string suffix = tensor.order() == 2 ? "t" : "";
    if (tensor.order() != 2) for (int dimension : dimensions) suffix += std::to_string(dimension);
    std::vector<IndexVar> indices;
    for (int dimension : dimensions) indices.push_back(access.indices[dimension]);
    bool tame = is_tame(tensor.format());
    std::optional<Operator> op = has_duplicates(tensor.format()) ? std::optional(Operator::Add) : std::nullopt;
    std::string name = names_.make(tensor.name() + "_" + suffix);
    auto copied_into = [&](const TensorVar& copy) {
      return foralls(space_.walk(access), visit_stored(access, Assign{Access{copy, indices}, op, Expr(access), is_padded_copy()}), true);
    };
    // A matrix is sorted into rows by counting them.
    TensorVar copy(name, tensor.type(), counted_rows_format(), tensor.fill());
    Stmt producer = copied_into(copy);
    std::optional<TwoPasses> two_passes = tensor.order() == 2 ? in_two_passes(producer, copy, environment_) : std::nullopt;
    if (two_passes) {
      environment_.two_passes.insert({copy, *two_passes});
    } else {
      copy = TensorVar(name, tensor.type(), tame ? insertable_format(tensor.format().levels(), true) : workspace_format(tensor.order()), tensor.fill());
      producer = copied_into(copy);
    }
    environment_.remarks.push_back(fmt::format("'{}' is copied into '{}' ordered by {}: its levels ({}) cannot be walked in the order of the loops",
                                               tensor.name(), copy.name(), names(indices), to_string(tensor.format())));
    reformats_.push_back({tensor, dimensions, copy, producer});
    return reformats_.back();
  }

  std::vector<TensorVar> operands() {
    std::vector<TensorVar> out;
    for (const Access& access : notation::accesses(statement_.rhs)) {
      const TensorVar& view = space_.view(access.tensor);
      if (std::find(out.begin(), out.end(), view) == out.end()) out.push_back(view);
    }
    return out;
  }

  void collect_extents(const TensorVar& result) {
    auto note = [&](const TensorVar& tensor, const std::vector<IndexVar>& indices) {
      for (size_t d = 0; d < indices.size(); d++) environment_.extents.insert({indices[d], OfDimension{tensor, static_cast<int>(d)}});
    };
    for (const Access& access : notation::accesses(statement_.rhs)) note(space_.view(access.tensor), access.indices);
    note(result, statement_.lhs.indices);
  }

  const notation::Statement& statement_;
  bool in_pieces_;
  Environment environment_;
  std::vector<Reformat> reformats_;
  FreshNames names_;
  LevelSpace space_{environment_, names_};
  std::optional<TensorVar> result_;
  std::map<TensorVar, TensorVar> stand_ins_;
  std::map<IndexVar, Vars> parts_;
};

}  // namespace

Program concretize(const notation::Statement& statement, bool in_pieces) { return Concretizer(statement, in_pieces).run(); }

}  // namespace filigree::concrete
