#include "layouts/relation_level.h"

#include <algorithm>

#include <fmt/format.h>

#include "layouts/bounds.h"
#include "layouts/relation_code.h"
#include "layouts/relation_storage.h"
#include "level/whole.h"
#include "support/check.h"

namespace filigree::layouts {
namespace {

using level::Bounds;
using level::Instance;
using level::Node;
using UsablePtr = std::shared_ptr<const Usable>;

/// One level as generated code sees it.
class Level {
 public:
  Level(UsablePtr usable, size_t number) : usable_(std::move(usable)), number_(number) {}

  const Usable& usable() const { return *usable_; }
  const Layout& layout() const { return usable_->layout; }
  const LevelPlan& plan() const { return usable_->levels.levels[number_]; }
  size_t number() const { return number_; }
  bool is_last() const { return number_ + 1 == usable_->dimensions.size(); }
  int dimension() const { return usable_->dimensions[number_]; }
  const Term& term() const { return layout().terms[0]; }
  std::string logical(size_t level) const { return term().logical[static_cast<size_t>(usable_->dimensions[level])]; }

  std::vector<std::string> arrays() const { return index_arrays(layout()); }

  Code code(const Instance& level) const {
    Code code(layout());
    code.know_natural(usable_->levels.natural);
    std::vector<std::string> sizes = size_names(layout()), names = arrays();
    for (size_t n = 0; n < sizes.size(); n++)
      code.set(sizes[n], ir::load_index(level.arrays[0], ir::integer(static_cast<std::int64_t>(n))));
    for (size_t n = 0; n < names.size(); n++) code.set_array(names[n], level.arrays[n + 1]);
    return code;
  }

  /// With the variables that the position of the level above stands for.
  void decode(Code& code, size_t level, ir::Expr position) const {
    const LevelPlan& above = usable_->levels.levels[level];
    if (above.is_numbered) {
      code.set(logical(level), position);
      for (const Solution& solution : above.located) code.set(solution.atom.text(), code(solution.value));
      return;
    }
    for (size_t n = above.kept.size(); n-- > 0;) {
      if (n == 0) {
        code.set(above.kept[0], position);
        break;
      }
      ir::Expr radix = ir::max(code(above.radix[n]), ir::integer(1));
      code.set(above.kept[n], ir::remainder(position, radix));
      position = ir::quotient(position, radix);
    }
  }
  void enter(Code& code, const ir::Expr& parent) const {
    if (number_ > 0) decode(code, number_ - 1, parent);
  }
  void know(Code& code, const std::vector<ir::Expr>& coordinates) const {
    for (size_t n = 0; n < coordinates.size(); n++) code.set(logical(n), coordinates[n]);
  }

  /// Requires: all variables have their values.
  ir::Expr position(const Code& code, const ir::Expr& coordinate) const {
    if (is_last()) return code.element(usable_->levels.value);
    if (plan().is_numbered) return coordinate;
    ir::Expr position = ir::integer(0);
    for (size_t n = 0; n < plan().kept.size(); n++) {
      ir::Expr value = code(Expr::name(plan().kept[n]));
      position = n == 0 ? value
                        : ir::add(ir::multiply(position, ir::max(code(plan().radix[n]), ir::integer(1))), value);
    }
    return position;
  }

 private:
  UsablePtr usable_;
  size_t number_;
};

/// The variables of a located level follow from its coordinate.  Tests that are settled hold.
Node located(const Level& own, const Instance& level, const ir::Expr& parent,
             const std::vector<ir::Expr>& coordinates, const std::vector<size_t>& settled = {}) {
  Code code = own.code(level);
  own.enter(code, parent);
  own.know(code, coordinates);
  for (const Solution& solution : own.plan().located) code.set(solution.atom.text(), code(solution.value));
  std::vector<Formula> tests;
  for (size_t t = 0; t < own.plan().tests.size(); t++) {
    if (std::find(settled.begin(), settled.end(), t) == settled.end()) tests.push_back(own.plan().tests[t]);
  }
  return {own.position(code, coordinates.back()), coordinates.back(), code.all(tests)};
}

class RelationLocate : public level::Locate {
 public:
  explicit RelationLocate(const Level& level) : level_(level) {}
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return located(level_, level, parent, coordinates);
  }

