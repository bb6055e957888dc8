#include "relation/derivation.h"

#include <algorithm>
#include <functional>
#include <set>

#include "support/check.h"
#include "support/match.h"

namespace filigree::relation {
namespace {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void collect_values(const Formula& formula, std::vector<Variable>& out) {
  if (formula.kind() == Formula::Kind::Value) out.push_back(formula.subject());
  for (const Formula& operand : formula.operands()) collect_values(operand, out);
}

std::vector<Variable> values_in(const Formula& formula) {
  std::vector<Variable> out;
  collect_values(formula, out);
  return out;
}

Formula value(Variable variable) { return Formula::value(variable); }

}  // namespace

// --- Making -----------------------------------------------------------------------------------------

Variable Graph::add(const std::string& name) {
  variables_.push_back({name});
  return static_cast<Variable>(variables_.size()) - 1;
}

Storage Graph::add_storage(const std::string& name) {
  storages_.push_back(name);
  return static_cast<Storage>(storages_.size()) - 1;
}

Variable Graph::derive(const std::string& name) {
  Variable made = add(name);
  variables_.back().made_by = static_cast<int>(relations_.size());
  return made;
}

void Graph::consume(Variable variable) { variables_.at(static_cast<size_t>(variable)).is_consumed = true; }

std::pair<Variable, Variable> Graph::split(Variable parent, const std::string& outer, const std::string& inner,
                                           std::int64_t size, Split::Direction direction) {
  Variable first = derive(outer), second = derive(inner);
  consume(parent);
  relations_.push_back(Split{parent, first, second, size, direction});
  return {first, second};
}

Variable Graph::collapse(Variable outer, Variable inner, const std::string& both) {
  Variable made = derive(both);
  consume(outer);
  consume(inner);
  relations_.push_back(Collapse{outer, inner, made});
  return made;
}

Variable Graph::pos(Variable source, const std::string& position, const std::vector<Storage>& levels) {
  Variable made = derive(position);
  consume(source);
  relations_.push_back(Positions{collapsed(source), levels, source, made});
  return made;
}

Variable Graph::coord(Variable position, const std::string& coordinate) {
  const Relation* from = origin(position);
  bool is_whole = from && !std::holds_alternative<Split>(*from);  // a piece of positions is no piece of coordinates
  internal_check(is_whole && is_position(position), "relation", "coordinates instead of what are no positions",
                 name(position));
  Variable made = derive(coordinate);
  consume(position);
  relations_.push_back(Coordinates{position, made});
  return made;
}

Variable Graph::bound(Variable parent, const std::string& child, Bounded::Kind kind, std::int64_t amount) {
  Variable made = derive(child);
  consume(parent);
  relations_.push_back(Bounded{parent, made, kind, amount});
  return made;
}

void Graph::add(const Relation& relation) { relations_.push_back(relation); }

// --- Questions about the graph ------------------------------------------------------------------------

const Relation* Graph::origin(Variable variable) const {
  int made_by = variables_.at(static_cast<size_t>(variable)).made_by;
  return made_by < 0 ? nullptr : &relations_[static_cast<size_t>(made_by)];
}

const Relation* Graph::consumer(Variable variable) const {
  if (is_leaf(variable)) return nullptr;
  for (const Relation& relation : relations_) {
    bool consumes = match_variant(
        relation, [&](const Split& r) { return r.parent == variable && origin(r.outer) == &relation; },
        [&](const Collapse& r) { return r.outer == variable || r.inner == variable; },
        [&](const Positions& r) { return r.source == variable; },
        [&](const Coordinates& r) { return r.position == variable; },
        [&](const Bounded& r) { return r.parent == variable; }, [](const auto&) { return false; });
    if (consumes) return &relation;
  }
  return nullptr;
}

bool Graph::is_position(Variable variable) const {
  const Relation* from = origin(variable);
  if (!from) return false;
  if (const Split* split = std::get_if<Split>(from)) return is_position(split->parent);
  if (const Bounded* bounded = std::get_if<Bounded>(from)) return is_position(bounded->parent);
  return std::holds_alternative<Positions>(*from);
}

Variable Graph::source_of(Variable position) const {
  const Relation* from = origin(position);
  while (const Bounded* bounded = std::get_if<Bounded>(from)) from = origin(bounded->parent);
  return std::get<Positions>(*from).source;
}

std::vector<Variable> Graph::collapsed(Variable variable) const {
  const Relation* from = origin(variable);
  const Collapse* collapse = from ? std::get_if<Collapse>(from) : nullptr;
  if (!collapse) return {variable};
  std::vector<Variable> all = collapsed(collapse->outer), inner = collapsed(collapse->inner);
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

std::vector<Variable> Graph::leaves(Variable variable) const {
  const Relation* into = consumer(variable);
  if (!into) return {variable};
  return match_variant(
      *into,
      [&](const Split& r) {
        std::vector<Variable> all = leaves(r.outer), inner = leaves(r.inner);
        all.insert(all.end(), inner.begin(), inner.end());
        return all;
      },
      [&](const Collapse& r) { return leaves(r.both); }, [&](const Positions& r) { return leaves(r.position); },
      [&](const Coordinates& r) { return leaves(r.coordinate); }, [&](const Bounded& r) { return leaves(r.child); },
      [&](const auto&) { return std::vector<Variable>{variable}; });
}

// --- Bounds ---------------------------------------------------------------------------------------------

Formula Graph::length(Variable variable) const {
  Bounds range = bounds(variable);
  return range.end - range.begin;
}

Formula Graph::step(const Split& split) const {
  Formula size = Formula::number(split.size);
  return split.direction == Split::Direction::Down ? size : Formula::rounded_up(length(split.parent), size);
}

Bounds Graph::bounds(Variable variable) const {
  Formula zero = Formula::number(0);
  const Relation* from = origin(variable);
  if (!from) return {zero, Formula::extent(variable)};
  return match_variant(
      *from,
      [&](const Split& r) -> Bounds {
        Formula size = Formula::number(r.size), pieces = Formula::rounded_up(length(r.parent), size);
        bool is_constant = (variable == r.inner) == (r.direction == Split::Direction::Down);
        return {zero, is_constant ? size : pieces};
      },
      [&](const Collapse& r) -> Bounds { return {zero, length(r.outer) * length(r.inner)}; },
      [&](const Positions& r) -> Bounds { return {Formula::begin(r.levels.back()), Formula::end(r.levels.back())}; },
      [&](const Coordinates& r) -> Bounds { return bounds(source_of(r.position)); },
      [&](const Bounded& r) -> Bounds {
        Bounds range = bounds(r.parent);
        return r.kind == Bounded::Kind::Exact ? Bounds{range.begin, range.begin + Formula::number(r.amount)} : range;
      },
      [&](const auto&) -> Bounds { return {zero, Formula::extent(variable)}; });
}

std::optional<std::int64_t> Graph::constant_extent(Variable variable) const {
  Formula all = length(variable);
  return all.kind() == Formula::Kind::Number ? std::optional(all.constant()) : std::nullopt;
}

bool Graph::is_multiple(Variable variable, std::int64_t number) const {
  if (std::optional<std::int64_t> extent = constant_extent(variable)) return *extent % number == 0;
  const Relation* from = origin(variable);
  if (!from) return number == 1;
  if (const Bounded* bounded = std::get_if<Bounded>(from)) {
    return (bounded->kind == Bounded::Kind::Divisible && bounded->amount % number == 0) ||
           is_multiple(bounded->parent, number);
  }
  if (const Collapse* collapse = std::get_if<Collapse>(from))
    return is_multiple(collapse->outer, number) || is_multiple(collapse->inner, number);
  return number == 1;
}

std::vector<Variable> Graph::guarded() const {
  std::vector<Variable> out;
  for (const Relation& relation : relations_) {
    const Split* split = std::get_if<Split>(&relation);
    // What a format splits is stored, and so inside.
    bool makes_loops = split && origin(split->outer) == &relation;
    if (makes_loops && !is_multiple(split->parent, split->size)) out.push_back(split->parent);
  }
  return out;
}

// --- Recovery -------------------------------------------------------------------------------------------

std::vector<Recovery> Graph::solutions(const Relation& relation) const {
  using Solutions = std::vector<Recovery>;
  return match_variant(
      relation,
      [&](const Split& r) -> Solutions {
        Formula begin = bounds(r.parent).begin, size = step(r), offset = value(r.parent) - begin;
        return {{r.parent, begin + value(r.outer) * size + value(r.inner)},
                {r.outer, Formula::quotient(offset, size)},
                {r.inner, Formula::remainder(offset, size)}};
      },
      [&](const Collapse& r) -> Solutions {
        Bounds outer = bounds(r.outer), inner = bounds(r.inner);
        Formula count = inner.end - inner.begin;
        return {{r.both, (value(r.outer) - outer.begin) * count + (value(r.inner) - inner.begin)},
                {r.outer, outer.begin + Formula::quotient(value(r.both), count)},
                {r.inner, inner.begin + Formula::remainder(value(r.both), count)}};
      },
      [&](const Positions& r) -> Solutions {
        Solutions all;
        for (size_t n = 0; n < r.coordinates.size(); n++)
          all.push_back({r.coordinates[n], Formula::coordinate_at(r.levels[n], value(r.position))});
        // Where the coordinates above are known, the last one has its place.
        if (r.coordinates.size() == 1)
          all.push_back({r.position, Formula::position_of(r.levels[0], value(r.coordinates[0]))});
        return all;
      },
      [&](const Coordinates& r) -> Solutions {
        Variable source = source_of(r.position);
        return {{r.coordinate, value(source)}, {source, value(r.coordinate)}};
      },
      [&](const Bounded& r) -> Solutions { return {{r.parent, value(r.child)}, {r.child, value(r.parent)}}; },
      [&](const Affine& r) -> Solutions {
        Formula sum = Formula::number(0);
        for (const Affine::Term& term : r.terms) sum = sum + value(term.part) * Formula::number(term.factor);
        Solutions all = {{r.whole, sum + Formula::number(r.offset)}};
        for (const Affine::Term& own : r.terms) {
          Formula rest = value(r.whole) - Formula::number(r.offset);
          for (const Affine::Term& term : r.terms) {
            if (&term != &own) rest = rest - value(term.part) * Formula::number(term.factor);
          }
          Formula factor = Formula::number(own.factor);
          bool divides = own.factor != 1 && own.factor != -1;
          all.push_back({own.part, Formula::quotient(rest, factor),
                         divides ? std::optional(Formula::remainder(rest, factor)) : std::nullopt});
        }
        return all;
      },
      [&](const Listed& r) -> Solutions {
        return {{r.whole, Formula::entry(r.entries, value(r.number))},
                {r.number, Formula::number_of(r.entries, value(r.whole))}};
      },
      [](const Counted&) -> Solutions { return {}; });
}

std::optional<std::vector<Recovery>> Graph::recover(Variable wanted, const std::vector<Variable>& known) const {
  std::set<Variable> have(known.begin(), known.end());
  std::vector<Recovery> steps;
  // Relations that were made last are nearest to the loops, so that each step uses what is known most directly.
  for (bool grows = true; grows && !have.count(wanted);) {
    grows = false;
    for (auto relation = relations_.rbegin(); relation != relations_.rend() && !grows; ++relation) {
      for (const Recovery& solution : solutions(*relation)) {
        if (have.count(solution.variable)) continue;
        std::vector<Variable> needs = values_in(solution.value);
        if (!std::all_of(needs.begin(), needs.end(), [&](Variable variable) { return have.count(variable) > 0; }))
          continue;
        have.insert(solution.variable);
        steps.push_back(solution);
        grows = true;
        break;
      }
    }
  }
  if (!have.count(wanted)) return std::nullopt;
  // Only what the value needs.
  std::set<Variable> needed = {wanted};
  std::vector<Recovery> out;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!needed.count(step->variable)) continue;
    for (Variable variable : values_in(step->value)) needed.insert(variable);
    out.insert(out.begin(), *step);
  }
  return out;
}

