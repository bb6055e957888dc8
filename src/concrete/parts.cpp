#include "concrete/parts.h"

#include <algorithm>

#include "concrete/derivations.h"

namespace filigree::concrete {
namespace {

/// Numbered from 0, which is how loops over pieces are cut.
Cut numbers_of(const IndexVar& pieces) { return {pieces, {pieces}, {}, Cut::Given::Size, 1}; }

bool is_pieces(const Environment& environment, const IndexVar& var) {
  return std::any_of(environment.cuts.begin(), environment.cuts.end(), [&](const Cut& cut) { return cut.var == var; });
}

const Cut* inside_of(const Environment& environment, const Cut& numbering) {
  for (const Cut& cut : environment.cuts) {
    if (cut.given == Cut::Given::Inside && is_same_numbering(cut, numbering)) return &cut;
  }
  return nullptr;
}

/// From large to small, ending with what is inside of the smallest pieces, which is `smallest`.
void collect(const Environment& environment, const Cut& numbering, const IndexVar& smallest,
             std::vector<IndexVar>& out) {
  for (const Cut& cut : cuts_of(environment, numbering)) collect(environment, numbers_of(cut.var), cut.var, out);
  out.push_back(smallest);
}

/// Of the parts that `numbering` is divided into, those that have a number of iterations which the number of points
/// decides.
void collect_counting(const Environment& environment, const Cut& numbering, bool counts, std::vector<bool>& out) {
  for (const Cut& cut : cuts_of(environment, numbering)) {
    bool is_size = cut.given == Cut::Given::Size;
    collect_counting(environment, numbers_of(cut.var), counts && is_size, out);
    counts = counts && !is_size;
  }
  out.push_back(counts);
}

using Count = std::optional<std::int64_t>;

Count rounded_up(Count points, std::int64_t divisor) {
  return points ? Count((*points + divisor - 1) / divisor) : std::nullopt;
}

struct Extents {
  std::vector<Count> parts;
  std::map<IndexVar, Count> pieces;
};

void collect_extents(const Environment& environment, const Cut& numbering, Count points, Extents& out) {
  for (const Cut& cut : cuts_of(environment, numbering)) {
    Count size, count;
    if (cut.given == Cut::Given::Size) size = cut.amount, count = rounded_up(points, cut.amount);
    if (cut.given == Cut::Given::Count) size = rounded_up(points, cut.amount), count = cut.amount;
    out.pieces[cut.var] = count;
    collect_extents(environment, numbers_of(cut.var), count, out);
    points = size;
  }
  out.parts.push_back(points);
}

}  // namespace

bool is_same_numbering(const Cut& a, const Cut& b) {
  return a.loops == b.loops && a.positions == b.positions && a.counts_parents == b.counts_parents;
}

std::vector<Cut> cuts_of(const Environment& environment, const Cut& numbering) {
  std::vector<Cut> out;
  for (const Cut& cut : environment.cuts) {
    if (cut.given != Cut::Given::Inside && is_same_numbering(cut, numbering)) out.push_back(cut);
  }
  return out;
}

std::vector<Cut> cuts_of(const Environment& environment, const IndexVar& pieces) {
  return cuts_of(environment, numbers_of(pieces));
}

std::vector<Parts> all_parts(const Environment& environment) {
  std::vector<Parts> all;
  for (const Cut& cut : environment.cuts) {
    bool is_known = std::any_of(all.begin(), all.end(),
                                [&](const Parts& parts) { return is_same_numbering(parts.numbering, cut); });
    bool are_pieces = cut.loops.size() == 1 && !cut.positions &&
                      is_pieces(environment, cut.loops[0]);  // parts of parts
    if (is_known || are_pieces || cut.given == Cut::Given::Inside) continue;
    Parts parts{cut, {}, 0};
    std::vector<IndexVar> vars;
    collect(environment, cut, cut.loops.back(), vars);
    const Cut* inside = inside_of(environment, cut);
    for (const IndexVar& var : vars) {
      bool is_smallest = var == cut.loops.back();
      bool visits = inside ? var == inside->over : is_smallest;
      if (visits) parts.visiting = parts.parts.size();
      parts.parts.push_back({var, visits ? cut.loops : std::vector<IndexVar>{is_smallest ? inside->var : var}});
    }
    all.push_back(parts);
  }
  return all;
}

std::optional<Parts> parts_with(const Environment& environment, const std::vector<IndexVar>& loops) {
  std::optional<Parts> found;
  for (const Parts& parts : all_parts(environment)) {
    bool has =
        std::any_of(parts.parts.begin(), parts.parts.end(), [&](const Part& part) { return part.loops == loops; });
    bool is_copy = found && found->numbering.var == parts.numbering.var;
    if (has && !is_copy) found = parts;
  }
  return found;
}

bool makes(const Parts& parts, const Cut& cut) {
  if (is_same_numbering(parts.numbering, cut)) return true;
  return cut.loops.size() == 1 && !cut.positions &&
         std::any_of(parts.parts.begin(), parts.parts.end(), [&](const Part& part) {
           return part.var == cut.loops[0] && part.var != parts.numbering.loops.back();
         });
}

bool counts_points(const Environment& environment, const Parts& parts, size_t part) {
  std::vector<bool> counting;
  collect_counting(environment, parts.numbering, true, counting);
  return counting[part];
}

std::optional<std::int64_t> piece_count(const Environment& environment, const Parts& parts, const IndexVar& pieces,
                                        std::optional<std::int64_t> points) {
  Extents extents;
  collect_extents(environment, parts.numbering, points, extents);
  auto found = extents.pieces.find(pieces);
  return found == extents.pieces.end() ? std::nullopt : found->second;
}

std::optional<std::int64_t> part_extent(const Environment& environment, const Parts& parts, size_t part,
                                        std::optional<std::int64_t> points) {
  Extents extents;
  collect_extents(environment, parts.numbering, points, extents);
  return extents.parts[part];
}

std::optional<std::int64_t> most_points(const Environment& environment, const std::vector<IndexVar>& around,
                                        const IndexVar& var) {
  const FlatLoop* flat = flat_loop(environment, var);
  const std::vector<IndexVar> loops = flat ? flat->loops : std::vector<IndexVar>{var};
  std::optional<std::int64_t> most;
  for (const Cut& cut : environment.cuts) {
    bool is_around = cut.loops == loops && cut.positions == (flat ? flat->positions : std::nullopt) &&
                     contains(around, cut.var);
    if (is_around && (cut.by_number || cut.counts_parents)) return std::nullopt;
    if (is_around && cut.given == Cut::Given::Size) most = std::min(most.value_or(cut.amount), cut.amount);
  }
  return most;
}

}  // namespace filigree::concrete