 private:
  const Level& level_;
};

class RelationValues : public level::ValueIteration {
 public:
  explicit RelationValues(const Level& level) : level_(level) {}
  Bounds bounds(const Instance& level, const std::vector<ir::Expr>& ancestors) const override {
    Bounds bounds{ir::integer(0), level.extent};
    const Known known = known_at(level, ancestors);
    for (const LevelPlan::Limits& limits : level_.plan().limits) {
      if (!known.covers(limits)) continue;
      if (limits.first) bounds.begin = ir::max(bounds.begin, known.code(*limits.first));
      if (limits.end) bounds.end = ir::min(bounds.end, known.code(*limits.end));
    }
    return bounds;
  }
  /// Between the bounds, what these say needs no test.
  Node access(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    const Known known = known_at(level, {coordinates.begin(), coordinates.end() - 1});
    std::vector<size_t> settled;
    for (const LevelPlan::Limits& limits : level_.plan().limits) {
      if (known.covers(limits)) settled.push_back(limits.test);
    }
    return located(level_, level, parent, coordinates, settled);
  }

 private:
  /// Variables above that follow from coordinates; others are not known before there is a parent.
  struct Known {
    const Layout& layout;
    Code code;
    std::vector<std::string> names = {};
    bool covers(const LevelPlan::Limits& limits) const {
      return (!limits.first || is_known(layout, *limits.first, names)) &&
             (!limits.end || is_known(layout, *limits.end, names));
    }
  };
  Known known_at(const Instance& level, const std::vector<ir::Expr>& ancestors) const {
    Known known{level_.layout(), level_.code(level)};
    level_.know(known.code, ancestors);
    for (size_t n = 0; n < level_.number(); n++) {
      known.names.push_back(level_.logical(n));
      for (const Solution& solution : level_.usable().levels.levels[n].located) {
        if (!is_known(level_.layout(), solution.value, known.names)) continue;
        known.code.set(solution.atom.text(), known.code(solution.value));
        known.names.push_back(solution.atom.text());
      }
    }
    return known;
  }

  const Level& level_;
};

ir::Expr as_number(const ir::Expr& condition) { return ir::convert(condition, ElementType::Int64); }

/// Where nothing is, the coordinate is -1, and no array is read at a place that means nothing.
ir::Expr guarded(Code code, const ir::Expr& found, const Expr& coordinate) {
  if (ir::is_true(found)) return code(coordinate);
  code.guard(as_number(found));
  ir::Expr next = ir::add(code(coordinate), ir::integer(1));
  return ir::subtract(ir::multiply(as_number(found), next), ir::integer(1));
}

/// Walks variables: the cursor is the first of them, or that and all others, which have constant extents.
class RelationWalk : public level::IterationBelow {
 public:
  explicit RelationWalk(const Level& level) : level_(level) {}

  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    if (level_.plan().follows) return {parent, ir::add(parent, ir::integer(1))};
    Code code = level_.code(level);
    level_.enter(code, parent);
    const Walked& first = level_.plan().walked.front();
    ir::Expr begin = code(first.lower.front()), end = code(first.upper.front());
    for (const Expr& e : first.lower) begin = e == first.lower.front() ? begin : ir::max(begin, code(e));
    for (const Expr& e : first.upper) end = e == first.upper.front() ? end : ir::min(end, code(e));
    return {ir::multiply(begin, ir::integer(inner())), ir::multiply(end, ir::integer(inner()))};
  }

  Node access_below(const Instance& level, const ir::Expr& parent, const ir::Expr& cursor,
                    const std::vector<ir::Expr>& ancestors) const override {
    const LevelPlan& plan = level_.plan();
    Code code = level_.code(level);
    level_.know(code, ancestors);
    level_.enter(code, plan.follows ? cursor : parent);
    ir::Expr rest = cursor;
    for (size_t n = plan.walked.size(); n-- > 0;) {
      if (n > 0) {
        code.set(plan.walked[n].variable, ir::remainder(rest, ir::integer(plan.walked[n].extent)));
        rest = ir::quotient(rest, ir::integer(plan.walked[n].extent));
      } else {
        code.set(plan.walked[n].variable, rest);
      }
    }
    bool by_coordinate = std::any_of(plan.tests.begin(), plan.tests.end(), [&](const Formula& test) {
      std::vector<std::string> names = names_in(test);
      return std::find(names.begin(), names.end(), level_.logical(level_.number())) != names.end();
    });
    if (by_coordinate) code.set(level_.logical(level_.number()), code(plan.coordinate));
    ir::Expr found = code.all(plan.tests), coordinate = guarded(code, found, plan.coordinate);
    for (const Formula& test : plan.inside) {
      bool is_lower = test.kind == Formula::Kind::LessEqual;
      found = ir::both(found,
                       is_lower ? ir::greater_equal(coordinate, ir::integer(0)) : ir::less(coordinate, level.extent));
    }
    return {level_.position(code, coordinate), coordinate, found};
  }

