#include "plan/tiles.h"

#include <algorithm>
#include <bit>

#include "concrete/derivations.h"
#include "concrete/parts.h"

namespace filigree::plan {
namespace {

using concrete::PieceLoop;
using concrete::Protocol;
using relation::Formula;

/// The only cut of the points, where a loop is over numbers inside of its pieces and has the one over these inside.
const PieceLoop* only_cut(const PieceLoop& inside, const concrete::Environment& environment) {
  const PieceLoop* only = nullptr;
  for (const PieceLoop& cut : environment.piece_loops) {
    if (cut.given == PieceLoop::Given::Inside || !concrete::is_same_numbering(cut, inside)) continue;
    if (only || cut.var != inside.over || !concrete::cuts_of(environment, cut.var).empty()) return nullptr;
    only = &cut;
  }
  return only;
}

bool is_asked_for(const concrete::LoopTag& tag) { return tag.vector || tag.unrolled > 0; }

/// Does the loop visit all points of a piece, one in each iteration?
bool visits_each_point(const Loop& loop, const PieceLoop& cut, const concrete::Environment& environment) {
  if (loop.if_empty || loop.bodies.empty()) return false;
  const concrete::FlatLoop* flat = concrete::flat_loop(environment, loop.lattice.var);
  // Cursors that run beside the loop see every coordinate.
  bool is_stepped = !flat && loop.strategy.with(Protocol::SeqIter) == 0;
  if (cut.given == PieceLoop::Given::Inside && !is_stepped) return false;
  if (flat) return concrete::is_same_numbering(*flat, cut) && loop.strategy.over_universe;
  if (cut.loops != std::vector<IndexVar>{loop.lattice.var}) return false;
  // Another cut, of coordinates where this one is of positions, may leave some of its points out.
  bool is_cut_again =
      std::any_of(environment.piece_loops.begin(), environment.piece_loops.end(), [&](const auto& other) {
        return contains(other.loops, loop.lattice.var) && !concrete::is_same_numbering(other, cut);
      });
  if (is_cut_again) return false;
  if (!cut.positions || loop.strategy.over_universe) return loop.strategy.over_universe;
  lattice::Mask steppers = loop.strategy.with(Protocol::Step);
  if (std::popcount(steppers) != 1) return false;
  const lattice::Operand& one = loop.lattice.operands[static_cast<size_t>(std::countr_zero(steppers))];
  return lattice::operand_at(*cut.positions, one.level) == one &&
         !loop.lattice.groups(static_cast<size_t>(std::countr_zero(steppers)));
}

/// Looks for loops that are asked for and have as many iterations as there are points in a full piece of `cut`.
class Search {
 public:
  Search(const PieceLoop& cut, const concrete::Environment& environment) : environment_(environment), chain_{&cut} {}

  bool finds(const Body& body) { return finds(body.stmt); }

 private:
  bool finds(const Stmt& stmt) {
    auto any = [&](const std::vector<Stmt>& all) {
      return std::any_of(all.begin(), all.end(), [&](const Stmt& inside) { return finds(inside); });
    };
    return match(
        stmt, [&](const Loop& n) { return finds_in(n); },
        [&](const Pieces& n) { return finds_in(n, stmt.what().as<concrete::Forall>()->tag); },
        [&](const Where& n) { return finds(n.producer) || finds(n.consumer); },
        [&](const Sequence& n) { return any(n.statements); }, [&](const Multi& n) { return any(n.statements); },
        [](const Assign&) { return false; });
  }

  bool finds_in(const Loop& loop) {
    bool is_asked = is_asked_for(loop.lattice.tag) || chain_.back()->is_bounded;
    if (is_asked && decides_size() && visits_each_point(loop, *chain_.back(), environment_)) return true;
    return std::any_of(loop.bodies.begin(), loop.bodies.end(), [&](const Body& body) { return finds(body); });
  }

  bool finds_in(const Pieces& pieces, const concrete::LoopTag& tag) {
    if (pieces.cut.by_number || !concrete::is_same_numbering(pieces.cut, *chain_.back())) return finds(pieces.body);
    bool is_asked = is_asked_for(tag) || chain_.back()->is_bounded;
    if (is_asked && pieces.cut.given == PieceLoop::Given::Size && decides_size()) return true;
    chain_.push_back(&pieces.cut);
    bool found = finds(pieces.body);
    chain_.pop_back();
    return found;
  }

  /// Do the pieces that a loop here divides have a size that the outermost of these cuts decides?
  bool decides_size() const {
    std::optional<std::int64_t> size = full_size(*chain_.front(), environment_);
    for (size_t n = 1; size && n < chain_.size(); n++) {
      if (chain_[n]->given != PieceLoop::Given::Count || *size % chain_[n]->amount != 0) return false;
      size = *size / chain_[n]->amount;
    }
    return size.has_value();
  }

  const concrete::Environment& environment_;
  std::vector<const PieceLoop*> chain_;  // of the same points, from outside in
};

/// Is it certain that there is no tail?
bool is_even(const PieceLoop& cut, const concrete::Environment& environment) {
  if (cut.given == PieceLoop::Given::Inside) return is_even(*only_cut(cut, environment), environment);
  auto divides_one_loop = [&](std::int64_t size) {
    return std::any_of(cut.loops.begin(), cut.loops.end(),
                       [&](const IndexVar& var) { return concrete::known_divisor(environment, var) % size == 0; });
  };
  std::optional<std::int64_t> around;
  for (const PieceLoop& one : concrete::cuts_of(environment, cut)) {
    if (one.given != PieceLoop::Given::Size) return false;
    bool is_divided = around ? *around % one.amount == 0 : !cut.positions && divides_one_loop(one.amount);
    if (!is_divided) return false;
    if (one.var == cut.var) return true;
    around = one.amount;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> full_size(const PieceLoop& cut, const concrete::Environment& environment) {
  if (cut.given == PieceLoop::Given::Inside) {
    const PieceLoop* pieces = cut.counts_parents ? nullptr : only_cut(cut, environment);
    if (!pieces) return std::nullopt;
    bool is_count = pieces->given == PieceLoop::Given::Count;
    return is_count ? std::optional(pieces->amount) : concrete::exact_extent(environment, pieces->var);
  }
  if (cut.by_number || cut.counts_parents) return std::nullopt;
  if (cut.given == PieceLoop::Given::Size) return cut.amount;
  const std::vector<PieceLoop> all = concrete::cuts_of(environment, cut);
  if (cut.given != PieceLoop::Given::Count || cut.positions || all.empty() || all.front().var != cut.var)
    return std::nullopt;
  std::int64_t points = 1;
  for (const IndexVar& var : cut.loops) {
    std::optional<std::int64_t> extent = concrete::exact_extent(environment, var);
    if (!extent || __builtin_mul_overflow(points, *extent, &points)) return std::nullopt;
  }
  return points / cut.amount == 0 || points % cut.amount == 0
             ? std::nullopt
             : concrete::piece_size(cut, Formula::number(points)).known();
}

Formula full_numbers(const PieceLoop& cut, const concrete::Environment& environment) {
  const Formula points = Formula::extent(concrete::all_points());
  Formula size = concrete::piece_size(*only_cut(cut, environment), points);
  return Formula::max(Formula::number(0), points - Formula::number(*full_size(cut, environment) - 1) * size);
}

bool wants_full_first(const Pieces& pieces, const concrete::Environment& environment) {
  return full_size(pieces.cut, environment) && !is_even(pieces.cut, environment) &&
         Search(pieces.cut, environment).finds(pieces.body);
}

}  // namespace filigree::plan
