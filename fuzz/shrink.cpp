#include "fuzz/shrink.h"

#include <algorithm>
#include "fuzz/shrink_indices.h"

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
    bool is_leaf = node->kind == Node::Kind::Access || node->kind == Node::Kind::Variable;
    if (is_leaf && n > 0) {
      *node = Node::literal("2");
      out.push_back(copy);
    }
  }
  return out;
}

bool is_valid(const Format& format, int order) {
  return format.order() == order && !find_problem(format.levels(), usual_dimension_names(order));
}

Candidates fewer_variables(const Sketch& sketch) {
  Candidates out;
  for (const auto& [var, extent] : sketch.extents) {
    std::string left = vars_of(sketch.left);
    bool used = left.find(var) != std::string::npos;
    for_each_node(sketch.right, [&](const Node& node) { used = used || vars_of(node).find(var) != std::string::npos; });
    if (!used) continue;
    for (const Sketch& smaller : without_variable(sketch, var)) out.push_back(smaller);
    for (std::size_t d = 0; d < sketch.left.size() && !reads_result(sketch); d++) {  // reduced instead of free
      if (!(sketch.left[d] == Index{{{var, 1}}})) continue;
      out.push_back(sketch);
      out.back().left.erase(out.back().left.begin() + static_cast<std::ptrdiff_t>(d));
      drop_dimension(out.back().tensors["r"], static_cast<int>(d));
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

/// The map's length, and how far it is from storing dimensions in order.
std::size_t complexity(const Format& format) {
  std::size_t inversions = 0;
  for (std::size_t a = 0; a < format.levels().size(); a++) {
    for (std::size_t b = 0; b < a; b++)
      inversions += format.levels()[b].coordinate.dimensions()[0] > format.levels()[a].coordinate.dimensions()[0];
  }
  return 10 * to_map(format).size() + inversions;
}

/// Without the blocks of a dimension, or with blocks of 2.
Format with_blocks(const Format& format, int dimension, bool whole) {
  std::vector<Level> levels;
  for (Level level : format.levels()) {
    const relation::Digits* digits = level.coordinate.as<relation::Digits>();
    if (digits && digits->whole == dimension) {
      if (whole && digits->modulus != 0) continue;
      std::int64_t divisor = whole || digits->divisor == 1 ? 1 : 2;
      level.coordinate = relation::Digits{dimension, divisor, digits->modulus == 0 ? 0 : 2};
    }
    levels.push_back(level);
  }
  return Format(levels, format.symmetry());
}

std::vector<Format> simpler(const Format& format) {
  int order = format.order();
  std::vector<Format> out = {Format::dense(order), Format::sparse(order)};
  for (const char* name : {"csr", "coo", "symmetric"}) {
    if (order == 2 || std::string(name) == "coo") out.push_back(parse_format(name, order));
  }
  out.push_back(format.without_symmetry());
  if (format.symmetry() != Symmetry::None) out.push_back(Format(out[2].levels(), format.symmetry()));
  for (int d = 0; d < order; d++) {
    for (bool whole : {true, false}) out.push_back(with_blocks(format, d, whole));
  }
  std::vector<Level> sorted = format.levels();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Level& a, const Level& b) {
    return a.coordinate.dimensions()[0] < b.coordinate.dimensions()[0];
  });
  out.push_back(Format(sorted, format.symmetry()));
  bool plain = format.is_plain();
  std::vector<Level> in_order = format.levels();
  for (std::size_t k = 0; plain && k < in_order.size(); k++) in_order[k].coordinate = static_cast<int>(k);
  out.push_back(Format(in_order, format.symmetry()));
  for (std::size_t k = 0; k < format.levels().size(); k++) {
    std::vector<Level> levels = format.levels();
    for (const level::FormatPtr& other : {level::dense(), level::compressed(), level::find(levels[k].format->name())}) {
      levels[k].format = other;
      out.push_back(Format(levels, format.symmetry()));
    }
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(k));
    out.push_back(Format(levels, format.symmetry()));
  }
  std::erase_if(
      out, [&](const Format& other) { return !is_valid(other, order) || complexity(other) >= complexity(format); });
  return out;
}

Candidates simpler_formats(const Sketch& sketch) {
  Candidates out;
  for (const auto& [name, tensor] : sketch.tensors) {
    if (tensor.format.order() == 0) continue;
    for (const Format& format : simpler(tensor.format)) {
      out.push_back(sketch);
      out.back().tensors[name].format = format;
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
          entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                        entries.begin() + static_cast<std::ptrdiff_t>(std::min(count, begin + piece)));
        }
      }
    }
    bool all_one =
        std::all_of(tensor.entries.begin(), tensor.entries.end(), [](const Entry& entry) { return entry.second == 1; });
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
    if (sketch.old_value) {
      out.push_back(sketch);
      out.back().old_value = false;
    }
  }
  bool all_float64 = true;
  for (const auto& [name, tensor] : sketch.tensors) {
    all_float64 = all_float64 && tensor.type == ElementType::Float64;
    if (tensor.type != ElementType::Float64) {
      out.push_back(sketch);
      out.back().tensors[name].type = ElementType::Float64;
    }
    if (tensor.slack != 0) {
      out.push_back(sketch);
      out.back().tensors[name].slack = 0;
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

Candidates no_split(const Sketch& sketch) {
  if (sketch.split_seed == 0) return {};
  Sketch whole = sketch;
  whole.split_seed = 0;
  return {whole};
}

Candidates no_pruning(const Sketch& sketch) {
  if (!sketch.prunes) return {};
  Sketch whole = sketch;
  whole.prunes = false;
  return {whole};
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
  const Change changes[] = {no_split,        no_pruning,      no_schedule,     smaller_expressions,
                            simpler_types,   fewer_variables, simpler_indices, fewer_dimensions,
                            smaller_extents, less_data,       simpler_formats};
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
