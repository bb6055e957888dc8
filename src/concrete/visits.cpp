#include "concrete/visits.h"

#include <algorithm>
#include <set>

#include "concrete/level_space.h"
#include "concrete/products.h"
#include "concrete/derivations.h"

namespace filigree::concrete {
namespace {

/// Does `holds` hold for all operand levels that the loop may step through?  What another operand leads in a loop
/// follows it, whatever its own order.
bool all_levels_at(const Forall& forall, bool (*holds)(const level::Properties&), bool except_led = false) {
  bool all = true;
  auto as_visited = [&](level::Properties properties) {
    properties.unique = properties.unique || !forall.as_stored;
    return properties;
  };
  for_each(forall.body, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (!assign) return;
    for (const Access& access : notation::accesses(assign->rhs)) {
      for (const Level& level : access.tensor.format().levels()) {
        if (access.indices[level.dimension()] != forall.var || holds(as_visited(level.format->properties()))) continue;
        all = all && except_led && level.format->properties().unique && is_led(assign->rhs, access, forall.var);
      }
    }
  });
  return all;
}

struct Writing {
  const Assign* assign = nullptr;
  std::vector<IndexVar> loops;
  bool loops_once = true;
  int count = 0;
};

void inspect(const Stmt& stmt, Writing here, Writing& found) {
  match(
      stmt,
      [&](const Forall& n) {
        here.loops.push_back(n.var);
        here.loops_once = here.loops_once && visits_once(n);
        inspect(n.body, here, found);
      },
      [&](const Where& n) { inspect(n.consumer, here, found); },
      [&](const Sequence& n) {
        for (const Stmt& s : n.statements) inspect(s, here, found);
      },
      [&](const Multi& n) {
        for (const Stmt& s : n.statements) inspect(s, here, found);
      },
      [&](const Assign& n) {
        found.assign = &n;
        found.loops = here.loops;
        found.loops_once = here.loops_once;
        found.count++;
      });
}

/// Do the loops visit the one operand as it is stored, and nothing else?
bool walks(const Writing& writing) {
  const Access* source = writing.assign->rhs.as<Access>();
  if (!source) return false;
  std::vector<IndexVar> vars;
  for (const Level& level : source->tensor.format().levels()) {
    if (!level.format->is_implied()) vars.push_back(source->indices[level.dimension()]);
  }
  return vars == writing.loops;
}

/// All assignments to `tensor`, and the loops around them; no other tensor is written, but for temporaries that are
/// used up inside.
bool collect(const Stmt& stmt, const TensorVar& tensor, std::vector<const Forall*> loops,
             std::vector<std::pair<const Assign*, std::vector<const Forall*>>>& out) {
  return match(
      stmt,
      [&](const Forall& n) {
        loops.push_back(&n);
        return collect(n.body, tensor, loops, out);
      },
      [&](const Where& n) {
        std::vector<TensorVar> made = written(n.producer);
        return std::find(made.begin(), made.end(), tensor) == made.end() && collect(n.consumer, tensor, loops, out);
      },
      [&](const Sequence& n) {
        return std::all_of(n.statements.begin(), n.statements.end(),
                           [&](const Stmt& s) { return collect(s, tensor, loops, out); });
      },
      [&](const Multi&) { return false; },
      [&](const Assign& n) {
        out.push_back({&n, loops});
        return n.lhs.tensor == tensor;
      });
}

bool follows_from(const Environment& environment, const IndexVar& var, const std::vector<IndexVar>& known,
                  const Assign& at) {
  return contains(known, var) || contains(with_derived(environment, known, at), var);
}

/// Those with large factors first.
std::vector<IndexMap::Term> sorted_terms(const relation::Sum& sum) {
  std::vector<IndexMap::Term> terms = sum.terms;
  std::stable_sort(terms.begin(), terms.end(),
                   [](const IndexMap::Term& a, const IndexMap::Term& b) { return a.factor > b.factor; });
  return terms;
}

/// Does anything but the bounds of `whole`, which it is a part of, keep the variable from values?
bool is_restricted(const IndexVar& part, const Derivation& whole, const Environment& environment) {
  return std::any_of(environment.derivations.begin(), environment.derivations.end(), [&](const Derivation& other) {
    return other.guarded && other.var != whole.var && contains(other.sources(), part);
  });
}

/// For fixed coordinates of the levels above, do the loops reach those of the last level in increasing order?
bool places_in_order(const Assign& assign, const std::vector<const Forall*>& loops, const Environment& environment) {
  std::vector<IndexVar> vars = level_vars(assign.lhs), above(vars.begin(), vars.end() - 1), rest;
  const IndexVar& last = vars.back();
  for (const Forall* loop : loops) {
    bool increasing = all_levels_at(*loop, [](const level::Properties& level) {
      return level.ordered == level::Ordered::Increasing && !level.padded;
    });
    if (!increasing) return false;
    if (!follows_from(environment, loop->var, above, assign)) rest.push_back(loop->var);
  }
  if (rest.size() == 1 && rest[0] == last) return true;
  // Or the coordinate is a sum of what is left, the first part deciding: blocks before what is inside them, or a
  // diagonal.
  for (const Derivation& derivation : environment.derivations) {
    const relation::Sum* sum = derivation.as<relation::Sum>();
    if (derivation.var != last || !sum) continue;
    std::vector<IndexVar> parts;
    bool grows = true;
    std::int64_t before = 0;
    for (const IndexMap::Term& term : sorted_terms(*sum)) {
      if (follows_from(environment, term.var, above, assign)) continue;
      parts.push_back(term.var);
      // Where factors divide each other and every sum comes once, a step of a variable is more than all that those with
      // smaller factors reach.
      // That needs all values of the variables: a diagonal of which only every second entry counts has each sum once,
      // and goes up and down.
      grows = grows && term.factor > 0 && before % term.factor == 0;
      before = term.factor;
    }
    bool has_all = parts.size() == 1 || std::none_of(parts.begin(), parts.end(), [&](const IndexVar& part) {
                     return is_restricted(part, derivation, environment);
                   });
    if (grows && has_all && parts == rest) return true;
  }
  return false;
}

/// Does the outermost loop go through the parents of the last level's nodes, in increasing order?
bool follows_parents(const Assign& assign, const std::vector<const Forall*>& loops) {
  std::vector<IndexVar> vars = level_vars(assign.lhs);
  return vars.size() == 2 && loops.front()->var == vars[0] &&
         all_levels_at(*loops.front(), [](const level::Properties& level) {
           return level.ordered == level::Ordered::Increasing && !level.padded;
         });
}

/// Is there more than one child below a coordinate that comes again?  Then what is below starts again, too.
bool restarts(const Format& format) {
  const std::vector<Level>& levels = format.levels();
  for (size_t k = 0; k + 1 < levels.size(); k++) {
    if (!levels[k].format->properties().unique && !levels[k + 1].format->properties().branchless) return true;
  }
  return false;
}

}  // namespace

