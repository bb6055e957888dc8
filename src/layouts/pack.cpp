#include "layouts/pack.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "layouts/bounds.h"
#include "layouts/solve.h"
#include "level/level_format.h"

namespace filigree::layouts {
namespace {

/// An array that a node has an element of: what it is to be, if the entry begins the node, and how far from it later
/// entries may be.
struct Held {
  std::string array;
  Expr target;                       // in terms of coordinates and of variables that are looked up
  std::optional<std::string> digit;  // a variable that says how far
  std::int64_t range = 1;
};
/// A variable that numbers nodes, below a parent if an array says where the nodes of each begin.
struct NodeVariable {
  std::string variable;
  std::optional<std::string> segments;
  Expr parent = Expr::number(0);
  std::vector<Held> held;
};
/// An element of an array that follows from an entry.
struct Written {
  Expr read, value;
};

struct Plan {
  std::vector<Solution> located;
  std::vector<Written> written;
  std::vector<NodeVariable> nodes;
};

class Planner {
 public:
  explicit Planner(const Layout& layout) : layout_(layout), term_(layout.terms[0]) {
    if (layout.terms.size() > 1) refuse("it has several relations, and entries could be in any of them");
  }

  Plan run() {
    look_up();
    for (const std::string& variable : term_.physical) {
      if (!is_known(variable) && !constant_range(layout_, term_, Expr::name(variable))) add_node(variable);
    }
    for (const std::string& variable : term_.physical) {
      if (!is_known(variable)) refuse(fmt::format("nothing determines the variable '{}'", variable));
    }
    for (const ArrayShape& array : layout_.arrays) {
      if (!layout_.holds_values(array.name) && !filled_.count(array.name))
        refuse(fmt::format("nothing determines the array '{}'", array.name));
    }
    return std::move(plan_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(fmt::format("The arrays of the layout '{}' do not follow from coordinates: {}", layout_.name, why))
        .hint("give the arrays themselves");
  }
  bool is_known(const std::string& name) const { return std::find(known_.begin(), known_.end(), name) != known_.end(); }

  /// Variables that the coordinates give, and elements of arrays that are digits of them.
  void look_up() {
    for (size_t d = 0; d < term_.logical.size(); d++) {
      Expr whole = term_.coordinate(d), value = Expr::name(term_.logical[d]);
      std::vector<Expr> variables, reads;
      std::optional<Linear> sum = linear(whole);
      if (!sum) continue;
      for (const auto& [atom, factor] : sum->terms) {
        if (atom.kind() == Expr::Kind::Name && !is_known(atom.text())) variables.push_back(atom);
        if (atom.kind() == Expr::Kind::Read && constant_range(layout_, term_, atom)) reads.push_back(atom);
      }
      std::optional<std::vector<Solution>> found;
      bool has_reads = std::any_of(sum->terms.begin(), sum->terms.end(),
                                   [](const auto& term) { return term.first.kind() == Expr::Kind::Read; });
      if (!has_reads && !variables.empty()) found = solve(layout_, term_, whole, value, variables);
      std::vector<Expr> both = variables;
      both.insert(both.end(), reads.begin(), reads.end());
      if (!found && !reads.empty()) found = solve(layout_, term_, whole, value, both);
      if (!found) continue;
      for (const Solution& s : *found) {
        if (s.atom.kind() == Expr::Kind::Name) known_.push_back(s.atom.text()), plan_.located.push_back(s);
      }
      for (const Solution& s : *found) {
        if (s.atom.kind() != Expr::Kind::Read) continue;
        for (const std::string& name : names_in(s.atom)) {
          if (!is_known(name)) refuse(fmt::format("nothing determines the variable '{}'", name));
        }
        plan_.written.push_back({s.atom, s.value});
        filled_.insert(s.atom.text());
      }
    }
  }

  void add_node(const std::string& variable) {
    NodeVariable node{variable, {}, Expr::number(0), {}};
    VariableBounds bounds = find_bounds(layout_, term_, variable, known_);
    if (bounds.lower.size() != 1 || bounds.upper.size() != 1)
      refuse(fmt::format("nothing determines the variable '{}'", variable));
    const Expr &lower = bounds.lower[0], &upper = bounds.upper[0];
    std::vector<std::string> free = layout_.parameters();
    bool whole = lower.is(0) && upper.kind() == Expr::Kind::Name &&
                 std::find(free.begin(), free.end(), upper.text()) != free.end();
    bool segment = lower.kind() == Expr::Kind::Read && upper.kind() == Expr::Kind::Read &&
                   lower.text() == upper.text() && lower.parts().size() == 1 &&
                   upper.parts()[0] == lower.parts()[0] + Expr::number(1);
    if (!whole && !segment) refuse(fmt::format("nothing determines the variable '{}'", variable));
    if (segment) {
      node.segments = lower.text();
      node.parent = lower.parts()[0];
      filled_.insert(lower.text());
    }
    known_.push_back(variable);
    for (const ArrayShape& array : layout_.arrays) {
      if (layout_.holds_values(array.name) || filled_.count(array.name)) continue;
      if (std::optional<Held> held = held_at(array.name, variable)) {
        if (held->digit) known_.push_back(*held->digit);
        node.held.push_back(*held);
        filled_.insert(array.name);
      }
    }
    plan_.nodes.push_back(std::move(node));
  }

  /// An equation that gives the array's element at the variable.
  std::optional<Held> held_at(const std::string& array, const std::string& variable) const {
    Expr read = Expr::read(array, {Expr::name(variable)});
    std::vector<Formula> equations = term_.relation.parts;
    for (const Formula& property : layout_.properties) {
      for (const Formula& part : property.conjuncts()) equations.push_back(part);
    }
    for (const Formula& part : equations) {
      if (part.kind != Formula::Kind::Equal) continue;
      for (size_t side = 0; side < 2; side++) {
        const Expr& other = part.sides[1 - side];
        if (part.sides[side] == read && is_given(other)) return Held{array, other, {}, 1};
      }
    }
    for (const Formula& part : term_.relation.parts) {
      if (part.kind != Formula::Kind::Equal) continue;
      for (size_t side = 0; side < 2; side++) {
        if (!is_given(part.sides[1 - side])) continue;
        if (std::optional<Held> held = held_in(part.sides[side], part.sides[1 - side], read)) return held;
      }
    }
    return std::nullopt;
  }

  /// whole = read + digit + what is known
  std::optional<Held> held_in(const Expr& whole, const Expr& value, const Expr& read) const {
    std::optional<Linear> sum = linear(whole);
    if (!sum) return std::nullopt;
    Held held{read.text(), value, {}, 1};
    Linear rest;
    rest.constant = sum->constant;
    bool found = false;
    for (const auto& [atom, factor] : sum->terms) {
      if (atom == read && factor == 1) {
        found = true;
      } else if (is_given(atom)) {
        rest.terms.push_back({atom, factor});
      } else if (atom.kind() == Expr::Kind::Name && factor == 1 && !held.digit &&
                 constant_range(layout_, term_, atom)) {
        held.digit = atom.text();
        held.range = *constant_range(layout_, term_, atom);
      } else {
        return std::nullopt;
      }
    }
    held.target = value - rest.expr();
    return found ? std::optional(held) : std::nullopt;
  }

  /// In terms of coordinates, sizes and of what is looked up alone.
  bool is_given(const Expr& expr) const {
    std::vector<std::string> names = term_.logical;
    for (const Solution& s : plan_.located) names.push_back(s.atom.text());
    bool reads = false;
    for_each(expr, [&](const Expr& part) { reads = reads || part.kind() == Expr::Kind::Read; });
    return !reads && layouts::is_known(layout_, expr, names);
  }

  const Layout& layout_;
  const Term& term_;
  Plan plan_;
  std::vector<std::string> known_;
  std::set<std::string> filled_;
};

/// Names with values.
using Values = std::map<std::string, std::int64_t>;

class Packing {
 public:
  Packing(const Layout& layout, const std::vector<std::int64_t>& dimensions,
          const std::vector<std::vector<std::int64_t>>& coordinates)
      : layout_(layout),
        term_(layout.terms[0]),
        dimensions_(dimensions),
        coordinates_(coordinates),
        plan_(Planner(layout).run()) {
    for (size_t d = 0; d < dimensions.size(); d++) {
      auto [at, is_new] = sizes_.emplace(layout.dimensions[d], dimensions[d]);
      if (!is_new && at->second != dimensions[d])
        throw UserError(
            fmt::format("Dimensions of the layout '{}' that are called '{}' are {} and {}, but must be equal",
                        layout.name, layout.dimensions[d], at->second, dimensions[d]));
    }
    counts_.resize(plan_.nodes.size(), 0);
  }

