#include "fuzz/random_indices.h"

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
    if (keeps_apart) index.terms[dice_.upto(2)].factor = dice_.pick<std::int64_t>({largest_extent, largest_extent, 7, -9});
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
    case 6: return {{{var, 2 + static_cast<std::int64_t>(dice_.upto(2))}}, static_cast<std::int64_t>(dice_.upto(3)), true};
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

void keep_inside(Sketch& sketch, std::mt19937_64& random) {
  Dice dice(random);
  for (Index& index : sketch.left) shift_inside(index, sketch.extents);
  for_each_access(sketch, [&](Node& node) {
    node.padded = !are_plain(node.indices) && dice.chance(12);
    if (node.padded && dice.chance(50)) return;
    for (Index& index : node.indices) shift_inside(index, sketch.extents);
  });
  for (auto& [name, tensor] : sketch.tensors) tensor.slack = dice.chance(20) ? static_cast<std::int64_t>(1 + dice.upto(2)) : 0;
  for_each_access(sketch, [&](Node& node) {
    // A few are left as they are, to be refused.
    if (is_outside(node, dimensions_of(sketch, node.text), sketch.extents) && dice.chance(98)) node.padded = true;
  });
}

}  // namespace filigree::fuzz
