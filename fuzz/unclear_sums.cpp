#include "fuzz/unclear_sums.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fuzz/dice.h"
#include "notation/parse.h"

namespace filigree::fuzz {
namespace {

/// Variables that no reduction binds; one that is bound anywhere counts as bound, which is stricter than needed.
std::set<char> surely_free(const Sketch& sketch) {
  std::set<char> used, bound;
  for (char var : vars_of(sketch.left)) bound.insert(var);
  for_each_node(sketch.right, [&](const Node& node) {
    if (node.kind == Node::Kind::Reduction) bound.insert(node.vars.begin(), node.vars.end());
    if (node.kind != Node::Kind::Access) return;
    for (char var : vars_of(node)) used.insert(var);
  });
  std::set<char> free;
  std::set_difference(used.begin(), used.end(), bound.begin(), bound.end(), std::inserter(free, free.end()));
  return free;
}

bool has_operator(const Node& root, const std::set<std::string>& names) {
  bool has = false;
  for_each_node(root, [&](const Node& node) { has = has || names.count(node.text) > 0; });
  return has;
}

class Wrapper : Dice {
 public:
  Wrapper(std::mt19937_64& random, const Sketch& sketch) : Dice(random) {
    for_each_access(sketch,
                    [&](const Node& node) { complex_ = complex_ || is_complex(sketch.tensors.at(node.text).type); });
    complex_ = complex_ || has_operator(sketch.right, {"2i"});
    rounds_ = has_operator(sketch.right, {"sqrt", "exp", "log", "sin", "cos", "tanh", "/", "prod"}) ||
              (complex_ && has_operator(sketch.right, {"abs"}));
  }

  /// A few operators around `node`, one of them a barrier.
  Node wrapped(Node node) {
    std::size_t barriers = 1 + upto(3);
    for (std::size_t n = 0; n < barriers; n++) {
      while (chance(40)) node = linear(node);
      node = n + 1 == barriers && chance(25) ? denominator(node) : barrier(node);
    }
    while (chance(40)) node = linear(node);
    return node;
  }

 private:
  Node linear(const Node& node) {
    Node number = Node::literal(pick({"2", "3"}));
    switch (upto(7)) {
      case 0: return Node::call("+", {number, node});
      case 1: return Node::call("-", {number, node});
      case 2: return Node::call("*", {node, number});
      case 3: return Node::call("*", {number, node});
      case 4: return Node::call("+", {node, number});
      case 5: return Node::call(complex_ ? "conj" : pick({"real", "conj"}), {node});
      default: return {Node::Kind::Negate, "-", "", {node}};
    }
  }

  /// What rounds is never given to what jumps.
  Node barrier(const Node& node) {
    Node number = Node::literal(pick({"2", "3", "1"}));
    if (rounds_ && complex_) return Node::call("tanh", {node});
    if (rounds_)
      return chance(50) ? Node::call(pick({"exp", "tanh", "sin", "cos", "abs", "relu"}), {node})
                        : Node::call(pick({"min", "max"}), {node, number});
    if (complex_)
      return chance(50) ? Node::call("not", {node}) : Node::call(pick({"==", "!=", "and", "or"}), {node, number});
    switch (upto(6)) {
      case 0: return Node::call(pick({"abs", "relu", "sign", "not", "floor"}), {node});
      case 1: return Node::call(pick({"<", "<=", ">", ">=", "==", "!="}), {node, number});
      case 2: return Node::call(pick({"//", "%"}), {node, number});
      case 3: return Node::call("^", {node, Node::literal("2")});
      case 4:
        return Node::call("select", {Node::call(">", {node, number}), chance(50) ? node : number, Node::literal("0")});
      default:
        return Node::call(pick({"min", "max", "and", "or", "xor"}),
                          chance(50) ? std::vector<Node>{node, number} : std::vector<Node>{number, node});
    }
  }

  Node denominator(const Node& node) {
    Node positive = complex_ ? node : Node::call("+", {Node::literal("1"), Node::call("abs", {node})});
    return complex_ ? barrier(node) : Node::call("/", {Node::literal(pick({"2", "3"})), positive});
  }

