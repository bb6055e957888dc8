// Types and values are NumPy's: numpy_types.txt is what that says.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "algebra/operator.h"

namespace filigree {
namespace {

/// An operator by the word numpy_types.py has for it.
Operator named(const std::string& word, int arity) {
  for (Operator op : writable_operators()) {
    bool called = word == facts(op).symbol || (arity == 1 && word == facts(op).name);
    if (called && (facts(op).arity == arity || (word == "select" && arity == 2))) return op;
  }
  throw std::runtime_error("no operator " + word);
}

/// Where Filigree gives a type and NumPy refuses, or both give another: each is written down in docs/notation.md.
bool differs_by_design(Operator op, ElementType a, ElementType b) {
  bool bools = a == ElementType::Bool && b == ElementType::Bool;
  if (op == Operator::Subtract || op == Operator::Negate) return bools;  // int8; NumPy refuses
  if (op == Operator::Sign || op == Operator::Conjugate) return bools;   // bool; NumPy refuses, or int8
  return false;
}

class Table {
 public:
  template <class Visit>
  static void for_each_line(const std::string& kind, Visit visit) {
    std::ifstream file(std::string(FILIGREE_SOURCE_DIR) + "/tests/algebra/numpy_types.txt");
    int seen = 0;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first == kind) visit(words), seen++;
    }
    EXPECT_GT(seen, 10) << kind;
  }
};

ElementType read_type(std::istringstream& words) {
  std::string text;
  words >> text;
  return parse_element_type(text).value();
}

void expect_type(Operator op, const std::vector<ElementType>& operands, const std::string& expected) {
  ElementType a = operands.front(), b = operands.back();
  bool complex = is_complex(a) || is_complex(b);
  if (differs_by_design(op, a, b)) return;
  if (expected == "-" || (complex && !facts(op).takes_complex)) {
    EXPECT_TRUE(complex && !facts(op).takes_complex)
        << facts(op).name << " of " << to_string(a) << ", " << to_string(b);
    return;
  }
  EXPECT_EQ(to_string(result_type(op, operands)), expected)
      << facts(op).name << " of " << to_string(a) << ", " << to_string(b);
}

TEST(ResultType, OfTwoOperandsIsNumPys) {
  Table::for_each_line("types", [](std::istringstream& words) {
    std::string symbol;
    words >> symbol;
    Operator op = named(symbol, 2);
    ElementType a = read_type(words);
    for (ElementType b : all_element_types()) {
      std::string expected;
      words >> expected;
      std::vector<ElementType> operands = {a, b};
      if (op == Operator::Select) operands.insert(operands.begin(), ElementType::Bool);
      if (op == Operator::Select) EXPECT_EQ(to_string(result_type(op, operands)), expected);
      else expect_type(op, operands, expected);
    }
  });
}

TEST(ResultType, OfOneOperandIsNumPys) {
  Table::for_each_line("unary", [](std::istringstream& words) {
    std::string symbol;
    words >> symbol;
    Operator op = named(symbol, 1);
    for (ElementType a : all_element_types()) {
      std::string expected;
      words >> expected;
      expect_type(op, {a}, expected);
    }
  });
}

TEST(Evaluate, ComputesWhatNumPyDoes) {
  Table::for_each_line("values", [](std::istringstream& words) {
    std::string symbol, left, pair;
    words >> symbol;
    Operator op = named(symbol, 2);
    ElementType type = read_type(words);
    words >> left;
    while (words >> pair) {
      size_t colon = pair.find(':');
      auto number = [&](const std::string& text) { return Scalar::of(type, std::stod(text)); };
      Scalar value = evaluate(op, {number(left), number(pair.substr(0, colon))});
      Scalar expected = Scalar::of(value.type(), std::stod(pair.substr(colon + 1)));
      bool close = value == expected ||
                   std::abs(value.as_double() - expected.as_double()) <= 1e-6 * std::abs(expected.as_double());
      EXPECT_TRUE(close) << left << " " << symbol << " " << pair << " of " << to_string(type) << " is "
                         << to_string(value);
    }
  });
}

}  // namespace
}  // namespace filigree
