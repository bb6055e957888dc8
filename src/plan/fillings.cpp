#include "plan/fillings.h"

#include <algorithm>

#include <fmt/format.h>

#include "concrete/joining.h"
#include "concrete/visits.h"
#include "level/join.h"
#include "plan/division.h"

namespace filigree::plan {
namespace {

using concrete::Access;

const level::Format& format_of(const TensorVar& tensor, int level) {
  return *tensor.format().levels()[static_cast<size_t>(level)].format;
}

bool counts_entries(const TensorVar& tensor) {
  const std::vector<Level>& levels = tensor.format().levels();
  return std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.format->counts_entries(); });
}

/// The first left side of each tensor with levels, and of each result.
std::vector<Access> filled(const concrete::Program& program) {
  std::vector<Access> all;
  concrete::for_each(program.statement, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign) return;
    const TensorVar& tensor = assign->lhs.tensor;
    bool is_result = std::find(program.results.begin(), program.results.end(), tensor) != program.results.end();
    bool is_known = std::any_of(all.begin(), all.end(), [&](const Access& known) { return known.tensor == tensor; });
    if ((is_result || tensor.order() > 0) && !is_known) all.push_back(assign->lhs);
  });
  return all;
}

/// Some assignment to what the producer of a `where` is there for.
const concrete::Assign& some_assign(const concrete::Stmt& stmt) {
  return match(
      stmt, [](const concrete::Forall& n) -> const concrete::Assign& { return some_assign(n.body); },
      [](const concrete::Where& n) -> const concrete::Assign& { return some_assign(n.consumer); },
      [](const concrete::Sequence& n) -> const concrete::Assign& { return some_assign(n.statements.front()); },
      [](const concrete::Multi& n) -> const concrete::Assign& { return some_assign(n.statements.front()); },
      [](const concrete::Assign& n) -> const concrete::Assign& { return n; });
}

/// Can the level be told where another has its nodes?
bool takes_positions(const level::Format& format) {
  level::Instance level{"level", {}, {}, {}, ir::integer(0)};
  for (const level::ArrayDescription& array : format.arrays())
    level.arrays.emplace_back(array.name, ir::array(ElementType::Int64));
  if (format.uses_table()) level.table = ir::Var("table", ir::table());
  if (format.uses_count()) level.count = ir::int64_var("count");
  return format.locate() && format.insert() &&
         format.insert()->set_position(level, ir::integer(0), ir::integer(0)).has_value();
}

/// Can the index be there before any value is?
bool can_have_index_first(const TensorVar& tensor) {
  std::optional<int> blocks = last_appended(Appended(), tensor);
  if (!blocks || *blocks + 1 == tensor.order() || !tensor.fill().is_zero()) return false;
  const level::Format& own = format_of(tensor, *blocks);
  if (own.arrange() || !own.position_iteration()) return false;
  for (int l = 0; l < *blocks; l++) {
    if (is_appended(Appended(), tensor, l) || !level::is_always_found(format_of(tensor, l))) return false;
  }
  return true;
}

/// If the statement is loops around a workspace with a row of blocks of `tensor`, which are copied to it: the
/// workspace.
std::optional<TensorVar> block_rows(const concrete::Stmt& stmt, const TensorVar& tensor, const Fillings& fillings) {
  const concrete::Forall* forall = stmt.as<concrete::Forall>();
  if (!forall || forall->tag.parallel) return std::nullopt;
  if (forall->body.as<concrete::Forall>()) return block_rows(forall->body, tensor, fillings);
  const concrete::Where* where = forall->body.as<concrete::Where>();
  const concrete::Assign* copy = where ? only_assign(where->consumer) : nullptr;
  const Access* source = copy ? copy->rhs.as<Access>() : nullptr;
  if (!source || copy->lhs.tensor != tensor || !copies_whole_nodes(*copy, fillings)) return std::nullopt;
  const concrete::Assign& write = some_assign(where->producer);
  bool is_row = write.lhs.tensor == source->tensor &&
                source->tensor.order() == tensor.order() - *last_appended(Appended(), tensor);
  bool starts_at_zero = !write.op || identity(*write.op, source->tensor.type())->is_zero();
  bool is_told = is_row && starts_at_zero && takes_positions(format_of(source->tensor, 0));
  return is_told ? std::optional(source->tensor) : std::nullopt;
}

/// The statement without `where`s around it that fill other tensors.
const concrete::Stmt& writing(const concrete::Stmt& stmt, const TensorVar& tensor) {
  const concrete::Where* where = stmt.as<concrete::Where>();
  if (!where) return stmt;
  std::vector<TensorVar> made = concrete::written(where->producer);
  return std::find(made.begin(), made.end(), tensor) == made.end() ? writing(where->consumer, tensor) : stmt;
}

