#include "concrete/points.h"

namespace filigree::concrete {

using relation::Formula;

namespace {

Formula extent(const IndexVar& var) { return Formula::extent(var); }
const Formula zero = Formula::number(0), one = Formula::number(1);

}  // namespace

Formula count(const Points& points) {
  Formula total = one;
  for (const IndexVar& var : points.loops) total = total * extent(var);
  return total;
}

Formula number(const Points& points) {
  Formula number = zero;
  for (const IndexVar& loop : points.loops) number = number * extent(loop) + Formula::value(loop);
  return number;
}

std::vector<Formula> coordinates_at(const Points& points, const Formula& number) {
  std::vector<Formula> values(points.loops.size(), number);
  Formula rest = number;
  for (size_t n = points.loops.size(); n-- > 0;) {
    values[n] = n == 0 ? rest : Formula::remainder(rest, extent(points.loops[n]));
    if (n > 0) rest = Formula::quotient(rest, extent(points.loops[n]));
  }
  return values;
}

Window window_of(const Points& points, size_t loop, const Formula& begin, const Formula& end) {
  Formula below = one;
  for (size_t n = loop + 1; n < points.loops.size(); n++) below = below * extent(points.loops[n]);
  Window window{begin, end};
  Formula stride = below;
  for (size_t n = loop; n-- > 0;) {
    stride = stride * extent(points.loops[n + 1]);
    Formula skipped = Formula::value(points.loops[n]) * stride;
    window = {window.begin - skipped, window.end - skipped};
  }
  if (loop + 1 == points.loops.size()) return window;
  below = Formula::max(below, one);  // of nothing, too
  return {Formula::quotient(loop == 0 ? window.begin : Formula::max(window.begin, zero), below),
          Formula::rounded_up(window.end, below)};
}

namespace {

/// If so many are asked for.
std::optional<Formula> given_pieces(const PieceLoop& cut) {
  if (cut.given == PieceLoop::Given::Size) return std::nullopt;
  return cut.given == PieceLoop::Given::Count ? Formula::number(cut.amount) : extent(cut.var);
}

}  // namespace

Formula piece_count(const PieceLoop& cut, const Formula& points) {
  std::optional<Formula> given = given_pieces(cut);
  return given ? *given : Formula::rounded_up(points, Formula::number(cut.amount));
}

Formula piece_size(const PieceLoop& cut, const Formula& points) {
  std::optional<Formula> given = given_pieces(cut);
  return given ? Formula::max(one, Formula::rounded_up(points, *given)) : Formula::number(cut.amount);
}

}  // namespace filigree::concrete
