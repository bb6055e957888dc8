#include "fuzz/random_program.h"

#include <algorithm>
#include <cctype>
#include <random>
#include <set>

#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "concrete/level_space.h"
#include "fuzz/random_format.h"
#include "fuzz/split_program.h"
#include "fuzz/suit.h"
#include "notation/assignment.h"
#include "tests/reference/evaluate.h"

namespace filigree::fuzz {
namespace {

const std::string variables = "ijklm";

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) {}

  Sketch run() {
    pool_ = variables.substr(0, 1 + upto(chance(5) ? 5 : 4));
    sketch_.result_vars = some_of(pool_, upto(4) + (chance(10) ? 1 : 0));
    style_ = pick({Style::Plain, Style::Plain, Style::Discrete, Style::Discrete, Style::Smooth});
    complex_ = chance(4);
    mixed_types_ = complex_ || chance(style_ == Style::Plain ? 20 : 50);
    with_fills_ = chance(style_ == Style::Plain ? 8 : 25);
    choose_assignment();
    special_formats_ = chance(50) ? 0 : pick({15u, 40u, 80u});
    if (chance(5)) orders_["r"] = sketch_.result_vars.size();  // may be read, too
    sketch_.right = chance(1) ? wide() : tree(chance(70) ? 1 + upto(3) : 1 + upto(5));
    SketchTensor& result = sketch_.tensors["r"];
    do result.format = choose_format(sketch_.result_vars.size());
    while (promises_fullness(result.format));
    choose_extents();
    for (auto& [name, tensor] : sketch_.tensors) {
      if (name != "r") choose_data(name, tensor);
    }
    choose_result_type();
    if (sketch_.old_value || orders_.count("r")) {
      std::vector<std::int64_t> dimensions;
      for (char var : sketch_.result_vars) dimensions.push_back(sketch_.extents.at(var));
      choose_entries(dimensions, result, false);
      if (with_fills_ && chance(50) && !result.format.levels().empty() && !concrete::has_duplicates(result.format)) result.fill = choose_fill();
    }
    if (chance(40)) sketch_.schedule_seed = 1 + random_();
    return std::move(sketch_);
  }

