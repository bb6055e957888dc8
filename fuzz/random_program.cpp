#include "fuzz/random_program.h"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "concrete/level_space.h"
#include "fuzz/random_format.h"
#include "fuzz/random_indices.h"
#include "notation/sum_places.h"
#include "tests/reference/evaluate.h"

namespace filigree::fuzz {
namespace {

const std::string variables = "ijklm";

class Generator : Dice {
 public:
  explicit Generator(std::uint64_t seed)
      : Dice(random_), random_(seed * 0x9e3779b97f4a7c15u + 1), selects_(seed % 5 == 2) {}

  Sketch run() {
    pool_ = variables.substr(0, 1 + upto(chance(5) ? 5 : 4));
    forms_ = chance(45) ? pick({15u, 30u, 60u}) : 0;
    choose_left();
    style_ = pick({Style::Plain, Style::Plain, Style::Discrete, Style::Discrete, Style::Smooth});
    complex_ = chance(4);
    mixed_types_ = complex_ || chance(style_ == Style::Plain ? 20 : 50);
    with_fills_ = chance(style_ == Style::Plain ? 8 : 25);
    functions_ = !complex_ && chance(6);
    specials_ = chance(8);
    choose_assignment();
    special_formats_ = chance(50) ? 0 : pick({15u, 40u, 80u});
    if (chance(5)) orders_["r"] = sketch_.left.size();  // may be read, too
    sketch_.right = chance(1) ? wide() : tree(chance(70) ? 1 + upto(3) : 1 + upto(5));
    SketchTensor& result = sketch_.tensors["r"];
    do result.format = choose_format(sketch_.left.size());
    while (promises_fullness(result.format));
    choose_extents();
    if (selects_) add_selections(sketch_, random_);
    keep_inside(sketch_, random_);
    for (auto& [name, tensor] : sketch_.tensors) {
      bool is_index = name[0] == 'p';
      if (name != "r" && !is_index) choose_data(name, tensor);
    }
    choose_result_type();
    if (reads_result(sketch_)) {
      choose_entries(dimensions_of(sketch_, "r"), result, false);
      if (with_fills_ && chance(50) && !result.format.levels().empty() && !concrete::has_duplicates(result.format))
        result.fill = choose_fill();
    }
    if (chance(40)) sketch_.schedule_seed = 1 + random_();
    return std::move(sketch_);
  }

 private:
  // --- The expression ------------------------------------------------------------------------------

  /// Discrete functions jump, so what they are given must be exact; smooth ones round.  They do not go together.
  enum class Style { Plain, Discrete, Smooth };

  void choose_left() {
    std::size_t order = upto(4) + (chance(10) ? 1 : 0);
    bool plain = forms_ == 0 || chance(60);
    sketch_.left = plain ? plain_indices(some_of(pool_, order))
                         : RandomIndices(pool_, forms_, random_).of_result(order);
  }

  void choose_assignment() {
    bool combines = !are_surely_injective(sketch_.left);
    if (!combines && chance(80)) return;
    sketch_.assignment = pick({"+=", "-=", "*=", "min=", "max=", "/="});
    if (style_ == Style::Discrete && chance(50)) sketch_.assignment = pick({"or=", "and=", "xor="});
    if (functions_ && chance(30)) sketch_.assignment = std::string("joined=");
    bool unordered = complex_ && (sketch_.assignment == "min=" || sketch_.assignment == "max=");
    if (unordered || (combines && sketch_.assignment == "/=")) sketch_.assignment = std::string("+=");
    sketch_.old_value = chance(50);
  }

