#include "tensor/composed_level.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "support/check.h"
#include "support/text.h"

namespace filigree {
namespace {

using level::Bounds;
using level::Instance;
using level::Node;
using relation::Difference;
using relation::Digits;

/// Coordinates of dimensions, as far as they are known.
struct Known {
  std::map<int, ir::Expr> coordinates;
  /// coordinate % divisor, for a dimension of which that is known by itself.
  struct Rest {
    int dimension;
    std::int64_t divisor;
    ir::Expr value;
  };
  std::optional<Rest> rest = {};
};

ir::Expr digits_of(const ir::Expr& value, std::int64_t divisor, std::int64_t modulus) {
  ir::Expr quotient = ir::quotient(value, ir::integer(divisor));
  return modulus == 0 ? quotient : ir::remainder(quotient, ir::integer(modulus));
}

/// What a level stores.  Requires: it follows from what is known.
ir::Expr value(const relation::Coordinate& coordinate, const Known& known) {
  if (const Difference* difference = coordinate.as<Difference>()) {
    return ir::subtract(known.coordinates.at(difference->plus), known.coordinates.at(difference->minus));
  }
  const Digits& digits = *coordinate.as<Digits>();
  bool is_rest = known.rest && known.rest->dimension == digits.whole && digits.modulus != 0 &&
                 known.rest->divisor % (digits.divisor * digits.modulus) == 0;
  if (!is_rest) return digits_of(known.coordinates.at(digits.whole), digits.divisor, digits.modulus);
  bool is_leading = digits.divisor * digits.modulus == known.rest->divisor;  // the rest is smaller than that already
  return digits_of(known.rest->value, digits.divisor, is_leading ? 0 : digits.modulus);
}

/// A chain as generated code sees it: the parts of one composed level.
class Parts {
 public:
  Parts(const Chain& chain, const Instance& whole) : chain_(chain), whole_(whole) {}

  int dimension() const { return chain_.dimensions.back(); }
  size_t count() const { return chain_.levels.size(); }
  const Level& level(size_t n) const { return chain_.levels[n]; }
  const level::Format& format(size_t n) const { return *chain_.levels[n].format; }
  const ir::Expr& extent() const { return whole_.extent; }

  Instance instance(size_t n) const {
    size_t first = 0;
    for (size_t before = 0; before < n; before++) first += format(before).arrays().size();
    auto arrays = whole_.arrays.begin() + static_cast<std::ptrdiff_t>(first);
    Instance part{
        whole_.name, {arrays, arrays + static_cast<std::ptrdiff_t>(format(n).arrays().size())}, {}, {}, ir::integer(0)};
    if (const Digits* digits = level(n).coordinate.as<Digits>()) {
      ir::Expr all = ir::add(extent_of(digits->whole), ir::integer(digits->divisor - 1));
      part.extent = digits->modulus != 0 ? ir::integer(digits->modulus)
                                         : ir::quotient(all, ir::integer(digits->divisor));
    } else if (const Difference* difference = level(n).coordinate.as<Difference>()) {
      ir::Expr both = ir::add(extent_of(difference->plus), extent_of(difference->minus));
      part.extent = ir::max(ir::subtract(both, ir::integer(1)), ir::integer(0));
      part.origin = ir::subtract(ir::integer(1), extent_of(difference->minus));
    } else {
      part.extent = *format(n).stored_extent(part);
    }
    return part;
  }

  /// Coordinates of the dimensions above, in the order of loops.
  Known known(const std::vector<ir::Expr>& coordinates) const {
    Known out;
    for (size_t n = 0; n < coordinates.size(); n++) out.coordinates.insert({chain_.dimensions[n], coordinates[n]});
    return out;
  }

  /// The position below `position` when levels [from, to) have been looked up.
  ir::Expr located(ir::Expr position, size_t from, size_t to, const Known& known) const {
    for (size_t n = from; n < to; n++) {
      Node node = format(n).locate()->locate(instance(n), position, {value(level(n).coordinate, known)});
      internal_check(node.setup.empty() && ir::is_true(node.found), "compose",
                     "a level of a chain may lack coordinates", format(n).name());
      position = node.position;
    }
    return position;
  }