// --- Order ----------------------------------------------------------------------------------------------

Order Graph::order(Variable variable, const std::vector<Variable>& loops) const {
  std::vector<Variable> own = leaves(variable);
  auto is_own = [&](Variable loop) { return contains(own, loop); };
  bool varies = std::any_of(loops.begin(), loops.end(), is_own);
  // Inside of a loop over something else it begins again each time; outside of one it stays as it is.
  auto last = std::find_if(loops.rbegin(), loops.rend(), is_own).base();
  if (varies && !std::all_of(loops.begin(), last, is_own)) return Order::None;
  if (varies && last != loops.end()) return std::min(order(variable, {loops.begin(), last}), Order::NotDecreasing);
  const Relation* into = consumer(variable);
  if (!into || !varies) return Order::Increasing;
  return match_variant(
      *into,
      [&](const Split& r) {
        // Pieces one after the other, each in order: what chooses the piece stands outside of what runs through it.
        std::vector<Variable> outer = leaves(r.outer), inner = leaves(r.inner);
        auto last_outer =
            std::find_if(loops.rbegin(), loops.rend(), [&](Variable loop) { return contains(outer, loop); });
        auto first_inner =
            std::find_if(loops.begin(), loops.end(), [&](Variable loop) { return contains(inner, loop); });
        if (first_inner == loops.end()) return order(r.outer, loops);
        bool is_outside = last_outer == loops.rend() || last_outer.base() <= first_inner;
        // A piece that is visited twice begins again.
        return is_outside && order(r.outer, loops) == Order::Increasing ? order(r.inner, loops) : Order::None;
      },
      [&](const Collapse& r) {
        return variable == r.outer ? std::min(order(r.both, loops), Order::NotDecreasing) : Order::None;
      },
      [&](const Positions& r) { return order(r.position, loops); },
      [&](const Coordinates& r) { return order(r.coordinate, loops); },
      [&](const Bounded& r) { return order(r.child, loops); }, [](const auto&) { return Order::Increasing; });
}

