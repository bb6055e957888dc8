#include "layouts/relation_storage.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "layouts/bounds.h"
#include "layouts/pack.h"
#include "layouts/points.h"
#include "support/check.h"

namespace filigree::layouts {
namespace {

Evaluator evaluator_of(const Layout& layout, const std::vector<Array>& arrays) {
  std::map<std::string, std::int64_t> sizes;
  std::vector<std::string> names = size_names(layout), index = index_arrays(layout);
  for (size_t n = 0; n < names.size(); n++) sizes[names[n]] = arrays[0].index_at(static_cast<std::int64_t>(n));
  std::map<std::string, const Array*> pointers;
  for (size_t n = 0; n < index.size(); n++) pointers[index[n]] = &arrays[n + 1];
  return Evaluator(layout, std::move(sizes), pointers);
}

/// Where the values of each array begin, and with the empty name how many there are in all.
std::map<std::string, std::int64_t> begins(const Evaluator& evaluator) {
  std::map<std::string, std::int64_t> out;
  std::int64_t at = 0;
  for (const ArrayShape& array : evaluator.layout().arrays) {
    if (!evaluator.layout().holds_values(array.name)) continue;
    out[array.name] = at;
    std::int64_t own = 1;
    for (std::int64_t extent : evaluator.extents(array.name)) own *= std::max<std::int64_t>(extent, 0);
    at += own;
  }
  out[""] = at;
  return out;
}

/// One level, as generated code goes through it.
class HostLevel {
 public:
  using Visit = std::function<void(std::int64_t, std::int64_t)>;

  HostLevel(const Usable& usable, size_t number, const Evaluator& evaluator)
      : usable_(usable), number_(number), evaluator_(evaluator), term_(usable.layout.terms[0]) {
    for (const std::vector<std::string>* names : {&term_.physical, &term_.logical}) {
      for (const std::string& name : *names) slots_.emplace(std::pair(name, false), slots_.size());
    }
    values_.resize(slots_.size());
  }

  void children(std::int64_t parent, const Visit& visit) {
    if (number_ > 0) decode(usable_.levels.levels[number_ - 1], number_ - 1, parent);
    const LevelPlan& plan = this->plan();
    if (plan.is_located()) {
      std::int64_t extent = evaluator_.dimensions()[static_cast<size_t>(plan.dimension)];
      for (std::int64_t at = 0; at < extent; at++) {
        set(logical(number_), at);
        for (const Solution& s : plan.located) set(s.atom.text(), value(s.value));
        if (holds(plan.tests)) visit(at, position(at));
      }
      return;
    }
    walk(0, visit);
  }

 private:
  const LevelPlan& plan() const { return usable_.levels.levels[number_]; }
  std::string logical(size_t level) const { return term_.logical[static_cast<size_t>(usable_.dimensions[level])]; }
  void set(const std::string& name, std::int64_t value) { values_[slots_.at({name, false})] = value; }
  std::int64_t value(const Expr& expr) const { return evaluator_.value(evaluator_.compile(expr, slots_), values_); }
  bool holds(const std::vector<Formula>& tests) const {
    return std::all_of(tests.begin(), tests.end(), [&](const Formula& test) {
      return evaluator_.holds(evaluator_.compile(test, slots_), values_);
    });
  }

  void decode(const LevelPlan& above, size_t level, std::int64_t position) {
    if (above.is_numbered) {
      set(logical(level), position);
      for (const Solution& s : above.located) set(s.atom.text(), value(s.value));
      return;
    }
    for (size_t n = above.kept.size(); n-- > 0;) {
      std::int64_t radix = n > 0 ? std::max<std::int64_t>(value(above.radix[n]), 1) : INT64_MAX;
      set(above.kept[n], position % radix);
      position /= radix;
    }
  }

  std::int64_t position(std::int64_t coordinate) const {
    if (number_ + 1 == usable_.dimensions.size())
      return evaluator_.element(evaluator_.compile(usable_.levels.value, slots_), values_);
    if (plan().is_numbered) return coordinate;
    std::int64_t at = 0;
    for (size_t n = 0; n < plan().kept.size(); n++)
      at = at * std::max<std::int64_t>(n > 0 ? value(plan().radix[n]) : 1, 1) + value(Expr::name(plan().kept[n]));
    return at;
  }

