#include "layouts/of_format.h"

#include <algorithm>

#include <fmt/format.h>

#include "layouts/relation_level.h"
#include "level/whole.h"
#include "support/text.h"

namespace filigree::layouts {
namespace {

using Kind = Formula::Kind;

Formula less(const Expr& a, const Expr& b) { return Formula::compare(Kind::Less, a, b); }
Formula at_most(const Expr& a, const Expr& b) { return Formula::compare(Kind::LessEqual, a, b); }
Formula equal(const Expr& a, const Expr& b) { return Formula::compare(Kind::Equal, a, b); }
Expr number(std::int64_t value) { return Expr::number(value); }

/// The same about a second node.
Expr primed(const Expr& expr) { return primed(expr, names_in(expr)); }

/// What a level's properties say of the coordinates of two nodes, the first of which comes first.
std::optional<Formula> order_of(const level::Properties& properties, const Expr& coordinate) {
  Expr next = primed(coordinate);
  if (properties.ordered == level::Ordered::Increasing)
    return properties.unique ? less(coordinate, next) : at_most(coordinate, next);
  if (properties.ordered == level::Ordered::Decreasing)
    return properties.unique ? less(next, coordinate) : at_most(next, coordinate);
  return properties.unique ? std::optional(Formula::compare(Kind::NotEqual, coordinate, next)) : std::nullopt;
}

/// Puts the levels of a format together, from the outermost on.
class Describer {
 public:
  explicit Describer(const Format& format) : format_(format), names_(usual_dimension_names(format.order())) {}

  std::optional<Layout> run() {
    bool triangle = std::any_of(format_.levels().begin(), format_.levels().end(),
                                [](const Level& level) { return level.format->stands_under_rows(); });
    // Of triangles, those of square matrices are described.
    for (const std::string& name : names_) layout_.dimensions.push_back("n_" + (triangle ? names_[0] : name));
    for (size_t k = 0; k < format_.levels().size(); k++) {
      if (!add(k)) return std::nullopt;
    }
    std::vector<std::optional<Expr>> values(names_.size());
    using From = relation::Recovered::Term::From;
    for (const relation::Recovered& r : relation::recover(format_.coordinates(), format_.order())) {
      Expr sum = number(0);
      for (const relation::Recovered::Term& term : r.terms) {
        Expr of = term.from == From::Level ? coordinates_[static_cast<size_t>(term.number)]
                                           : *values[static_cast<size_t>(term.number)];
        sum = term.factor < 0 ? sum - number(-term.factor) * of : sum + number(term.factor) * of;
      }
      values[static_cast<size_t>(r.dimension)] = sum;
    }
    for (size_t d = 0; d < names_.size(); d++) {
      if (!values[d]) return std::nullopt;
      conditions_.push_back(equal(Expr::name(names_[d]), *values[d]));
    }
    layout_.name = "format";
    layout_.arrays.push_back({"vals", {count_}});
    Formula relation;
    relation.parts = conditions_;
    layout_.terms.push_back({variables_, names_, relation, Expr::read("vals", {position_})});
    return layout_;
  }

 private:
  std::string numbered(const char* name, size_t level) const { return fmt::format("{}{}", name, level + 1); }
  Expr size_of(int dimension) const { return Expr::name(layout_.dimensions[static_cast<size_t>(dimension)]); }

  /// How many coordinates the level can have.
  Expr extent(const relation::Coordinate& coordinate) const {
    if (const auto* digits = coordinate.as<relation::Digits>()) {
      if (digits->modulus != 0) return number(digits->modulus);
      Expr all = size_of(digits->whole) + number(digits->divisor - 1);
      return Expr::binary(Expr::Kind::Quotient, all, number(digits->divisor));
    }
    const auto* difference = coordinate.as<relation::Difference>();
    return difference ? size_of(difference->plus) + size_of(difference->minus) - number(1) : number(0);
  }
  Expr origin(const relation::Coordinate& coordinate) const {
    const auto* difference = coordinate.as<relation::Difference>();
    return difference ? number(1) - size_of(difference->minus) : number(0);
  }

