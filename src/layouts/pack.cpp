#include "layouts/pack.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>

#include "layouts/bounds.h"
#include "layouts/columns.h"
#include "layouts/pack_plan.h"
#include "level/level_format.h"
#include "tensor/sort.h"

namespace filigree::layouts {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

Array borrowed(Column& column) {
  return Array::borrow(ElementType::Int64, column.data(), static_cast<std::int64_t>(column.size()));
}

/// Elements of values that are taken already.
class Taken {
 public:
  Taken(std::int64_t size, size_t entries) {
    if (size <= 1024 + 64 * static_cast<std::int64_t>(entries)) bits_.resize(static_cast<size_t>(size));
  }
  /// True if it was not taken.
  bool take(std::int64_t element) {
    if (bits_.empty()) return some_.insert(element).second;
    bool taken = bits_[static_cast<size_t>(element)];
    bits_[static_cast<size_t>(element)] = true;
    return !taken;
  }

 private:
  std::vector<bool> bits_;
  std::unordered_set<std::int64_t> some_;  // where there are many more elements than entries
};

class Packing {
 public:
  Packing(const Layout& layout, const std::vector<std::int64_t>& dimensions,
          const std::vector<std::vector<std::int64_t>>& coordinates)
      : layout_(layout),
        term_(layout.terms[0]),
        plan_(plan_packing(layout)),
        count_(coordinates.empty() ? 0 : coordinates[0].size()) {
    for (size_t d = 0; d < dimensions.size(); d++) {
      auto [at, is_new] = sizes_.emplace(layout.dimensions[d], dimensions[d]);
      if (!is_new && at->second != dimensions[d])
        throw UserError(
            fmt::format("Dimensions of the layout '{}' that are called '{}' are {} and {}, but must be equal",
                        layout.name, layout.dimensions[d], at->second, dimensions[d]));
    }
    for (const std::vector<std::string>* names : {&term_.logical, &term_.physical}) {
      for (const std::string& name : *names) slots_.emplace(std::pair(name, false), slots_.size());
    }
    columns_.resize(slots_.size());
    for (size_t d = 0; d < coordinates.size(); d++) column(term_.logical[d]) = coordinates[d];
    counts_.resize(plan_.nodes.size(), 0);
  }

  PackedData run() {
    for (const Solution& s : plan_.located) column(s.atom.text()) = values(s.value);
    sort();
    std::vector<char> is_new(count_, 0);
    for (size_t n = 0; n < plan_.nodes.size(); n++) number_nodes(n, is_new);
    return finish();
  }

 private:
  Column& column(const std::string& name) { return columns_[slots_.at({name, false})]; }
  bool has_values(const std::string& name) const {
    auto slot = slots_.find({name, false});
    return slot == slots_.end() ? sizes_.count(name) > 0 : count_ == 0 || !columns_[slot->second].empty();
  }

  /// Of the entries; what is not known yet counts as 0.
  Column values(const Expr& expr) const {
    Evaluator evaluator(layout_, sizes_, {});
    const Expr zero = Expr::number(0);
    Expr known = substitute(expr, [&](const Expr& name) { return has_values(name.text()) ? nullptr : &zero; });
    return values_at(evaluator, evaluator.compile(known, slots_), columns_, count_);
  }

  /// Puts entries in the order of nodes: below their parents, by what they hold; the rest by coordinates.
  void sort() {
    std::vector<Expr> by;
    auto add = [&](const Expr& expr) {
      Expr key = substitute(expr, [&](const Expr& name) -> const Expr* {
        for (const Solution& s : plan_.located) {
          if (s.atom == name) return &s.value;
        }
        return nullptr;
      });
      if (key.kind() != Expr::Kind::Number && std::find(by.begin(), by.end(), key) == by.end()) by.push_back(key);
    };
    for (const NodeVariable& node : plan_.nodes) {
      std::vector<std::string> names = names_in(node.parent);
      if (std::all_of(names.begin(), names.end(), [&](const std::string& name) { return has_values(name); }))
        add(node.parent);
      for (const Held& held : node.held) add(held.target);
    }
    for (const std::string& name : term_.logical) add(Expr::name(name));

    std::vector<Array> keys;
    std::vector<SortKey> sorted_by;
    std::vector<Column> numbers;
    for (const Expr& key : by) numbers.push_back(values(key));
    order_.resize(count_);
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    if (count_ == 0) return;
    std::vector<Array*> moved;
    for (Column& key : numbers) keys.push_back(borrowed(key));
    for (size_t k = 0; k < keys.size(); k++) {
      auto [least, most] = std::minmax_element(numbers[k].begin(), numbers[k].end());
      sorted_by.push_back({&keys[k], *most - *least + 1, *least});
      moved.push_back(&keys[k]);
    }
    if (is_sorted(sorted_by)) return;
    Array order = borrowed(order_).copy();
    moved.push_back(&order);
    sort_together(sorted_by, moved);
    std::copy(order.as<std::int64_t>().begin(), order.as<std::int64_t>().end(), order_.begin());
    for (Column& each : columns_) {
      if (each.empty()) continue;
      Column other(count_);
      for (size_t e = 0; e < count_; e++) other[e] = each[static_cast<size_t>(order_[e])];
      each = std::move(other);
    }
  }

