#include "concrete/concretize.h"

#include <algorithm>

#include <fmt/format.h>

#include "concrete/aligned_blocks.h"
#include "concrete/concretizer.h"
#include "concrete/loop_order.h"
#include "concrete/merge_reductions.h"
#include "concrete/derivations.h"
#include "concrete/unions.h"
#include "concrete/workspace.h"
#include "notation/assignment.h"
#include "notation/conditions.h"
#include "notation/index_forms.h"
#include "notation/injective.h"
#include "notation/substitute.h"
#include "notation/use_names.h"
#include "tensor/compose.h"
#include "tensor/symmetry.h"

namespace filigree::concrete {
namespace {

using notation::Apply;
using notation::Reduce;

/// Accesses outside reductions, which this nest reads itself, and those inside, which terms read.
void split_accesses(const Expr& expr, std::vector<Access>& own, std::vector<Access>& inside,
                    std::vector<Access>& temporaries) {
  if (const Reduce* reduce = expr.as<Reduce>()) {
    for (const Access& access : notation::accesses(reduce->body)) inside.push_back(access);
    std::vector<IndexVar> vars = notation::free_vars(expr);
    Format format = Format::dense(static_cast<int>(vars.size()));
    temporaries.push_back({TensorVar("temporary", expr.type(), format), vars});
  } else if (const Access* access = expr.as<Access>()) {
    own.push_back(*access);
  } else if (const Apply* apply = expr.as<Apply>()) {
    for (const Expr& operand : apply->operands) split_accesses(operand, own, inside, temporaries);
  }
}

/// Is a level arranged before it is known what is below its nodes?
bool is_arranged_first(const Format& format) {
  const std::vector<Level>& levels = format.levels();
  return std::any_of(levels.begin(), levels.end(),
                     [&](const Level& level) { return level.format->arrange() && &level != &levels.back(); });
}

/// A plain format that follows the orders of loops in which the format can be composed.
Format stand_in_format(const Format& format) {
  std::vector<std::vector<int>> orders = composable_orders(format);
  size_t all = 1;
  for (int n = 2; n <= format.order(); n++) all *= static_cast<size_t>(n);
  return orders.empty() || orders.size() == all ? Format::dense(format.order()) : *compose(format, orders.front());
}

}  // namespace

Concretizer::Concretizer(const notation::Statement& statement, bool in_pieces, const Requests& requests)
    : statement_(statement),
      rhs_(notation::with_conditions(statement.rhs)),
      in_pieces_(in_pieces),
      requests_(requests),
      limits_(requests.policy->unions(requests.small_unions)) {
  for (const WorkspaceRequest& request : requests.workspaces) {
    names_.use(request.name);
    for (const IndexVar& var : request.inner) names_.use(var.name());
  }
  notation::use_names(names_, statement);
}

Program Concretizer::run() {
  check_fills();
  const TensorVar& declared = statement_.lhs.tensor;
  Scalar fill = notation::result_fill(statement_);
  bool direct = can_be_assembled(declared.format()) && !(statement_.prunes && is_arranged_first(declared.format()));
  TensorVar result(declared.name(), declared.type(), direct ? declared.format() : assembled_instead(declared.format()),
                   fill);
  if (!direct) {
    environment_.remarks.push_back(fmt::format("'{}' is made as {} and packed into {} afterwards", result.name(),
                                               to_string(result.format()), to_string(declared.format())));
  }
  Access lhs{result, statement_.lhs.indices};
  result_.emplace(result);
  if (notation::has_maps(lhs)) slices_.relate(lhs);
  if (!statement_.op && !notation::is_injective(lhs)) slices_.imply_variables(lhs);
  for (const Access& access : notation::accesses(statement_.rhs)) {
    if (access.tensor.selection() && !access.tensor.selection()->padded) slices_.imply_selected(access);
    if (notation::has_maps(access) && is_read_in_place(access)) slices_.relate(access);
  }
  std::optional<AlignedBlocks> aligned;
  if (!is_padded_copy() && !notation::has_maps(statement_) && requests_.workspaces.empty())
    aligned = align_blocks(lhs, signed_rhs(), space_);
  if (aligned) {
    parts_ = aligned->parts;
    environment_.remarks.push_back(aligned->in_blocks
                                       ? "all operands divide their indices into the same blocks, so loops run over blocks"
                                       : "all operands have the same levels, so loops run over these");
    Stmt body = nest(aligned->lhs, notation::accumulation(statement_), aligned->rhs, {}, {});
    return finish(body, result, direct);
  }
  bool walks = is_padded_copy() && statement_.rhs.as<Access>()->tensor.format().symmetry() == Symmetry::None;
  return finish(walks ? copy(lhs) : nest(lhs, notation::accumulation(statement_), signed_rhs(), {}, {}), result,
                direct);
}

Program Concretizer::finish(Stmt body, const TensorVar& result, bool direct) {
  for (const Reformat& r : reformats_) body = Where{body, r.producer};
  const TensorVar& view = space_.view(result);
  if (statement_.prunes) body = pruned(body, view);
  collect_extents(view);
  Program program{body, {view}, operands(), environment_};
  if (!direct) program.made = result.format();
  return program;
}

Stmt Concretizer::pruned(const Stmt& body, const TensorVar& result) {
  const std::vector<Level>& levels = result.format().levels();
  if (std::all_of(levels.begin(), levels.end(),
                  [](const Level& level) { return level.format->pads() || level.format->is_implied(); })) {
    environment_.remarks.push_back(
        fmt::format("prune has no effect: '{}' stores every component that it has a place for", result.name()));
    return body;
  }
  return map_assigns(body, [&](const Assign& n) -> Stmt {
    Assign changed = n;
    changed.prunes = n.lhs.tensor == result;
    return changed;
  });
}

void Concretizer::check_fills() const {
  for (const Access& access : notation::accesses(statement_.rhs)) {
    const TensorVar& tensor = access.tensor;
    check_fill(tensor.fill(), tensor.format(), tensor.name());
    if (tensor.fill().is_zero() || !has_duplicates(tensor.format())) continue;
    throw UserError(fmt::format("'{}' ({}) may store a component several times, so its fill cannot be {}",
                                tensor.name(), to_string(tensor.format()), to_string(tensor.fill())))
        .hint("use a format that stores every component once");
  }
}

Expr Concretizer::signed_rhs() const {
  notation::Statement merged = statement_;
  merged.rhs = merge_reductions(rhs_);
  return notation::signed_right_side(merged);
}

bool Concretizer::is_padded_copy() const {
  const Access* source = statement_.rhs.as<Access>();
  if (!source || statement_.op || source->tensor.order() == 0 || notation::has_maps(statement_)) return false;
  Vars missing = without(statement_.lhs.indices, source->indices);
  return missing.empty() && source->tensor.format().pads() && !statement_.lhs.tensor.format().is_dense();
}

Access Concretizer::stand_in(const Access& access) {
  const Format& format = access.tensor.format();
  // It follows any order, and links no loops: that of i and j is no better for j <= i.
  if (access.tensor.condition()) return {TensorVar("any", ElementType::Bool, Format()), {}};
  if (notation::has_maps(access)) {
    std::optional<Access> in_place = is_read_in_place(access) || has_window(access) || access.tensor == *result_
                                         ? in_index_variables(access)
                                         : std::nullopt;
    if (in_place) return stand_in(*in_place);
    Vars free = free_of(access.indices);
    return {TensorVar("any", access.tensor.type(), Format::dense(static_cast<int>(free.size())), access.tensor.fill()),
            free};
  }
  if (format.is_plain() && (is_tame(format) || access.tensor == *result_)) return access;
  if (space_.is_composed(access.tensor)) return space_.view(access);
  auto known = stand_ins_.find(access.tensor);
  if (known == stand_ins_.end()) {
    TensorVar any("any", access.tensor.type(),
                  access.tensor == *result_ ? Format::dense(access.tensor.order()) : stand_in_format(format),
                  access.tensor.fill());
    known = stand_ins_.insert({access.tensor, any}).first;
  }
  return {known->second, access.indices};
}

LoopOrderProblem Concretizer::order_problem(const Access& lhs, std::optional<Operator> op, const Expr& rhs,
                                            const Vars& bound, const Vars& shared) {
  LoopOrderProblem problem{bound, nest_vars(lhs, rhs, bound), {}, stand_in(lhs), {}, shared, skips_matter(op, rhs)};
  split_accesses(rhs, problem.operands, problem.hints, problem.links);
  for (Access& access : problem.operands) access = stand_in(access);
  for (Access& access : problem.hints) access = stand_in(access);
  problem.before = around_workspaces(rhs);
  problem.wishes = wished_orders(rhs, problem.vars);
  return problem;
}

Stmt Concretizer::nest(const Access& lhs, std::optional<Operator> op, Expr rhs, const Vars& bound, const Vars& shared) {
  peel_reductions(lhs, op, rhs);
  if (can_accumulate_terms(lhs, op, rhs) && is_oversized(rhs, limits_)) return in_sequence(lhs, op, rhs, bound);
  if (std::optional<Stmt> added = added_as_stored(lhs, op, rhs, bound)) return *added;
  rhs = mark_unions(rhs, limits_);
  if (std::optional<Access> walked = walked_operand(lhs, op, rhs, bound))
    return walk_nest(lhs, op, rhs, *walked, bound);

  Vars order = choose_order(order_problem(lhs, op, rhs, bound, shared), *requests_.policy);
  if (std::optional<Expr> marked = marked_for_copies(rhs, concat(bound, order))) {
    if (can_accumulate_terms(lhs, op, rhs)) return in_sequence(lhs, op, rhs, bound);
    rhs = *marked;
    order = choose_order(order_problem(lhs, op, rhs, bound, shared), *requests_.policy);
  }
  Vars path = concat(bound, order);

  std::vector<Term> terms;
  rhs = reformat(extract_terms(rhs, rhs, bound, order, terms), path);
  std::vector<Access> reads = notation::accesses(rhs);
  for (const Term& term : terms) {
    for_each(term.producer, [&](const Stmt& s) {
      const Assign* assign = s.as<Assign>();
      for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>())
        reads.push_back(access);
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

Vars Concretizer::over_blocks(const IndexVar& var, const Access& lhs, const std::vector<Access>& reads) {
  if (!(lhs.tensor == *result_) || lhs.tensor.format().is_plain() || !contains(lhs.indices, var)) return {var};
  Vars blocks;
  for (int l = 0; l < lhs.tensor.format().level_count(); l++) {
    const relation::Digits* digits = lhs.tensor.format().levels()[l].coordinate.as<relation::Digits>();
    if (!digits || !(lhs.indices[digits->whole] == var)) continue;
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

void Concretizer::peel_reductions(const Access& lhs, std::optional<Operator>& op, Expr& rhs) const {
  bool combines = op && lhs.tensor == *result_;
  while (const Reduce* reduce = rhs.as<Reduce>()) {
    if (reduce->workspace) return;
    if (reduce->vars.empty()) {
      rhs = Expr(reduce->body);
      continue;
    }
    std::optional<Scalar> start = identity(reduce->op, lhs.tensor.type());
    if ((op && *op != reduce->op) || !start || !(*start == lhs.tensor.fill()) || rhs.type() != lhs.tensor.type())
      return;
    // A component that takes several reductions takes those of nothing but absent points, too.
    if (combines && !(absent_value(*reduce, rhs.type()) == *start)) return;
    // What a selection selects comes once.
    Vars told = with_derived(environment_, free_of(lhs.indices));
    if (op || !without(reduce->vars, told).empty()) op = reduce->op;
    rhs = Expr(reduce->body);
  }
}

bool Concretizer::can_accumulate_terms(const Access& lhs, std::optional<Operator> op, const Expr& rhs) {
  std::vector<Expr> terms = additive_terms(rhs);
  // 2 - (b(i) + 2) has nothing where b has nothing: numbers are there only beside something else.
  bool has_number =
      std::any_of(terms.begin(), terms.end(), [](const Expr& term) { return is_number(term) && !is_zero(term); });
  bool is_always_there = std::any_of(terms.begin(), terms.end(),
                                     [](const Expr& term) { return !is_number(term) && !notation::fill_of(term); });
  if (has_number && !is_always_there) return false;
  Vars all = notation::free_vars(rhs);
  return (!op || *op == Operator::Add) && lhs.tensor.fill().is_zero() && lhs.tensor.type() == rhs.type() &&
         terms.size() > 1 && std::all_of(terms.begin(), terms.end(), [&](const Expr& term) {
           std::optional<Scalar> fill = notation::fill_of(term);
           // A term without some variable of a reduction counts once for each of its coordinates.
           Vars reached = concat(free_of(lhs.indices), notation::free_vars(term));
           return (!fill || fill->is_zero()) && without(all, reached).empty();
         });
}

bool Concretizer::skips_matter(std::optional<Operator> op, const Expr& rhs) {
  if (!op || !facts(*op).idempotent) return false;
  std::optional<Scalar> fill =
      absent_value(Expr(Reduce{*op, {}, rhs}));  // as for the temporary that the reduction goes into
  return fill && identity(*op, rhs.type()) != fill;
}

Vars Concretizer::nest_vars(const Access& lhs, const Expr& rhs, const Vars& bound) const {
  Vars vars = in_parts(free_of(lhs.indices));
  append_new(vars, in_parts(notation::free_vars(rhs)));
  return without(vars, bound);
}

Vars Concretizer::in_parts(const Vars& vars) const {
  Vars out;
  for (const IndexVar& var : vars) {
    auto parts = parts_.find(var);
    append_new(out, parts == parts_.end() ? Vars{var} : parts->second);
  }
  return out;
}

std::vector<TensorVar> Concretizer::operands() {
  std::vector<TensorVar> out;
  for (const Access& access : notation::accesses(statement_.rhs)) {
    const TensorVar& view = space_.view(access.tensor);
    if (std::find(out.begin(), out.end(), view) == out.end()) out.push_back(view);
  }
  return out;
}

void Concretizer::collect_extents(const TensorVar& result) {
  auto note = [&](const TensorVar& tensor, const std::vector<IndexVar>& indices) {
    for (size_t d = 0; d < indices.size(); d++)
      environment_.extents.insert({indices[d], OfDimension{tensor, static_cast<int>(d)}});
  };
  std::vector<Access> all = notation::accesses(statement_.rhs);
  for (const Access& access : all) note(space_.view(access.tensor), access.indices);
  note(result, statement_.lhs.indices);
  all.push_back(statement_.lhs);
  for (const Access& access : all) collect_windows(access);
  for (const Access& access : all) collect_room(access);
  for (const IndexVar& var : notation::index_vars(statement_)) {
    if (auto given = statement_.extents.find(var); given != statement_.extents.end())
      environment_.extents.insert({var, relation::from_zero(given->second)});
    if (environment_.extents.count(var)) continue;
    refuse(
        UserError(
            fmt::format(
                "The extent of '{}' does not follow from a dimension: it only occurs in padded indices and as a value",
                var.name()))
            .hint(fmt::format("give it in the extents of the statement, or use '{}' as an index of the result, or of a "
                              "tensor that has the extent",
                              var.name()),
                  fmt::format("give it, as in -d {0}:100; or use '{0}' as an index of the result, or of a tensor that "
                              "has the extent",
                              var.name())),
        var);
  }
  check_room();
}

Vars Concretizer::without_room() const {
  Vars known, unknown;
  for (const auto& [var, extent] : environment_.extents) {
    if (!std::holds_alternative<OfRoom>(extent)) known.push_back(var);
  }
  auto tells = [&](const IndexVar& index, const IndexVar& var) {
    return without(free_of({index}), concat(known, {var})).empty();
  };
  for (bool more = true; more;) {
    more = false;
    unknown.clear();
    for (const auto& [var, extent] : environment_.extents) {
      const OfRoom* room = std::get_if<OfRoom>(&extent);
      if (!room || contains(known, var)) continue;
      bool follows = std::any_of(room->indices.begin(), room->indices.end(),
                                 [&, v = var](const IndexVar& index) { return tells(index, v); });
      (follows ? known : unknown).push_back(var);
      more |= follows;
    }
  }
  return unknown;
}

void Concretizer::check_room() {
  Vars unknown = without_room();
  for (const IndexVar& var : unknown) {
    if (auto given = statement_.extents.find(var); given != statement_.extents.end())
      environment_.extents.insert_or_assign(var, relation::from_zero(given->second));
  }
  unknown = without_room();
  if (unknown.size() < 2) return;
  refuse(UserError(fmt::format("The extents of '{}' and '{}' do not follow from a dimension: only those of sums do",
                               unknown[0].name(), unknown[1].name()))
             .hint("give one of them in the extents of the statement, or use one alone, as an index of the result or "
                   "of a tensor that has the extent, or in a window",
                   fmt::format("give one of them, as in -d {}:100, or use one alone, as an index of the result or of a "
                               "tensor that has the extent, or in a window",
                               unknown[0].name())),
         unknown[0]);
}

void Concretizer::refuse(UserError error, const IndexVar& var) const {
  if (!statement_.source) throw error;
  std::optional<Span> use;
  notation::for_each(statement_.rhs, [&](const Expr& expr) {
    const Access* access = expr.as<Access>();
    const notation::Coordinate* value = expr.as<notation::Coordinate>();
    bool uses = (access && contains(free_of(access->indices), var)) || (value && value->var == var);
    if (uses && !use) use = expr.span();
  });
  throw std::move(error).at(statement_.source, use.value_or(statement_.lhs_span));
}

void Concretizer::collect_windows(const Access& access) {
  for (const IndexVar& index : access.indices) {
    if (index.map() && index.map()->extent)
      environment_.extents.insert({index.map()->terms[0].var, relation::from_zero(*index.map()->extent)});
  }
}

void Concretizer::collect_room(const Access& access) {
  for (const IndexVar& index : access.indices) {
    if (!index.map() || index.map()->padded) continue;
    for (const auto& [var, factor] : index.map()->terms) {
      Extent& extent = environment_.extents.insert({var, OfRoom{}}).first->second;
      OfRoom* room = std::get_if<OfRoom>(&extent);
      if (room && !contains(room->indices, index)) room->indices.push_back(index);
    }
  }
}

Program concretize(const notation::Statement& statement, bool in_pieces, const Requests& requests) {
  return Concretizer(statement, in_pieces, requests).run();
}

}  // namespace filigree::concrete