 private:
  std::size_t upto(std::size_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  template <class T>
  T pick(std::initializer_list<T> options) { return options.begin()[upto(options.size())]; }

  /// Distinct characters of `text`, in random order.
  std::string some_of(std::string text, std::size_t count) {
    std::shuffle(text.begin(), text.end(), random_);
    return text.substr(0, std::min(count, text.size()));
  }

  // --- The expression ------------------------------------------------------------------------------

  /// Discrete functions jump, so what they are given must be exact; smooth ones round.  They do not go together.
  enum class Style { Plain, Discrete, Smooth };

  void choose_assignment() {
    if (chance(80)) return;
    sketch_.assignment = pick({"+=", "-=", "*=", "min=", "max=", "/="});
    if (style_ == Style::Discrete && chance(50)) sketch_.assignment = pick({"or=", "and=", "xor="});
    if (complex_ && (sketch_.assignment == "min=" || sketch_.assignment == "max=")) sketch_.assignment = std::string("+=");
    sketch_.old_value = chance(50);
  }

  Node function_of(const Node& node) {
    // Complex roots and logarithms jump where the sign of a zero does.
    if (style_ == Style::Smooth && complex_) return {Node::Kind::Operator, pick({"exp", "sin", "cos", "tanh", "abs"}), "", {node}};
    if (style_ == Style::Smooth) return {Node::Kind::Operator, pick({"sqrt", "exp", "log", "sin", "cos", "tanh", "abs"}), "", {node}};
    if (complex_) return {Node::Kind::Operator, pick({"real", "imag", "not"}), "", {node}};
    if (chance(20)) return {Node::Kind::Operator, "^", "", {node, Node{Node::Kind::Literal, pick({"0", "1", "2", "3"})}}};
    return {Node::Kind::Operator, pick({"abs", "sign", "relu", "floor", "ceil", "not", "not", "real", "imag"}), "", {node}};
  }

  std::string binary_operator() {
    if (style_ == Style::Discrete && chance(55)) {
      if (complex_) return pick({"==", "!=", "and", "or", "xor"});
      return pick({"==", "!=", "<", "<=", ">", ">=", "and", "and", "or", "or", "xor", "//", "%"});
    }
    return pick<const char*>({"+", "+", "+", "*", "*", "*", "*", "-", "min", "max", "/", "+"});
  }

  Node tree(std::size_t leaves) {
    Node node = leaves == 1 ? leaf() : join_trees(leaves);
    if (chance(6)) node = {Node::Kind::Negate, "-", "", {node}};
    if (complex_ && chance(15)) node = {Node::Kind::Operator, "conj", "", {node}};
    if (style_ != Style::Plain && chance(15)) node = function_of(node);
    if (chance(7)) node = reduction(node);
    if (chance(6)) node = with_literal(node);
    return node;
  }

  Node join_trees(std::size_t leaves) {
    std::size_t left = 1 + upto(leaves - 1);
    if (style_ == Style::Discrete && leaves > 2 && chance(15)) {
      std::size_t first = 1, middle = 1 + upto(leaves - 2);
      return {Node::Kind::Operator, "select", "", {tree(first), tree(middle), chance(40) ? Node{Node::Kind::Literal, pick({"0", "1", "2"})} : tree(leaves - first - middle)}};
    }
    std::string op = binary_operator();
    if (complex_ && (op == "min" || op == "max" || op == "/")) op = "*";
    if (op != "/") return {Node::Kind::Operator, op, "", {tree(left), tree(leaves - left)}};
    // Divisors are stored as powers of two and never 0, so that quotients are exact and zeros have no sign.
    Node divisor = access(new_tensor(1 + upto(std::min<std::size_t>(2, pool_.size()))));
    divisors_.insert(divisor.text);
    return {Node::Kind::Operator, op, "", {tree(leaves - 1), divisor}};
  }

  Node with_literal(const Node& node) {
    Node literal{Node::Kind::Literal, pick({"2", "3", "1", "0", "4"})};
    std::string op = pick({"+", "*", "-", "*"});
    if (style_ == Style::Discrete && chance(50)) op = complex_ ? pick({"==", "!="}) : pick({"==", "!=", "<", "<=", ">", ">=", "//", "%", "and", "or"});
    if (op == "//" || op == "%") return {Node::Kind::Operator, op, "", {node, Node{Node::Kind::Literal, pick({"2", "3", "1"})}}};
    if (!complex_ && chance(30)) op = pick({"min", "max"});
    if (!complex_ && chance(10)) return {Node::Kind::Operator, "/", "", {node, Node{Node::Kind::Literal, pick({"2", "4"})}}};
    if (chance(50)) return {Node::Kind::Operator, op, "", {literal, node}};
    return {Node::Kind::Operator, op, "", {node, literal}};
  }

  Node reduction(const Node& body) {
    std::string free;
    for_each_node(body, [&](const Node& node) {
      for (char var : node.kind == Node::Kind::Access ? node.vars : "") {
        if (sketch_.result_vars.find(var) == std::string::npos && free.find(var) == std::string::npos) free += var;
      }
    });
    for_each_node(body, [&](const Node& node) {
      if (node.kind == Node::Kind::Reduction) std::erase_if(free, [&](char var) { return node.vars.find(var) != std::string::npos; });
    });
    if (free.empty()) return body;
    std::string name = complex_ || chance(60) ? "sum" : pick({"prod", "min_over", "max_over", "max_over"});
    if (style_ == Style::Discrete && chance(50)) name = pick({"any", "all", "count", "reduce xor", "any"});
    return {Node::Kind::Reduction, name, some_of(free, chance(75) ? 1 : 2), {body}};
  }

  Node leaf() {
    if (chance(5)) return {Node::Kind::Literal, pick({"2", "1", "3"})};
    if (chance(6)) return access(new_tensor(0));
    if (chance(15) && !orders_.empty()) {  // a tensor again, perhaps with other indices
      auto again = std::next(orders_.begin(), static_cast<std::ptrdiff_t>(upto(orders_.size())));
      return access(again->first);
    }
    std::size_t order = 1 + upto(3) - (chance(15) ? 0 : upto(2) & 1);
    if (chance(5)) order = 4;
    return access(new_tensor(std::clamp<std::size_t>(order, 1, pool_.size())));
  }

  Node access(const std::string& tensor) { return {Node::Kind::Access, tensor, some_of(pool_, orders_.at(tensor))}; }

  std::string new_tensor(std::size_t order) {
    std::string name = fmt::format("{}{}", order < 2 ? 't' : 'T', orders_.size());
    orders_[name] = order;
    sketch_.tensors[name].format = choose_format(order);
    return name;
  }

  /// Unions and products of many operands must stay small.
  Node wide() {
    std::size_t count = pick<std::size_t>({16, 40, 7, 10});
    std::size_t order = 1 + upto(std::min<std::size_t>(2, pool_.size()));
    std::string op = complex_ ? "+" : pick({"+", "+", "*", "max"}), vars = some_of(pool_, order);
    Node all;
    for (std::size_t n = 0; n < count; n++) {
      std::string name = new_tensor(order);
      if (chance(70)) sketch_.tensors[name].format = Format::sparse(static_cast<int>(order));
      Node next{Node::Kind::Access, name, vars};
      all = n == 0 ? next : Node{Node::Kind::Operator, op, "", {all, next}};
    }
    return all;
  }

  // --- Formats, sizes and data -----------------------------------------------------------------------

  Format choose_format(std::size_t order) {
    int dimensions = static_cast<int>(order);
    return chance(special_formats_) ? random_format(dimensions, random_) : random_plain_format(dimensions, random_);
  }

  /// Uses of one tensor with different variables give these the same extent; symmetric operands are square.
  void choose_extents() {
    std::map<char, char> representative;
    for (char var : variables) representative[var] = var;
    auto find = [&](char var) {
      while (representative[var] != var) var = representative[var];
      return var;
    };
    std::map<std::string, std::string> first_use;
    for_each_node(sketch_.right, [&](const Node& node) {
      if (node.kind != Node::Kind::Access) return;
      std::string& first = first_use.emplace(node.text, node.text == "r" ? sketch_.result_vars : node.vars).first->second;
      for (std::size_t d = 0; d < node.vars.size(); d++) representative[find(node.vars[d])] = find(first[d]);
      if (node.text != "r" && is_symmetric(node.text)) representative[find(node.vars[0])] = find(node.vars[1]);
    });
    const std::string& left = sketch_.result_vars;
    if (is_symmetric("r") && chance(90)) representative[find(left[0])] = find(left[1]);
    std::map<char, std::int64_t> chosen;
    for (char var : variables) chosen[var] = chance(2) ? 0 : chance(12) ? 1 : static_cast<std::int64_t>(2 + upto(4));
    for (char var : variables) sketch_.extents[var] = chosen[find(var)];
  }

  bool is_symmetric(const std::string& tensor) const { return sketch_.tensors.at(tensor).format.symmetry() != Symmetry::None; }

  void choose_data(const std::string& name, SketchTensor& tensor) {
    if (mixed_types_) {
      tensor.type = style_ == Style::Plain ? pick({ElementType::Int32, ElementType::Int64, ElementType::Float32, ElementType::Float64, ElementType::Float64})
                                           : real_types_[upto(real_types_.size())];
      if (tensor.type == ElementType::Bool && tensor.format.symmetry() != Symmetry::None) tensor.type = ElementType::Float64;
      if (complex_ && chance(50)) tensor.type = pick({ElementType::Complex128, ElementType::Complex64});
    }
    bool may_have_fill = tensor.format.order() > 0 && divisors_.count(name) == 0 && !concrete::has_duplicates(tensor.format);
    if (with_fills_ && chance(50) && may_have_fill) tensor.fill = choose_fill();
    std::vector<std::int64_t> dimensions;
    const Node* use = nullptr;
    for_each_node(sketch_.right, [&](const Node& node) {
      if (node.kind == Node::Kind::Access && node.text == name) use = &node;
    });
    if (!use) return;
    for (char var : use->vars) dimensions.push_back(sketch_.extents.at(var));
    choose_entries(dimensions, tensor, divisors_.count(name) > 0);
  }

  std::int64_t choose_fill() {
    if (chance(25)) return pick({infinite, infinite, -infinite});
    return pick({1, 2, -1, 1});
  }

  void choose_entries(const std::vector<std::int64_t>& dimensions, SketchTensor& tensor, bool divisor) {
    enum class Pattern { Empty, One, Full, Random, EmptyRows, FullRow };
    Pattern pattern = pick({Pattern::Empty, Pattern::One, Pattern::Full, Pattern::Random, Pattern::Random, Pattern::Random, Pattern::EmptyRows, Pattern::EmptyRows, Pattern::FullRow});
    unsigned density = pick({20u, 40u, 60u, 80u});
    std::vector<std::set<std::int64_t>> special(dimensions.size());
    for (std::size_t d = 0; d < dimensions.size(); d++) {
      for (std::int64_t c = 0; c < dimensions[d]; c++) {
        if (chance(35)) special[d].insert(c);
      }
    }
    std::vector<std::vector<std::int64_t>> all;
    reference::for_each_coordinate(dimensions, [&](const std::vector<std::int64_t>& at) { all.push_back(at); });
    std::size_t one = all.empty() ? 0 : upto(all.size());
    for (std::size_t n = 0; n < all.size(); n++) {
      bool in_special = false;
      for (std::size_t d = 0; d < all[n].size(); d++) in_special = in_special || special[d].count(all[n][d]) > 0;
      bool stored = chance(density);
      if (pattern == Pattern::Empty) stored = false;
      if (pattern == Pattern::One) stored = n == one;
      if (pattern == Pattern::EmptyRows) stored = !in_special && chance(80);
      if (pattern == Pattern::FullRow && !dimensions.empty()) stored = special[0].count(all[n][0]) > 0;
      if (pattern == Pattern::Full || dimensions.empty()) stored = true;
      if (stored) tensor.entries.emplace_back(all[n], divisor ? pick({1, 2, 4, -1, -2}) : chance(5) ? 0 : pick({1, 2, 3, 4, -1, -2, -3}));
    }
  }

  /// The right side's type, or a wider one.
  void choose_result_type() {
    Program program = render(sketch_);
    SketchTensor& result = sketch_.tensors["r"];
    try {
      result.type = statement_of(program).rhs.type();
    } catch (const UserError&) {
      return;  // refused with any type
    }
    if (chance(15)) result.type = promote(result.type, ElementType::Float64);
  }

  std::mt19937_64 random_;
  Sketch sketch_;
  std::string pool_;
  std::map<std::string, std::size_t> orders_;
  std::set<std::string> divisors_;
  Style style_ = Style::Plain;
  const std::vector<ElementType> real_types_ = {ElementType::Bool,   ElementType::Int8,   ElementType::Int16,  ElementType::Int32,   ElementType::Int64,  ElementType::UInt8,
                                                ElementType::UInt16, ElementType::UInt32, ElementType::UInt64, ElementType::Float32, ElementType::Float64, ElementType::Float64};
  bool complex_ = false, mixed_types_ = false, with_fills_ = false;
  unsigned special_formats_ = 0;  // per cent
};

std::string access_text(const std::string& name, const std::string& vars) {
  std::string text = name;
  for (std::size_t n = 0; n < vars.size(); n++) text += fmt::format("{}{}", n == 0 ? '(' : ',', vars[n]);
  return vars.empty() ? text : text + ")";
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
    if (access.indices.empty()) continue;
    const IndexVar& var = access.indices[random() % access.indices.size()];
    schedule.push_back(schedule::Protocol{access.tensor, var, *concrete::parse_protocol(strategy)});
    if (is_refused(*statement, schedule)) schedule.pop_back();
  }
  return schedule;
}