  bool add(size_t k) {
    const Level& level = format_.levels()[k];
    const std::string name = level.format->name();
    Expr size = extent(level.coordinate), first = origin(level.coordinate), end = first + size;
    if (name == "dense" || name == "range" || name == "bitmap" || name == "slots") {
      if (name == "slots") {
        layout_.arrays.push_back({numbered("n", k), {number(1)}});
        size = end = Expr::read(numbered("n", k), {number(0)});
      }
      Expr own = walk(numbered("c", k), first, end);
      coordinates_.push_back(own);
      position_ = position_ * size + (own - first);
      if (name == "slots") {
        slots_ = size;
        count_ = Expr::name(numbered("room", k));
      } else {
        count_ = slots_ ? count_ : count_ * size;
      }
      if (name == "bitmap") {
        layout_.arrays.push_back({numbered("set", k), {count_}});
        conditions_.push_back(less(number(0), Expr::read(numbered("set", k), {position_})));
      }
      return true;
    }
    if (name == "lower" || name == "upper") return add_triangle(k, name == "lower");
    if (name == "offset") {
      coordinates_.push_back(number(0));  // follows from the levels above: recover() does not ask for it
      return true;
    }
    bool walked = name == "compressed" || name == "tuples" || name == "hashed";
    if (!walked && name != "singleton" && name != "member") return false;
    std::vector<std::string> above = variables_;
    if (walked) {
      layout_.arrays.push_back({numbered("pos", k), {count_ + number(1)}});
      Expr parent = position_;
      auto begin = [&](const Expr& p) { return Expr::read(numbered("pos", k), {p}); };
      position_ = walk(numbered("p", k), begin(parent), begin(parent + number(1)));
      count_ = Expr::name(numbered("entries", k));
    }
    add_coordinates(k, name, size, first, above);
    return true;
  }

  Expr walk(const std::string& variable, const Expr& lower, const Expr& upper) {
    Expr own = Expr::name(variable);
    variables_.push_back(variable);
    conditions_.push_back(at_most(lower, own));
    conditions_.push_back(less(own, upper));
    return own;
  }

  bool add_triangle(size_t k, bool lower) {
    Expr row = coordinates_.back(), size = extent(format_.levels()[k].coordinate);
    Expr own = walk(numbered("c", k), lower ? number(0) : row, lower ? row + number(1) : size);
    coordinates_.push_back(own);
    Expr twice = lower ? row * (row + number(1)) : row * (number(2) * size - row - number(1));
    position_ = Expr::binary(Expr::Kind::Quotient, twice, number(2)) + own;
    count_ = Expr::binary(Expr::Kind::Quotient, size * (size + number(1)), number(2));
    return true;
  }

  /// Coordinates that stand in an array, beside those of other levels or alone.
  void add_coordinates(size_t k, const std::string& name, const Expr& size, const Expr& first,
                       const std::vector<std::string>& above) {
    if (name == "tuples") tuple_ = {k, 1 + format_.levels()[k].format->holds_below()};
    bool side_by_side = name == "tuples" || name == "member";
    std::string array = numbered("crd", side_by_side ? tuple_.first : k);
    Expr width = number(tuple_.second), place = position_;
    if (side_by_side) place = position_ * width + number(static_cast<std::int64_t>(k - tuple_.first));
    if (name != "member") layout_.arrays.push_back({array, {side_by_side ? count_ * width : count_}});
    Expr own = Expr::read(array, {place});
    level::Properties properties = format_.levels()[k].format->properties();
    bool may_lack = name == "hashed" || properties.padded;
    bool from_lowest = dynamic_cast<const level::CountsFromLowest*>(format_.levels()[k].format.get());
    const Expr lowest = from_lowest ? number(0) : first;
    if (may_lack) conditions_.push_back(at_most(number(0), own));
    layout_.properties.push_back(may_lack ? less(own, lowest + size)
                                          : Formula::all({at_most(lowest, own), less(own, lowest + size)}));
    if (std::optional<Formula> order = order_of(properties, own)) add_order(k, *order, above, properties);
    coordinates_.push_back(from_lowest ? own + first : own);
  }

