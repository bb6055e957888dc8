#include "compiler/assigned_once.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "notation/written.h"
#include "support/check.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::compiler {
namespace {

using Extents = std::map<IndexVar, std::int64_t>;
using Vars = std::vector<IndexVar>;

void add_once(Vars& vars, const Vars& more) {
  for (const IndexVar& var : more) {
    if (!contains(vars, var)) vars.push_back(var);
  }
}

/// The largest integer if it is larger than that.
std::int64_t product(const std::vector<std::int64_t>& factors) {
  std::int64_t result = 1;
  for (std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return std::numeric_limits<std::int64_t>::max();
  }
  return result;
}

/// Which coordinate is selected, for all coordinates of others.
struct Table {
  Vars arguments;  // i, i+1, or what another table selects
  IndexVar selected;
  const AnyTensor* tensor;

  const Array& coordinates() const { return tensor->level_arrays().back().back(); }
};

/// Tables that share variables which nothing else tells.
class Group {
 public:
  /// `tables` stand behind those that they use; `told` are the variables that the component tells by itself.
  Group(std::vector<Table> tables, const Vars& results, const Vars& told, const Extents& extents)
      : tables_(std::move(tables)) {
    Vars selected;
    for (const Table& table : tables_) selected.push_back(table.selected);
    for (const Table& table : tables_) {
      for (const IndexVar& var : free_of(table.arguments)) {
        if (!contains(selected, var)) add_once(vars_, {var});
      }
    }
    slots_ = vars_;
    add_once(slots_, selected);
    values_.resize(slots_.size());
    for (const IndexVar& var : vars_) extents_.push_back(extents.at(var));
    for (const Table& table : tables_) is_direct_.push_back(table.arguments == vars_);
    for (size_t s = 0; s < slots_.size(); s++) {
      bool is_told = s < vars_.size() && contains(told, slots_[s]), is_result = contains(results, slots_[s]);
      if (is_told || is_result) parts_.push_back({s, extents.at(slots_[s])});
      if (is_result) results_.push_back(s);
      needs_vars_ = needs_vars_ || is_told;
    }
    needs_vars_ = needs_vars_ || std::find(is_direct_.begin(), is_direct_.end(), false) != is_direct_.end();
  }

  /// Do its variables leave anything to ask?
  bool is_told(const Vars& told) const {
    return std::all_of(vars_.begin(), vars_.end(), [&](const IndexVar& var) { return contains(told, var); });
  }

  struct Twice {
    std::int64_t first, second;
  };

  /// Two points that are the same for all parts.  Nothing is kept of points whose components ascend, and a bit of each
  /// component where they are few.
  std::optional<Twice> find_twice(const std::string& written) {
    std::int64_t count = product(extents_), components = product(part_extents());
    if (count > components) count = components + 1;  // more than enough to find one
    if (ascends(count)) return std::nullopt;
    const bool is_short = components / 64 <= count;
    const double bytes_of_point = is_short ? 8 : sizeof(std::int64_t) + sizeof(std::uint64_t);
    if (static_cast<double>(count) * bytes_of_point > physical_memory()) {
      throw UserError(fmt::format("Whether '{}' is assigned several values for one component cannot be told: its "
                                  "points do not fit in memory",
                                  written))
          .hint("write += to add them up, or compute it in several statements");
    }
    if (is_short) return find_by_bits(count, components);
    return find_by_hash(count);
  }

  /// i = 0, j = 2
  std::string describe(std::int64_t point) {
    move_to(point);
    std::vector<std::string> texts;
    for (size_t v = 0; v < vars_.size(); v++) texts.push_back(fmt::format("{} = {}", vars_[v].name(), values_[v]));
    return join(texts, ", ");
  }

  std::vector<std::string> selected_at(std::int64_t point) {
    move_to(point);
    std::vector<std::string> texts;
    for (size_t slot : results_) texts.push_back(std::to_string(values_[slot]));
    return texts;
  }

 private:
  /// What tells components apart: a variable or a selected coordinate.
  struct Part {
    size_t slot;
    std::int64_t extent;
  };

  std::vector<std::int64_t> part_extents() const {
    std::vector<std::int64_t> extents;
    for (const Part& part : parts_) extents.push_back(part.extent);
    return extents;
  }

  std::int64_t value_of(const IndexVar& index) const {
    auto slot = std::find(slots_.begin(), slots_.end(), index);
    if (slot != slots_.end()) return values_[static_cast<size_t>(slot - slots_.begin())];
    return index.map()->at([&](const IndexVar& var) { return value_of(var); });
  }

