#include "fuzz/shrink_indices.h"

#include <algorithm>
#include <set>

namespace filigree::fuzz {
namespace {

bool is_valid(const Format& format, int order) {
  return format.order() == order && !find_problem(format.levels(), usual_dimension_names(order));
}

/// The levels that say something of a dimension go; a plain format if that does not leave a valid one.
Format without_dimension(const Format& format, int dimension) {
  auto renumbered = [&](int d) { return d > dimension ? d - 1 : d; };
  std::vector<Level> levels;
  for (Level level : format.levels()) {
    std::vector<int> of = level.coordinate.dimensions();
    if (std::find(of.begin(), of.end(), dimension) != of.end()) continue;
    level.coordinate = std::visit(
        [&](auto part) -> relation::Coordinate {
          if constexpr (std::is_same_v<decltype(part), relation::Difference>)
            return relation::Difference{renumbered(part.plus), renumbered(part.minus)};
          else if constexpr (std::is_same_v<decltype(part), relation::Digits>)
            return relation::Digits{renumbered(part.whole), part.divisor, part.modulus};
          else return relation::Counter{renumbered(part.within)};
        },
        level.coordinate.kind());
    levels.push_back(level);
  }
  Format smaller(levels);
  return is_valid(smaller, format.order() - 1) ? smaller : Format::sparse(format.order() - 1);
}

/// Calls `visit` with the tensor, the indices and whether they are padded, for the left side and every access.
template <class SketchType, class Visit>
void for_each_use(SketchType& sketch, const Visit& visit) {
  visit(std::string("r"), sketch.left);
  for_each_access(sketch, [&](auto& node) { visit(node.text, node.indices); });
}

/// Dimensions by tensor for which every use has an index that `holds`.
template <class Holds>
std::set<std::pair<std::string, std::size_t>> dimensions_where(const Sketch& sketch, const Holds& holds) {
  std::set<std::pair<std::string, std::size_t>> found, not_all;
  for_each_use(sketch, [&](const std::string& name, const Indices& indices) {
    for (std::size_t d = 0; d < indices.size(); d++) (holds(indices[d]) ? found : not_all).insert({name, d});
  });
  for (const auto& place : not_all) found.erase(place);
  return found;
}

void drop(Sketch& sketch, const std::set<std::pair<std::string, std::size_t>>& places) {
  for (auto place = places.rbegin(); place != places.rend(); ++place) {  // the last dimension first
    const auto& [name, dimension] = *place;
    for_each_use(sketch, [&, n = name, d = dimension](const std::string& tensor, Indices& indices) {
      if (tensor == n) indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(d));
    });
    drop_dimension(sketch.tensors[name], static_cast<int>(dimension));
  }
}

/// Without the variable; what is left of its index is a coordinate or a shorter sum.
Index without(const Index& index, char var) {
  Index out = index;
  std::size_t removed = std::erase_if(out.terms, [&](const Index::Term& term) { return term.var == var; });
  if (removed == 0) return out;
  if (out.selects() && out.terms.empty()) return Index{};
  if (!out.list.empty()) out.offset = out.list[0];
  out.list.clear();
  out.window = false;
  if (out.terms.empty()) out.offset = std::max<std::int64_t>(out.offset, 0);
  return out;
}

void take_out(Sketch& sketch, char var) {
  for_each_use(sketch, [&](const std::string&, Indices& indices) {
    for (Index& index : indices) index = without(index, var);
  });
  for_each_node(sketch.right, [&](Node& node) {
    if (node.kind == Node::Kind::Variable && node.text[0] == var) node = Node::literal("1");
    if (node.kind == Node::Kind::Reduction) std::erase(node.vars, var);
    while (node.kind == Node::Kind::Reduction && node.vars.empty()) node = Node(node.operands[0]);
  });
}

std::vector<Index> simpler(const Index& index) {
  std::vector<Index> out;
  if (!index.terms.empty()) out.push_back(Index{{{index.terms[0].var, 1}}});
  if (!index.terms.empty()) out.push_back(Index{{}, 0});
  if (index.terms.size() > 1)
    out.push_back(Index{{index.terms[0]}, index.offset}), out.push_back(Index{{index.terms[1]}, index.offset});
  if (index.offset != 0) out.push_back(index), out.back().offset = 0;
  if (!index.list.empty()) out.push_back(Index{{index.terms[0]}, 0, true});
  if (index.window || index.modulus != 0) out.push_back(Index{index.terms, index.offset});
  for (std::size_t t = 0; t < index.terms.size(); t++) {
    if (index.terms[t].factor == 1) continue;
    out.push_back(index);
    out.back().terms[t].factor = 1;
  }
  std::erase_if(out, [&](const Index& other) { return other == index; });
  return out;
}

}  // namespace

void drop_dimension(SketchTensor& tensor, int dimension) {
  tensor.format = without_dimension(tensor.format, dimension);
  std::set<std::vector<std::int64_t>> seen;
  std::vector<Entry> entries;
  for (Entry entry : tensor.entries) {
    entry.first.erase(entry.first.begin() + dimension);
    if (seen.insert(entry.first).second) entries.push_back(entry);
  }
  if (tensor.format.order() == 0 && entries.empty()) entries.push_back({{}, 1});
  tensor.entries = entries;
}

std::vector<Sketch> simpler_indices(const Sketch& sketch) {
  std::vector<Sketch> out;
  auto change = [&](std::size_t number, std::size_t dimension, const Index& to) {
    out.push_back(sketch);
    std::size_t use = 0;
    for_each_use(out.back(), [&](const std::string&, Indices& indices) {
      if (use++ == number) indices[dimension] = to;
    });
  };
  std::vector<Indices> all;
  for_each_use(sketch, [&](const std::string&, const Indices& indices) { all.push_back(indices); });
  for (std::size_t n = 0; n < all.size(); n++) {
    for (std::size_t d = 0; d < all[n].size(); d++) {
      if (all[n][d].is_variable()) continue;
      for (const Index& index : simpler(all[n][d])) change(n, d, index);
    }
  }
  for (std::size_t n = 1; n < all.size(); n++) {
    Sketch unpadded = sketch;
    bool was = false;
    std::size_t use = 1;  // the left side is the first
    for_each_access(unpadded, [&](Node& node) {
      if (use++ != n) return;
      was = node.padded || node.wrapped;
      node.padded = node.wrapped = false;
    });
    if (was) out.push_back(unpadded);
  }
  return out;
}

std::vector<Sketch> fewer_dimensions(const Sketch& sketch) {
  auto places = dimensions_where(sketch, [](const Index& index) { return index.terms.empty(); });
  if (places.empty()) return {};
  Sketch smaller = sketch;
  drop(smaller, places);
  return {smaller};
}

std::vector<Sketch> without_variable(const Sketch& sketch, char var) {
  Sketch smaller = sketch;
  drop(smaller, dimensions_where(sketch, [&](const Index& index) { return index == Index{{{var, 1}}}; }));
  take_out(smaller, var);
  return {smaller};
}

}  // namespace filigree::fuzz