  /// Of nodes of one fibre.  Below levels that repeat coordinates, a fibre is all nodes with the same coordinates
  /// there.
  void add_order(size_t k, const Formula& order, const std::vector<std::string>& above,
                 const level::Properties& properties) {
    std::vector<Formula> premises;
    auto same = [&](const Expr& e) { premises.push_back(equal(e, primed(e))); };
    size_t chain = k;  // the first level of those that repeat, down to this one
    while (chain > 0 && format_.levels()[chain].format->properties().branchless &&
           !format_.levels()[chain - 1].format->properties().unique)
      chain--;
    if (properties.branchless && chain == k) return;  // one node for each parent
    for (const std::string& name : above) {
      if (chain == k || name != variables_.back()) same(Expr::name(name));
    }
    for (size_t level = chain; level < k; level++) same(coordinates_[level]);
    Expr last = Expr::name(variables_.back());
    premises.push_back(less(last, primed(last)));
    layout_.properties.push_back(Formula::implies(Formula::all(premises), order));
  }

  const Format& format_;
  std::vector<std::string> names_;
  Layout layout_;
  std::vector<std::string> variables_;
  std::vector<Formula> conditions_;
  std::vector<Expr> coordinates_;  // by level
  Expr position_ = Expr::number(0), count_ = Expr::number(1);
  std::optional<Expr> slots_;
  std::pair<size_t, int> tuple_ = {0, 1};
};

}  // namespace

std::optional<Layout> layout_of(const Format& format) {
  if (const Usable* usable = usable_of(format)) return usable->layout;
  if (format.symmetry() != Symmetry::None || format.order() == 0) return std::nullopt;
  return Describer(format).run();
}

std::optional<LevelRelation> relation_of(const level::Format& format, const Expr& parent) {
  const std::string name = format.name();
  const level::Properties properties = format.properties();
  Expr own = Expr::name("q"), extent = Expr::name("n");
  LevelRelation out{"q", number(0), extent, own, {}, {}, false};
  if (name == "dense" || name == "range") return out;
  if (name == "bitmap") {
    out.tests.push_back(less(number(0), Expr::read("set", {parent * extent + own})));
    return out;
  }
  if (name == "slots") return out.upper = Expr::read("n", {number(0)}), out;
  if (name == "lower") return out.upper = parent + number(1), out;
  if (name == "upper") return out.lower = parent, out;
  const bool walked = name == "compressed" || name == "hashed" || name == "tuples";
  if (!walked && name != "singleton" && name != "member") return std::nullopt;
  out.coordinate = Expr::read(name == "tuples" ? "first" : "crd", {own});
  out.lower = walked ? Expr::read("pos", {parent}) : parent;
  out.upper = walked ? Expr::read("pos", {parent + number(1)}) : parent + number(1);
  if (name == "hashed" || properties.padded) out.tests.push_back(at_most(number(0), out.coordinate));
  if (std::optional<Formula> order = order_of(properties, out.coordinate)) {
    Formula premise = Formula::all({equal(parent, primed(parent)), less(own, primed(own))});
    out.properties.push_back(Formula::implies(premise, *order));
  }
  out.has_own_table = name == "hashed";
  return out;
}

Data data_of(const AnyTensor& tensor) {
  Data data{tensor.dimensions(), {}};
  for (size_t k = 0; k < tensor.format().levels().size(); k++) {
    std::vector<level::ArrayDescription> arrays = tensor.format().levels()[k].format->arrays();
    for (size_t a = 0; a < arrays.size(); a++) {
      const Array& array = tensor.level_arrays()[k][a];
      bool index = array.type() == ElementType::Int32 || array.type() == ElementType::Int64;
      std::string name = fmt::format("{}{}", arrays[a].name, k + 1);
      data.arrays.emplace(name, index ? array.copy() : array.converted(ElementType::Int64));
    }
  }
  data.arrays.emplace("vals", tensor.values().copy());
  return data;
}

}  // namespace filigree::layouts
