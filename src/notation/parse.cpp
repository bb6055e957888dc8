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
#include "notation/tensor_names.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

class Parser : private Cursor {
 public:
  Parser(const Source& source, const std::set<std::string>& declared) : Cursor(source), tensors_(tokens(), declared) {}

  /// The one statement of the text.
  SyntaxTree only_statement() {
    SyntaxTree tree = statement();
    if (now().is(";")) fail(several_statements(), now().span);
    return tree;
  }

  /// Statements separated by ';'.
  std::vector<SyntaxTree> program() {
    std::vector<SyntaxTree> trees = {statement()};
    while (now().is(";")) {
      Token separator = take();
      if (now().kind == TokenKind::End) fail(missing_statement(true), separator.span);
      trees.push_back(statement());
    }
    return trees;
  }

 private:
  SyntaxTree statement() {
    if (now().kind == TokenKind::End) fail(UserError("The expression is empty").hint(example_hint), now().span);
    if (now().is(";")) fail(missing_statement(false), now().span);
    tree_ = {};
    tree_.lhs = left_side();
    int begin = now().span.begin;
    tree_.op = assignment();
    tree_.op_span = span_from(begin);
    right_side();
    if (now().kind != TokenKind::End && !now().is(";")) fail_at_leftover();
    return std::move(tree_);
  }

  /// expr, or prune(expr)
  void right_side() {
    bool is_pruned = now().kind == TokenKind::Name && now().text == pruning_function && next().is("(");
    const Token& behind = is_pruned ? next(behind_parenthesis(1)) : now();
    if (!is_pruned || (behind.kind != TokenKind::End && !behind.is(";"))) {  // or there is more
      expression();
      return;
    }
    take();
    Token open = take();
    expression();
    close(open);
    tree_.prunes = true;
  }

  /// What stands here belongs to no expression.
  [[noreturn]] void fail_at_leftover() const {
    bool is_called = now().is("(") && before().kind == TokenKind::Number && is_word(before().text);  // nan(i)
    if (is_called) fail(word_as_name(before().text), before().span);
    fail(starts_statement() ? missing_separator(now()) : leftover(now(), next()), now().span);
  }

  /// How far ahead the token is that follows the parenthesis that opens `ahead` of here.
  size_t behind_parenthesis(size_t ahead) const {
    int open = 0;
    do {
      if (next(ahead).kind == TokenKind::End) return ahead;
      open += next(ahead).is("(") ? 1 : next(ahead).is(")") ? -1 : 0;
      ahead++;
    } while (open > 0);
    return ahead;
  }

  /// Does z(i) = ... stand here?
  bool starts_statement() const {
    if (now().kind != TokenKind::Name) return false;
    size_t ahead = next().is("(") ? behind_parenthesis(1) : 1;
    const Token& token = next(ahead);
    bool assigns_by_word = find_operator(token.text) && next(ahead + 1).is("=");
    return assigns_by_word || (assigns(token) && !find_operator(now().text));
  }

  /// Takes the ')' that closes the parenthesis at `open`.
  void close(const Token& open) {
    if (take_if(")")) return;
    if (now().kind == TokenKind::End) fail(missing_parenthesis(source(), open), now().span);
    fail_at_leftover();
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
    bool word = now().kind != TokenKind::Name && is_identifier(now().text);
    if (word)
      fail(UserError(fmt::format("'{}' is a word of index notation and cannot be the result", now().text))
               .hint("give the result another name"),
           now().span);
    if (now().kind != TokenKind::Name) {
      fail(UserError("The left-hand side must be a tensor or a scalar").hint(example_hint), now().span);
    }
    if (next().is("(") && now().text == wrapping_function) return marked_access();
    if (next().is("(") && is_function_name(now().text)) fail(function_on_the_left(now().text), now().span);
    return access();
  }