bool can_take_two_passes(const Format& format) {
  const std::vector<Level>& levels = format.levels();
  if (levels.size() < 2 || !levels.back().format->scatter() ||
      levels.back().format->properties().ordered == level::Ordered::Decreasing)
    return false;
  return std::all_of(levels.begin(), levels.end() - 1,
                     [](const Level& level) { return level.format->insert() && level.format->properties().full; });
}

std::optional<TwoPasses> in_two_passes(const Stmt& stmt, const TensorVar& tensor, const Environment& environment) {
  std::vector<std::pair<const Assign*, std::vector<const Forall*>>> writes;
  if (!can_take_two_passes(tensor.format()) || !collect(stmt, tensor, {}, writes) || writes.empty())
    return std::nullopt;
  const auto& [assign, loops] = writes.front();
  const Access* source = assign->rhs.as<Access>();
  bool single = writes.size() == 1;
  // Both halves of a symmetric matrix: the mirror images are other components.
  bool halves = writes.size() == 2 && source && writes.back().first->unless_equal;
  if (single && writes_once(stmt, environment)) {
    bool in_order = places_in_order(*assign, loops, environment);
    return TwoPasses{!in_order, false, in_order && follows_parents(*assign, loops)};
  }
  if (!(single || halves) || !source) return std::nullopt;
  std::vector<IndexVar> walk;
  for (const Level& level : source->tensor.format().levels()) {
    if (!level.format->is_implied()) walk.push_back(source->indices[level.dimension()]);
  }
  bool walks = walk.size() == loops.size() &&
               std::equal(walk.begin(), walk.end(), loops.begin(),
                          [](const IndexVar& v, const Forall* loop) { return v == loop->var; });
  bool repeats = has_duplicates(source->tensor.format()) || assign->op == Operator::Add;
  bool adds = assign->op == Operator::Add && assign->rhs.type() == tensor.type() && tensor.fill().is_zero();
  std::vector<IndexVar> known = with_derived(environment, assign->lhs.indices, *assign);
  bool tells = std::all_of(walk.begin(), walk.end(),
                           [&](const IndexVar& v) { return contains(known, v) || is_slot(environment, v); });
  if (!walks || !tells || (repeats && !adds)) return std::nullopt;
  bool in_order = single && !restarts(source->tensor.format()) && places_in_order(*assign, loops, environment);
  return TwoPasses{!in_order, repeats, in_order && !repeats && follows_parents(*assign, loops)};
}

