// A precedence parser by recursive descent.  Each error says what is missing and points at the place.
#include "notation/parse.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/check.h"
#include "notation/cursor.h"
#include "notation/parse_errors.h"
#include "notation/parse_index.h"
#include "notation/parse_names.h"
#include "notation/reductions.h"
#include "notation/syntax.h"

namespace filigree::notation {
namespace {

class Parser : private Cursor {
 public:
  explicit Parser(const Source& source) : Cursor(source) {}

  SyntaxTree statement() {
    if (now().kind == TokenKind::End) fail(UserError("The expression is empty").hint(example_hint), now().span);
    tree_.lhs = left_side();
    tree_.op = assignment();
    expression();
    if (now().kind != TokenKind::End) fail(leftover(now()), now().span);
    return std::move(tree_);
  }

 private:
  /// Takes the ')' that closes the parenthesis at `open`.
  void close(const Token& open) {
    if (take_if(")")) return;
    if (now().kind == TokenKind::End) fail(missing_parenthesis(open), now().span);
    fail(leftover(now()), now().span);
  }

  /// Counts recursion; lives as long as the level it counts.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > max_nesting) parser_.fail(nested_too_deeply(), parser_.now().span);
    }
    ~Nesting() { parser_.nesting_--; }
    Nesting(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  // --- Nodes -------------------------------------------------------------------------------------

  int add(SyntaxNode node) {
    for (int operand : node.operands) node.depth = std::max(node.depth, tree_.nodes[operand].depth + 1);
    if (node.depth > max_depth) fail(too_many_operators(), before().span);
    tree_.nodes.push_back(std::move(node));
    return static_cast<int>(tree_.nodes.size()) - 1;
  }

  int add_apply(Operator op, std::vector<int> operands, Span span) {
    return add(SyntaxNode{.kind = SyntaxNode::Kind::Apply, .span = span, .op = op, .operands = std::move(operands)});
  }

  // --- Left-hand side ----------------------------------------------------------------------------

  SyntaxNode left_side() {
    if (now().kind != TokenKind::Name) {
      fail(UserError("The left-hand side must be a tensor or a scalar").hint(example_hint), now().span);
    }
    if (next().is("(") && is_function_name(now().text)) fail(function_on_the_left(now().text), now().span);
    return access();
  }

  std::optional<Operator> assignment() {
    std::string left = source()->text.substr(tree_.lhs.span.begin, tree_.lhs.span.end - tree_.lhs.span.begin);
    if (now().kind == TokenKind::Name && next().is("=")) {
      Span span{now().span.begin, next().span.end};
      std::string word = take().text;
      take();
      if (word == "min") return Operator::Min;
      if (word == "max") return Operator::Max;
      fail(unknown_assignment(word + "="), span);
    }
    Token token = now();
    if (take_if("=")) return std::nullopt;
    if (take_if("+=")) return Operator::Add;
    if (take_if("-=")) return Operator::Subtract;
    if (take_if("*=")) return Operator::Multiply;
    if (token.is("/=")) fail(unknown_assignment(token.text), token.span);
    fail(missing_assignment(left, token), token.span);
  }

  // --- Expressions -------------------------------------------------------------------------------

  int expression() {
    Nesting nesting(*this);
    int begin = now().span.begin;
    int left = product();
    while (now().is("+") || now().is("-")) {
      Operator op = take().text == "+" ? Operator::Add : Operator::Subtract;
      int right = product();
      left = add_apply(op, {left, right}, span_from(begin));
    }
    return left;
  }

  int product() {
    int begin = now().span.begin;
    int left = signed_operand();
    while (now().is("*") || now().is("/")) {
      Operator op = take().text == "*" ? Operator::Multiply : Operator::Divide;
      int right = signed_operand();
      left = add_apply(op, {left, right}, span_from(begin));
    }
    if (now().is("//")) fail(not_yet("Floor division", "//"), now().span);
    return left;
  }

  int signed_operand() {
    if (!now().is("-")) return operand();
    Nesting nesting(*this);
    int begin = take().span.begin;
    int inner = signed_operand();
    return add_apply(Operator::Negate, {inner}, span_from(begin));
  }

  int operand() {
    int node = primary();
    if (now().is("^") || now().is("**")) {
      fail(not_yet("Power", now().text).hint("write a square as x*x"), now().span);
    }
    return node;
  }

  int primary() {
    const Token& token = now();
    if (token.kind == TokenKind::Number) {
      Token number = take();
      return add(SyntaxNode{.span = number.span, .value = number.value});
    }
    if (token.kind == TokenKind::Name) {
      if (!next().is("(")) return add(access());
      if (token.text == padding_function) return padded_access();
      if (find_function(token.text)) return call();
      if (find_reduction(token.text)) return reduction();
      if (is_function_name(token.text)) fail(function_not_yet(token.text), token.span);
      return add(access());
    }
    if (token.is("(")) {
      Token open = take();
      int node = expression();
      close(open);
      return node;
    }
    fail(missing_operand(before(), token), token.span);
  }

  /// conj(a); min(a, b, ...): more than two operands nest to the left.
  int call() {
    Token name = take(), open = take();
    Operator op = *find_function(name.text);
    bool unary = facts(op).arity == 1;
    auto wrong = [&](int count) { return unary ? not_one_operand(name.text, count) : too_few_operands(name.text, count); };
    if (now().is(")")) fail(wrong(0), Span{name.span.begin, now().span.end});
    int left = expression();
    int count = 1;
    while (take_if(",")) {
      int right = expression();
      if (!unary) left = add_apply(op, {left, right}, span_from(name.span.begin));
      count++;
    }
    close(open);
    if (unary ? count != 1 : count < 2) fail(wrong(count), span_from(name.span.begin));
    if (unary) return add_apply(op, {left}, span_from(name.span.begin));
    tree_.nodes[left].span = span_from(name.span.begin);
    return left;
  }

  /// sum(j, k, expr)
  int reduction() {
    Token name = take(), open = take();
    Operator op = *find_reduction(name.text);
    if (now().is("{")) fail(UserError("Unexpected '{'").hint(fmt::format("write {}(j, k, ...) without braces", name.text)), now().span);
    SyntaxNode node{.kind = SyntaxNode::Kind::Reduce, .op = op};
    while (now().kind == TokenKind::Name && next().is(",")) {
      NameUse var{now().text, now().span};
      if (std::find(reduced_.begin(), reduced_.end(), var.name) != reduced_.end()) fail(reduced_twice(var.name), var.span);
      reduced_.push_back(var.name);
      node.vars.push_back(var);
      take();
      take();
    }
    if (now().is(")") && before().is("(")) fail(reduction_without_variable(name.text), Span{name.span.begin, now().span.end});
    int body = expression();
    if (node.vars.empty()) {
      take_if(")");
      fail(reduction_without_variable(name.text), span_from(name.span.begin));
    }
    if (now().is(",")) fail(UserError("Unexpected ',' after the expression").hint("index variables stand before the expression"), now().span);
    close(open);
    reduced_.resize(reduced_.size() - node.vars.size());
    node.operands = {body};
    node.span = span_from(name.span.begin);
    return add(std::move(node));
  }

  // --- Accesses ----------------------------------------------------------------------------------

  SyntaxNode access() {
    Token name = take();
    SyntaxNode node{.kind = SyntaxNode::Kind::Access, .tensor = {name.text, name.span}, .bare = true};
    if (now().is("(")) {
      Token open = take();
      node.bare = false;
      if (!now().is(")")) {
        do node.indices.push_back(parse_index(*this, name, open));
        while (take_if(","));
      }
      take();
    }
    node.span = span_from(name.span.begin);
    return node;
  }

  /// pad(I(x+u)): outside of the tensor's dimensions there is its fill.
  int padded_access() {
    Token name = take(), open = take();
    bool reads = now().kind == TokenKind::Name && next().is("(") && !is_function_name(now().text);
    if (!reads) fail(UserError("'pad' takes one tensor with its indices, as in pad(I(x+u))"), now().span);
    SyntaxNode node = access();
    node.padded = true;
    close(open);
    node.span = span_from(name.span.begin);
    return add(std::move(node));
  }

  int nesting_ = 0;
  std::vector<std::string> reduced_;  // variables of the reductions around this place
  SyntaxTree tree_;
};

}  // namespace

Parsed parse(const std::string& text) {
  Source source = make_source("expression", text);
  auto tree = std::make_shared<const SyntaxTree>(Parser(source).statement());
  return collect_names(source, tree);
}

}  // namespace filigree::notation