  std::optional<Operator> assignment() {
    std::string left = source()->text.substr(tree_.lhs.span.begin, tree_.lhs.span.end - tree_.lhs.span.begin);
    bool word = now().kind == TokenKind::Name || now().is("and") || now().is("or") || now().is("xor") ||
                now().is("not");
    if (word && next().is("=")) {
      Span span{now().span.begin, next().span.end};
      std::string name = take().text;
      take();
      std::optional<Operator> op = find_operator(name);
      if (op && can_reduce(*op)) return op;
      fail(unknown_assignment(name + "="), span);
    }
    Token token = now();
    if (take_if("=")) return std::nullopt;
    if (take_if("+=")) return Operator::Add;
    if (take_if("-=")) return Operator::Subtract;
    if (take_if("*=")) return Operator::Multiply;
    if (take_if("/=")) return Operator::Divide;
    if (token.kind == TokenKind::Symbol && next().is("=") && find_operator(token.text)) {
      bool known = token.is("+") || token.is("-") || token.is("*") ||
                   token.is("/");  // with a space, or it would be one token
      fail(known ? assignment_in_two(token.text) : unknown_assignment(token.text + "="),
           {token.span.begin, next().span.end});
    }
    fail(missing_assignment(left, token), token.span);
  }

  // --- Expressions -------------------------------------------------------------------------------

  int expression() {
    Nesting nesting(*this);
    return level(facts(Operator::Or).precedence);
  }

  /// The infix operator of this precedence that stands here.
  std::optional<Operator> infix_here(int precedence) const {
    if (now().kind != TokenKind::Symbol) return std::nullopt;
    std::optional<Operator> op = find_operator(now().text);
    return op && facts(*op).notation == Notation::Infix && facts(*op).precedence == precedence ? op : std::nullopt;
  }

  /// Everything that binds at least as tightly as operators of this precedence.
  int level(int precedence) {
    if (precedence == facts(Operator::Not).precedence) return prefixed(Operator::Not);
    if (precedence == facts(Operator::Negate).precedence) return prefixed(Operator::Negate);
    if (precedence == facts(Operator::Power).precedence) return power();
    int begin = now().span.begin;
    int left = level(precedence + 1);
    while (std::optional<Operator> op = infix_here(precedence)) {
      take();
      int right = level(precedence + 1);
      left = add_apply(*op, {left, right}, span_from(begin));
      bool compares = facts(*op).typing == Typing::Comparison;
      if (compares && infix_here(precedence)) fail(chained_comparison(), now().span);
    }
    return left;
  }

  int prefixed(Operator op) {
    if (!now().is(facts(op).symbol)) return level(facts(op).precedence + 1);
    Nesting nesting(*this);
    int begin = take().span.begin;
    int inner = prefixed(op);
    return add_apply(op, {inner}, span_from(begin));
  }

  /// As in Python, a power binds tighter than a sign on its left and less tightly than one on its right.
  int power() {
    int begin = now().span.begin;
    int base = primary();
    if (!now().is("^") && !now().is("**")) return base;
    Nesting nesting(*this);
    take();
    int exponent = prefixed(Operator::Negate);
    return add_apply(Operator::Power, {base, exponent}, span_from(begin));
  }

