#include "compiler/common_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/stored_parts.h"
#include "notation/assignment.h"
#include "notation/extents.h"
#include "notation/parts.h"
#include "notation/use_names.h"
#include "support/fresh_names.h"

namespace filigree::compiler {
namespace {

using notation::Access;
using notation::Expr;
using notation::Reduce;
using notation::Statement;
using notation::Step;
using Vars = std::vector<IndexVar>;
using Renaming = std::map<IndexVar, IndexVar>;

/// Goes through two expressions side by side.
class Comparison {
 public:
  bool same(const Expr& a, const Expr& b) {
    if (a.kind().index() != b.kind().index() || a.type() != b.type()) return false;
    return match(
        a, [&](const notation::Literal& n) { return n == *b.as<notation::Literal>(); },
        [&](const Access& n) { return same(n, *b.as<Access>()); },
        [&](const notation::Coordinate& n) { return same(n.var, b.as<notation::Coordinate>()->var); },
        [&](const notation::Apply& n) {
          const notation::Apply& other = *b.as<notation::Apply>();
          return n.op == other.op && std::equal(n.operands.begin(), n.operands.end(), other.operands.begin(),
                                                other.operands.end(), [&](auto& x, auto& y) { return same(x, y); });
        },
        [&](const Reduce& n) {
          const Reduce& other = *b.as<Reduce>();
          return n.op == other.op && n.vars.size() == other.vars.size() && n.workspace == other.workspace &&
                 same(n.body, other.body) && std::all_of(n.vars.begin(), n.vars.end(), [&](const IndexVar& var) {
                   auto found = to_.find(var);
                   return found != to_.end() && contains(other.vars, found->second);
                 });
        });
  }

  Renaming result() && { return std::move(to_); }

 private:
  bool same(const Access& a, const Access& b) {
    return a.tensor == b.tensor && std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                                              [&](const IndexVar& x, const IndexVar& y) { return same(x, y); });
  }
  bool same(const IndexVar& a, const IndexVar& b) {
    if (a.map() || b.map()) return false;
    return to_.emplace(a, b).first->second == b && from_.emplace(b, a).first->second == a;
  }

  Renaming to_, from_;
};

/// What `made` has at the place of a dimension of `copy`, if they have the same dimensions.
std::optional<std::vector<size_t>> dimension_order(const Access& made, const Access& copy, const Renaming& names) {
  if (made.indices.size() != copy.indices.size()) return std::nullopt;
  std::vector<size_t> order;
  for (const IndexVar& var : made.indices) {
    auto name = names.find(var);
    auto found = name == names.end() ? copy.indices.end()
                                     : std::find(copy.indices.begin(), copy.indices.end(), name->second);
    if (found == copy.indices.end()) return std::nullopt;
    order.push_back(static_cast<size_t>(found - copy.indices.begin()));
  }
  return order;
}

Expr with_other(const Expr& expr, const TensorVar& copy, const TensorVar& made, const std::vector<size_t>& order) {
  const Access* access = expr.as<Access>();
  if (!access || access->tensor != copy)
    return notation::map_children(expr, [&](const Expr& child) { return with_other(child, copy, made, order); });
  Access out{made, {}};
  for (size_t d : order) out.indices.push_back(access->indices[d]);
  return out;
}

/// With a tensor in place of the part: is it the same tensor in every statement, and does `left` make what the
/// statement made?  The tensor has a fill, where the part may have none, and the part may be what tells how far a
/// variable runs.
bool stays_same(const Statement& statement, const Expr& part, const Statement& left) {
  auto fill = [](const Statement& s) { return notation::result_fill(notation::as_assignment(s)); };
  return fill(left) == fill(statement) && notation::keeps_extents(part, statement) &&
         notation::keeps_extents(left.rhs, statement);
}

/// A reduction that stands somewhere.
struct Place {
  size_t step;
  Expr part;
};

class Finder {
 public:
  explicit Finder(const std::vector<Step>& steps) : steps_(steps) {
    for (const Step& step : steps) {
      notation::use_names(names_, step.statement);
      assigned_[step.statement.lhs.tensor.name()]++;
    }
  }

  std::optional<std::vector<Step>> operator()() {
    std::vector<Place> places;
    for (size_t n = 0; n < steps_.size(); n++) {
      notation::for_each(steps_[n].statement.rhs, [&](const Expr& expr) {
        if (is_worth_it(expr)) places.push_back({n, expr});
      });
    }
    // Parents come first, so that the largest part is found.
    for (size_t a = 0; a < places.size(); a++) {
      std::vector<Place> same;
      for (size_t b = 0; b < places.size(); b++) {
        if (b != a && renaming(places[a].part, places[b].part)) same.push_back(places[b]);
      }
      if (same.empty()) continue;
      if (std::optional<std::vector<Step>> out = stored_by_step(places[a], same)) return out;
      bool is_first = std::all_of(same.begin(), same.end(), [&](const Place& p) { return p.step >= places[a].step; });
      if (!is_first) continue;
      if (std::optional<std::vector<Step>> out = stored_anew(places[a], same)) return out;
    }
    return std::nullopt;
  }

