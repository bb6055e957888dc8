#include "polyhedral/prove.h"

#include <regex>
#include <set>

#include <fmt/format.h>

#include "polyhedral/solver.h"
#include "support/text.h"

namespace filigree::polyhedral {
namespace {

using layouts::Expr;
using layouts::Formula;

std::string variable(const Expr& name) { return name.text() + (name.primed() ? "!2" : "!1"); }

std::string smt(const Expr& expr) {
  auto apply = [&](const char* symbol) {
    return fmt::format("({} {} {})", symbol, smt(expr.parts()[0]), smt(expr.parts()[1]));
  };
  switch (expr.kind()) {
    case Expr::Kind::Number:
      return expr.value() < 0 ? fmt::format("(- {})", std::to_string(expr.value()).substr(1))
                              : std::to_string(expr.value());
    case Expr::Kind::Name: return variable(expr);
    case Expr::Kind::Read: {
      std::string text = "(" + expr.text() + "!f";
      for (const Expr& place : expr.parts()) text += " " + smt(place);
      return text + ")";
    }
    case Expr::Kind::Add: return apply("+");
    case Expr::Kind::Subtract: return apply("-");
    case Expr::Kind::Multiply: return apply("*");
    case Expr::Kind::Quotient: return apply("div");  // floored, as divisors are positive
    case Expr::Kind::Remainder: return apply("mod");
  }
  return "";
}

std::string smt(const Formula& formula) {
  auto compare = [&](const char* symbol) {
    return fmt::format("({} {} {})", symbol, smt(formula.sides[0]), smt(formula.sides[1]));
  };
  auto join_parts = [&](const char* symbol, const char* nothing) {
    if (formula.parts.empty()) return std::string(nothing);
    std::string text = std::string("(") + symbol;
    for (const Formula& part : formula.parts) text += " " + smt(part);
    return text + ")";
  };
  switch (formula.kind) {
    case Formula::Kind::Less: return compare("<");
    case Formula::Kind::LessEqual: return compare("<=");
    case Formula::Kind::Equal: return compare("=");
    case Formula::Kind::NotEqual: return compare("distinct");
    case Formula::Kind::And: return join_parts("and", "true");
    case Formula::Kind::Or: return join_parts("or", "false");
    case Formula::Kind::Implies: return join_parts("=>", "true");
  }
  return "";
}

/// Names and arrays, each declared once, in order of appearance.
void declare(const Formula& formula, std::set<std::string>& known, std::string& text) {
  layouts::for_each(formula, [&](const Expr& part) {
    if (part.kind() == Expr::Kind::Name && known.insert(variable(part)).second)
      text += fmt::format("(declare-const {} Int)\n", variable(part));
    if (part.kind() != Expr::Kind::Read || !known.insert(part.text() + "!f").second) return;
    std::vector<std::string> places(part.parts().size(), "Int");
    text += fmt::format("(declare-fun {}!f ({}) Int)\n", part.text(), join(places, " "));
  });
}

}  // namespace

std::string to_smt(const layouts::Question& question) {
  std::set<std::string> known;
  std::string declarations, assertions;
  for (const Formula& premise : question.premises) {
    declare(premise, known, declarations);
    assertions += "(assert " + smt(premise) + ")\n";
  }
  declare(question.conclusion, known, declarations);
  return declarations + assertions + "(assert (not " + smt(question.conclusion) + "))\n";
}

namespace {

/// Bits that are taken out one by one are more than Z3 gets anywhere with: not worth the time.
bool is_hopeless(const layouts::Question& question) {
  constexpr int most_quotients = 40;
  int count = 0;
  for (const Formula& premise : question.premises) {
    layouts::for_each(premise, [&](const Expr& part) {
      count += part.kind() == Expr::Kind::Quotient || part.kind() == Expr::Kind::Remainder;
    });
  }
  return count > most_quotients;
}

}  // namespace

Proof prove(const layouts::Question& question) {
  if (is_hopeless(question)) return {};
  Result result = solve(to_smt(question));
  Proof proof{result.answer == Answer::Unsatisfiable, ""};
  if (result.answer != Answer::Satisfiable) return proof;
  static const std::regex value(R"re(^([A-Za-z_0-9]+)!([12]) -> (\(- [0-9]+\)|[0-9]+)$)re");
  std::vector<std::string> parts;
  for (const std::string& line : split(result.text, '\n')) {
    std::smatch found;
    if (std::regex_match(line, found, value))
      parts.push_back(found[1].str() + (found[2].str() == "2" ? "'" : "") + " = " + found[3].str());
  }
  std::sort(parts.begin(), parts.end());
  proof.counterexample = join(parts, ", ");
  return proof;
}

layouts::Prover prover() {
  return [](const layouts::Question& question) { return prove(question).proven; };
}

}  // namespace filigree::polyhedral