bool writes_in_order_within(const Stmt& nest, const IndexVar& within, const Environment& environment) {
  std::vector<const Forall*> loops;
  const Stmt* inside = &nest;
  while (const Forall* forall = inside->as<Forall>()) {
    loops.push_back(forall);
    inside = &forall->body;
  }
  const Assign* assign = inside->as<Assign>();
  if (!assign || assign->lhs.indices.size() != 2 || !contains(assign->lhs.indices, within)) return false;
  const IndexVar& other = assign->lhs.indices[assign->lhs.indices[0] == within ? 1 : 0];
  TensorVar sorted(assign->lhs.tensor.name(), assign->lhs.tensor.type(), Format::sparse(2), assign->lhs.tensor.fill());
  Assign by_within = assign->with(Access{sorted, {within, other}}, assign->rhs);
  return writes_once(nest, environment) && places_in_order(by_within, loops, environment);
}

bool visits_once(const Forall& forall) {
  return all_levels_at(forall, [](const level::Properties& level) { return level.unique; });
}

namespace {

bool meets(const Level& level) { return level.format->insert() && !level.format->insert()->tells_apart(); }

/// The variables that say which place of the result is written.
std::vector<IndexVar> telling(const Access& lhs) {
  if (!has_shared_places(lhs.tensor.format())) return lhs.indices;
  const std::vector<Level>& levels = lhs.tensor.format().levels();
  std::vector<IndexVar> vars = level_vars(lhs), out;
  for (size_t l = 0; l < levels.size(); l++) {
    if (!meets(levels[l])) out.push_back(vars[l]);
  }
  return out;
}

}  // namespace

bool has_shared_places(const Format& format) {
  return std::any_of(format.levels().begin(), format.levels().end(), meets);
}

namespace {

/// Does the loop go through the inside of blocks that are mirrored?  A block on the diagonal has a place for both
/// halves, of which one is padding: there, iterations write what others do.
bool is_inside_mirrored_blocks(const Forall& forall, const Assign& assign, const Environment& environment) {
  bool is_mirrored = false;
  for_each(forall.body, [&](const Stmt& s) {
    const Assign* other = s.as<Assign>();
    is_mirrored = is_mirrored || (other && other->lhs.tensor == assign.lhs.tensor && other->unless_equal);
  });
  return is_mirrored && std::any_of(environment.derivations.begin(), environment.derivations.end(),
                                    [&](const Derivation& derivation) {
                                      const auto* digits = derivation.as<relation::DigitsOf<IndexVar>>();
                                      return derivation.var == forall.var && digits && digits->modulus > 0;
                                    });
}

}  // namespace

