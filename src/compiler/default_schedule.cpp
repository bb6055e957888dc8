#include "compiler/default_schedule.h"

#include <algorithm>

#include "level/level_format.h"
#include "notation/substitute.h"

namespace filigree::compiler {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Forall;
using concrete::Stmt;
using schedule::Schedule;
using Sharing = Circumstances::Sharing;

/// The loop that leads to the result.
const Forall* outermost_loop(const Stmt& stmt) {
  const Stmt* at = &stmt;
  while (const concrete::Where* where = at->as<concrete::Where>()) at = &where->consumer;
  return at->as<Forall>();
}

/// Has every access in which the variable occurs a place for each of its coordinates?
bool is_dense_along(const Assign& assign, const IndexVar& var) {
  std::vector<Access> all = notation::accesses(assign.rhs);
  all.push_back(assign.lhs);
  return contains(assign.lhs.indices, var) && std::all_of(all.begin(), all.end(), [&](const Access& access) {
           std::vector<IndexVar> vars = concrete::level_vars(access);
           auto found = std::find(vars.begin(), vars.end(), var);
           return found == vars.end() ||
                  level::is_always_found(
                      *access.tensor.format().levels()[static_cast<size_t>(found - vars.begin())].format);
         });
}

/// Does it reduce floating-point numbers along the variable, in any order?
bool is_reduction(const Assign& assign, const IndexVar& var) {
  return assign.op && facts(*assign.op).associative && facts(*assign.op).commutative &&
         is_floating(assign.lhs.tensor.type()) && !contains(assign.lhs.indices, var);
}

/// Does it reduce numbers along the variable that stand side by side?
bool is_dense_reduction(const Assign& assign, const IndexVar& var) {
  bool reduces = is_reduction(assign, var);
  std::vector<Access> all = notation::accesses(assign.rhs);
  auto reads = [&](const Access& access) { return contains(concrete::level_vars(access), var); };
  return reduces && std::any_of(all.begin(), all.end(), reads) &&
         std::all_of(all.begin(), all.end(), [&](const Access& access) {
           std::vector<IndexVar> vars = concrete::level_vars(access);
           auto found = std::find(vars.begin(), vars.end(), var);
           return found == vars.end() ||
                  (found == vars.end() - 1 && level::is_always_found(*access.tensor.format().levels().back().format));
         });
}

/// Operands that have to be walked, or searched, along the variable; nothing if one of them is there by something else
/// than fibres of its last level.
std::optional<std::vector<Access>> walked_fibres(const Assign& assign, const IndexVar& var) {
  std::vector<Access> walked;
  for (const Access& access : notation::accesses(assign.rhs)) {
    std::vector<IndexVar> vars = concrete::level_vars(access);
    auto found = std::find(vars.begin(), vars.end(), var);
    if (found == vars.end()) continue;
    const level::Format& format = *access.tensor.format().levels()[static_cast<size_t>(found - vars.begin())].format;
    if (level::is_always_found(format)) continue;
    bool has_fibres = found == vars.end() - 1 && format.properties().compact && !format.properties().branchless;
    if (!has_fibres) return std::nullopt;
    walked.push_back(access);
  }
  return walked;
}

/// The operand whose fibres it reduces along the variable, if that is the only one to be walked there.
std::optional<Access> reduced_fibres(const Assign& assign, const IndexVar& var) {
  std::optional<std::vector<Access>> walked = walked_fibres(assign, var);
  bool is_only = is_reduction(assign, var) && walked && walked->size() == 1;
  return is_only ? std::optional(walked->front()) : std::nullopt;
}

/// Two operands whose fibres meet along the variable, if nothing is left where one of them is absent.
std::optional<std::pair<Access, Access>> fibres_that_meet(const Assign& assign, const IndexVar& var) {
  std::optional<std::vector<Access>> walked = walked_fibres(assign, var);
  if (!walked || walked->size() != 2) return std::nullopt;
  bool only_together = std::all_of(walked->begin(), walked->end(), [&](const Access& access) {
    notation::Expr left = notation::substitute_fill(assign.rhs, [&](const Access& other) { return other == access; });
    return left.as<notation::Literal>() != nullptr;
  });
  return only_together ? std::optional(std::pair(walked->front(), walked->back())) : std::nullopt;
}

/// Variables of innermost loops around an assignment that is as asked.
template <class Asked>
std::vector<IndexVar> innermost(const Stmt& stmt, const Asked& asked) {
  std::vector<IndexVar> vars;
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Forall* loop = s.as<Forall>();
    const Assign* assign = loop ? loop->body.as<Assign>() : nullptr;
    if (assign && asked(*assign, loop->var) && !contains(vars, loop->var)) vars.push_back(loop->var);
  });
  return vars;
}