// --- Text -----------------------------------------------------------------------------------------------

std::string Graph::to_string(const Formula& formula) const {
  FormulaNames names{{}, storages_};
  for (const Node& node : variables_) names.variables.push_back(node.name);
  return relation::to_string(formula, names);
}

std::string Graph::to_string(const Relation& relation) const {
  auto number = [](std::int64_t n) { return std::to_string(n); };
  return match_variant(
      relation,
      [&](const Split& r) {
        return "split(" + name(r.parent) + " -> " + name(r.outer) + ", " + name(r.inner) + ", " + number(r.size) +
               (r.direction == Split::Direction::Up ? ", up)" : ")");
      },
      [&](const Collapse& r) {
        return "collapse(" + name(r.outer) + ", " + name(r.inner) + " -> " + name(r.both) + ")";
      },
      [&](const Positions& r) {
        return "pos(" + name(r.source) + " -> " + name(r.position) + ", " + storage_name(r.levels.back()) + ")";
      },
      [&](const Coordinates& r) { return "coord(" + name(r.position) + " -> " + name(r.coordinate) + ")"; },
      [&](const Bounded& r) {
        static const char* const kinds[] = {"exact", "min", "max", "divisible"};
        return "bound(" + name(r.parent) + " -> " + name(r.child) + ", " + kinds[static_cast<int>(r.kind)] + ", " +
               number(r.amount) + ")";
      },
      [&](const Affine& r) {
        Formula sum = Formula::number(0);
        for (const Affine::Term& term : r.terms) sum = sum + Formula::number(term.factor) * value(term.part);
        return name(r.whole) + " = " + to_string(sum + Formula::number(r.offset));
      },
      [&](const Listed& r) {
        return name(r.whole) + " = " + relation::to_string(r.entries) + "[" + name(r.number) + "]";
      },
      [&](const Counted& r) { return name(r.count) + " = #" + name(r.within); });
}

}  // namespace filigree::relation
