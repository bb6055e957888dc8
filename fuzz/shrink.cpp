#include "fuzz/shrink.h"

#include <algorithm>
#include <optional>
#include <set>

namespace filigree::fuzz {
namespace {

using Candidates = std::vector<Sketch>;

/// The node with a number, counting parents first.
Node* node_at(Node& root, int number) {
  Node* found = nullptr;
  for_each_node(root, [&](Node& node) {
    if (number-- == 0) found = &node;
  });
  return found;
}

int count_nodes(const Node& root) {
  int count = 0;
  for_each_node(root, [&](const Node&) { count++; });
  return count;
}

/// An operator becomes one of its operands.
Candidates smaller_expressions(const Sketch& sketch) {
  Candidates out;
  for (int n = 0; n < count_nodes(sketch.right); n++) {
    Sketch copy = sketch;
    Node* node = node_at(copy.right, n);
    for (const Node& operand : std::vector<Node>(node->operands)) {
      Sketch smaller = sketch;
      *node_at(smaller.right, n) = operand;
      out.push_back(smaller);
    }
    if (node->kind == Node::Kind::Access && n > 0) {
      *node = {Node::Kind::Literal, "2"};
      out.push_back(copy);
    }
  }
  return out;
}

/// Without dimension `dimension`: its level goes, entries on its first coordinate stay.
void drop_dimension(SketchTensor& tensor, int dimension) {
  std::vector<Level> levels;
  for (Level level : tensor.format.levels()) {
    if (level.dimension() == dimension) continue;
    if (level.dimension() > dimension) level.coordinate = level.dimension() - 1;
    levels.push_back(level);
  }
  tensor.format = Format(levels);
  std::set<std::vector<std::int64_t>> seen;
  std::vector<Entry> entries;
  for (Entry entry : tensor.entries) {
    entry.first.erase(entry.first.begin() + dimension);
    if (seen.insert(entry.first).second) entries.push_back(entry);
  }
  if (levels.empty() && entries.empty()) entries.push_back({{}, 1});
  tensor.entries = entries;
}

/// The sketch without an index variable; nothing if a tensor is used both with it and without it in one place.
std::optional<Sketch> without_variable(Sketch sketch, char var) {
  std::map<std::string, std::size_t> places;
  bool mixed = false;
  for_each_node(sketch.right, [&](Node& node) {
    std::size_t at = node.vars.find(var);
    if (node.kind == Node::Kind::Access) {
      auto [known, is_new] = places.emplace(node.text, at);
      mixed = mixed || (!is_new && known->second != at);
    }
    if (at != std::string::npos) node.vars.erase(at, 1);
  });
  if (mixed) return std::nullopt;
  for (int n = 0; n < count_nodes(sketch.right); n++) {
    for (Node* node = node_at(sketch.right, n); node->kind == Node::Kind::Reduction && node->vars.empty();) *node = Node(node->operands[0]);
  }
  for (const auto& [name, at] : places) {
    if (at != std::string::npos) drop_dimension(sketch.tensors[name], static_cast<int>(at));
  }
  if (std::size_t at = sketch.result_vars.find(var); at != std::string::npos) {
    sketch.result_vars.erase(at, 1);
    drop_dimension(sketch.tensors["r"], static_cast<int>(at));
    sketch.tensors["r"].entries.clear();
  }
  return sketch;
}

Candidates fewer_variables(const Sketch& sketch) {
  Candidates out;
  for (const auto& [var, extent] : sketch.extents) {
    bool used = sketch.result_vars.find(var) != std::string::npos;
    for_each_node(sketch.right, [&](const Node& node) { used = used || node.vars.find(var) != std::string::npos; });
    if (!used) continue;
    if (auto smaller = without_variable(sketch, var)) out.push_back(*smaller);
    if (std::size_t at = sketch.result_vars.find(var); at != std::string::npos) {  // reduced instead of free
      Sketch smaller = sketch;
      smaller.result_vars.erase(at, 1);
      drop_dimension(smaller.tensors["r"], static_cast<int>(at));
      smaller.tensors["r"].entries.clear();
      out.push_back(smaller);
    }
  }
  return out;
}

Candidates smaller_extents(const Sketch& sketch) {
  Candidates out;
  for (const auto& [var, extent] : sketch.extents) {
    for (std::int64_t smaller : {std::int64_t{1}, extent / 2, extent - 1}) {
      if (smaller < 1 || smaller >= extent) continue;
      out.push_back(sketch);
      out.back().extents[var] = smaller;
    }
    if (extent == 0) {
      out.push_back(sketch);
      out.back().extents[var] = 1;
    }
  }
  // Variables that one tensor ties together can only shrink together.
  for (std::int64_t limit : {1, 2, 3, 4}) {
    Sketch smaller = sketch;
    for (auto& [var, extent] : smaller.extents) extent = std::min(extent, limit);
    if (smaller.extents != sketch.extents) out.push_back(smaller);
  }
  return out;
}

Candidates simpler_formats(const Sketch& sketch) {
  Candidates out;
  for (const auto& [name, tensor] : sketch.tensors) {
    auto add = [&](const std::vector<Level>& levels) {
      if (Format(levels) == tensor.format) return;
      out.push_back(sketch);
      out.back().tensors[name].format = Format(levels);
    };
    std::vector<Level> sorted = tensor.format.levels();
    std::sort(sorted.begin(), sorted.end(), [](const Level& a, const Level& b) { return a.dimension() < b.dimension(); });
    add(sorted);
    for (std::size_t k = 0; k < sorted.size(); k++) {
      std::vector<Level> levels = tensor.format.levels();
      levels[k].format = level::dense();
      add(levels);
      levels = tensor.format.levels();
      for (std::size_t d = 0; d < levels.size(); d++) levels[d].coordinate = static_cast<int>(d);
      add(levels);
    }
  }
  return out;
}

Candidates less_data(const Sketch& sketch) {
  Candidates out;
  for (const auto& [name, tensor] : sketch.tensors) {
    std::size_t count = tensor.entries.size();
    if (tensor.format.order() > 0) {
      for (std::size_t piece = count; piece > 0; piece = piece > 8 || piece > 1 ? piece / 2 : 0) {
        for (std::size_t begin = 0; begin < count; begin += piece) {
          out.push_back(sketch);
          auto& entries = out.back().tensors[name].entries;
          entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(begin), entries.begin() + static_cast<std::ptrdiff_t>(std::min(count, begin + piece)));
        }
      }
    }
    bool all_one = std::all_of(tensor.entries.begin(), tensor.entries.end(), [](const Entry& entry) { return entry.second == 1; });
    if (!all_one) {
      out.push_back(sketch);
      for (Entry& entry : out.back().tensors[name].entries) entry.second = 1;
    }
  }
  return out;
}

Candidates simpler_types(const Sketch& sketch) {
  Candidates out;
  if (sketch.assignment != "=") {
    out.push_back(sketch);
    out.back().assignment = std::string("=");  // GCC 12 warns of a plain literal
  }
  bool all_float64 = true;
  for (const auto& [name, tensor] : sketch.tensors) {
    all_float64 = all_float64 && tensor.type == ElementType::Float64;
    if (tensor.type != ElementType::Float64) {
      out.push_back(sketch);
      out.back().tensors[name].type = ElementType::Float64;
    }
    if (tensor.fill != 0) {
      out.push_back(sketch);
      out.back().tensors[name].fill = 0;
    }
  }
  if (!all_float64) {
    out.insert(out.begin(), sketch);
    for (auto& [name, tensor] : out.front().tensors) tensor.type = ElementType::Float64;
  }
  return out;
}

Candidates no_schedule(const Sketch& sketch) {
  if (sketch.schedule_seed == 0) return {};
  Sketch plain = sketch;
  plain.schedule_seed = 0;
  return {plain};
}

}  // namespace

Sketch shrink(const Sketch& sketch, const std::function<bool(const Sketch&)>& still_fails, int attempts) {
  Sketch best = sketch;
  using Change = Candidates (*)(const Sketch&);
  const Change changes[] = {no_schedule, smaller_expressions, simpler_types, fewer_variables, smaller_extents, less_data, simpler_formats};
  for (bool progress = true; progress && attempts > 0;) {
    progress = false;
    for (Change change : changes) {
      for (bool again = true; again && attempts > 0;) {
        again = false;
        for (const Sketch& candidate : change(best)) {
          if (attempts-- <= 0) break;
          if (!still_fails(candidate)) continue;
          best = candidate;
          progress = again = true;
          break;
        }
      }
    }
  }
  return best;
}

}  // namespace filigree::fuzz