  PackedData run() {
    const size_t count = coordinates_.empty() ? 0 : coordinates_[0].size();
    entries_.resize(count);
    for (size_t n = 0; n < count; n++) entries_[n] = values_of(n);
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::vector<std::vector<std::int64_t>> keys(count);
    for (size_t n = 0; n < count; n++) keys[n] = key(entries_[n]);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
    for (size_t n : order) place(entries_[n]);
    return finish();
  }

 private:
  std::int64_t at(const Expr& expr, const Values& values) const { return value_of(expr, values).value_or(0); }

  Values values_of(size_t entry) const {
    Values values = sizes_;
    for (size_t d = 0; d < coordinates_.size(); d++) values[term_.logical[d]] = coordinates_[d][entry];
    for (const Solution& s : plan_.located) values[s.atom.text()] = at(s.value, values);
    return values;
  }

  /// In the order of nodes: below their parents, by what they hold; the rest by coordinates.
  std::vector<std::int64_t> key(const Values& values) const {
    std::vector<std::int64_t> key;
    for (const NodeVariable& node : plan_.nodes) {
      if (value_of(node.parent, values)) key.push_back(at(node.parent, values));
      for (const Held& held : node.held) key.push_back(at(held.target, values));
    }
    for (const std::string& name : term_.logical) key.push_back(values.at(name));
    return key;
  }