  bool complex_ = false, rounds_ = false;
};

Verdict wrong(const std::string& what, const std::string& text) {
  return {Verdict::Kind::Wrong, "sums: " + what + "\nfor " + text};
}

/// What `statement_of` says about the text as it is written.
std::optional<UserError> refusal(const Program& program) {
  try {
    statement_of(program);
  } catch (const UserError& error) {
    return error;
  }
  return std::nullopt;
}

/// The program with another statement.  Where a variable got another name, one of the two may be left without an
/// operand that tells its extent.
Program spelled(const Sketch& sketch, const std::string& text) {
  Program program = render(sketch);
  program.expression = text;
  std::vector<std::string> names = notation::parse(text).index_names;
  for (const std::string& name : names) {
    std::string old = name.substr(0, 1);
    if (name == old) continue;
    program.extents[name] = program.extents[old] = sketch.extents.at(old[0]);
  }
  return program;
}

}  // namespace

std::optional<Sketch> unclear_sketch(std::uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x5eedu);
  Sketch sketch = random_sketch(seed);
  sketch.schedule_seed = sketch.split_seed = 0;
  bool sums = sketch.assignment == "=" || sketch.assignment == "+=" || sketch.assignment == "-=";
  if (!sums) sketch.assignment = are_surely_injective(sketch.left) ? "=" : "+=";
  if (surely_free(sketch).empty() && !reads_result(sketch)) {  // all that is on the left is summed instead
    sketch.left.clear();
    sketch.tensors["r"].format = Format::dense(0);
    sketch.tensors["r"].slack = 0;
  }
  if (surely_free(sketch).empty()) return std::nullopt;
  sketch.right = Wrapper(random, sketch).wrapped(sketch.right);
  sketch.tensors["r"].type = ElementType::Float64;
  return sketch;
}

std::vector<std::string> spellings_in(const UserError& error) {
  std::vector<std::string> texts;
  for (const std::string& hint : error.hints()) {
    std::size_t at = hint.find(", write ");
    bool whole = at != std::string::npos && !hint.substr(at + 8).starts_with("here ");
    if (whole) texts.push_back(hint.substr(at + 8));
  }
  return texts;
}

Verdict check_unclear(const Sketch& sketch) {
  Program program = render(sketch);
  program.expression = written(sketch);
  std::optional<UserError> error = refusal(program);
  if (!error) return wrong("a sum below a barrier is taken", program.expression);
  if (!error->message().starts_with("The sum over ")) return {Verdict::Kind::Refused, error->text()};
  auto has_hint = [&](const std::string& begin) {
    std::vector<std::string> hints = error->hints();
    return std::any_of(hints.begin(), hints.end(), [&](const std::string& hint) { return hint.starts_with(begin); });
  };
  if (!error->has_place() || !has_hint("to sum last, write ") || !has_hint("to sum first, write "))
    return wrong("a spelling is missing", error->text());
  std::vector<std::string> texts = spellings_in(*error);
  if (std::set<std::string>(texts.begin(), texts.end()).size() != texts.size())
    return wrong("two spellings are the same", error->text());
  std::vector<std::string> refused;
  for (const std::string& text : texts) {
    Program clear = spelled(sketch, text);
    std::optional<UserError> problem = refusal(clear);
    if (problem && problem->message().starts_with("The sum over "))
      return wrong("a spelling is not clear", error->text());
    if (problem) {
      refused.push_back(problem->message());
      continue;
    }
    Verdict verdict = check_program(clear, compiler::Target::Interpret);
    if (verdict.kind == Verdict::Kind::Wrong) return {Verdict::Kind::Wrong, verdict.message + "\nof " + text};
  }
  // Another mistake is in all of them, or the spelling has made it.
  if (!refused.empty() && refused.size() != texts.size())
    return wrong("a spelling is refused: " + refused[0], error->text());
  return refused.empty() && !texts.empty() ? Verdict{}
                                           : Verdict{Verdict::Kind::Refused, refused.empty() ? "long" : refused[0]};
}

}  // namespace filigree::fuzz
