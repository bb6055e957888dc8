#include "concrete/parts.h"

#include <algorithm>

#include "concrete/derivations.h"

namespace filigree::concrete {

using relation::Formula;

namespace {

/// Numbered from 0, which is how loops over pieces are cut.
Points numbers_of(const IndexVar& pieces) { return {{pieces}}; }

bool is_pieces(const Environment& environment, const IndexVar& var) {
  return std::any_of(environment.piece_loops.begin(), environment.piece_loops.end(),
                     [&](const PieceLoop& cut) { return cut.var == var; });
}

const PieceLoop* inside_of(const Environment& environment, const Points& numbering) {
  for (const PieceLoop& cut : environment.piece_loops) {
    if (cut.given == PieceLoop::Given::Inside && is_same_numbering(cut, numbering)) return &cut;
  }
  return nullptr;
}

/// From large to small, ending with what is inside of the smallest pieces, which is `smallest`.
void collect(const Environment& environment, const Points& numbering, const IndexVar& smallest,
             std::vector<IndexVar>& out) {
  for (const PieceLoop& cut : cuts_of(environment, numbering)) collect(environment, numbers_of(cut.var), cut.var, out);
  out.push_back(smallest);
}

/// Of the parts that `numbering` is divided into, those that have a number of iterations which the number of points
/// decides.
void collect_counting(const Environment& environment, const Points& numbering, bool counts, std::vector<bool>& out) {
  for (const PieceLoop& cut : cuts_of(environment, numbering)) {
    bool is_size = cut.given == PieceLoop::Given::Size;
    collect_counting(environment, numbers_of(cut.var), counts && is_size, out);
    counts = counts && !is_size;
  }
  out.push_back(counts);
}

/// The extents of parts, of so many points, and the numbers of pieces.
class Extents {
 public:
  /// `by_number`: of loops in code, which need not go further than there are points.
  Extents(const Environment& environment, const Points& numbering, const Formula& points, bool by_number)
      : environment_(environment), by_number_(by_number) {
    collect(numbering, points);
  }
  std::vector<Formula> parts;
  std::map<IndexVar, Formula> pieces;

 private:
  void collect(const Points& numbering, Formula points) {
    constexpr std::int64_t many = 4096;  // below this, a constant is worth more than fewer numbers
    Formula most = points;               // of `points`, which says how large pieces are, so many are there
    bool is_less = false;
    for (const PieceLoop& cut : cuts_of(environment_, numbering)) {
      bool is_size = cut.given == PieceLoop::Given::Size;
      std::optional<std::int64_t> known = exact_extent(environment_, cut.var);
      Formula count = by_number_ && is_size && known ? Formula::number(*known) : piece_count(cut, most);
      pieces.insert_or_assign(cut.var, count);
      collect(numbers_of(cut.var), count);
      points = piece_size(cut, points);
      is_less = by_number_ && (is_size ? cut.amount > many : is_less);
      most = is_less ? Formula::min(points, most) : points;
    }
    parts.push_back(most);
  }

  const Environment& environment_;
  bool by_number_;
};

/// What runs through the points of all parts from large to small, and notes what their numbers say.
class Visit {
 public:
  Visit(const Environment& environment, const PointParts& parts, const std::function<bool(const PieceLoop&)>& is_even)
      : environment_(environment), parts_(parts), is_even_(is_even) {}

  Visited run(const Formula& points) {
    visit(cuts_of(environment_, parts_.numbering), 0, {Formula::number(1), points, true, true});
    out_.above = sum(above_);
    out_.below = sum(below_);
    return out_;
  }

 private:
  struct Range {
    Formula factor;  // how many points one of it is
    Formula count;   // how many there are
    bool must_end;   // does nothing around it tell where it ends?
    bool is_whole = false;
  };

  static Formula sum(const std::vector<Formula>& terms, size_t from = 0) {
    Formula total = Formula::number(0);
    for (size_t n = from; n < terms.size(); n++) total = total + terms[n];
    return total;
  }

  void visit_part(size_t part, const Range& range) {
    if (part != parts_.visiting) {
      (met_ ? below_ : above_).push_back(range.factor * Formula::value(parts_.parts[part].loops.front()));
      return;
    }
    met_ = true;
    out_.stride = range.factor;
    if (range.must_end) out_.ends.push_back(sum(above_) + range.factor * range.count);
  }