 private:
  std::int64_t inner() const {
    std::int64_t count = 1;
    for (const Walked& walked : level_.plan().walked) count *= std::max<std::int64_t>(walked.extent, 1);
    return count;
  }
  const Level& level_;
};

class RelationSearch : public level::Search {
 public:
  explicit RelationSearch(const Level& level) : level_(level) {}
  ir::Var coordinates(const Instance& level) const override {
    std::vector<std::string> names = level_.arrays();
    auto at = std::find(names.begin(), names.end(), level_.plan().coordinate.text()) - names.begin();
    return level.arrays[static_cast<size_t>(at) + 1];
  }

 private:
  const Level& level_;
};

/// Goes through the numbers of all points, term by term; levels below follow from the number.
class ListedWalk : public level::PositionIteration {
 public:
  explicit ListedWalk(const Level& level) : level_(level) {}

  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    if (level_.number() > 0) return {parent, ir::add(parent, ir::integer(1))};
    Code code = level_.code(level);
    ir::Expr count = ir::integer(0);
    for (const Term& term : level_.layout().terms) count = ir::add(count, size(code, term));
    return {ir::integer(0), count};
  }

  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    Code sizes = level_.code(level);
    ir::Expr first = ir::integer(0), values = ir::integer(0), coordinate = ir::integer(-1), position = ir::integer(0);
    std::vector<std::string> arrays;  // of values, with where they begin
    std::map<std::string, ir::Expr> begins;
    for (const ArrayShape& array : level_.layout().arrays) {
      if (!level_.layout().holds_values(array.name)) continue;
      begins.insert({array.name, values});
      ir::Expr count = ir::integer(1);
      for (const Expr& extent : array.extents) count = ir::multiply(count, sizes(extent));
      values = ir::add(values, count);
    }
    for (const Term& term : level_.layout().terms) {
      ir::Expr end = ir::add(first, size(sizes, term));
      ir::Expr here = ir::both(ir::greater_equal(cursor, first), ir::less(cursor, end));
      Code code = at_number(sizes, term, ir::multiply(as_number(here), ir::subtract(cursor, first)));
      here = ir::both(here, passes(code, term));
      ir::Expr own = guarded(code, here, term.coordinate(static_cast<size_t>(level_.dimension())));
      coordinate = ir::add(coordinate, ir::add(own, ir::integer(1)));
      code.guard(as_number(here));
      ir::Expr element = ir::add(begins.at(term.value.text()), code.element(term.value));
      position = ir::add(position, ir::multiply(as_number(here), element));
      first = end;
    }
    ir::Expr found = ir::both(ir::greater_equal(coordinate, ir::integer(0)), ir::less(coordinate, level.extent));
    return {level_.is_last() ? position : cursor, coordinate, found};
  }

 private:
  ir::Expr size(const Code& code, const Term& term) const {
    ir::Expr count = ir::integer(1);
    for (const Expr& extent : box(level_.layout(), term))
      count = ir::multiply(count, ir::max(code(extent), ir::integer(0)));
    return count;
  }

  Code at_number(Code code, const Term& term, ir::Expr number) const {
    std::vector<Expr> extents = box(level_.layout(), term);
    for (size_t n = term.physical.size(); n-- > 0;) {
      ir::Expr extent = ir::max(code(extents[n]), ir::integer(1));
      code.set(term.physical[n], n == 0 ? number : ir::remainder(number, extent));
      if (n > 0) number = ir::quotient(number, extent);
    }
    return code;
  }

  ir::Expr passes(const Code& code, const Term& term) const {
    Code own = code;
    for (size_t d = 0; d < term.logical.size(); d++) own.set(term.logical[d], own(term.coordinate(d)));
    return own.all(listed_tests(level_.layout(), term));
  }

  const Level& level_;
};