 private:
  ir::Expr extent_of(int dimension) const {
    auto at = std::find(chain_.dimensions.begin(), chain_.dimensions.end(), dimension) - chain_.dimensions.begin();
    internal_check(at < static_cast<std::ptrdiff_t>(chain_.dimensions.size()), "compose",
                   "the extent of a dimension whose loop is further in");
    return at + 1 == static_cast<std::ptrdiff_t>(chain_.dimensions.size())
               ? whole_.extent
               : whole_.extents_above.at(static_cast<size_t>(at));
  }

  const Chain& chain_;
  const Instance& whole_;
};

class ChainLocate : public level::Locate {
 public:
  explicit ChainLocate(const Chain& chain) : chain_(chain) {}
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    Parts parts(chain_, level);
    return {parts.located(parent, 0, parts.count(), parts.known(coordinates)), coordinates.back()};
  }

 private:
  const Chain& chain_;
};

/// Every coordinate of a chain that can be located.
class ChainValues : public level::ValueIteration {
 public:
  explicit ChainValues(const Chain& chain) : locate_(chain) {}
  Bounds bounds(const Instance& level, const std::vector<ir::Expr>&) const override {
    return {ir::integer(0), level.extent};
  }
  Node access(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return locate_.locate(level, parent, coordinates);
  }

 private:
  ChainLocate locate_;
};

/// A block is a run; the last one may stick out of the dimension.
class BlockRuns : public level::Runs {
 public:
  explicit BlockRuns(const Chain& chain) : chain_(chain) {}
  std::int64_t length() const override { return chain_.levels[0].coordinate.as<Digits>()->divisor; }
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    Parts parts(chain_, level);
    return parts.format(0).position_iteration()->bounds(parts.instance(0), parent);
  }
  ir::Var numbers(const Instance& level) const override {
    Parts parts(chain_, level);
    return parts.format(0).search()->coordinates(parts.instance(0));
  }
  Node access(const Instance& level, const ir::Expr& cursor, const ir::Expr& inside,
              const std::vector<ir::Expr>& ancestors) const override {
    Parts parts(chain_, level);
    Node block = parts.format(0).position_iteration()->access(parts.instance(0), cursor, {});
    ir::Expr coordinate = ir::add(ir::multiply(block.coordinate, ir::integer(length())), inside);
    Known known = parts.known(ancestors);
    known.coordinates.insert({parts.dimension(), coordinate});
    known.rest = {parts.dimension(), length(), inside};
    ir::Expr found = length() == 1 ? ir::boolean(true) : ir::less(coordinate, parts.extent());
    return {parts.located(block.position, 1, parts.count(), known), coordinate, found};
  }

 private:
  const Chain& chain_;
};

/// One cursor stands for a block and a coordinate inside it.
class Blocks : public level::PositionIteration {
 public:
  explicit Blocks(const Chain& chain) : runs_(chain) {}
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    Bounds blocks = runs_.bounds(level, parent);
    return {ir::multiply(blocks.begin, size()), ir::multiply(blocks.end, size())};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>& ancestors) const override {
    return runs_.access(level, ir::quotient(cursor, size()), ir::remainder(cursor, size()), ancestors);
  }

 private:
  ir::Expr size() const { return ir::integer(runs_.length()); }
  BlockRuns runs_;
};

/// Blocks of one coordinate: they are searched as they are walked.
class BlockSearch : public level::Search {
 public:
  explicit BlockSearch(const Chain& chain) : runs_(chain) {}
  ir::Var coordinates(const Instance& level) const override { return runs_.numbers(level); }

 private:
  BlockRuns runs_;
};

/// The dimension is a known one plus the diagonal, or minus it: then the cursor runs from the last diagonal to the
/// first, counting from minus its position up.
class Diagonals : public level::PositionIteration {
 public:
  explicit Diagonals(const Chain& chain) : chain_(chain) {}
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    Parts parts(chain_, level);
    Bounds diagonals = parts.format(0).position_iteration()->bounds(parts.instance(0), parent);
    if (is_forward()) return diagonals;
    return {ir::subtract(ir::integer(1), diagonals.end), ir::subtract(ir::integer(1), diagonals.begin)};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>& ancestors) const override {
    Parts parts(chain_, level);
    ir::Expr position = is_forward() ? cursor : ir::subtract(ir::integer(0), cursor);
    Node diagonal = parts.format(0).position_iteration()->access(parts.instance(0), position, {});
    Known known = parts.known(ancestors);
    ir::Expr coordinate = is_forward() ? ir::add(known.coordinates.at(difference().minus), diagonal.coordinate)
                                       : ir::subtract(known.coordinates.at(difference().plus), diagonal.coordinate);
    known.coordinates.insert({parts.dimension(), coordinate});
    ir::Expr found = ir::both(ir::greater_equal(coordinate, ir::integer(0)), ir::less(coordinate, parts.extent()));
    return {parts.located(diagonal.position, 1, parts.count(), known), coordinate, found};
  }

 private:
  const Difference& difference() const { return *chain_.levels[0].coordinate.as<Difference>(); }
  bool is_forward() const { return difference().plus == chain_.dimensions.back(); }
  const Chain& chain_;
};