  void set_variables(std::int64_t point) {
    for (size_t v = vars_.size(); v-- > 0; point /= extents_[v]) values_[v] = point % extents_[v];
  }

  void select(std::int64_t point) {
    for (size_t t = 0; t < tables_.size(); t++) {
      const Table& table = tables_[t];
      std::int64_t position = is_direct_[t] ? point : 0;
      for (size_t d = 0; !is_direct_[t] && d < table.arguments.size(); d++)
        position = position * table.tensor->dimensions()[d] + value_of(table.arguments[d]);
      values_[vars_.size() + t] = table.coordinates().index_at(position);
    }
  }

  void move_to(std::int64_t point) {
    set_variables(point);
    select(point);
  }

  /// Calls `visit` with every point, once the values are those there, until it returns false.
  template <class Visit>
  void for_each_point(std::int64_t count, Visit visit) {
    for (std::int64_t point = 0; point < count; point++) {
      if (needs_vars_) set_variables(point);
      select(point);
      if (!visit(point)) return;
    }
  }

  bool ascends(std::int64_t count) {
    std::vector<std::int64_t> before(parts_.size(), -1);
    bool ascends = true;
    for_each_point(count, [&](std::int64_t) {
      bool is_larger = false;
      for (size_t p = 0; p < parts_.size(); p++) {
        std::int64_t value = values_[parts_[p].slot];
        if (!is_larger && value < before[p]) break;
        is_larger = is_larger || value > before[p];
        before[p] = value;
      }
      return ascends = is_larger;
    });
    return ascends;
  }

  std::optional<Twice> find_by_bits(std::int64_t count, std::int64_t components) {
    std::vector<bool> used(static_cast<size_t>(components), false);
    auto component = [&] {
      std::int64_t number = 0;
      for (const Part& part : parts_) number = number * part.extent + values_[part.slot];
      return number;
    };
    std::optional<Twice> twice;
    std::int64_t repeated = -1;
    for_each_point(count, [&](std::int64_t point) {
      std::vector<bool>::reference bit = used[static_cast<size_t>(component())];
      if (bit) twice = {0, point}, repeated = component();
      bit = true;
      return !twice;
    });
    if (!twice) return twice;
    for_each_point(count, [&](std::int64_t point) {
      twice->first = point;
      return component() != repeated;
    });
    return twice;
  }

  /// Components have any number of coordinates, each of which may be large: those of one hash are next to each other
  /// once they are sorted.
  std::optional<Twice> find_by_hash(std::int64_t count) {
    struct Hashed {
      std::uint64_t hash;
      std::int64_t point;
      auto operator<=>(const Hashed&) const = default;
    };
    std::vector<Hashed> all;
    all.reserve(static_cast<size_t>(count));
    for_each_point(count, [&](std::int64_t point) {
      all.push_back({hash(), point});
      return true;
    });
    std::sort(all.begin(), all.end());
    std::optional<Twice> twice;
    for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
      end = std::find_if(begin, all.end(), [&](const Hashed& other) { return other.hash != begin->hash; });
      std::optional<Twice> found;
      for (auto second = begin; second != end && !found; second++) {
        for (auto first = begin; first != second && !found; first++) {
          if (parts_at(first->point) == parts_at(second->point)) found = {first->point, second->point};
        }
      }
      if (found && (!twice || found->second < twice->second)) twice = found;
    }
    return twice;
  }

  std::uint64_t hash() const {
    std::uint64_t mixed = 0;
    for (const Part& part : parts_) {
      mixed = (mixed ^ static_cast<std::uint64_t>(values_[part.slot])) * 0x9e3779b97f4a7c15;
      mixed ^= mixed >> 29;
    }
    return mixed;
  }

  std::vector<std::int64_t> parts_at(std::int64_t point) {
    move_to(point);
    std::vector<std::int64_t> values;
    for (const Part& part : parts_) values.push_back(values_[part.slot]);
    return values;
  }

  std::vector<Table> tables_;
  Vars vars_, slots_;                  // slots: the variables, then what each table selects
  std::vector<std::int64_t> extents_;  // of the variables
  std::vector<std::int64_t> values_;   // of the slots, at one point
  std::vector<bool> is_direct_;        // has the table its entries in the order of points?
  std::vector<Part> parts_;
  std::vector<size_t> results_;  // slots of coordinates of the left side
  bool needs_vars_ = false;      // to find components, beside the tables
};