  Node function_of(const Node& node) {
    if (functions_ && chance(40)) return Node::call("squared", {node});
    // Complex roots and logarithms jump where the sign of a zero does.
    if (style_ == Style::Smooth && complex_) return Node::call(pick({"exp", "sin", "cos", "tanh", "abs"}), {node});
    if (style_ == Style::Smooth && chance(10)) return Node::call("^", {node, Node::call("abs", {leaf()})});
    if (style_ == Style::Smooth) return Node::call(pick({"sqrt", "exp", "log", "sin", "cos", "tanh", "abs"}), {node});
    if (complex_) return Node::call(pick({"real", "imag", "not"}), {node});
    if (chance(20)) return Node::call("^", {node, Node::literal(pick({"0", "1", "2", "3"}))});
    return Node::call(pick({"abs", "sign", "relu", "floor", "ceil", "not", "not", "real", "imag", "conj"}), {node});
  }

  std::string binary_operator() {
    if (functions_ && chance(40)) return pick({"joined", "masked", "joined"});
    if (style_ == Style::Discrete && chance(55)) {
      if (complex_) return pick({"==", "!=", "and", "or", "xor"});
      return pick({"==", "!=", "<", "<=", ">", ">=", "and", "and", "or", "or", "xor", "//", "%"});
    }
    return pick<const char*>({"+", "+", "+", "*", "*", "*", "*", "-", "min", "max", "/", "+"});
  }

  Node tree(std::size_t leaves) {
    Node node = leaves == 1 ? leaf() : join_trees(leaves);
    if (chance(6)) node = {Node::Kind::Negate, "-", "", {node}};
    if (complex_ && chance(15)) node = Node::call("conj", {node});
    if (style_ != Style::Plain && chance(15)) node = function_of(node);
    if (chance(7)) node = reduction(node);
    if (chance(6)) node = with_literal(node);
    return node;
  }

  Node join_trees(std::size_t leaves) {
    std::size_t left = 1 + upto(leaves - 1);
    if (style_ == Style::Discrete && (leaves > 2 || forms_ > 0) && chance(15)) return selection(leaves);
    std::string op = binary_operator();
    if (complex_ && (op == "min" || op == "max" || op == "/")) op = "*";
    if (op != "/") return Node::call(op, {tree(left), tree(leaves - left)});
    // Divisors are stored as powers of two and never 0, so that quotients are exact and zeros have no sign.
    std::size_t order = 1 + upto(std::min<std::size_t>(2, pool_.size()));
    Node divisor{Node::Kind::Access, new_tensor(order), "", {}, plain_indices(some_of(pool_, order))};
    divisors_.insert(divisor.text);
    return Node::call(op, {tree(leaves - 1), divisor});
  }

  Node selection(std::size_t leaves) {
    std::size_t middle = leaves > 2 ? 1 + upto(leaves - 2) : 1;
    Node condition = forms_ > 0 && chance(60) ? affine_condition() : tree(1);
    Node otherwise = leaves <= middle + 1 || chance(40) ? Node::literal(pick({"0", "1", "2"}))
                                                        : tree(leaves - middle - 1);
    return Node::call("select", {condition, tree(middle), otherwise});
  }

  /// i + 1 <= j
  Node affine_condition() {
    Node side = variable(), other = chance(70) ? variable() : Node::literal(pick({"1", "2", "3"}));
    if (chance(30)) side = Node::call(pick({"+", "-"}), {side, Node::literal(pick({"1", "2"}))});
    if (chance(20)) other = Node::call("*", {Node::literal("2"), other});
    return Node::call(pick({"<", "<=", ">", ">=", "==", "!="}), {side, other});
  }

  Node variable() { return {Node::Kind::Variable, std::string(1, one_of(pool_))}; }

  Node with_literal(const Node& node) {
    Node literal =
        Node::literal(complex_ && chance(30) ? "2i" : pick({"2", "3", "1", "0", "4", "2", "3", "true", "false"}));
    std::string op = pick({"+", "*", "-", "*"});
    if (style_ == Style::Discrete && chance(50))
      op = complex_ ? pick({"==", "!="}) : pick({"==", "!=", "<", "<=", ">", ">=", "//", "%", "and", "or", "xor"});
    if (op == "//" || op == "%") return Node::call(op, {node, Node::literal(pick({"2", "3", "1"}))});
    if (!complex_ && chance(30)) op = pick({"min", "max"});
    if (!complex_ && chance(10)) return Node::call("/", {node, Node::literal(pick({"2", "4"}))});
    if (chance(50)) return Node::call(op, {literal, node});
    return Node::call(op, {node, literal});
  }