/// Ways of running the loop on threads, the best first.
std::vector<Schedule> ways_to_share(const concrete::Program& program, Sharing sharing) {
  const Forall* loop = outermost_loop(program.statement);
  if (!loop || sharing == Sharing::None) return {};
  using Unit = schedule::Parallelize::Unit;
  const IndexVar& var = loop->var;
  std::string pieces = var.name() + "_piece";
  schedule::Cut rows{var, pieces, schedule::Cut::Kind::Rows}, entries{var, pieces, schedule::Cut::Kind::Nonzeros};
  std::vector<Schedule> ways;
  if (std::optional<TensorVar> operand = operand_with_rows(program); operand && sharing == Sharing::Entries) {
    entries.tensor = schedule::Name(*operand);
    ways.push_back({entries, schedule::Parallelize{pieces, Unit::Cpu, concrete::Races::None}});
    ways.push_back({entries, schedule::Parallelize{pieces, Unit::Cpu, concrete::Races::Atomics}});
  }
  ways.push_back({schedule::Parallelize{var, Unit::Cpu, concrete::Races::None}});
  ways.push_back({rows, schedule::Parallelize{pieces, Unit::Cpu, concrete::Races::None}});
  return ways;
}

/// Adds up a part of a row that registers hold, then the next one.
std::optional<Schedule> in_tiles(const Stmt& stmt, const IndexVar& dense, std::int64_t extent) {
  std::optional<IndexVar> reduced = reduction_around(stmt, dense);
  std::optional<std::int64_t> size = tile_of(extent);
  if (!reduced || !size || *size == extent) return std::nullopt;
  std::string tile = dense.name() + "_tile", inside = dense.name() + "_inside";
  return Schedule{schedule::Split{dense, tile, inside, *size}, schedule::Reorder{{tile, *reduced}},
                  schedule::Vectorize{inside}};
}

}  // namespace

std::vector<IndexVar> dense_inner_loops(const Stmt& stmt) { return innermost(stmt, is_dense_along); }

std::optional<IndexVar> reduction_around(const Stmt& stmt, const IndexVar& dense) {
  std::optional<IndexVar> found;
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Forall* loop = s.as<Forall>();
    const Forall* inner = loop ? loop->body.as<Forall>() : nullptr;
    const Assign* assign = inner && inner->var == dense ? inner->body.as<Assign>() : nullptr;
    if (assign && assign->op && !contains(assign->lhs.indices, loop->var)) found = loop->var;
  });
  return found;
}

std::optional<std::int64_t> tile_of(std::int64_t extent) {
  // Measured: 128 numbers fill half of the widest registers, and what is computed for fewer than 32 takes less than the
  // loop.
  constexpr std::int64_t largest = 128, smallest = 32;
  if (extent <= largest) return extent;
  for (std::int64_t size = largest; size >= smallest; size--) {
    if (extent % size == 0) return size;
  }
  return std::nullopt;
}

std::vector<IndexVar> dense_reductions(const Stmt& stmt) { return innermost(stmt, is_dense_reduction); }

std::vector<ReducedFibres> sparse_reductions(const Stmt& stmt) {
  std::vector<ReducedFibres> found;
  innermost(stmt, [&](const Assign& assign, const IndexVar& var) {
    std::optional<Access> walked = reduced_fibres(assign, var);
    if (walked) found.push_back({var, walked->tensor});
    return walked.has_value();
  });
  return found;
}

std::vector<MetFibres> met_fibres(const Stmt& stmt) {
  std::vector<MetFibres> found;
  innermost(stmt, [&](const Assign& assign, const IndexVar& var) {
    auto met = fibres_that_meet(assign, var);
    if (met) found.push_back({var, met->first.tensor, met->second.tensor});
    return met.has_value();
  });
  return found;
}