  /// An entry is in the node before it if what that holds suits the entry.  `is_new`: nodes around it begin there.
  void number_nodes(size_t n, std::vector<char>& is_new) {
    const NodeVariable& node = plan_.nodes[n];
    Column parents = values(node.parent), numbers(count_);
    std::vector<Column> targets;
    std::vector<std::vector<std::int64_t>> held(node.held.size());
    for (const Held& each : node.held) targets.push_back(values(each.target));
    auto suits = [&](size_t e) {
      for (size_t h = 0; h < held.size(); h++) {
        std::int64_t digit = targets[h][e] - held[h].back();
        if (digit < 0 || digit >= node.held[h].range) return false;
      }
      return true;
    };
    std::vector<std::int64_t> begins;
    for (size_t e = 0; e < count_; e++) {
      if (e == 0 || is_new[e] || parents[e] != parents[e - 1] || !suits(e)) {
        is_new[e] = 1;
        counts_[n]++;
        for (size_t h = 0; h < held.size(); h++) held[h].push_back(targets[h][e]);
        if (node.segments) begins.push_back(parents[e]);
      }
      numbers[e] = counts_[n] - 1;
      for (size_t h = 0; h < held.size(); h++) targets[h][e] -= held[h].back();
    }
    for (size_t h = 0; h < held.size(); h++) {
      if (node.held[h].digit) column(*node.held[h].digit) = std::move(targets[h]);
      elements_[node.held[h].array] = std::move(held[h]);
    }
    if (node.segments) begins_[*node.segments] = std::move(begins);
    column(node.variable) = std::move(numbers);
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
      Sizes with = sizes_;
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
    return Array::borrow(ElementType::Int64, values.data(), count).converted(index_type_for(largest));
  }

  /// Elements that entries give, and where values go.  An entry that the relation has no room for does not fit.
  void write(PackedData& out) {
    std::map<std::string, const Array*> arrays;
    for (const auto& [name, array] : out.arrays) arrays.emplace(name, &array);
    Evaluator evaluator(layout_, sizes_, arrays);
    Column element = elements_or_none(evaluator, evaluator.compile(term_.value, slots_), columns_, count_);
    std::vector<Column> places, written;
    for (const Written& each : plan_.written) {
      places.push_back(elements_or_none(evaluator, evaluator.compile(each.read, slots_), columns_, count_));
      written.push_back(values_at(evaluator, evaluator.compile(each.value, slots_), columns_, count_));
    }
    std::vector<size_t> at(count_);  // where the entries are, in the order in which they were given
    for (size_t e = 0; e < count_; e++) at[static_cast<size_t>(order_[e])] = e;
    Taken taken(out.size, count_);
    for (size_t e : at) {
      bool fits = element[e] >= 0 && element[e] < out.size && taken.take(element[e]);
      for (size_t w = 0; w < places.size() && fits; w++) {
        Array& array = out.arrays.at(plan_.written[w].read.text());
        fits = places[w][e] >= 0 && places[w][e] < array.count();
        if (fits) array.set_index(places[w][e], written[w][e]);
      }
      if (!fits) element[e] = level::Packed::does_not_fit;
    }
    check_relation(evaluator, element);
    out.elements.reserve(count_);
    for (size_t e : at) out.elements.push_back(element[e]);
  }

  void check_relation(const Evaluator& evaluator, Column& element) const {
    std::vector<char> fits(count_);
    std::vector<size_t> numbers;
    for (size_t e = 0; e < count_; e++) fits[e] = element[e] >= 0;
    for (size_t e = 0; e < count_; e++) {
      if (fits[e]) numbers.push_back(e);
    }
    Columns columns = columns_;
    size_t left = keep(columns, fits);
    std::vector<char> related = holds_at(evaluator, evaluator.compile(term_.relation, slots_), columns, left);
    for (size_t n = 0; n < left; n++) {
      if (!related[n]) element[numbers[n]] = level::Packed::does_not_fit;
    }
  }

  const Layout& layout_;
  const Term& term_;
  PackPlan plan_;
  size_t count_;
  Sizes sizes_;
  Evaluator::Slots slots_;
  Columns columns_;                   // of the entries, in the order of nodes
  Column order_;                      // the number of each as it was given
  std::vector<std::int64_t> counts_;  // of nodes, by variable
  std::map<std::string, std::vector<std::int64_t>> elements_, begins_;
};

}  // namespace

PackedData pack_arrays(const Layout& layout, const std::vector<std::int64_t>& dimensions,
                       const std::vector<std::vector<std::int64_t>>& coordinates) {
  return Packing(layout, dimensions, coordinates).run();
}

std::optional<std::string> why_not_packed(const Layout& layout) {
  try {
    plan_packing(layout);
    return std::nullopt;
  } catch (const UserError& error) {
    return error.message();
  }
}

}  // namespace filigree::layouts
