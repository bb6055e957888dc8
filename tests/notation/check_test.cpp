#include "notation/check.h"
#include "notation/extents.h"

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

constexpr ElementType Float64 = ElementType::Float64, Complex128 = ElementType::Complex128;

class Check : public testing::Test {
 protected:
  std::string error(const Statement& statement) {
    return error_of([&] { check(statement); });
  }
  IndexVar i{"i"}, j{"j"};
  TensorVar a{"a", Float64, Format::dense(1)}, b{"b", Float64, Format::dense(1)}, B{"B", Float64, Format::dense(2)};
};

TEST_F(Check, AcceptsBroadcasts) { EXPECT_EQ(error({Access{B, {i, j}}, std::nullopt, Access{b, {i}}}), "no error"); }

TEST_F(Check, RefusesSeveralValuesForOneComponent) {
  IndexVar sum = make_index({{{i, 1}, {j, 1}}});
  Expr product(Apply{Operator::Multiply, {Access{b, {i}}, Access{b, {j}}}});
  EXPECT_EQ(error({Access{a, {sum}}, std::nullopt, product}),
            "error: 'a(i+j)' is assigned several values for one component\nhint: write += to add them up, or another "
            "assignment that combines them\n");
  EXPECT_EQ(error({Access{a, {sum}}, Operator::Add, product}), "no error");
}

TEST_F(Check, AcceptsTheResultAmongTheOperands) {
  EXPECT_EQ(error({Access{a, {i}}, std::nullopt, Access{a, {i}}}), "no error");
}

TEST_F(Check, RefusesWrongNumbersOfIndices) {
  EXPECT_EQ(error({Access{a, {i}}, std::nullopt, Access{B, {i}}}),
            "error: 'B' has 2 dimensions but is used with 1 index\n");
  EXPECT_EQ(error({Access{a, {}}, std::nullopt, Access{b, {i}}}),
            "error: 'a' has 1 dimension but is used with 0 indices\n");
}

TEST_F(Check, RefusesToReduceAVariableTwice) {
  Expr inner = Reduce{Operator::Add, {j}, Access{B, {i, j}}};
  EXPECT_EQ(error({Access{a, {i}}, std::nullopt, Reduce{Operator::Max, {j}, inner}}),
            "error: Index variable 'j' is reduced twice\nhint: rename one of them\n");
  EXPECT_EQ(error({Access{a, {i}}, std::nullopt, Reduce{Operator::Add, {j, j}, Access{B, {i, j}}}}),
            "error: Index variable 'j' is reduced twice\nhint: rename one of them\n");
  EXPECT_EQ(error({Access{a, {i}}, std::nullopt, Apply{Operator::Add, {inner, inner}}}), "no error");
}

TEST_F(Check, RefusesToReduceAVariableOfTheLeftSide) {
  EXPECT_EQ(error({Access{a, {j}}, std::nullopt, Reduce{Operator::Add, {j}, Access{b, {j}}}}),
            "error: Index variable 'j' is reduced but also on the left-hand side\nhint: rename one of them\n");
}

TEST_F(Check, RefusesToOrderComplexNumbers) {
  auto message = [](const std::string& text) { return error_of([&] { from_text(text, {{"b", Complex128}}); }); };
  EXPECT_EQ(message("a(i) = c + min(b(i), c)"),
            "error: 'min' is not defined for complex numbers\n"
            "  in expression, column 12:\n"
            "    a(i) = c + min(b(i), c)\n"
            "               ^^^^^^^^^^^^\n");
  EXPECT_EQ(message("a = max_over(i, b(i))"),
            "error: 'max_over' is not defined for complex numbers\n"
            "  in expression, column 5:\n"
            "    a = max_over(i, b(i))\n"
            "        ^^^^^^^^^^^^^^^^^\n");
  EXPECT_EQ(message("a(i) min= b(i)"),
            "error: 'min=' is not defined for complex numbers\n"
            "  in expression, column 6:\n"
            "    a(i) min= b(i)\n"
            "         ^^^^\n");
  EXPECT_EQ(message("a(i) = c*b(i)"), "no error");
}