/// The tables of a left side, and which of them have to be asked together.
class Scatter {
 public:
  Scatter(const notation::Statement& statement, const std::map<TensorVar, const AnyTensor*>& made,
          const Extents& extents)
      : statement_(statement), extents_(extents) {
    for (const notation::Access& access : notation::accesses(statement.rhs)) {
      if (!access.tensor.selection() || !access.tensor.selection()->once) continue;
      bool is_known = std::any_of(tables_.begin(), tables_.end(),
                                  [&](const Table& table) { return table.selected == access.indices.back(); });
      if (is_known) continue;
      internal_check(!access.tensor.selection()->padded, "run", "a selection on the left that is padded",
                     access.tensor.name());
      Vars arguments = access.indices;
      arguments.pop_back();
      tables_.push_back({arguments, access.indices.back(), made.at(access.tensor)});
    }
    for (const IndexVar& var : free_of(statement.lhs.indices)) {
      if (find(var)) results_.push_back(var);
      else told_.push_back(var);
    }
  }

  void check() const {
    if (tables_.empty() || has_no_points()) return;
    for (const Vars& together : groups()) {
      std::vector<Table> tables;
      for (const IndexVar& result : together) add_with_used(*find(result), tables);
      Group group(std::move(tables), together, told_, extents_);
      if (group.is_told(told_)) continue;
      std::string written = notation::written_left(statement_);
      if (std::optional<Group::Twice> twice = group.find_twice(written)) fail(group, *twice, written);
    }
  }

 private:
  const Table* find(const IndexVar& selected) const {
    auto found =
        std::find_if(tables_.begin(), tables_.end(), [&](const Table& table) { return table.selected == selected; });
    return found == tables_.end() ? nullptr : &*found;
  }

  /// Those that a table uses come first.
  void add_with_used(const Table& table, std::vector<Table>& out) const {
    for (const IndexVar& var : free_of(table.arguments)) {
      if (const Table* used = find(var)) add_with_used(*used, out);
    }
    bool is_there =
        std::any_of(out.begin(), out.end(), [&](const Table& other) { return other.selected == table.selected; });
    if (!is_there) out.push_back(table);
  }

  /// The variables that a selected coordinate follows from and that nothing tells.
  Vars untold(const IndexVar& selected) const {
    Vars vars;
    for (const IndexVar& var : free_of(find(selected)->arguments)) {
      if (find(var)) add_once(vars, untold(var));
      else if (!contains(told_, var)) add_once(vars, {var});
    }
    return vars;
  }

  bool has_no_points() const {
    Vars vars = told_;
    for (const IndexVar& result : results_) add_once(vars, untold(result));
    return std::any_of(vars.begin(), vars.end(), [&](const IndexVar& var) { return extents_.at(var) == 0; });
  }

  /// Selected coordinates of the left side, those together that share variables: others do not help to tell them.
  std::vector<Vars> groups() const {
    std::vector<Vars> groups, shared;
    for (const IndexVar& result : results_) {
      Vars together, vars = untold(result);
      for (size_t g = groups.size(); g-- > 0;) {
        bool shares =
            std::any_of(vars.begin(), vars.end(), [&](const IndexVar& var) { return contains(shared[g], var); });
        if (!shares) continue;
        together.insert(together.begin(), groups[g].begin(), groups[g].end());
        add_once(vars, shared[g]);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
        shared.erase(shared.begin() + static_cast<std::ptrdiff_t>(g));
      }
      together.push_back(result);
      groups.push_back(together);
      shared.push_back(vars);
    }
    return groups;
  }

  [[noreturn]] void fail(Group& group, const Group::Twice& twice, const std::string& written) const {
    std::vector<std::string> selected = group.selected_at(twice.first);
    UserError error(fmt::format("'{}' is assigned several values for one component: {} and {} both give the {} {}",
                                written, group.describe(twice.first), group.describe(twice.second),
                                selected.size() == 1 ? "coordinate" : "coordinates", join(selected, ", ")));
    std::move(error).hint("write += to add them up, or max= or min= to keep one of them");
    if (statement_.source) throw std::move(error).at(statement_.source, statement_.lhs_span);
    throw error;
  }

  const notation::Statement& statement_;
  const Extents& extents_;
  std::vector<Table> tables_;
  Vars results_, told_;  // of the left side: what tables select, and the others
};

}  // namespace

void check_assigned_once(const notation::Statement& statement, const std::map<TensorVar, const AnyTensor*>& made,
                         const Extents& extents) {
  Scatter(statement, made, extents).check();
}

}  // namespace filigree::compiler
