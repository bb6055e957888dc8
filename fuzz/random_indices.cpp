#include "fuzz/random_indices.h"

#include <algorithm>

#include "fuzz/random_format.h"

namespace filigree::fuzz {
namespace {

constexpr std::size_t longest_list = largest_extent;

/// Shifts the index up until it begins at 0.
void shift_inside(Index& index, const VarExtents& extents) {
  std::int64_t first = reach(index, extents).first;
  if (first < 0) index.offset -= first;
}

bool is_outside(const Node& access, const std::vector<std::int64_t>& dimensions, const VarExtents& extents) {
  for (std::size_t d = 0; d < dimensions.size(); d++) {
    auto [first, last] = reach(access.indices[d], extents);
    if (first <= last && (first < 0 || last >= dimensions[d])) return true;
  }
  return false;
}

}  // namespace

Indices RandomIndices::of_operand(std::size_t order) {
  std::string vars = dice_.some_of(pool_, order);
  Indices indices;
  for (std::size_t d = 0; d < order; d++) {
    bool again = d >= vars.size();
    Index plain{{{again ? dice_.one_of(pool_) : vars[d], 1}}};
    indices.push_back(dice_.chance(again ? 60 : percent_) ? form() : plain);
  }
  return indices;
}

Indices RandomIndices::of_result(std::size_t order) {
  Indices indices = of_operand(order);
  for (Index& index : indices) {
    bool keeps_apart = index.terms.size() > 1 && dice_.chance(40);
    if (keeps_apart)
      index.terms[dice_.upto(2)].factor = dice_.pick<std::int64_t>({largest_extent, largest_extent, 7, -9});
    if (!keeps_apart && index.terms.size() > 1 && dice_.chance(60)) index.terms.resize(1);
    if (!index.list.empty() && dice_.chance(60)) index = list(false);
  }
  return indices;
}

Index RandomIndices::form() {
  char var = dice_.one_of(pool_);
  std::int64_t offset = dice_.pick<std::int64_t>({0, 0, 1, 1, 2, -1, 3});
  switch (dice_.upto(10)) {
    case 0: return {{}, static_cast<std::int64_t>(dice_.upto(4))};
    case 1: return {{{var, 1}}};  // likely to be a diagonal
    case 2: return {{{var, 1}}, dice_.pick<std::int64_t>({1, 2, -1})};
    case 3: return {{{var, dice_.pick<std::int64_t>({2, 3, -1, -2})}}, offset};
    case 4:
    case 5: return {{{var, 1}}, static_cast<std::int64_t>(dice_.upto(3)), true};
    case 6:
      return {{{var, 2 + static_cast<std::int64_t>(dice_.upto(2))}}, static_cast<std::int64_t>(dice_.upto(3)), true};
    case 7: return list(true);
    default: break;
  }
  std::string two = dice_.some_of(pool_, 2);
  Index sum{{{two[0], 1}}, offset};
  if (two.size() > 1) sum.terms.push_back({two[1], dice_.pick<std::int64_t>({1, 1, 1, -1, 2})});
  return sum;
}

Index RandomIndices::list(bool repeats) {
  Index index{{{dice_.one_of(pool_), 1}}};
  std::string shuffled = dice_.some_of("0123456", longest_list);
  for (char digit : shuffled) index.list.push_back(repeats ? static_cast<std::int64_t>(dice_.upto(5)) : digit - '0');
  return index;
}

namespace {

class SelectionsAdder {
 public:
  SelectionsAdder(Sketch& sketch, std::mt19937_64& random) : sketch_(sketch), random_(random), dice_(random) {}

  void run() {
    for_each_access(sketch_, [&](Node& node) {
      bool has_sums = std::all_of(node.indices.begin(), node.indices.end(),
                                  [](const Index& index) { return index.is_sum() && !index.terms.empty(); });
      node.wrapped = has_sums && !node.indices.empty() && dice_.chance(30);
      if (node.wrapped && dice_.chance(70))
        node.indices[dice_.upto(node.indices.size())].offset = dice_.pick<std::int64_t>({1, -1, 2, -3, 7});
      for (Index& index : node.indices) change(index, node.wrapped, 25);
    });
    if (!dice_.chance(35) || sketch_.left.empty()) return;
    Index& index = sketch_.left[dice_.upto(sketch_.left.size())];
    change(index, false, 100);
    if (index.selects()) choose_assignment(index);
  }

 private:
  void change(Index& index, bool is_wrapped, unsigned percent) {
    if (!index.is_sum() || index.terms.empty() || !dice_.chance(percent)) return;
    if (dice_.chance(25) && !is_wrapped) {
      index.modulus = 1 + static_cast<std::int64_t>(dice_.upto(6));
      return;
    }
    std::string name = "p" + std::to_string(count_++);
    index = Index{{{index.terms[0].var, 1}}, dice_.chance(20) ? 1 : 0};
    index.gathered = name;
    index.range = 1 + static_cast<std::int64_t>(dice_.upto(6));
    SketchTensor& tensor = sketch_.tensors[name];
    tensor.type = dice_.pick({ElementType::Int64, ElementType::Int32, ElementType::UInt8});
    tensor.format = random_plain_format(1, random_);
    bool permutes = dice_.chance(40);  // as far as it can
    for (std::int64_t c = 0; c < sketch_.extents.at(index.terms[0].var); c++) {
      std::int64_t value = permutes ? (3 * c + 1) % index.range
                                    : static_cast<std::int64_t>(dice_.upto(static_cast<std::size_t>(index.range)));
      if (dice_.chance(90)) tensor.entries.push_back({{c}, value});
    }
  }

  void choose_assignment(const Index& index) {
    std::string vars;
    bool may_assign = true;  // nothing else decides whether a component is assigned twice
    for (const Index& other : sketch_.left) may_assign = may_assign && (&other == &index || other.is_variable());
    sketch_.assignment = std::string(dice_.pick({"+=", "+=", "+=", "-=", "+="}));
    if (may_assign && dice_.chance(30)) sketch_.assignment = std::string("=");
    sketch_.old_value = sketch_.assignment != "=" && dice_.chance(30);
  }

  Sketch& sketch_;
  std::mt19937_64& random_;
  Dice dice_;
  int count_ = 0;
};

}  // namespace

void add_selections(Sketch& sketch, std::mt19937_64& random) { SelectionsAdder(sketch, random).run(); }

void keep_inside(Sketch& sketch, std::mt19937_64& random) {
  Dice dice(random);
  for (Index& index : sketch.left) shift_inside(index, sketch.extents);
  for_each_access(sketch, [&](Node& node) {
    if (node.wrapped) return;
    bool has_remainder =
        std::any_of(node.indices.begin(), node.indices.end(), [](const Index& index) { return index.modulus != 0; });
    node.padded = !are_plain(node.indices) && dice.chance(12) && !has_remainder;
    if (node.padded && dice.chance(50)) return;
    for (Index& index : node.indices) shift_inside(index, sketch.extents);
  });
  for (auto& [name, tensor] : sketch.tensors)
    tensor.slack = dice.chance(20) ? static_cast<std::int64_t>(1 + dice.upto(2)) : 0;
  for_each_access(sketch, [&](Node& node) {
    // A few are left as they are, to be refused.
    bool has_remainder =
        std::any_of(node.indices.begin(), node.indices.end(), [](const Index& index) { return index.modulus != 0; });
    if (node.wrapped || has_remainder) return;
    if (is_outside(node, dimensions_of(sketch, node.text), sketch.extents) && dice.chance(98)) node.padded = true;
  });
}

}  // namespace filigree::fuzz