  Node reduction(const Node& body) {
    std::string free, taken = vars_of(sketch_.left);
    for_each_node(body, [&](const Node& node) {
      for (char var : vars_of(node)) {
        if (taken.find(var) == std::string::npos && free.find(var) == std::string::npos) free += var;
      }
    });
    for_each_node(body, [&](const Node& node) {
      if (node.kind == Node::Kind::Reduction)
        std::erase_if(free, [&](char var) { return node.vars.find(var) != std::string::npos; });
    });
    if (free.empty()) return body;
    std::string name =
        complex_ || chance(60) ? "sum" : pick({"prod", "min_over", "max_over", "max_over", "reduce +", "reduce min"});
    if (style_ == Style::Discrete && chance(50)) name = pick({"any", "all", "count", "reduce xor", "any", "reduce or"});
    if (functions_ && chance(40)) name = "reduce joined";
    return {Node::Kind::Reduction, name, some_of(free, chance(75) ? 1 : 2), {body}};
  }

  Node leaf() {
    if (chance(5)) return Node::literal(pick({"2", "1", "3"}));
    if (chance(6)) return access(new_tensor(0));
    if (forms_ > 0 && chance(8)) return variable();
    if (chance(15) && !orders_.empty()) {  // a tensor again, perhaps with other indices
      auto again = std::next(orders_.begin(), static_cast<std::ptrdiff_t>(upto(orders_.size())));
      return access(again->first);
    }
    std::size_t order = 1 + upto(3) - (chance(15) ? 0 : upto(2) & 1);
    if (chance(5)) order = 4;
    return access(new_tensor(std::clamp<std::size_t>(order, 1, forms_ > 0 ? 3 : pool_.size())));
  }

  Node access(const std::string& tensor) {
    std::size_t order = orders_.at(tensor);
    // The result may have more dimensions than there are variables.
    bool plain = order <= pool_.size() && (forms_ == 0 || chance(30));
    return {Node::Kind::Access,
            tensor,
            "",
            {},
            plain ? plain_indices(some_of(pool_, order)) : RandomIndices(pool_, forms_, random_).of_operand(order)};
  }

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
      Node next{Node::Kind::Access, name, "", {}, plain_indices(vars)};
      all = n == 0 ? next : Node::call(op, {all, next});
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
    std::map<std::string, Indices> uses;  // by tensor, variables that stand alone in each dimension: the first of each
    auto tie = [&](const std::string& tensor, const Indices& indices) {
      Indices& first = uses.try_emplace(tensor, indices).first->second;
      for (std::size_t d = 0; d < indices.size(); d++) {
        if (!indices[d].is_variable()) continue;
        if (!first[d].is_variable()) first[d] = indices[d];
        representative[find(indices[d].terms[0].var)] = find(first[d].terms[0].var);
      }
      bool square = is_symmetric(tensor) && (tensor != "r" || square_result_);
      if (square && first[0].is_variable() && first[1].is_variable())
        representative[find(first[0].terms[0].var)] = find(first[1].terms[0].var);
    };
    square_result_ = chance(90);
    tie("r", sketch_.left);
    for_each_access(sketch_, [&](const Node& node) { tie(node.text, node.indices); });
    std::map<char, std::int64_t> chosen;
    for (char var : variables) chosen[var] = chance(2) ? 0 : chance(12) ? 1 : static_cast<std::int64_t>(2 + upto(4));
    for (char var : variables) sketch_.extents[var] = chosen[find(var)];
  }

  bool is_symmetric(const std::string& tensor) const {
    return sketch_.tensors.at(tensor).format.symmetry() != Symmetry::None;
  }