 private:
  /// A product or the like that is reduced, of tensors that have one value.
  bool is_worth_it(const Expr& expr) const {
    std::vector<Access> all = notation::accesses(expr);
    return expr.as<Reduce>() && all.size() > 1 && is_plain(expr) && !notation::free_vars(expr).empty() &&
           std::all_of(all.begin(), all.end(), [&](const Access& access) {
             const TensorVar* read = access.tensor.read();
             auto times = read ? assigned_.find(read->name()) : assigned_.end();
             return read && *read == access.tensor && (times == assigned_.end() || times->second == 1);
           });
  }

  /// The steps with accesses to `made`, which is `like`, in place of these parts.
  std::optional<std::vector<Step>> replaced(std::vector<Step> out, const Access& made, const Expr& like,
                                            const std::vector<Place>& places) const {
    for (const Place& place : places) {
      Statement& statement = out[place.step].statement;
      std::optional<Expr> rest = notation::with_part(statement.rhs, place.part, [&](const Expr& found) -> Expr {
        std::optional<Renaming> names = renaming(like, found);
        if (!names) return found;
        Access access{made.tensor, {}};
        for (const IndexVar& var : made.indices) access.indices.push_back(names->at(var));
        return access;
      });
      bool is_read = rest && notation::find_access(*rest, made.tensor.name());
      if (!is_read) return std::nullopt;
      Statement left = statement;
      left.rhs = *rest;
      if (!stays_same(statement, place.part, left)) return std::nullopt;
      statement = std::move(left);
      out[place.step].remarks.push_back(
          fmt::format("'{}' is computed once, as '{}'", notation::to_string(place.part), made.tensor.name()));
    }
    return out;
  }

  /// A step assigns the part as it is, and others that come later have it, too.
  std::optional<std::vector<Step>> stored_by_step(const Place& place, const std::vector<Place>& same) const {
    const Statement& made = steps_[place.step].statement;
    bool is_whole = made.rhs.same_as(place.part) && !made.op && !made.prunes &&
                    made.lhs.tensor.type() == place.part.type() && assigned_.at(made.lhs.tensor.name()) == 1 &&
                    std::all_of(made.lhs.indices.begin(), made.lhs.indices.end(), [&](const IndexVar& var) {
                      return !var.map() && contains(notation::free_vars(place.part), var);
                    });
    // What reads the part instead stores the same components only if it can tell which ones there are.
    const Format& format = made.lhs.tensor.format();
    is_whole = is_whole && format.is_plain() && format.symmetry() == Symmetry::None &&
               (is_everywhere(place.part) || !format.pads());
    bool are_later = std::all_of(same.begin(), same.end(), [&](const Place& other) { return other.step > place.step; });
    if (!is_whole || !are_later) return std::nullopt;
    return replaced(steps_, made.lhs, place.part, same);
  }

  std::optional<std::vector<Step>> stored_anew(const Place& place, std::vector<Place> same) {
    Vars indices = notation::free_vars(place.part);
    std::string name = names_.make("part");
    Statement first{{TensorVar(name, place.part.type(), Format::dense(static_cast<int>(indices.size()))), indices},
                    std::nullopt,
                    place.part};
    first.lhs.tensor = with_places(name, first, !is_everywhere(place.part));
    same.push_back(place);
    std::optional<std::vector<Step>> out = replaced(steps_, first.lhs, place.part, same);
    Step step{first, steps_[place.step].origins};
    if (out) out->insert(out->begin() + static_cast<std::ptrdiff_t>(place.step), std::move(step));
    return out;
  }

  const std::vector<Step>& steps_;
  FreshNames names_;
  std::map<std::string, int> assigned_;  // how often
};

}  // namespace

std::optional<Renaming> renaming(const Expr& a, const Expr& b) {
  Comparison comparison;
  return comparison.same(a, b) ? std::optional(std::move(comparison).result()) : std::nullopt;
}

std::vector<Statement> without_copies(std::vector<Statement> statements) {
  for (size_t n = 0; n + 1 < statements.size(); n++) {
    for (size_t m = statements.size() - 1; m-- > n + 1;) {
      const Access made = statements[n].lhs, copy = statements[m].lhs;
      std::optional<Renaming> names = renaming(statements[n].rhs, statements[m].rhs);
      std::optional<std::vector<size_t>> order = names ? dimension_order(made, copy, *names) : std::nullopt;
      if (!order || made.tensor.type() != copy.tensor.type() || !(made.tensor.fill() == copy.tensor.fill())) continue;
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(m));
      for (Statement& statement : statements)
        statement.rhs = with_other(statement.rhs, copy.tensor, made.tensor, *order);
    }
  }
  return statements;
}

std::optional<std::vector<Step>> with_parts_once(const std::vector<Step>& steps) { return Finder(steps)(); }

}  // namespace filigree::compiler