  int primary() {
    const Token& token = now();
    if (token.kind == TokenKind::Number) {
      Token number = take();
      return add(SyntaxNode{.span = number.span, .value = number.value});
    }
    if (token.kind == TokenKind::Name) {
      if (!next().is("(")) return add(access());
      if (token.text == padding_function || token.text == wrapping_function) return add(marked_access());
      if (token.text == pruning_function) fail(prune_inside(), token.span);
      if (find_function(token.text)) return call();
      if (is_function_name(token.text)) return reduction();
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

  /// sqrt(a); select(c, a, b); min(a, b, ...): more than two operands nest to the left.
  int call() {
    Token name = take(), open = take();
    Operator op = *find_function(name.text);
    int arity = facts(op).arity, count = 0;
    bool chains = facts(op).associative;
    auto check = [&](Span span) {
      std::vector<std::string> vars = count == 1 ? variables_below(static_cast<int>(tree_.nodes.size()) - 1)
                                                 : std::vector<std::string>{};
      if (chains && count < 2)
        fail(vars.empty()
                 ? too_few_operands(name.text, count)
                 : too_few_operands(name.text, count, join(vars, ", "), text_of({open.span.end, span.end - 1})),
             span);
      if (!chains && count != arity) fail(wrong_operands(name.text, arity, count), span);
    };
    if (now().is(")")) check(Span{name.span.begin, now().span.end});
    std::vector<int> operands;
    do {
      operands.push_back(expression());
      count++;
      if (chains && count > 1) operands = {add_apply(op, operands, span_from(name.span.begin))};
    } while (take_if(","));
    close(open);
    check(span_from(name.span.begin));
    if (!chains) return add_apply(op, operands, span_from(name.span.begin));
    tree_.nodes[operands[0]].span = span_from(name.span.begin);
    return operands[0];
  }

  /// The operator of reduce(op, k, ...), with the comma behind it.
  Operator reducing_operator() {
    Token token = now();
    bool written = token.kind == TokenKind::Symbol || (token.kind == TokenKind::Name && next().is(","));
    std::optional<Operator> op = written ? find_operator(token.text) : std::nullopt;
    if (!op || !can_reduce(*op)) fail(not_reducing(token.text), token.span);
    take();
    if (!now().is(","))
      fail(UserError(fmt::format("Missing ',' after '{}'", token.text)).hint("write reduce(op, k, ...)"), now().span);
    take();
    return *op;
  }

  /// sum() and sum(j A(i,j)) have none, as far as can be told before the body is read.
  void check_has_variable(const Token& name) {
    if (now().is(")")) fail(reduction_without_variable(name.text), Span{name.span.begin, now().span.end});
    bool comma_is_missing = now().kind == TokenKind::Name && next().kind == TokenKind::Name;
    if (comma_is_missing) fail(missing_comma(opening(name), now().text), next().span);
  }

  /// sum(B(i,j)), sum(B(i,j), j); the body begins at `begin`.
  [[noreturn]] void fail_without_variable(const Token& name, int body, int begin) {
    bool var_follows = now().is(",") && next().kind == TokenKind::Name && (next(2).is(")") || next(2).is(","));
    if (var_follows) fail(variable_behind(opening(name), next().text), next().span);
    std::vector<std::string> vars = variables_below(body);
    std::string written = text_of(span_from(begin));
    take_if(")");
    fail(vars.empty() ? reduction_without_variable(name.text)
                      : reduction_without_variable(name.text, join(vars, ", "), written),
         span_from(name.span.begin));
  }

  std::string text_of(Span span) const {
    return source()->text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
  }

  /// Index variables below a node that nothing binds: neither the left side nor a reduction around it.
  std::vector<std::string> variables_below(int number) const {
    const SyntaxNode& node = tree_.nodes[static_cast<size_t>(number)];
    std::vector<std::string> bound = reduced_, found;
    for (const IndexUse& index : tree_.lhs.indices) {
      for (const IndexUse::Term& term : index.terms) bound.push_back(term.var.name);
    }
    for (const NameUse& var : node.vars) bound.push_back(var.name);
    auto add_new = [&](const std::string& var) {
      bool is_new = std::find(bound.begin(), bound.end(), var) == bound.end() &&
                    std::find(found.begin(), found.end(), var) == found.end();
      if (is_new) found.push_back(var);
    };
    for (const IndexUse& index : node.indices) {
      for (const IndexUse::Term& term : index.terms) add_new(term.var.name);
    }
    for (int operand : node.operands) {
      for (const std::string& var : variables_below(operand)) add_new(var);
    }
    return found;
  }

  /// What stands before the variables of a reduction.
  static std::string opening(const Token& name) { return name.text == "reduce" ? "reduce(op, " : name.text + "("; }

  /// sum(j, k, expr)
  int reduction() {
    Token name = take(), open = take();
    bool counts = name.text == "count";
    Operator op = name.text == "reduce" ? reducing_operator() : counts ? Operator::Add : *find_reduction(name.text);
    if (now().is("{"))
      fail(UserError("Unexpected '{'").hint(fmt::format("write {}(j, k, ...) without braces", name.text)), now().span);
    SyntaxNode node{.kind = SyntaxNode::Kind::Reduce, .op = op};
    while (now().kind == TokenKind::Name && next().is(",")) {
      NameUse var{now().text, now().span};
      if (std::find(reduced_.begin(), reduced_.end(), var.name) != reduced_.end())
        fail(reduced_twice(var.name), var.span);
      reduced_.push_back(var.name);
      node.vars.push_back(var);
      take();
      take();
    }
    if (node.vars.empty()) check_has_variable(name);
    int begin = now().span.begin, body = expression();
    if (node.vars.empty()) fail_without_variable(name, body, begin);
    if (now().is(","))
      fail(UserError("Unexpected ',' after the expression").hint("index variables stand before the expression"),
           now().span);
    close(open);
    const SyntaxNode& counted = tree_.nodes[body];
    Typing typing = facts(counted.op).typing;
    bool is_truth = counted.kind == SyntaxNode::Kind::Apply &&
                    (typing == Typing::Comparison || typing == Typing::Logic);
    if (counts && !is_truth) {  // count(k, e) is sum(k, e != 0)
      int zero = add(SyntaxNode{.span = tree_.nodes[body].span, .value = Scalar(ElementType::Int64)});
      body = add_apply(Operator::NotEqual, {body, zero}, tree_.nodes[body].span);
    }
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
        do {
          if (node.indices.size() == max_order) fail(too_many_indices(name.text), now().span);
          node.indices.push_back(parse_index(*this, tensors_, name, open));
        } while (take_if(","));
      }
      take();
    }
    node.span = span_from(name.span.begin);
    return node;
  }