bool writes_apart(const Forall& forall, const Assign& assign, const Environment& environment) {
  if (is_inside_mirrored_blocks(forall, assign, environment)) return false;
  std::vector<IndexVar> known = with_derived(environment, telling(assign.lhs), assign);
  if (!contains(known, forall.var) || !forall.as_stored) return contains(known, forall.var);
  bool apart = true;
  // Where a coordinate comes several times, those of the levels below it differ.
  for_each(forall.body, [&](const Stmt& s) {
    const Assign* inside = s.as<Assign>();
    for (const Access& access : inside ? notation::accesses(inside->rhs) : std::vector<Access>()) {
      std::vector<IndexVar> vars = level_vars(access);
      const std::vector<Level>& levels = access.tensor.format().levels();
      auto own = std::find(vars.begin(), vars.end(), forall.var);
      if (own == vars.end() || levels[static_cast<size_t>(own - vars.begin())].format->properties().unique) continue;
      apart = apart && levels.back().format->properties().unique &&
              std::all_of(own, vars.end(), [&](const IndexVar& var) { return contains(known, var); });
    }
  });
  return apart;
}

bool always_visits(const Forall& forall) {
  bool always = true;
  for_each(forall.body, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (!assign) return;
    for (const Access& access : notation::accesses(assign->rhs)) {
      if (!contains(access.indices, forall.var)) continue;
      always = always && access.tensor.format().is_plain();
      for (const Level& level : access.tensor.format().levels()) {
        if (!always || access.indices[level.dimension()] != forall.var) continue;
        const level::Properties properties = level.format->properties();
        always = properties.full || (properties.branchless && !properties.padded);
      }
    }
  });
  return always;
}

namespace {

/// Do several statements of a sequence meet in the loop, each with an operand that cannot be walked in order but looked
/// up?  Then the loop runs over the whole dimension: see lattice/strategy.cpp.
bool looks_up_in_sequence(const Forall& forall) {
  const Sequence* sequence = forall.body.as<Sequence>();
  if (!sequence || forall.as_stored) return false;
  std::set<TensorVar> tensors;  // one alone would lead the loop, in its own order
  bool all = std::all_of(sequence->statements.begin(), sequence->statements.end(), [&](const Stmt& part) {
    size_t met = 0, looked_up = 0;
    for_each(part, [&](const Stmt& s) {
      const Assign* assign = s.as<Assign>();
      for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>()) {
        for (const Level& level : access.tensor.format().levels()) {
          if (access.indices[level.dimension()] != forall.var) continue;
          const level::Format& format = *level.format;
          met++;
          looked_up += format.locate() && format.properties().unique && !level::is_always_found(format);
          tensors.insert(access.tensor);
        }
      }
    });
    return met == 1 && looked_up == 1;
  });
  return all && tensors.size() > 1;
}

}  // namespace

bool visits_in_order(const Forall& forall) {
  return looks_up_in_sequence(forall) ||
         all_levels_at(
             forall,
             [](const level::Properties& level) { return level.unique && level.ordered == level::Ordered::Increasing; },
             true);
}

bool writes_once(const Stmt& producer, const Environment& environment) {
  Writing found;
  inspect(producer, {}, found);
  if (found.count != 1) return false;
  // The component says where the loops are, but for the slot it was in; a sum over others may come from several slots.
  bool walk = walks(found);
  std::vector<IndexVar> known = with_derived(environment, found.assign->lhs.indices, *found.assign);
  bool tells = std::all_of(found.loops.begin(), found.loops.end(),
                           [&](const IndexVar& v) { return contains(known, v) || (walk && is_slot(environment, v)); });
  if (!tells) return false;
  if (walk) return !has_duplicates(found.assign->rhs.as<Access>()->tensor.format());
  return found.loops.size() >= found.assign->lhs.indices.size() && found.loops_once;
}

bool writes_all_points(const Stmt& producer, const TensorVar& temporary, const Environment& environment) {
  bool writes = true;
  for_each(producer, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (!assign || assign->lhs.tensor != temporary) return;
    const std::vector<IndexVar>& vars = assign->lhs.indices;
    writes = writes && !assign->op && std::all_of(vars.begin(), vars.end(), [&](const IndexVar& var) {
      return flat_loop(environment, var) != nullptr;
    });
  });
  return writes;
}

}  // namespace filigree::concrete