class Relation : public level::Format {
 public:
  Relation(UsablePtr usable, size_t number)
      : usable_(usable),
        level_(std::move(usable), number),
        locate_(level_),
        values_(level_),
        walk_(level_),
        search_(level_),
        listed_(level_),
        storage_(level_.usable(), number),
        first_(level_.usable()) {}

  const Usable& usable() const { return *usable_; }
  std::string name() const override { return fmt::format("{}_{}", usable_->layout.name, level_.number() + 1); }
  level::Properties properties() const override {
    if (!usable_->listed) return level_.plan().properties;
    return {.ordered = level::Ordered::No, .unique = false, .branchless = level_.number() > 0, .compact = false};
  }
  std::vector<level::ArrayDescription> arrays() const override {
    using D = level::ArrayDescription;
    std::vector<D> all = {{"sizes", D::Holds::Positions, D::IndexedBy::Nothing}};
    for (const std::string& array : level_.arrays()) all.push_back({array, D::Holds::Positions, D::IndexedBy::Nothing});
    return all;
  }
  /// Is there room for a value where no array says that something is stored?
  bool pads() const override {
    if (!level_.is_last()) return properties().full;
    for (const Term& term : level_.layout().terms) {
      std::vector<std::string> told;  // variables at which arrays are read
      for (size_t d = 0; d < term.logical.size(); d++) {
        bool digit = false;
        for_each(term.coordinate(d), [&](const Expr& part) {
          if (part.kind() != Expr::Kind::Read) return;
          digit = digit || constant_range(level_.layout(), term, part);
          for (const std::string& name : names_in(part)) told.push_back(name);
        });
        if (digit) return true;
      }
      for (const std::string& name : names_in(term.value)) {
        bool is_variable = std::find(term.physical.begin(), term.physical.end(), name) != term.physical.end();
        if (is_variable && std::find(told.begin(), told.end(), name) == told.end()) return true;
      }
    }
    return false;
  }
  const level::ValueIteration* value_iteration() const override { return is_located() ? &values_ : nullptr; }
  const level::PositionIteration* position_iteration() const override {
    if (usable_->listed) return &listed_;
    return is_located() ? nullptr : &walk_;
  }
  const level::Locate* locate() const override { return is_located() ? &locate_ : nullptr; }
  const level::Search* search() const override {
    return !usable_->listed && level_.plan().searchable ? &search_ : nullptr;
  }
  const level::Storage* storage() const override {
    return level_.number() == 0 ? static_cast<const level::Storage*>(&first_) : &storage_;
  }

 private:
  bool is_located() const { return !usable_->listed && level_.plan().is_located(); }

  UsablePtr usable_;
  Level level_;
  RelationLocate locate_;
  RelationValues values_;
  RelationWalk walk_;
  RelationSearch search_;
  ListedWalk listed_;
  RelationStorage storage_;
  RelationWhole first_;
};

}  // namespace

std::optional<std::string> why_not_listed(const Layout& layout) {
  for (const Term& term : layout.terms) {
    for (const std::string& variable : term.physical) {
      VariableBounds bounds = find_bounds(layout, term, variable, {});
      bool from_zero = std::any_of(bounds.lower.begin(), bounds.lower.end(), [](const Expr& e) { return e.is(0); });
      if (bounds.equal || !from_zero || bounds.upper.empty())
        return fmt::format("the bounds of '{}' are not 0 and a size", variable);
    }
  }
  return std::nullopt;
}

std::vector<level::FormatPtr> level_formats(const std::shared_ptr<const Usable>& usable) {
  std::vector<level::FormatPtr> formats;
  for (size_t n = 0; n < usable->dimensions.size(); n++) formats.push_back(std::make_shared<Relation>(usable, n));
  return formats;
}

const Usable* usable_of(const Format& format) {
  if (format.level_count() == 0) return nullptr;
  const auto* relation = dynamic_cast<const Relation*>(format.levels()[0].format.get());
  return relation ? &relation->usable() : nullptr;
}

}  // namespace filigree::layouts