  void place(Values& values) {
    bool is_new = false;
    for (size_t n = 0; n < plan_.nodes.size(); n++) {
      const NodeVariable& node = plan_.nodes[n];
      std::int64_t parent = at(node.parent, values);
      Current& current = current_[node.variable];
      is_new = is_new || counts_[n] == 0 || current.parent != parent || !suits(node, current, values);
      if (is_new) {
        current.number = counts_[n]++;
        current.parent = parent;
        current.held.clear();
        for (const Held& held : node.held) {
          current.held.push_back(at(held.target, values));
          elements_[held.array].push_back(current.held.back());
        }
        if (node.segments) begins_[*node.segments].push_back(parent);
      }
      values[node.variable] = current.number;
      for (size_t h = 0; h < node.held.size(); h++) {
        if (node.held[h].digit) values[*node.held[h].digit] = at(node.held[h].target, values) - current.held[h];
      }
    }
  }

  struct Current {
    std::int64_t number = 0, parent = 0;
    std::vector<std::int64_t> held;
  };

  bool suits(const NodeVariable& node, const Current& current, const Values& values) const {
    for (size_t h = 0; h < node.held.size(); h++) {
      std::int64_t digit = at(node.held[h].target, values) - current.held[h];
      if (digit < 0 || digit >= node.held[h].range) return false;
    }
    return true;
  }

  PackedData finish() {
    find_sizes();
    PackedData out;
    for (const ArrayShape& array : layout_.arrays) {
      std::int64_t count = 1;
      for (const Expr& extent : array.extents) {
        std::optional<std::int64_t> value = value_of(extent, sizes_);
        if (!value)
          throw UserError(
              fmt::format("The arrays of the layout '{}' do not follow from coordinates: nothing says how large "
                          "'{}' is",
                          layout_.name, array.name))
              .hint("give the arrays themselves");
        if (__builtin_mul_overflow(count, std::max<std::int64_t>(*value, 0), &count) || count > most_elements)
          throw UserError(
              fmt::format("The array '{}' of the layout '{}' would not fit in memory", array.name, layout_.name));
      }
      if (layout_.holds_values(array.name)) out.size = count;
      out.arrays.emplace(
          array.name, layout_.holds_values(array.name) ? Array(ElementType::Float64, count) : index(array.name, count));
    }
    write(out);
    return out;
  }
  static constexpr std::int64_t most_elements = std::int64_t{1} << 40;

  /// Nodes are counted: that is a size of the arrays that have an element for each.
  void find_sizes() {
    for (size_t n = 0; n < plan_.nodes.size(); n++) {
      auto look = [&](const Expr& part) {
        if (part.kind() != Expr::Kind::Read) return;
        const ArrayShape& array = *layout_.find_array(part.text());
        for (size_t k = 0; k < part.parts().size(); k++) {
          bool one_each = array.extents[k].kind() == Expr::Kind::Name;  // others may have more elements than nodes
          if (one_each && part.parts()[k].is_name(plan_.nodes[n].variable)) learn(array.extents[k], counts_[n]);
        }
      };
      for_each(term_.relation, look);
      for_each(term_.value, look);
      for (const Expr& upper : find_bounds(layout_, term_, plan_.nodes[n].variable, {}).upper) learn(upper, counts_[n]);
    }
  }
  void learn(const Expr& extent, std::int64_t count) {
    for (const std::string& name : names_in(extent)) {
      std::optional<Expr> solution = solve_for(extent, name);
      if (sizes_.count(name) || !solution) continue;
      Values with = sizes_;
      with["extent"] = count;
      if (std::optional<std::int64_t> value = value_of(*solution, with)) sizes_[name] = *value;
    }
  }

