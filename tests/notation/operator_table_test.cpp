// The table in docs/notation.md is the table of operators.  FILIGREE_UPDATE=1 rewrites it.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algebra/operator.h"

namespace filigree {
namespace {

std::string typing_text(const OperatorFacts& f) {
  switch (f.typing) {
    case Typing::Promoted: return "promoted";
    case Typing::Arithmetic: return "no bool";
    case Typing::TrueDivision: return "true division";
    case Typing::Floating: return "floating";
    case Typing::RealPart: return "real";
    case Typing::Comparison: return "comparison";
    case Typing::Logic: return "logic";
    case Typing::Choice: return "choice";
    case Typing::User: break;
  }
  return "user";
}

std::string written(const OperatorFacts& f) {
  if (f.notation == Notation::Infix) return fmt::format("`a {} b`", f.symbol);
  if (f.notation == Notation::Prefix) return fmt::format("`{}{}a`", f.symbol, f.op == Operator::Not ? " " : "");
  return fmt::format("`{}({})`", f.symbol, f.arity == 1 ? "a" : f.arity == 2 ? "a, b" : "c, a, b");
}

std::string value_text(const Scalar& value) {
  return value.type() == ElementType::Bool ? (value.as_bool() ? "true" : "false") : to_string(value);
}

/// Which values decide the result, of those that ever do: 0, 1, the infinities, true and false.
std::string deciders(const OperatorFacts& f) {
  ElementType type = f.typing == Typing::Logic ? ElementType::Bool : ElementType::Float64;
  std::vector<Scalar> candidates;
  if (type == ElementType::Bool) candidates = {Scalar::boolean(false), Scalar::boolean(true)};
  else
    for (double x : {0.0, 1.0, HUGE_VAL, -HUGE_VAL}) candidates.push_back(Scalar::of(type, x));
  std::string text;
  for (const Scalar& value : candidates) {
    for (int position = 0; position < f.arity; position++) {
      std::optional<Scalar> result = f.arity == 2 ? annihilated(f.op, position, value, result_type(f.op, {type, type}))
                                                  : std::nullopt;
      if (!result) continue;
      bool both = f.commutative;
      if (both && position == 1) continue;
      std::string operand = both ? "" : position == 0 ? "a = " : "b = ";
      std::string gives = *result == value.cast(result->type()) ? "" : " gives " + value_text(*result);
      text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", operand, value_text(value), gives);
    }
  }
  return text;
}

std::string identity_text(const OperatorFacts& f) {
  ElementType type = f.typing == Typing::Logic ? ElementType::Bool : ElementType::Float64;
  std::optional<Scalar> e = identity(f.op, type);
  if (!e) return "";
  return (f.op == Operator::Min ? "the largest, " : f.op == Operator::Max ? "the smallest, " : "") + value_text(*e);
}

std::string table() {
  std::string text;
  for (Operator op : writable_operators()) {
    const OperatorFacts& f = facts(op);
    auto mark = [](bool holds) { return holds ? "yes" : ""; };
    std::string types = typing_text(f) + (f.takes_complex ? "" : ", ordered");
    std::string reduction = f.reduction      ? fmt::format("`{}`", f.reduction)
                            : can_reduce(op) ? fmt::format("`reduce({}, ...)`", f.symbol)
                                             : "";
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", written(f), types, reduction,
                        mark(f.associative), mark(f.commutative), mark(f.idempotent), identity_text(f), deciders(f));
  }
  return text;
}

TEST(OperatorTable, IsTheOneInTheDocuments) {
  std::string path = std::string(FILIGREE_SOURCE_DIR) + "/docs/notation.md";
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t opening = text.find("<!-- operators -->"), begin = text.find("|---|\n", opening),
         end = text.find("<!-- end of operators -->");
  ASSERT_TRUE(opening != std::string::npos && begin != std::string::npos && end != std::string::npos);
  begin += std::string("|---|\n").size();
  if (std::getenv("FILIGREE_UPDATE")) {
    std::ofstream(path) << text.substr(0, begin) + table() + text.substr(end);
    return;
  }
  EXPECT_EQ(text.substr(begin, end - begin), table());
}

}  // namespace
}  // namespace filigree