  /// pad(I(x+u)): outside of the tensor's dimensions there is its fill.  wrap(I(x+u)): they begin again.
  SyntaxNode marked_access() {
    Token name = take(), open = take();
    bool reads = now().kind == TokenKind::Name && next().is("(") && !is_function_name(now().text);
    UserError only_tensor(fmt::format("'{0}' takes one tensor with its indices, as in {0}(I(x+u))", name.text));
    if (!reads) fail(only_tensor, now().span);
    SyntaxNode node = access();
    node.padded = name.text == padding_function;
    node.wrapped = name.text == wrapping_function;
    for (const IndexUse& index : node.indices) {
      if (node.wrapped && index.extent)
        fail(UserError("A window or a list does not wrap around").hint("write it without wrap, or a sum such as i+1"),
             index.span);
      if (index.modulus != 0)
        fail(UserError(fmt::format("'{}' and a remainder do not go together", name.text)).hint("leave one of them out"),
             index.span);
    }
    if (!now().is(")") && now().kind != TokenKind::End) fail(only_tensor, now().span);
    close(open);
    node.span = span_from(name.span.begin);
    return node;
  }

  TensorNames tensors_;
  int nesting_ = 0;
  std::vector<std::string> reduced_;  // variables of the reductions around this place
  SyntaxTree tree_;
};

}  // namespace

Parsed parse(const std::string& text, const std::set<std::string>& declared) {
  Source source = make_source("expression", text);
  auto tree = std::make_shared<const SyntaxTree>(Parser(source, declared).only_statement());
  return collect_names(source, {tree}).front();
}

ParsedProgram parse_program(const std::string& text, const std::set<std::string>& declared) {
  Source source = make_source("expression", text);
  std::vector<std::shared_ptr<const SyntaxTree>> trees;
  for (SyntaxTree& tree : Parser(source, declared).program())
    trees.push_back(std::make_shared<const SyntaxTree>(std::move(tree)));
  return {source, collect_names(source, trees)};
}

}  // namespace filigree::notation