std::vector<RepeatedSearch> repeated_searches(const Stmt& stmt) {
  struct Met {
    TensorVar tensor;
    int level;
  };
  std::vector<RepeatedSearch> found;
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Forall* loop = s.as<Forall>();
    if (!loop || loop->body.as<Assign>()) return;  // short loops remember it without being told
    std::vector<Met> met;
    concrete::for_each(loop->body, [&](const Stmt& inside) {
      const Assign* assign = inside.as<Assign>();
      for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>()) {
        std::vector<IndexVar> vars = concrete::level_vars(access);
        int level = static_cast<int>(std::find(vars.begin(), vars.end(), loop->var) - vars.begin());
        bool is_known =
            std::any_of(met.begin(), met.end(), [&](const Met& one) { return one.tensor == access.tensor; });
        if (level == access.tensor.order() || is_known) continue;
        const level::Format& format = *access.tensor.format().levels()[static_cast<size_t>(level)].format;
        if (!level::is_always_found(format)) met.push_back({access.tensor, level});
      }
    });
    if (met.size() != 2 || (met[0].level == 0) == (met[1].level == 0)) return;
    const Met &searched = met[met[0].level == 0 ? 0 : 1], &leading = met[met[0].level == 0 ? 1 : 0];
    const level::Format& list = *searched.tensor.format().levels()[0].format;
    bool is_sorted = list.search() && !list.locate() && list.properties().unique;
    if (is_sorted) found.push_back({loop->var, searched.tensor, leading.tensor, leading.level});
  });
  return found;
}

std::optional<TensorVar> operand_with_rows(const concrete::Program& program) {
  const Forall* loop = outermost_loop(program.statement);
  std::optional<TensorVar> found;
  if (!loop) return found;
  concrete::for_each(loop->body, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (!assign || found) return;
    for (const Access& access : notation::accesses(assign->rhs)) {
      std::vector<IndexVar> vars = concrete::level_vars(access);
      bool has_rows = vars.size() > 1 && vars[0] == loop->var &&
                      !level::is_always_found(*access.tensor.format().levels()[1].format);
      if (has_rows && !found) found = access.tensor;
    }
  });
  return found;
}

Schedule default_schedule(const concrete::Program& program, const Circumstances& circumstances,
                          const Accepts& accepts) {
  Schedule chosen;
  auto add_if_accepted = [&](const Schedule& more) {
    Schedule longer = chosen;
    longer.insert(longer.end(), more.begin(), more.end());
    bool good = accepts(longer);
    if (good) chosen = std::move(longer);
    return good;
  };
  std::vector<Schedule> ways = ways_to_share(program, circumstances.sharing);
  std::any_of(ways.begin(), ways.end(), add_if_accepted);
  for (const IndexVar& var : dense_inner_loops(program.statement)) {
    auto size = circumstances.constants.find(var.name());
    if (size != circumstances.constants.end())
      add_if_accepted({schedule::Bound{var, schedule::Bound::Kind::Exact, size->second}});
    std::optional<Schedule> tiled =
        size == circumstances.constants.end() ? std::nullopt : in_tiles(program.statement, var, size->second);
    if (!tiled || !add_if_accepted(*tiled)) add_if_accepted({schedule::Vectorize{var}});
  }
  std::vector<IndexVar> reduced = dense_reductions(program.statement);
  for (const ReducedFibres& fibres : sparse_reductions(program.statement)) {
    if (!contains(reduced, fibres.var)) reduced.push_back(fibres.var);
  }
  for (const RepeatedSearch& search : repeated_searches(program.statement)) {
    if (circumstances.hashed.count(search.var.name()))
      add_if_accepted({schedule::Protocol{search.searched, search.var, concrete::Protocol::Hash}});
  }
  for (const MetFibres& met : met_fibres(program.statement)) {
    if (circumstances.one_by_one.count(met.var.name()))
      add_if_accepted({schedule::MergeBy{met.var, schedule::MergeBy::Strategy::TwoFinger}});
  }
  for (const IndexVar& var : reduced) {
    if (circumstances.in_lanes.count(var.name())) add_if_accepted({schedule::Vectorize{var}});
  }
  return chosen;
}

}  // namespace filigree::compiler