/// A cursor is the position of a slot; the last level of the chain has the coordinate of what is in it, if there is
/// anything.
class Slots : public level::PositionIteration {
 public:
  explicit Slots(const Chain& chain) : chain_(chain) {}
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    Parts parts(chain_, level);
    Instance slots = parts.instance(0);
    ir::Expr first = parts.format(0).locate()->locate(slots, parent, {ir::integer(0)}).position;
    return {first, ir::add(first, slots.extent)};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>& ancestors) const override {
    Parts parts(chain_, level);
    size_t last = parts.count() - 1;
    const level::PositionIteration& entries = *parts.format(last).position_iteration();
    Instance entry = parts.instance(last);
    Bounds single = entries.bounds(entry, parts.located(cursor, 1, last, parts.known(ancestors)));
    return entries.access(entry, single.begin, {});
  }

 private:
  const Chain& chain_;
};

class Composed : public level::Format {
 public:
  const Chain& chain() const { return chain_; }
  explicit Composed(Chain chain)
      : chain_(std::move(chain)),
        locate_(chain_),
        values_(chain_),
        runs_(chain_),
        blocks_(chain_),
        search_(chain_),
        diagonals_(chain_),
        slots_(chain_) {}

  std::string name() const override { return "composed"; }
  std::optional<std::string> argument() const override {
    if (chain_.levels.empty()) return std::nullopt;
    int order = 0;
    for (const Level& level : chain_.levels) {
      for (int dimension : level.coordinate.dimensions()) order = std::max(order, dimension + 1);
    }
    std::vector<std::string> names = usual_dimension_names(order), parts;
    for (const Level& level : chain_.levels)
      parts.push_back(relation::to_string(level.coordinate, names) + ": " + level::to_string(*level.format));
    return join(parts, ", ");
  }
  level::Properties properties() const override { return {.full = is_located(), .compact = is_located()}; }
  std::vector<level::ArrayDescription> arrays() const override {
    std::vector<level::ArrayDescription> all;
    for (size_t n = 0; n < chain_.levels.size(); n++) {
      for (level::ArrayDescription array : chain_.levels[n].format->arrays()) {
        bool taken = std::any_of(all.begin(), all.end(),
                                 [&](const level::ArrayDescription& other) { return other.name == array.name; });
        if (taken) array.name += std::to_string(n + 1);
        all.push_back(array);
      }
    }
    return all;
  }
  const level::ValueIteration* value_iteration() const override { return is_located() ? &values_ : nullptr; }
  const level::Locate* locate() const override { return is_located() ? &locate_ : nullptr; }
  const level::PositionIteration* position_iteration() const override {
    if (is_located()) return nullptr;
    const relation::Coordinate& driver = chain_.levels[0].coordinate;
    if (driver.as<relation::Difference>()) return &diagonals_;
    if (driver.as<relation::Counter>()) return &slots_;
    return &blocks_;
  }
  const level::Search* search() const override {
    return has_sorted_blocks() && runs_.length() == 1 ? &search_ : nullptr;
  }
  const level::Runs* runs() const override { return has_sorted_blocks() && runs_.length() > 1 ? &runs_ : nullptr; }

 private:
  bool is_located() const { return !chain_.is_driven; }
  bool has_sorted_blocks() const {
    return chain_.is_driven && chain_.levels[0].coordinate.as<relation::Digits>() && chain_.levels[0].format->search();
  }

  Chain chain_;
  ChainLocate locate_;
  ChainValues values_;
  BlockRuns runs_;
  Blocks blocks_;
  BlockSearch search_;
  Diagonals diagonals_;
  Slots slots_;
};

}  // namespace

const Chain* chain_of(const level::Format& format) {
  const Composed* composed = dynamic_cast<const Composed*>(&format);
  return composed ? &composed->chain() : nullptr;
}

level::FormatPtr composed_level(Chain chain) { return std::make_shared<Composed>(std::move(chain)); }

}  // namespace filigree
