// Text -> protocolized notation, by recursive descent.
#include <fmt/format.h>

#include "autoschedule/statement.h"
#include "notation/cursor.h"

namespace filigree::autoschedule {
namespace {

using notation::Token;
using notation::TokenKind;

/// Parentheses and loops may nest this deep.
constexpr int max_nesting = 200;

class Parser {
 public:
  explicit Parser(const std::string& text) : at_(make_source("plan", text)) {}

  Stmt whole() {
    Stmt stmt = statement();
    if (at_.now().kind != TokenKind::End) fail("Something is left over after the statement");
    return stmt;
  }

 private:
  struct Nested {
    explicit Nested(Parser& parser) : parser(parser) {
      if (++parser.nesting_ > max_nesting) parser.fail("This is nested too deeply");
    }
    ~Nested() { parser.nesting_--; }
    Parser& parser;
  };

  [[noreturn]] void fail(const std::string& message) const { at_.fail(UserError(message), at_.now().span); }
  void expect(const char* symbol) {
    if (!at_.take_if(symbol)) fail(fmt::format("'{}' should stand here", symbol));
  }
  std::string name(const char* what) {
    if (at_.now().kind != TokenKind::Name) fail(fmt::format("{} should stand here", what));
    return at_.take().text;
  }
  bool at_call(const char* word) const {
    return at_.now().kind == TokenKind::Name && at_.now().text == word && at_.next().is("(");
  }

  Stmt statement() {
    Nested nested(*this);
    if (at_call("forall")) {
      at_.take(), at_.take();
      std::string index = name("An index variable");
      expect(",");
      Stmt body = statement();
      expect(")");
      return Forall{index, body};
    }
    if (at_call("where")) {
      at_.take(), at_.take();
      Stmt consumer = statement();
      expect(",");
      Stmt producer = statement();
      expect(")");
      return Where{consumer, producer};
    }
    Access lhs = access(name("A tensor"), true);
    std::optional<Operator> op = assignment();
    return Assign{lhs, op, expression(0)};
  }

  /// "=", "+=", "min=", ...
  std::optional<Operator> assignment() {
    if (at_.take_if("=")) return std::nullopt;
    std::string symbol = at_.now().text;
    bool joined = at_.now().kind == TokenKind::Symbol && symbol.size() > 1 && symbol.back() == '=';
    if (joined) symbol.pop_back();
    else if (!at_.next().is("=")) fail("'=' or an operator with '=' should stand here");
    for (Operator op : writable_operators()) {
      if (facts(op).symbol != symbol || facts(op).arity != 2) continue;
      at_.take();
      if (!joined) at_.take();
      return op;
    }
    fail(fmt::format("'{}=' is no assignment", symbol));
  }

  Access access(const std::string& tensor, bool written) {
    Access out{tensor, {}};
    if (!at_.take_if("(")) return out;
    do {
      Token word = at_.now();
      std::string protocol = name("A protocol");
      std::optional<Protocol> found;
      for (Protocol known : {Protocol::Step, Protocol::Locate, Protocol::Append, Protocol::Insert}) {
        bool writes = known == Protocol::Append || known == Protocol::Insert;
        if (protocol == std::string(1, letter(known)) && writes == written) found = known;
      }
      if (!found) {
        at_.fail(
            UserError(fmt::format("'{}' is no protocol of a tensor that is {}", protocol, written ? "written" : "read"))
                .hint(written ? "a(...) appends and i(...) inserts" : "s(...) steps and l(...) locates"),
            word.span);
      }
      expect("(");
      out.modes.push_back({*found, name("An index variable")});
      expect(")");
    } while (at_.take_if(","));
    expect(")");
    return out;
  }

  std::optional<Operator> infix() const {
    for (Operator op : writable_operators()) {
      if (facts(op).notation == Notation::Infix && at_.now().is(facts(op).symbol)) return op;
    }
    return std::nullopt;
  }

  /// Operators that bind at least as tightly as `least`.  A chain of one associative operator is one node.
  Expr expression(int least) {
    Nested nested(*this);
    Expr left = operand();
    std::optional<Operator> chain;  // the operator at the top of `left`, if it was not in parentheses
    while (std::optional<Operator> op = infix()) {
      int precedence = facts(*op).precedence;
      if (precedence < least) break;
      at_.take();
      Expr right = expression(precedence + 1);
      const Apply* apply = left.as<Apply>();
      if (chain == op && facts(*op).associative && apply) {
        std::vector<Expr> operands = apply->operands;
        operands.push_back(right);
        left = Apply{*op, operands};
      } else {
        left = Apply{*op, {left, right}};
      }
      chain = op;
    }
    return left;
  }

  Expr operand() {
    Nested nested(*this);
    if (at_.take_if("(")) {
      Expr inner = expression(0);
      expect(")");
      return inner;
    }
    if (at_.now().kind == TokenKind::Number) return Number{at_.take().value};
    for (Operator op : writable_operators()) {
      if (facts(op).notation == Notation::Prefix && at_.take_if(facts(op).symbol))
        return signed_number(op, expression(facts(op).precedence + 1));
    }
    std::string word = name("A number, a tensor or a function");
    if (std::optional<Number> typed = number_of_type(word)) return *typed;
    std::optional<Operator> function = find_function(word);
    if (!function || !at_.now().is("(")) return access(word, false);
    at_.take();
    std::vector<Expr> operands = {expression(0)};
    while (at_.take_if(",")) operands.push_back(expression(0));
    expect(")");
    const OperatorFacts& known = facts(*function);
    bool fits = static_cast<int>(operands.size()) == known.arity ||
                (known.associative && static_cast<int>(operands.size()) > known.arity);
    if (!fits) fail(fmt::format("'{}' takes {} operands", known.symbol, known.arity));
    return Apply{*function, operands};
  }

  /// After the name of an element type: "(2)", "(-2)".
  std::optional<Number> number_of_type(const std::string& word) {
    std::optional<ElementType> type = parse_element_type(word);
    if (!type || !at_.now().is("(")) return std::nullopt;
    if (at_.next().kind != TokenKind::Number && !at_.next().is("-")) return std::nullopt;  // a tensor of that name
    at_.take();
    bool negative = at_.take_if("-");
    if (at_.now().kind != TokenKind::Number) fail("A number should stand here");
    Scalar value = at_.take().value;
    expect(")");
    return Number{(negative ? evaluate(Operator::Negate, {value}) : value).cast(*type)};
  }

  /// -2 is a number.
  static Expr signed_number(Operator op, const Expr& operand) {
    const Number* number = operand.as<Number>();
    if (op == Operator::Negate && number) return Number{evaluate(op, {number->value})};
    return Apply{op, {operand}};
  }

  notation::Cursor at_;
  int nesting_ = 0;
};

}  // namespace

Stmt parse(const std::string& text) { return Parser(text).whole(); }

}  // namespace filigree::autoschedule