  void choose_data(const std::string& name, SketchTensor& tensor) {
    if (mixed_types_) {
      tensor.type = style_ == Style::Plain ? pick({ElementType::Int32, ElementType::Int64, ElementType::Float32,
                                                   ElementType::Float64, ElementType::Float64})
                                           : real_types_[upto(real_types_.size())];
      if (tensor.type == ElementType::Bool && tensor.format.symmetry() != Symmetry::None)
        tensor.type = ElementType::Float64;
      if (complex_ && chance(50)) tensor.type = pick({ElementType::Complex128, ElementType::Complex64});
    }
    bool may_have_fill = tensor.format.order() > 0 && divisors_.count(name) == 0 &&
                         !concrete::has_duplicates(tensor.format);
    if (with_fills_ && chance(50) && may_have_fill) tensor.fill = choose_fill();
    bool used = false;
    for_each_access(sketch_, [&](const Node& node) { used = used || node.text == name; });
    if (used) choose_entries(dimensions_of(sketch_, name), tensor, divisors_.count(name) > 0);
  }

  std::int64_t choose_fill() {
    if (chance(25)) return pick({infinite, infinite, -infinite});
    return pick({1, 2, -1, 1});
  }

  void choose_entries(const std::vector<std::int64_t>& dimensions, SketchTensor& tensor, bool divisor) {
    enum class Pattern { Empty, One, Full, Random, EmptyRows, FullRow };
    Pattern pattern = pick({Pattern::Empty, Pattern::One, Pattern::Full, Pattern::Random, Pattern::Random,
                            Pattern::Random, Pattern::EmptyRows, Pattern::EmptyRows, Pattern::FullRow});
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
    bool symmetric = tensor.format.symmetry() != Symmetry::None;  // NaN is no mirror image of itself
    for (std::size_t n = 0; n < all.size(); n++) {
      bool in_special = false;
      for (std::size_t d = 0; d < all[n].size(); d++) in_special = in_special || special[d].count(all[n][d]) > 0;
      bool stored = chance(density);
      if (pattern == Pattern::Empty) stored = false;
      if (pattern == Pattern::One) stored = n == one;
      if (pattern == Pattern::EmptyRows) stored = !in_special && chance(80);
      if (pattern == Pattern::FullRow && !dimensions.empty()) stored = special[0].count(all[n][0]) > 0;
      if (pattern == Pattern::Full || dimensions.empty()) stored = true;
      std::int64_t value = divisor ? pick({1, 2, 4, -1, -2}) : chance(5) ? 0 : pick({1, 2, 3, 4, -1, -2, -3});
      if (specials_ && !symmetric && chance(12)) value = pick({infinite, infinite, -infinite, not_a_number});
      if (stored) tensor.entries.emplace_back(all[n], value);
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
  bool selects_;  // are indices read from tensors, too?
  Sketch sketch_;
  std::string pool_;
  std::map<std::string, std::size_t> orders_;
  std::set<std::string> divisors_;
  Style style_ = Style::Plain;
  const std::vector<ElementType> real_types_ = {ElementType::Bool,    ElementType::Int8,    ElementType::Int16,
                                                ElementType::Int32,   ElementType::Int64,   ElementType::UInt8,
                                                ElementType::UInt16,  ElementType::UInt32,  ElementType::UInt64,
                                                ElementType::Float32, ElementType::Float64, ElementType::Float64};
  bool complex_ = false, mixed_types_ = false, with_fills_ = false, functions_ = false, square_result_ = true;
  bool specials_ = false;         // NaN and infinities are stored, too
  unsigned forms_ = 0;            // per cent of indices that are more than a variable
  unsigned special_formats_ = 0;  // per cent
};

}  // namespace

Sketch random_sketch(std::uint64_t seed) {
  Sketch sketch = Generator(seed).run();
  if (seed % 4 == 3 && sketch.schedule_seed == 0) sketch.split_seed = seed;
  sketch.barriers = std::vector<int>{0, 1, 2, notation::all_barriers, notation::all_barriers}[seed / 4 % 5];
  sketch.prunes = seed % 8 == 5 || seed % 16 == 7;
  return sketch;
}

}  // namespace filigree::fuzz
