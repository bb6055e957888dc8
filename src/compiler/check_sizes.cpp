#include "compiler/check_sizes.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/count_points.h"
#include "concrete/derivations.h"
#include "concrete/parts.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::compiler {

void check_bounds(const concrete::Program& program, const std::vector<const AnyTensor*>& operands,
                  const std::map<IndexVar, std::int64_t>& known, const char* who) {
  const concrete::Environment& environment = program.environment;
  if (environment.bounds.empty()) return;
  const std::map<IndexVar, std::int64_t> extents = concrete::all_extents(environment, known);
  const std::vector<concrete::PointParts> all_parts = concrete::all_parts(environment);
  for (const concrete::ExtentBound& bound : environment.bounds) {
    std::set<std::int64_t> counts;  // in different iterations of the loops around it
    auto points_of = [&](const concrete::Points& points) { return count_points(points, program, operands, known); };
    const concrete::FlatLoop* numbered = concrete::flat_loop(environment, bound.var);
    auto parts = std::find_if(all_parts.begin(), all_parts.end(), [&](const concrete::PointParts& of) {
      return std::any_of(of.parts.begin(), of.parts.end(), [&](const auto& part) { return part.var == bound.var; });
    });
    if (auto extent = extents.find(bound.var); extent != extents.end()) counts = {extent->second};
    else if (numbered) counts = points_of(*numbered);
    else {
      internal_check(parts != all_parts.end(), "kernel", "a bound that cannot be checked", concrete::to_string(bound));
      for (std::int64_t points : points_of(parts->numbering)) {
        relation::Formula pieces =
            concrete::piece_count(environment, *parts, bound.var, relation::Formula::number(points));
        counts.insert(pieces.known().value());
      }
    }
    auto wrong =
        std::find_if(counts.begin(), counts.end(), [&](std::int64_t count) { return !concrete::holds(bound, count); });
    if (wrong == counts.end()) continue;
    UserError error(fmt::format("The {} says that {}, but it has {}{}", who, concrete::to_string(bound), *wrong,
                                counts.size() > 1 ? " at least once" : ""));
    std::move(error).hint("compile the statement without this bound, or with the right one");
    if (bound.source) std::move(error).at(bound.source, bound.span);
    throw error;
  }
}

namespace {

/// Collapsed loops are numbered through by 64-bit integers.
void check_count(const concrete::Points& points, const std::string& loops, const std::string& hint,
                 const std::map<IndexVar, std::int64_t>& extents, Source source, Span span) {
  constexpr std::int64_t most = std::int64_t{1} << 62;  // pieces may end a little behind
  if (points.positions || points.loops.size() < 2) return;
  relation::Facts facts;
  facts.extent = [&](const IndexVar& var) {
    auto known = extents.find(var);
    return std::optional(known == extents.end() ? 1 : known->second);  // else storage says it, and has memory for each
  };
  std::optional<std::int64_t> count = relation::evaluate(concrete::count(points), facts);
  if (count && *count <= most) return;
  std::vector<std::string> factors;
  for (const IndexVar& var : points.loops) {
    if (extents.count(var)) factors.push_back(fmt::format("{} of '{}'", extents.at(var), var.name()));
  }
  UserError error(fmt::format("The loops that {} have more points than a 64-bit integer counts: {}", loops,
                              join(factors, " times ")));
  std::move(error).hint(hint);
  if (source) std::move(error).at(source, span);
  throw error;
}

}  // namespace

void check_points(const concrete::Program& program, const std::map<IndexVar, std::int64_t>& known) {
  const concrete::Environment& environment = program.environment;
  if (environment.piece_loops.empty() && environment.flat_loops.empty()) return;
  std::map<IndexVar, std::int64_t> extents = concrete::all_extents(environment, known);
  for (const concrete::PieceLoop& cut : environment.piece_loops)
    check_count(cut, fmt::format("'{}' cuts together", cut.var.name()),
                "cut one of the loops, or cut them by the positions of a tensor, with pos", extents, cut.source,
                cut.span);
  concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
    const concrete::Forall* forall = stmt.as<concrete::Forall>();
    const concrete::FlatLoop* flat = forall ? concrete::flat_loop(environment, forall->var) : nullptr;
    if (flat)
      check_count(*flat, fmt::format("'{}' is in place of", flat->var.name()),
                  "leave the loops apart, or collapse the positions of a tensor, with pos", extents, flat->source,
                  flat->span);
  });
}

}  // namespace filigree::compiler