/// The parallel loop that writes the tensor, outermost, if there is one.
std::optional<concrete::Forall> parallel_loop(const concrete::Program& program, const TensorVar& tensor) {
  for (const concrete::Forall& loop : concrete::tagged_loops(program.statement)) {
    std::vector<TensorVar> all = concrete::written(loop.body);
    if (loop.tag.parallel && std::find(all.begin(), all.end(), tensor) != all.end()) return loop;
  }
  return std::nullopt;
}

/// Is every tensor that the loop appends to one that can be made in pieces?
bool can_run_in_pieces(const concrete::Forall& loop, const Fillings& fillings, Mode mode) {
  std::vector<TensorVar> all = concrete::written(loop.body);
  return std::all_of(all.begin(), all.end(), [&](const TensorVar& tensor) {
    auto filling = fillings.find(tensor);
    return filling == fillings.end() || can_be_in_pieces(filling->second, tensor, mode);
  });
}

Filling first_choice(const concrete::Program& program, const Access& lhs, bool has_threads) {
  const concrete::Environment& environment = program.environment;
  const TensorVar& tensor = lhs.tensor;
  if (auto passes = environment.two_passes.find(tensor); passes != environment.two_passes.end())
    return Placed{passes->second.sorts, passes->second.merges};
  if (auto shared = environment.shared_patterns.find(tensor); shared != environment.shared_patterns.end())
    return PatternOf{shared->second.operand, shared->second.levels, has_threads, shared->second.noted};
  bool is_result = std::find(program.results.begin(), program.results.end(), tensor) != program.results.end();
  if (is_result && counts_entries(tensor)) {
    for (const IndexVar& var : lhs.indices) {
      auto extent = environment.extents.find(var);
      if (extent == environment.extents.end()) continue;
      if (const auto* slots = std::get_if<concrete::OfStorage>(&extent->second)) return Slotted{slots->within};
    }
  }
  if (!is_result && tensor.order() == 1 && level::join_of(format_of(tensor, 0))) return Joined();
  return last_appended(Appended(), tensor) ? Filling(Appended()) : Filling(Inserted());
}

}  // namespace

bool is_appended(const Filling& filling, const TensorVar& tensor, int level) {
  if (format_of(tensor, level).insert()) return false;
  if (std::holds_alternative<Joined>(filling)) return false;
  if (std::holds_alternative<Placed>(filling)) return level + 1 < tensor.order();
  const PatternOf* shared = std::get_if<PatternOf>(&filling);
  return !shared || level >= shared->levels;
}

std::optional<int> last_appended(const Filling& filling, const TensorVar& tensor) {
  for (int l = tensor.order() - 1; l >= 0; l--) {
    if (is_appended(filling, tensor, l)) return l;
  }
  return std::nullopt;
}

const concrete::Assign* only_assign(const concrete::Stmt& stmt) {
  const concrete::Forall* forall = stmt.as<concrete::Forall>();
  return forall ? only_assign(forall->body) : stmt.as<concrete::Assign>();
}

bool copies_whole_nodes(const concrete::Assign& assign, const Fillings& fillings) {
  const Access* source = assign.rhs.as<Access>();
  auto filling = fillings.find(assign.lhs.tensor);
  if (!assign.copies_levels || assign.prunes || !source || filling == fillings.end()) return false;
  std::optional<int> level = last_appended(filling->second, assign.lhs.tensor);
  if (!level) return false;
  auto found_below = [](const TensorVar& tensor, int above) {
    const std::vector<Level>& levels = tensor.format().levels();
    return std::all_of(levels.begin() + std::max(0, above + 1), levels.end(),
                       [](const Level& l) { return level::is_always_found(*l.format) && !l.format->is_implied(); });
  };
  int offset = assign.lhs.tensor.order() - source->tensor.order();
  return found_below(assign.lhs.tensor, *level) && *level - offset >= 0 && found_below(source->tensor, *level - offset);
}

std::optional<TensorVar> index_first_through(const concrete::Program& program, const TensorVar& tensor,
                                             const Fillings& fillings) {
  return can_have_index_first(tensor) ? block_rows(writing(program.statement, tensor), tensor, fillings) : std::nullopt;
}

bool can_be_in_pieces(const Filling& filling, const TensorVar& tensor, Mode mode) {
  return !last_appended(filling, tensor) || allocates(mode) || !is_appended(filling, tensor, 0);
}

Fillings choose_fillings(const concrete::Program& program, const Purpose& purpose) {
  std::vector<concrete::Forall> loops = concrete::tagged_loops(program.statement);
  bool has_threads = std::any_of(loops.begin(), loops.end(), [](const auto& loop) { return loop.tag.parallel; });
  Fillings fillings;
  for (const Access& lhs : filled(program)) fillings[lhs.tensor] = first_choice(program, lhs, has_threads);
  for (auto& [tensor, filling] : fillings) {
    if (!std::holds_alternative<Appended>(filling)) continue;
    if (purpose.mode == Mode::Grow) {
      std::optional<TensorVar> workspace = index_first_through(program, tensor, fillings);
      if (workspace) filling = IndexFirst{*workspace};
    }
    std::optional<concrete::Forall> loop = parallel_loop(program, tensor);
    if (!loop || !can_run_in_pieces(*loop, fillings, purpose.mode)) continue;
    filling = allocates(purpose.mode) ? Filling(AppendedInPieces{loop->var}) : Filling(GivenInPieces{loop->var});
  }
  return fillings;
}

