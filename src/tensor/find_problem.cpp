// What levels must be like so that they store every component of a tensor, and each in one place.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "level/whole.h"
#include "support/text.h"
#include "tensor/format.h"

namespace filigree {
namespace {

using relation::Counter;
using relation::Difference;
using relation::Digits;
using Names = std::vector<std::string>;
using Problem = std::optional<FormatProblem>;

const char* ell_map = "ELL is (i,j) -> (#i: slots, i: dense, j: singleton(padded))";

std::string first_upper(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// Level `k`, which stores `what` in a level format called `kind`.
struct Place {
  const std::vector<Level>& levels;
  int k;
  std::string what, kind;
  const Level& level() const { return levels[k]; }
  const level::Format& format() const { return *levels[k].format; }
  FormatProblem problem(const std::string& message, const std::string& hint) const { return {message, hint, k, {}}; }
};

/// Does the level format suit what the level stores?
Problem problem_of_coordinate(const Place& at, bool implied) {
  bool counts = at.level().coordinate.as<Counter>() != nullptr;
  bool again = std::any_of(at.levels.begin(), at.levels.begin() + at.k,
                           [&](const Level& l) { return l.coordinate == at.level().coordinate; });
  if (again)
    return at.problem(fmt::format("'{}' is stored by two levels", at.what),
                      "leave one of them out: each dimension needs one level, or one for each part");
  const Digits* digits = at.level().coordinate.as<Digits>();
  if (digits && digits->modulus == 1) {
    return at.problem(fmt::format("'{}' is always 0", at.what),
                      "leave the level out: within a block of one there is nothing to say");
  }
  if (implied && !at.format().is_implied()) {
    return at.problem(fmt::format("'{}' is stored twice: it follows from the levels before it", at.what),
                      "leave the level out, or make it an offset level, which stores nothing");
  }
  if (!implied && at.format().is_implied()) {
    return at.problem(
        fmt::format("An offset level stores nothing, but '{}' does not follow from the levels before it", at.what),
        "offset is for the last level of a map such as (i,j) -> (j-i: compressed, i: range, j: offset)");
  }
  if (counts && !at.format().counts_entries()) {
    return at.problem(fmt::format("'{}' counts entries, which a level '{}' cannot store", at.what, at.kind), ell_map);
  }
  if (!counts && at.format().counts_entries()) {
    return at.problem(fmt::format("A level '{}' counts entries, but '{}' is not a count", at.kind, at.what), ell_map);
  }
  bool from_lowest = dynamic_cast<const level::CountsFromLowest*>(&at.format());
  if (at.format().properties().padded && !from_lowest && at.level().coordinate.as<Difference>()) {
    return at.problem(fmt::format("'{}' can be negative, but a level '{}' marks free places with the coordinate -1",
                                  at.what, at.kind),
                      "make it compressed");
  }
  return std::nullopt;
}

/// Does the level above suit the level format?
Problem problem_of_parent(const Place& at, bool implied, int order) {
  level::Properties properties = at.format().properties();
  bool single = properties.branchless && !properties.padded && !implied;
  if (single && (at.k == 0 || at.levels[at.k - 1].format->properties().unique)) {
    return at.problem(
        first_upper(at.kind) + " has one child for every parent, so the level above it must repeat coordinates",
        at.k > 0 && at.levels[at.k - 1].format->is_implied()
            ? fmt::format("'{}' cannot do that: make this level padded, or compressed",
                          at.levels[at.k - 1].format->name())
            : "make the level above nonunique, as in (i: compressed(nonunique), j: singleton), or this one padded");
  }
  if (single && at.levels[at.k - 1].format->properties().padded) {
    return at.problem(
        fmt::format("The level above '{}' may have nothing at a position, and then a level '{}' has nothing to store",
                    at.what, at.kind),
        "make this level padded, too");
  }
  bool under_rows = at.k == 1 && at.levels[0].coordinate.plain() && at.levels[0].format->properties().full &&
                    at.level().coordinate.plain();
  if (at.format().stands_under_rows() && !(under_rows && order == 2 && at.levels.size() == 2)) {
    return at.problem(fmt::format("A level '{}' needs a dense level of rows as the only level above it", at.kind),
                      fmt::format("a packed triangle is (i,j) -> (i: dense, j: {})", at.kind));
  }
  return std::nullopt;
}

/// A level whose coordinates stand in another's arrays is where that one expects it.
Problem problem_of_tuple(const std::vector<Level>& levels, int k) {
  const level::Format& format = *levels[k].format;
  const char* hint = "entries with their coordinates side by side are (i: tuples(2), j: member)";
  int held = 0;
  while (held < format.holds_below() && k + held + 1 < static_cast<int>(levels.size()) &&
         levels[k + held + 1].format->is_held_above())
    held++;
  if (held < format.holds_below()) {
    return FormatProblem{
        fmt::format("{} has the coordinates of {}, but {} below it", first_upper(level::to_string(format)),
                    counted(format.holds_below(), "more level"),
                    held == 0 ? "no such levels are" : counted(held, "such level is", "such levels are")),
        hint,
        k,
        {}};
  }
  if (!format.is_held_above()) return std::nullopt;
  for (int up = k - 1; up >= 0; up--) {
    if (levels[up].format->holds_below() >= k - up) return std::nullopt;
  }
  return FormatProblem{fmt::format("{} stores nothing itself, and no level above has room for its coordinates",
                                   first_upper(level::to_string(format))),
                       hint,
                       k,
                       {}};
}

/// What to add so that a dimension of which only this is stored can be recovered.
std::string rest_of(const Level& level, const std::string& name, const Names& names) {
  if (const Digits* digits = level.coordinate.as<Digits>()) {
    if (digits->divisor != 1) return fmt::format("store the rest of it too, in a level {}%{}", name, digits->divisor);
    return fmt::format("store the rest of it too, in a level {}/{}", name, digits->modulus);
  }
  std::vector<int> of = level.coordinate.dimensions();
  return fmt::format("store {} or {}, too", names[of[0]], names[of[1]]);
}

/// Does every dimension follow from the levels?
Problem problem_of_dimension(const std::vector<Level>& levels, int dimension, const Names& names,
                             const std::vector<relation::Recovered>& recovered) {
  if (std::any_of(recovered.begin(), recovered.end(),
                  [&](const relation::Recovered& r) { return r.dimension == dimension; }))
    return std::nullopt;
  const std::string& name = names[dimension];
  for (int k = 0; k < static_cast<int>(levels.size()); k++) {
    const relation::Coordinate& coordinate = levels[k].coordinate;
    std::vector<int> of = coordinate.dimensions();
    if (coordinate.as<Counter>() || std::find(of.begin(), of.end(), dimension) == of.end()) continue;
    return FormatProblem{fmt::format("'{}' cannot be recovered from the levels: '{}' does not say which {} it is", name,
                                     relation::to_string(coordinate, names), name),
                         rest_of(levels[k], name, names),
                         k,
                         {}};
  }
  return FormatProblem{
      fmt::format("No level stores dimension '{}'", name), "each dimension needs a level", {}, dimension};
}

/// Does every level say something that the others do not?  Else a component would have several places.
Problem problem_of_use(const Place& at, bool implied, const std::vector<relation::Recovered>& recovered) {
  if (implied || at.level().coordinate.as<Counter>()) return std::nullopt;
  for (const relation::Recovered& r : recovered) {
    for (const relation::Recovered::Term& term : r.terms) {
      if (term.from == relation::Recovered::Term::From::Level && term.number == at.k) return std::nullopt;
    }
  }
  return at.problem(fmt::format("'{}' is stored twice: it follows from the other levels", at.what),
                    "leave the level out");
}

Problem problem_of_count(const Place& at) {
  bool pads = !at.levels.empty() && Format(at.levels).pads();
  if (!at.level().coordinate.as<Counter>() || !pads) return std::nullopt;
  return at.problem(fmt::format("'{}' counts entries, but the last level has room for what is no entry", at.what),
                    ell_map);
}

}  // namespace

std::optional<FormatProblem> find_problem(const std::vector<Level>& levels, const std::vector<std::string>& names) {
  int order = static_cast<int>(names.size());
  std::vector<relation::Coordinate> so_far;
  std::vector<Place> places;
  std::vector<bool> implied;
  for (int k = 0; k < static_cast<int>(levels.size()); k++) {
    so_far.push_back(levels[k].coordinate);
    implied.push_back(relation::is_implied(so_far, order));
    places.push_back(
        {levels, k, relation::to_string(levels[k].coordinate, names), level::to_string(*levels[k].format)});
    if (Problem problem = problem_of_coordinate(places[k], implied[k])) return problem;
    if (Problem problem = problem_of_parent(places[k], implied[k], order)) return problem;
    if (Problem problem = problem_of_tuple(levels, k)) return problem;
  }
  std::vector<relation::Recovered> recovered = relation::recover(so_far, order);
  for (int dimension = 0; dimension < order; dimension++) {
    if (Problem problem = problem_of_dimension(levels, dimension, names, recovered)) return problem;
  }
  for (const Place& place : places) {
    if (Problem problem = problem_of_use(place, implied[place.k], recovered)) return problem;
    if (Problem problem = problem_of_count(place)) return problem;
  }
  return std::nullopt;
}

std::optional<FormatProblem> find_problem_of_half(const Format& half) {
  if (half.symmetry() != Symmetry::None) {
    return FormatProblem{"A half of a matrix cannot itself be symmetric",
                         "name the format of the stored half, as in symmetric(dcsr)",
                         {},
                         {}};
  }
  for (int k = 0; k < half.level_count(); k++) {
    const level::Format& format = *half.levels()[k].format;
    if (!format.stands_under_rows()) continue;
    // Is there a place for the component at (1,0)?
    std::int64_t below = half.levels()[k].coordinate.plain() == 1 ? 0 : 1;
    level::Packed packed = format.storage()->pack({2, 2}, {{1 - below}, {below}});
    if (packed.positions[0] != level::Packed::does_not_fit) continue;
    return FormatProblem{fmt::format("A level '{}' has no room for the half that is stored, on and below the diagonal",
                                     level::to_string(format)),
                         "the packed half of a matrix is symmetric(lower)",
                         k,
                         {}};
  }
  return std::nullopt;
}

}  // namespace filigree