  Array index(const std::string& name, std::int64_t count) const {
    std::vector<std::int64_t> values(static_cast<size_t>(count), 0);
    if (auto held = elements_.find(name); held != elements_.end())
      std::copy_n(held->second.begin(), std::min(values.size(), held->second.size()), values.begin());
    if (auto parents = begins_.find(name); parents != begins_.end()) {
      for (std::int64_t parent : parents->second) {
        if (parent >= 0 && parent + 1 < count) values[static_cast<size_t>(parent) + 1]++;
      }
      for (size_t n = 1; n < values.size(); n++) values[n] += values[n - 1];
    }
    std::int64_t largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    Array array(index_type_for(largest), count);
    for (std::int64_t n = 0; n < count; n++) array.set_index(n, values[static_cast<size_t>(n)]);
    return array;
  }

  /// Elements that entries give, and where values go.  An entry that the relation has no room for does not fit.
  void write(PackedData& out) const {
    std::map<std::int64_t, size_t> taken;
    for (size_t n = 0; n < entries_.size(); n++) {
      Values values = entries_[n];
      for (const auto& [name, value] : sizes_) values[name] = value;
      std::optional<std::int64_t> element = element_of(term_.value, values);
      bool fits = element && *element < out.size && taken.emplace(*element, n).second;
      for (const Written& written : plan_.written) {
        std::optional<std::int64_t> place = element_of(written.read, values);
        Array& array = out.arrays.at(written.read.text());
        fits = fits && place && *place < array.count();
        if (fits) array.set_index(*place, at(written.value, values));
      }
      out.elements.push_back(fits ? *element : level::Packed::does_not_fit);
    }
    Data data{dimensions_, {}};
    for (const auto& [name, array] : out.arrays)
      data.arrays[name] = Array::borrow(array.type(), const_cast<void*>(array.data()), array.count());
    Evaluator evaluator(layout_, data);
    Evaluator::Slots slots;
    for (const std::vector<std::string>* names : {&term_.physical, &term_.logical}) {
      for (const std::string& name : *names) slots.emplace(std::pair(name, false), slots.size());
    }
    Evaluator::Test test = evaluator.compile(term_.relation, slots);
    for (size_t n = 0; n < entries_.size(); n++) {
      Evaluator::Values values(slots.size());
      for (const auto& [name, slot] : slots) values[slot] = entries_[n].at(name.first);
      if (out.elements[n] >= 0 && !evaluator.holds(test, values)) out.elements[n] = level::Packed::does_not_fit;
    }
  }

  std::optional<std::int64_t> element_of(const Expr& read, const Values& values) const {
    const ArrayShape& array = *layout_.find_array(read.text());
    std::int64_t number = 0;
    for (size_t n = 0; n < read.parts().size(); n++) {
      std::int64_t place = at(read.parts()[n], values), extent = at(array.extents[n], values);
      if (place < 0 || place >= extent) return std::nullopt;
      number = number * extent + place;
    }
    return number;
  }

  const Layout& layout_;
  const Term& term_;
  const std::vector<std::int64_t>& dimensions_;
  const std::vector<std::vector<std::int64_t>>& coordinates_;
  Plan plan_;
  Values sizes_;
  std::vector<Values> entries_;
  std::vector<std::int64_t> counts_;  // of nodes, by variable
  std::map<std::string, Current> current_;
  std::map<std::string, std::vector<std::int64_t>> elements_, begins_;
};

}  // namespace

PackedData pack_arrays(const Layout& layout, const std::vector<std::int64_t>& dimensions,
                       const std::vector<std::vector<std::int64_t>>& coordinates) {
  return Packing(layout, dimensions, coordinates).run();
}

std::optional<std::string> why_not_packed(const Layout& layout) {
  try {
    Planner(layout).run();
    return std::nullopt;
  } catch (const UserError& error) {
    return error.message();
  }
}

}  // namespace filigree::layouts
