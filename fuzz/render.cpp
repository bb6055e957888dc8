// Sketches become programs.
#include <algorithm>
#include <cctype>
#include <random>
#include <set>

#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "fuzz/random_program.h"
#include "fuzz/split_program.h"
#include "fuzz/suit.h"
#include "notation/assignment.h"
#include "notation/extents.h"
#include "notation/parse.h"
#include "notation/unclear_sum.h"

namespace filigree::fuzz {
namespace {

std::string access_text(const std::string& name, const Indices& indices, const VarExtents& extents) {
  std::string text = name;
  for (std::size_t n = 0; n < indices.size(); n++) text += (n == 0 ? "(" : ",") + to_text(indices[n], extents);
  return indices.empty() ? text : text + ")";
}

bool is_refused(const notation::Statement& statement, const schedule::Schedule& schedule) {
  compiler::PipelineOptions options;
  options.schedule = schedule;
  try {
    compiler::plan(statement, options);
  } catch (const UserError&) {
    return true;
  } catch (...) {
    return false;  // a failure for the check to find
  }
  return false;
}

/// Asks for a few protocols, each kept unless it is refused beside those before it.
schedule::Schedule random_schedule(const Program& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  schedule::Schedule schedule;
  std::optional<notation::Statement> statement;
  try {
    statement = statement_of(program);
    if (program.tensors[0].is_read) statement = notation::with_old_value(*statement);
  } catch (const UserError&) {
    return {};
  }
  if (is_refused(*statement, {})) return {};
  std::vector<std::string> names = concrete::protocol_names();
  std::vector<notation::Access> accesses = notation::accesses(statement->rhs);
  for (std::size_t tries = 0; tries < 6 && !accesses.empty(); tries++) {
    const notation::Access& access = accesses[random() % accesses.size()];
    std::string strategy = names[random() % names.size()];
    if (access.indices.empty() || access.tensor.selection()) continue;
    const IndexVar& var = access.indices[random() % access.indices.size()];
    if (var.map() || !var.is_named()) continue;  // it has no name to ask by
    schedule.push_back(schedule::Protocol{access.tensor, var, *concrete::parse_protocol(strategy)});
    if (is_refused(*statement, schedule)) schedule.pop_back();
  }
  return schedule;
}

/// Is it written between its operands, rather than as a call?
bool is_infix(const Node& node) {
  if (node.kind != Node::Kind::Operator) return false;
  return !std::isalpha(static_cast<unsigned char>(node.text[0])) || node.text == "and" || node.text == "or" ||
         node.text == "xor";
}

/// `indexed`: the variables that are indices somewhere, as they must be to be values.
std::string expression_text(const Node& node, const VarExtents& extents, const std::set<char>& indexed) {
  auto operand = [&](std::size_t n) {
    const Node& child = node.operands[n];
    bool encloses = is_infix(child) || child.kind == Node::Kind::Negate ||
                    (child.kind == Node::Kind::Operator && child.text == "not");
    std::string text = expression_text(child, extents, indexed);
    return encloses ? "(" + text + ")" : text;
  };
  switch (node.kind) {
    case Node::Kind::Literal: return node.text;
    case Node::Kind::Variable: return indexed.count(node.text[0]) ? node.text : "1";
    case Node::Kind::Access: {
      std::string text = access_text(node.text, node.indices, extents);
      return node.padded ? "pad(" + text + ")" : node.wrapped ? "wrap(" + text + ")" : text;
    }
    case Node::Kind::Negate: return "-" + operand(0);
    case Node::Kind::Operator: {
      if (node.text == "not") return "not " + operand(0);
      if (is_infix(node)) return fmt::format("{} {} {}", operand(0), node.text, operand(1));
      std::string list;
      for (const Node& child : node.operands)
        list += (list.empty() ? "" : ", ") + expression_text(child, extents, indexed);
      return fmt::format("{}({})", node.text, list);
    }
    case Node::Kind::Reduction: {
      bool by_operator = node.text.starts_with("reduce ");
      std::string text = by_operator ? fmt::format("reduce({}, ", node.text.substr(7)) : node.text + "(";
      for (char var : node.vars) text += fmt::format("{}, ", var);
      return text + expression_text(node.operands[0], extents, indexed) + ")";
    }
  }
  return "";
}

/// The index variables that are indices somewhere.
std::set<char> indexed_vars(const Sketch& sketch) {
  std::string left = vars_of(sketch.left);
  std::set<char> used(left.begin(), left.end());
  for_each_access(sketch, [&](const Node& node) {
    for (char var : vars_of(node)) used.insert(var);
  });
  return used;
}

/// The expression with sums where nothing tells their places, if there are such: they pass at most that many barriers.
std::string with_sums_said(const Program& program, int barriers) {
  try {
    notation::Parsed parsed = notation::parse(program.expression);
    std::map<std::string, TensorVar> tensors;
    for (const ProgramTensor& tensor : program.tensors)
      tensors.emplace(tensor.name, TensorVar(tensor.name, tensor.type, tensor.format));
    std::map<std::string, IndexVar> indices;
    for (const std::string& name : parsed.index_names) indices.emplace(name, IndexVar(name));
    notation::Statement statement = notation::resolve_as_written(parsed, tensors, indices);
    bool sums = !statement.op || *statement.op == Operator::Add || *statement.op == Operator::Subtract;
    bool unclear = sums && notation::place_sums(statement.rhs, notation::summed_vars(statement)).barriers > 0;
    return unclear ? notation::to_string(notation::with_sums(statement, barriers)) : program.expression;
  } catch (const UserError&) {
    return program.expression;  // refused in any spelling
  }
}

/// Where a sum that is said has a variable of its own, i2 for i, it has the extent of the other; nothing else may tell
/// it.
void give_extents_of_renamed(Program& program, const Sketch& sketch) {
  for (const std::string& name : notation::parse(program.expression).index_names) {
    auto extent = sketch.extents.find(name[0]);
    if (name.size() > 1 && extent != sketch.extents.end()) program.extents[name] = extent->second;
  }
}

/// The extents that a user would have to give, beside those of variables that stand alone somewhere.
void give_extents(Program& program, const Sketch& sketch, const std::set<char>& used) {
  std::set<std::string> told;
  try {
    notation::Statement statement = statement_of(program);
    std::map<TensorVar, std::vector<std::int64_t>> dimensions;
    std::vector<notation::Access> accesses = notation::accesses(statement.rhs);
    accesses.push_back(statement.lhs);
    for (const notation::Access& access : accesses) {
      for (const ProgramTensor& tensor : program.tensors) {
        if (tensor.name == access.tensor.name() && tensor.is_read) dimensions[access.tensor] = tensor.dimensions;
      }
    }
    for (const auto& [var, extent] : notation::infer_extents(statement, dimensions, {})) told.insert(var.name());
  } catch (const UserError&) {
    // It is refused with any extents.
  }
  for (char var : used) {
    if (std::string name(1, var); told.count(name) == 0) program.extents[name] = sketch.extents.at(var);
  }
  // What a result may have more than it needs.
  ProgramTensor& result = program.tensors[0];
  if (sketch.tensors.at("r").slack == 0 || sketch.left.empty()) return;
  result.dimensions = dimensions_of(sketch, "r");
  result.states_dimensions = true;
  for (std::size_t d = 0; d < sketch.left.size(); d++)
    program.extents[fmt::format("r.{}", d + 1)] = result.dimensions[d];
}

}  // namespace

std::string vars_of(const Node& node) { return node.kind == Node::Kind::Variable ? node.text : vars_of(node.indices); }

bool reads_result(const Sketch& sketch) {
  bool reads = sketch.old_value && sketch.assignment != "=";
  for_each_access(sketch, [&](const Node& node) { reads = reads || node.text == "r"; });
  return reads;
}

std::vector<std::int64_t> dimensions_of(const Sketch& sketch, const std::string& name) {
  const SketchTensor& tensor = sketch.tensors.at(name);
  std::size_t order = static_cast<std::size_t>(tensor.format.order());
  std::vector<std::int64_t> alone(order, -1), reached(order, 0);
  auto use_as_index = [&](const Indices& indices) {
    for (const Index& index : indices) {
      if (index.gathered == name) alone[0] = sketch.extents.at(index.terms[0].var);
    }
  };
  auto use = [&](const Indices& indices, bool padded) {
    for (std::size_t d = 0; d < order; d++) {
      if (indices[d].is_variable() && !padded) alone[d] = sketch.extents.at(indices[d].terms[0].var);
      // A padded index may be outside; the dimension is then what others need.
      std::int64_t last = reach(indices[d], sketch.extents).last;
      reached[d] = std::max(reached[d], padded ? (last + 1) / 2 : last + 1);
    }
  };
  for_each_access(sketch, [&](const Node& node) {
    if (node.text == name) use(node.indices, node.padded || node.wrapped);
    use_as_index(node.indices);
  });
  use_as_index(sketch.left);
  if (name == "r") use(sketch.left, false);
  bool square = tensor.format.symmetry() != Symmetry::None;
  std::vector<std::int64_t> dimensions;
  for (std::size_t d = 0; d < order; d++) dimensions.push_back(alone[d] >= 0 ? alone[d] : reached[d] + tensor.slack);
  if (square && alone[0] < 0 && alone[1] < 0)
    return std::vector<std::int64_t>(2, std::max(dimensions[0], dimensions[1]));
  if (square && alone[0] < 0) dimensions[0] = alone[1];
  if (square && alone[1] < 0) dimensions[1] = alone[0];
  return dimensions;
}

std::string written(const Sketch& sketch) {
  std::string left = access_text("r", sketch.left, sketch.extents);
  std::string right = expression_text(sketch.right, sketch.extents, indexed_vars(sketch));
  return fmt::format("{} {} {}", left, sketch.assignment, sketch.prunes ? "prune(" + right + ")" : right);
}

Program render(const Sketch& sketch) {
  Program program;
  std::set<std::string> done = {"r"};
  std::set<char> used = indexed_vars(sketch);
  program.expression = written(sketch);
  bool plain = are_plain(sketch.left);
  auto add = [&](const std::string& name, bool is_read) {
    const SketchTensor& tensor = sketch.tensors.at(name);
    program.tensors.push_back({name, tensor.type, tensor.format, tensor.fill, name == "r", is_read});
    ProgramTensor& operand = program.tensors.back();
    if (!is_read) return;
    operand.dimensions = dimensions_of(sketch, name);
    for (const Entry& entry : tensor.entries) {
      bool inside = true;
      for (std::size_t d = 0; d < entry.first.size(); d++) inside = inside && entry.first[d] < operand.dimensions[d];
      if (inside) operand.entries.emplace_back(entry.first, value_of(tensor.type, entry.second));
    }
    suit(operand);
  };
  auto add_gathered = [&](const Indices& indices) {
    for (const Index& index : indices) {
      if (!index.gathered.empty() && done.insert(index.gathered).second) add(index.gathered, true);
    }
  };
  add("r", reads_result(sketch));
  add_gathered(sketch.left);
  for_each_node(sketch.right, [&](const Node& node) {
    plain = plain && node.kind != Node::Kind::Variable && !node.padded && !node.wrapped && are_plain(node.indices);
    if (node.kind == Node::Kind::Access && done.insert(node.text).second) add(node.text, true);
    add_gathered(node.indices);
  });
  std::string before = program.expression;
  program.expression = with_sums_said(program, sketch.barriers);
  if (program.expression != before) give_extents_of_renamed(program, sketch);
  // sum(k, 2) counts the coordinates of a variable that no tensor has.
  for_each_node(sketch.right, [&](const Node& node) {
    for (char var : node.vars) used.insert(var);
    plain = plain && node.kind != Node::Kind::Reduction;
  });
  if (plain) {
    for (char var : used) program.extents[std::string(1, var)] = sketch.extents.at(var);
  } else {
    for (ProgramTensor& tensor : program.tensors) tensor.states_dimensions = !tensor.dimensions.empty();
    give_extents(program, sketch, used);
  }
  if (sketch.schedule_seed != 0) program.schedule = random_schedule(program, sketch.schedule_seed);
  // Statements of their own would need to be told extents that one tells another, and infinite factors of sums move
  // among them.
  bool splits = sketch.split_seed != 0 && plain && !holds_special(program);
  return splits ? split_program(program, sketch.split_seed) : program;
}

}  // namespace filigree::fuzz