Placed with_passes(Placed placed, const Stmt& stmt, const TensorVar& tensor, const concrete::Program& program,
                   bool in_pieces) {
  const concrete::TwoPasses& known = program.environment.two_passes.at(tensor);
  placed.in_pieces = in_pieces;
  if (in_pieces && known.grouped) placed.in_order_of = places_one_each(stmt, tensor, program);
  std::optional<lattice::Operand> level = measured_by(stmt, program);
  if (!placed.in_order_of && level && counts_through(stmt, tensor, *level)) placed.counted_through = level;
  return placed;
}

bool fills_arranged(const concrete::Forall& forall, const std::vector<TensorVar>& results) {
  bool fills = false;
  concrete::for_each(forall.body, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign || std::find(results.begin(), results.end(), assign->lhs.tensor) == results.end()) return;
    std::vector<IndexVar> vars = concrete::level_vars(assign->lhs);
    for (size_t l = 0; l + 1 < vars.size(); l++)
      fills = fills || (vars[l] == forall.var && format_of(assign->lhs.tensor, static_cast<int>(l)).arrange());
  });
  return fills;
}

bool takes_joined(const concrete::Forall& forall, const TensorVar& joined, const concrete::Environment& environment,
                  const Fillings& fillings) {
  if (!concrete::takes_siblings(forall, joined, environment)) return false;
  auto filling = fillings.find(forall.body.as<concrete::Assign>()->lhs.tensor);
  return filling != fillings.end() && (std::holds_alternative<Appended>(filling->second) ||
                                       std::holds_alternative<AppendedInPieces>(filling->second));
}

std::optional<std::string> find_problem(const Filling& filling, const TensorVar& tensor, Mode mode) {
  const std::string& name = tensor.name();
  const std::vector<Level>& levels = tensor.format().levels();
  bool can_insert = std::all_of(levels.begin(), levels.end(), [](const Level& l) { return l.format->insert(); });
  for (int l = 0; l < tensor.order(); l++) {
    if (is_appended(filling, tensor, l) && !format_of(tensor, l).append())
      return fmt::format("level {} of '{}' can neither be inserted into nor appended to", l + 1, name);
  }
  return match_variant(
      filling,
      [&](const Inserted&) -> std::optional<std::string> {
        if (!can_insert) return fmt::format("a level of '{}' cannot be inserted into", name);
        return std::nullopt;
      },
      [&](const Appended&) -> std::optional<std::string> {
        if (can_insert) return fmt::format("no level of '{}' is appended to", name);
        return std::nullopt;
      },
      [&](const AppendedInPieces&) -> std::optional<std::string> {
        if (can_insert) return fmt::format("no level of '{}' is appended to", name);
        if (!allocates(mode)) return fmt::format("pieces of '{}' have arrays of their own, and arrays are given", name);
        return std::nullopt;
      },
      [&](const GivenInPieces&) -> std::optional<std::string> {
        if (can_insert) return fmt::format("no level of '{}' is appended to", name);
        if (allocates(mode)) return fmt::format("nobody gives the arrays of '{}'", name);
        if (!can_be_in_pieces(filling, tensor, mode))
          return fmt::format("where the pieces of '{}' go is known only when those before are there", name);
        return std::nullopt;
      },
      [&](const Joined&) -> std::optional<std::string> {
        if (tensor.order() != 1 || !level::join_of(format_of(tensor, 0)))
          return fmt::format("nodes cannot join those of '{}'", name);
        return std::nullopt;
      },
      [&](const IndexFirst&) -> std::optional<std::string> {
        if (mode != Mode::Grow || !can_have_index_first(tensor))
          return fmt::format("the index of '{}' cannot be there before its values", name);
        return std::nullopt;
      },
      [&](const Placed&) -> std::optional<std::string> {
        if (!concrete::can_take_two_passes(tensor.format()))
          return fmt::format("nodes of the last level of '{}' cannot be counted and placed", name);
        return std::nullopt;
      },
      [&](const Slotted&) -> std::optional<std::string> {
        if (!counts_entries(tensor)) return fmt::format("no level of '{}' has slots", name);
        return std::nullopt;
      },
      [&](const PatternOf& n) -> std::optional<std::string> {
        bool fits = n.levels > 0 && n.levels <= tensor.order() && n.levels <= n.operand.tensor.order();
        if (!fits) return fmt::format("'{}' has not as many levels as it shares", name);
        if (last_appended(filling, tensor))
          return fmt::format("a level of '{}' that is appended to is below those of '{}'", name,
                             n.operand.tensor.name());
        return std::nullopt;
      });
}

}  // namespace filigree::plan