  /// What is left of a range once the cuts before number `first` are made.
  void visit(const std::vector<PieceLoop>& cuts, size_t first, const Range& range) {
    if (first == cuts.size()) return visit_part(at_++, range);
    const PieceLoop& cut = cuts[first];
    Formula size = piece_size(cut, range.count);
    std::optional<std::int64_t> known = range.count.known();
    // A given number of pieces is there even if there are no points.
    bool even = known ? cut.given != PieceLoop::Given::Threads && *known % cut.amount == 0 && *known > 0
                      : cut.given == PieceLoop::Given::Size && (cut.amount == 1 || (range.is_whole && is_even_(cut)));
    const bool was_met = met_;
    const size_t first_above = above_.size(), first_below = below_.size();
    const Formula begin = sum(above_);
    visit(cuts_of(environment_, cut.var), 0,
          {range.factor * size, piece_count(cut, range.count), range.must_end && even});
    visit(cuts, first + 1, {range.factor, size, true});
    if (!range.must_end || even) return;
    Formula end = range.factor * range.count;
    bool is_inside = met_ && !was_met;  // the part that is visited
    if (!is_inside) out_.guards.push_back({met_ ? sum(below_, first_below) : sum(above_, first_above), end});
    else if (range.is_whole) out_.ends_with_all = true;
    else out_.ends.push_back(begin + end);
  }

  const Environment& environment_;
  const PointParts& parts_;
  const std::function<bool(const PieceLoop&)>& is_even_;
  Visited out_;
  std::vector<Formula> above_, below_;
  size_t at_ = 0;
  bool met_ = false;  // the part that is visited
};

}  // namespace

bool is_same_numbering(const Points& a, const Points& b) { return a == b; }

std::vector<PieceLoop> cuts_of(const Environment& environment, const Points& numbering) {
  std::vector<PieceLoop> out;
  for (const PieceLoop& cut : environment.piece_loops) {
    if (cut.given != PieceLoop::Given::Inside && is_same_numbering(cut, numbering)) out.push_back(cut);
  }
  return out;
}

std::vector<PieceLoop> cuts_of(const Environment& environment, const IndexVar& pieces) {
  return cuts_of(environment, numbers_of(pieces));
}

std::vector<PointParts> all_parts(const Environment& environment) {
  std::vector<PointParts> all;
  for (const PieceLoop& cut : environment.piece_loops) {
    bool is_known = std::any_of(all.begin(), all.end(),
                                [&](const PointParts& parts) { return is_same_numbering(parts.numbering, cut); });
    bool are_pieces = cut.loops.size() == 1 && !cut.positions &&
                      is_pieces(environment, cut.loops[0]);  // parts of parts
    if (is_known || are_pieces || cut.given == PieceLoop::Given::Inside) continue;
    PointParts parts{cut, {}, 0};
    std::vector<IndexVar> vars;
    collect(environment, cut, cut.loops.back(), vars);
    const PieceLoop* inside = inside_of(environment, cut);
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

std::optional<PointParts> parts_with(const Environment& environment, const std::vector<IndexVar>& loops) {
  std::optional<PointParts> found;
  for (const PointParts& parts : all_parts(environment)) {
    bool has =
        std::any_of(parts.parts.begin(), parts.parts.end(), [&](const PointPart& part) { return part.loops == loops; });
    bool is_copy = found && found->numbering.var == parts.numbering.var;
    if (has && !is_copy) found = parts;
  }
  return found;
}

bool makes(const PointParts& parts, const PieceLoop& cut) {
  if (is_same_numbering(parts.numbering, cut)) return true;
  return cut.loops.size() == 1 && !cut.positions &&
         std::any_of(parts.parts.begin(), parts.parts.end(), [&](const PointPart& part) {
           return part.var == cut.loops[0] && part.var != parts.numbering.loops.back();
         });
}

bool counts_points(const Environment& environment, const PointParts& parts, size_t part) {
  std::vector<bool> counting;
  collect_counting(environment, parts.numbering, true, counting);
  return counting[part];
}

const IndexVar& all_points() {
  static const IndexVar points("points");
  return points;
}

Formula piece_count(const Environment& environment, const PointParts& parts, const IndexVar& pieces,
                    const Formula& points) {
  return Extents(environment, parts.numbering, points, false).pieces.at(pieces);
}

Formula part_extent(const Environment& environment, const PointParts& parts, size_t part, const Formula& points) {
  return Extents(environment, parts.numbering, points, false).parts[part];
}

Formula iterations(const Environment& environment, const PointParts& parts, size_t part, const Formula& points) {
  return Extents(environment, parts.numbering, points, true).parts[part];
}

Visited visited(const Environment& environment, const PointParts& parts, const Formula& points,
                const std::function<bool(const PieceLoop&)>& is_even) {
  return Visit(environment, parts, is_even).run(points);
}

std::optional<std::int64_t> most_points(const Environment& environment, const std::vector<IndexVar>& around,
                                        const IndexVar& var) {
  const FlatLoop* flat = flat_loop(environment, var);
  const std::vector<IndexVar> loops = flat ? flat->loops : std::vector<IndexVar>{var};
  std::optional<std::int64_t> most;
  for (const PieceLoop& cut : environment.piece_loops) {
    bool is_around = cut.loops == loops && cut.positions == (flat ? flat->positions : std::nullopt) &&
                     contains(around, cut.var);
    if (is_around && (cut.by_number || cut.counts_parents)) return std::nullopt;
    if (is_around && cut.given == PieceLoop::Given::Size) most = std::min(most.value_or(cut.amount), cut.amount);
  }
  return most;
}

}  // namespace filigree::concrete