  void walk(size_t n, const Visit& visit) {
    const LevelPlan& plan = this->plan();
    if (n == plan.walked.size()) {
      std::vector<Formula> before;  // those that do not name the coordinate
      for (const Formula& test : plan.tests) {
        std::vector<std::string> names = names_in(test);
        if (std::find(names.begin(), names.end(), logical(number_)) == names.end()) before.push_back(test);
      }
      if (!holds(before)) return;
      std::int64_t at = value(plan.coordinate);
      set(logical(number_), at);
      if (!holds(plan.tests)) return;
      if (at >= 0 && at < evaluator_.dimensions()[static_cast<size_t>(plan.dimension)]) visit(at, position(at));
      return;
    }
    const Walked& walked = plan.walked[n];
    std::int64_t first = n == 0 ? INT64_MIN : 0, end = n == 0 ? INT64_MAX : walked.extent;
    for (const Expr& e : n == 0 ? walked.lower : std::vector<Expr>()) first = std::max(first, value(e));
    for (const Expr& e : n == 0 ? walked.upper : std::vector<Expr>()) end = std::min(end, value(e));
    for (std::int64_t v = first; v < end; v++) {
      set(walked.variable, v);
      walk(n + 1, visit);
    }
  }

  const Usable& usable_;
  size_t number_;
  const Evaluator& evaluator_;
  const Term& term_;
  Evaluator::Slots slots_;
  Evaluator::Values values_;
};

/// Calls `visit` with the number of every point of a listed layout.
void for_each_number(const Usable& usable, const Evaluator& evaluator,
                     const std::function<void(std::int64_t, const Point&)>& visit) {
  std::vector<std::int64_t> first;
  std::int64_t at = 0;
  std::vector<std::vector<std::int64_t>> extents;
  for (const Term& term : usable.layout.terms) {
    first.push_back(at);
    std::int64_t size = 1;
    extents.emplace_back();
    for (const Expr& extent : box(usable.layout, term)) {
      extents.back().push_back(std::max<std::int64_t>(*value_of(extent, evaluator.sizes()), 0));
      size *= extents.back().back();
    }
    at += size;
  }
  for_each_point(evaluator, [&](const Point& point) {
    std::int64_t number = 0;
    for (size_t v = 0; v < point.variables.size(); v++) number = number * extents[point.term][v] + point.variables[v];
    visit(first[point.term] + number, point);
  });
}

Array elements(const Array& array, std::int64_t begin, std::int64_t count) {
  Array out(array.type(), count);
  const char* from = static_cast<const char*>(array.data()) + begin * size_in_bytes(array.type());
  if (count > 0) std::memcpy(out.data(), from, static_cast<size_t>(out.bytes()));
  return out;
}

}  // namespace

std::vector<std::string> size_names(const Layout& layout) {
  std::vector<std::string> names;
  for (const std::string& size : layout.dimensions) {
    if (std::find(names.begin(), names.end(), size) == names.end()) names.push_back(size);
  }
  for (const std::string& size : layout.parameters()) names.push_back(size);
  return names;
}

std::vector<std::string> index_arrays(const Layout& layout) {
  std::vector<std::string> found;
  for (const ArrayShape& array : layout.arrays) {
    if (!layout.holds_values(array.name)) found.push_back(array.name);
  }
  return found;
}

std::vector<Expr> box(const Layout& layout, const Term& term) {
  std::vector<Expr> extents;
  for (const std::string& variable : term.physical)
    extents.push_back(find_bounds(layout, term, variable, {}).upper.front());
  return extents;
}

std::vector<Formula> listed_tests(const Layout& layout, const Term& term) {
  std::vector<Formula> said;
  for (const std::string& variable : term.physical) {
    VariableBounds bounds = find_bounds(layout, term, variable, {});
    // One bound on each side makes the box; others are tests.
    Expr own = Expr::name(variable);
    said.push_back(Formula::compare(Formula::Kind::LessEqual, Expr::number(0), own));
    said.push_back(Formula::compare(Formula::Kind::Less, own, bounds.upper.front()));
  }
  for (size_t d = 0; d < term.logical.size(); d++) {
    Expr own = Expr::name(term.logical[d]);
    said.push_back(Formula::compare(Formula::Kind::Equal, own, term.coordinate(d)));
    said.push_back(Formula::compare(Formula::Kind::Equal, term.coordinate(d), own));
  }
  std::vector<Formula> tests;
  for (const Formula& part : term.relation.parts) {
    if (std::find(said.begin(), said.end(), part) == said.end()) tests.push_back(part);
  }
  return tests;
}

level::Packed RelationStorage::pack(const level::Shape&, const level::Nodes&) const {
  throw InternalError("layouts", "the levels of a layout are packed together");
}

double RelationStorage::least_size(double, double, double nodes) const { return std::min(nodes, 1.0); }

std::int64_t RelationStorage::validate(const level::StoredLevel& level, const std::string& where) const {
  const std::vector<Array>& arrays = *level.arrays;
  std::vector<std::string> sizes = size_names(usable_.layout);
  if (arrays[0].count() != static_cast<std::int64_t>(sizes.size()))
    throw UserError(fmt::format("Array 'sizes' of {} has {} elements, but the layout '{}' has {} sizes", where,
                                arrays[0].count(), usable_.layout.name, sizes.size()));
  Evaluator evaluator = evaluator_of(usable_.layout, arrays);
  if (evaluator.dimensions()[static_cast<size_t>(usable_.dimensions[number_])] != level.extent)
    throw UserError(fmt::format("Array 'sizes' of {} does not hold the tensor's dimensions", where));
  std::vector<std::string> index = index_arrays(usable_.layout);
  for (size_t n = 0; n < index.size(); n++) {
    std::int64_t needed = 1;
    for (std::int64_t extent : evaluator.extents(index[n])) needed *= std::max<std::int64_t>(extent, 0);
    if (arrays[n + 1].count() != std::max<std::int64_t>(needed, 1))
      throw UserError(fmt::format("Array '{}' of {} has {} elements, but needs {}", index[n], where,
                                  arrays[n + 1].count(), std::max<std::int64_t>(needed, 1)));
  }
  std::vector<std::string> wrong = find_violations(evaluator, 1);
  if (!wrong.empty())
    throw UserError(fmt::format("The arrays of {} are not those of the layout '{}'", where, usable_.layout.name))
        .note(wrong[0]);
  return size(level);
}

std::int64_t RelationStorage::size(const level::StoredLevel& level) const {
  Evaluator evaluator = evaluator_of(usable_.layout, *level.arrays);
  if (is_last()) return begins(evaluator).at("");
  std::int64_t count = 1;
  if (usable_.listed) {
    count = 0;
    for (const Term& term : usable_.layout.terms) {
      std::int64_t own = 1;
      for (const Expr& e : box(usable_.layout, term)) own *= std::max<std::int64_t>(*value_of(e, evaluator.sizes()), 0);
      count += own;
    }
    return count;
  }
  const LevelPlan& plan = usable_.levels.levels[number_];
  if (plan.is_numbered) return level.extent;
  for (const Expr& radix : plan.radix) count *= std::max<std::int64_t>(*value_of(radix, evaluator.sizes()), 1);
  return count;
}

void RelationStorage::for_each_child(const level::StoredLevel& level, std::int64_t parent,
                                     const std::function<void(std::int64_t, std::int64_t)>& visit) const {
  Evaluator evaluator = evaluator_of(usable_.layout, *level.arrays);
  if (!usable_.listed) return HostLevel(usable_, number_, evaluator).children(parent, visit);
  std::map<std::string, std::int64_t> first = begins(evaluator);
  for_each_number(usable_, evaluator, [&](std::int64_t number, const Point& point) {
    if (number_ > 0 && number != parent) return;
    std::int64_t value = first.at(usable_.layout.terms[point.term].value.text()) + point.element;
    visit(point.coordinates[static_cast<size_t>(usable_.dimensions[number_])], is_last() ? value : number);
  });
}

level::Whole::Arrays RelationWhole::pack_whole(const std::vector<std::int64_t>& dimensions,
                                               const std::vector<std::vector<std::int64_t>>& coordinates) const {
  PackedData packed = pack_arrays(whole_.layout, dimensions, coordinates);
  Data data{dimensions, std::move(packed.arrays)};
  Arrays out;
  out.levels = bind(whole_, data).arrays;
  out.positions = std::move(packed.elements);
  out.size = packed.size;
  return out;
}

void RelationWhole::for_each_entry(
    const std::vector<std::vector<Array>>& arrays,
    const std::function<void(const std::vector<std::int64_t>&, std::int64_t)>& visit) const {
  Evaluator evaluator = evaluator_of(whole_.layout, arrays[0]);
  std::map<std::string, std::int64_t> first = begins(evaluator);
  for_each_point(evaluator, [&](const Point& point) {
    visit(point.coordinates, first.at(whole_.layout.terms[point.term].value.text()) + point.element);
  });
}

Bound bind(const Usable& usable, const Data& data) {
  std::map<std::string, std::int64_t> sizes = find_sizes(usable.layout, data);
  std::vector<std::string> names = size_names(usable.layout), index = index_arrays(usable.layout);
  Bound bound;
  std::vector<Array> shared(1, Array(ElementType::Int64, static_cast<std::int64_t>(names.size())));
  for (size_t n = 0; n < names.size(); n++) shared[0].set_index(static_cast<std::int64_t>(n), sizes.at(names[n]));
  for (const std::string& name : index) {
    const Array& array = data.arrays.at(name);
    shared.push_back(array.count() > 0 ? array.copy() : Array(array.type(), 1));  // something to read where nothing is
  }
  auto owner = std::make_shared<std::vector<Array>>(std::move(shared));
  for (size_t level = 0; level < usable.dimensions.size(); level++) {
    bound.arrays.emplace_back();
    for (Array& array : *owner)
      bound.arrays.back().push_back(Array::borrow(array.type(), array.data(), array.count(), owner));
  }
  std::int64_t count = 0;
  std::optional<ElementType> type;
  for (const ArrayShape& array : usable.layout.arrays) {
    auto found = data.arrays.find(array.name);
    if (!usable.layout.holds_values(array.name) || found == data.arrays.end()) continue;
    count += found->second.count();
    type = type.value_or(found->second.type());
  }
  bound.values = Array(type.value_or(ElementType::Float64), count);
  std::int64_t at = 0;
  for (const ArrayShape& array : usable.layout.arrays) {
    auto found = data.arrays.find(array.name);
    if (!usable.layout.holds_values(array.name) || found == data.arrays.end()) continue;
    const Array values = found->second.type() == *type ? found->second : found->second.converted(*type);
    if (values.count() > 0)
      std::memcpy(static_cast<char*>(bound.values.data()) + at * size_in_bytes(*type), values.data(),
                  static_cast<size_t>(values.bytes()));
    at += values.count();
  }
  return bound;
}

Data data_of(const Usable& usable, const AnyTensor& tensor) {
  Data data{tensor.dimensions(), {}};
  Evaluator evaluator = evaluator_of(usable.layout, tensor.level_arrays()[0]);
  std::vector<std::string> index = index_arrays(usable.layout);
  for (size_t n = 0; n < index.size(); n++) data.arrays[index[n]] = tensor.level_arrays()[0][n + 1].copy();
  std::map<std::string, std::int64_t> first = begins(evaluator);
  for (const auto& [name, begin] : first) {
    if (name.empty()) continue;
    std::int64_t count = 1;
    for (std::int64_t extent : evaluator.extents(name)) count *= std::max<std::int64_t>(extent, 0);
    data.arrays[name] = elements(tensor.values(), begin, count);
  }
  return data;
}

}  // namespace filigree::layouts