class InferExtents : public testing::Test {
 protected:
  using Dimensions = std::map<std::string, std::vector<std::int64_t>>;

  /// "i=2 j=3", or the error.
  std::string extents(const std::string& text, const Dimensions& dimensions,
                      const std::map<std::string, std::int64_t>& given = {}) {
    Statement statement = from_text(text);
    std::map<TensorVar, std::vector<std::int64_t>> sizes;
    auto add = [&](const TensorVar& tensor) {
      auto found = dimensions.find(tensor.name());
      if (found != dimensions.end()) sizes.emplace(tensor, found->second);
    };
    add(statement.lhs.tensor);
    for (const Access& access : accesses(statement.rhs)) add(access.tensor);
    std::map<IndexVar, std::int64_t> stated;
    for (const IndexVar& var : index_vars(statement)) {
      auto found = given.find(var.name());
      if (found != given.end()) stated.emplace(var, found->second);
    }
    std::string result;
    std::string error = error_of([&] {
      auto found = infer_extents(statement, sizes, stated);
      for (const IndexVar& var : index_vars(statement)) {
        if (found.count(var)) result += (result.empty() ? "" : " ") + var.name() + "=" + std::to_string(found.at(var));
      }
    });
    return error == "no error" ? result : error;
  }
};

TEST_F(InferExtents, TakesThemFromOperandsResultAndUser) {
  EXPECT_EQ(extents("y(i) = A(i,j)*x(j)", {{"A", {2, 3}}}), "i=2 j=3");
  EXPECT_EQ(extents("y(i) = A(i,j)*x(j)", {{"A", {2, -1}}, {"x", {3}}}), "i=2 j=3");
  EXPECT_EQ(extents("Y(i,j) = x(i)", {{"Y", {2, 3}}}), "i=2 j=3");
  EXPECT_EQ(extents("Y(i,j) = x(i)", {{"x", {0}}}, {{"j", 4}}), "i=0 j=4");
}

TEST_F(InferExtents, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(extents("Y(i,j) = x(i)", {{"x", {2}}}), "i=2");
  EXPECT_EQ(extents("Y(i,j) = x(i)", {{"x", {-1}}}), "");
}

TEST_F(InferExtents, NamesBothTensorsWhereTwoDisagree) {
  EXPECT_EQ(extents("y(i) = A(i,j)*x(j)", {{"A", {2, 3}}, {"x", {4}}}),
            "error: Index variable 'j' has two extents: dimension 2 of 'A' has 3 but dimension 1 of 'x' has 4\n"
            "  in expression, column 15:\n"
            "    y(i) = A(i,j)*x(j)\n"
            "                  ^^^^\n");
  EXPECT_EQ(extents("Y(i,j) = A(i,j) + A(j,i)", {{"A", {2, 3}}}),
            "error: Index variable 'j' has two extents: dimension 2 of 'A' has 3 but dimension 1 of 'A' has 2\n"
            "  in expression, column 19:\n"
            "    Y(i,j) = A(i,j) + A(j,i)\n"
            "                      ^^^^^^\n");
  EXPECT_EQ(extents("y(i) = x(i)", {{"y", {2}}, {"x", {3}}}),
            "error: Index variable 'i' has two extents: dimension 1 of 'x' has 3 but dimension 1 of 'y' has 2\n"
            "  in expression, column 1:\n"
            "    y(i) = x(i)\n"
            "    ^^^^\n");
}

TEST_F(InferExtents, HoldsTensorsAgainstWhatWasGiven) {
  EXPECT_EQ(extents("y(i) = x(i)", {{"x", {3}}}, {{"i", 3}}), "i=3");
  EXPECT_EQ(extents("y(i) = x(i)", {{"x", {3}}}, {{"i", 5}}),
            "error: Index variable 'i' has two extents: 5 was given but dimension 1 of 'x' has 3\n"
            "  in expression, column 8:\n"
            "    y(i) = x(i)\n"
            "           ^^^^\n");
}

}  // namespace
}  // namespace filigree::notation