/// Is it written between its operands, rather than as a call?
bool is_infix(const Node& node) {
  if (node.kind != Node::Kind::Operator) return false;
  return !std::isalpha(static_cast<unsigned char>(node.text[0])) || node.text == "and" || node.text == "or" || node.text == "xor";
}

std::string expression_text(const Node& node) {
  auto operand = [&](std::size_t n) {
    const Node& child = node.operands[n];
    bool encloses = is_infix(child) || child.kind == Node::Kind::Negate || (child.kind == Node::Kind::Operator && child.text == "not");
    return encloses ? "(" + expression_text(child) + ")" : expression_text(child);
  };
  switch (node.kind) {
    case Node::Kind::Literal: return node.text;
    case Node::Kind::Access: return access_text(node.text, node.vars);
    case Node::Kind::Negate: return "-" + operand(0);
    case Node::Kind::Operator: {
      if (node.text == "not") return "not " + operand(0);
      if (is_infix(node)) return fmt::format("{} {} {}", operand(0), node.text, operand(1));
      std::string list;
      for (const Node& child : node.operands) list += (list.empty() ? "" : ", ") + expression_text(child);
      return fmt::format("{}({})", node.text, list);
    }
    case Node::Kind::Reduction: {
      std::string text = node.text == "reduce xor" ? "reduce(xor, " : node.text + "(";
      for (char var : node.vars) text += fmt::format("{}, ", var);
      return text + expression_text(node.operands[0]) + ")";
    }
  }
  return "";
}

}  // namespace

Sketch random_sketch(std::uint64_t seed) {
  Sketch sketch = Generator(seed).run();
  if (seed % 4 == 3 && sketch.schedule_seed == 0) sketch.split_seed = seed;
  return sketch;
}

Program render(const Sketch& sketch) {
  Program program;
  program.expression = fmt::format("{} {} {}", access_text("r", sketch.result_vars), sketch.assignment, expression_text(sketch.right));
  std::set<std::string> done = {"r"};
  std::set<char> used(sketch.result_vars.begin(), sketch.result_vars.end());
  auto add = [&](const std::string& name, const std::string& vars, bool is_read) {
    const SketchTensor& tensor = sketch.tensors.at(name);
    program.tensors.push_back({name, tensor.type, tensor.format, tensor.fill, name == "r", is_read});
    ProgramTensor& operand = program.tensors.back();
    if (!is_read) return;
    for (char var : vars) operand.dimensions.push_back(sketch.extents.at(var));
    for (const Entry& entry : tensor.entries) {
      bool inside = true;
      for (std::size_t d = 0; d < entry.first.size(); d++) inside = inside && entry.first[d] < operand.dimensions[d];
      if (inside) operand.entries.emplace_back(entry.first, value_of(tensor.type, entry.second));
    }
    suit(operand);
  };
  bool reads_result = sketch.old_value && sketch.assignment != "=";
  for_each_node(sketch.right, [&](const Node& node) { reads_result = reads_result || (node.kind == Node::Kind::Access && node.text == "r"); });
  add("r", sketch.result_vars, reads_result);
  for_each_node(sketch.right, [&](const Node& node) {
    if (node.kind != Node::Kind::Access) return;
    used.insert(node.vars.begin(), node.vars.end());
    if (done.insert(node.text).second) add(node.text, node.vars, true);
  });
  for (char var : used) program.extents[std::string(1, var)] = sketch.extents.at(var);
  if (sketch.schedule_seed != 0) program.schedule = random_schedule(program, sketch.schedule_seed);
  return sketch.split_seed == 0 ? program : split_program(program, sketch.split_seed);
}

}  // namespace filigree::fuzz
