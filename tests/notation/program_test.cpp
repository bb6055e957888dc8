#include "notation/program.h"

#include <gtest/gtest.h>

#include "notation/inline.h"
#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

using Formats = std::map<std::string, Format>;

/// Statements from text; tensors are dense and float64 unless the test says otherwise.
std::vector<Statement> program(const std::string& text, const Formats& formats = {}, const Types& types = {}) {
  std::map<std::string, TensorVar> tensors;
  std::vector<Statement> statements;
  for (const Parsed& parsed : parse_program(text).statements) {
    for (const TensorUse& use : parsed.tensors) {
      auto type = types.find(use.name);
      auto format = formats.find(use.name);
      tensors.emplace(use.name, TensorVar(use.name, type == types.end() ? ElementType::Float64 : type->second,
                                          format == formats.end() ? Format::dense(use.order) : format->second));
    }
    statements.push_back(resolve(parsed, tensors));
  }
  return statements;
}

std::string linked(const std::string& text, const std::set<std::string>& given = {}) {
  return to_string(statements_of(link(program(text), given)));
}

std::string parse_error(const std::string& text) {
  return error_of([&] { parse_program(text); });
}

TEST(ParseProgram, ReadsStatementsInOrder) {
  ParsedProgram parsed = parse_program("T(i,j) = B(i,k)*C(k,j);\n y(i) = T(i,j)*x(j)");
  ASSERT_EQ(parsed.statements.size(), 2u);
  EXPECT_EQ(parsed.statements[0].tensors[0].name, "T");
  EXPECT_EQ(parsed.statements[1].tensors[0].name, "y");
  EXPECT_EQ(parsed.statements[1].tensors[1].span, (Span{32, 33}));  // of the whole text
  EXPECT_EQ(parsed.statements[0].index_names, (std::vector<std::string>{"i", "j", "k"}));
  EXPECT_EQ(parsed.statements[1].index_names, (std::vector<std::string>{"i", "j"}));
}

TEST(ParseProgram, PrintsWhatReadsBack) {
  for (const char* text : {"a = b; c = a*a", "T(i,j) = sum(k, B(i,k)*C(k,j)); y(i) = sum(j, T(i,j)*x(j))",
                           "x(i) = x(i)/2; x(i) += 1; s = max_over(i, x(i))"}) {
    EXPECT_EQ(to_string(program(text)), text);
    EXPECT_EQ(to_string(program(to_string(program(text)))), text);
  }
}

TEST(ParseProgram, PointsAtStraySeparators) {
  EXPECT_EQ(parse_error("a = b;; c = a"),
            "error: There is no statement before this ';'\n  in expression, column 7:\n    a = b;; c = a\n          ^\n"
            "hint: remove the ';', which only stands between statements\n");
  EXPECT_EQ(parse_error("; a = b"),
            "error: There is no statement before this ';'\n  in expression, column 1:\n    ; a = b\n    ^\n"
            "hint: remove the ';', which only stands between statements\n");
  EXPECT_EQ(parse_error("a = b; "),
            "error: There is no statement behind this ';'\n  in expression, column 6:\n    a = b; \n         ^\n"
            "hint: remove the ';', which only stands between statements\n");
  EXPECT_EQ(parse_error(";"),
            "error: There is no statement before this ';'\n  in expression, column 1:\n    ;\n    ^\n"
            "hint: remove the ';', which only stands between statements\n");
}

TEST(ParseProgram, PointsIntoTheWholeText) {
  EXPECT_EQ(parse_error("a(i) = b(i); c(i) = a(i) +"),
            "error: Missing an operand after '+'\n  in expression, column 27:\n    a(i) = b(i); c(i) = a(i) +\n        "
            "                      ^\n");
  EXPECT_EQ(parse_error("a(i) = b(i); c(i) = a(i,j)"),
            "error: 'a' is used with 2 indices here but with 1 index at column 1\n  in expression, column 21:\n"
            "    a(i) = b(i); c(i) = a(i,j)\n                        ^^^^^^\n");
}

TEST(ParseProgram, GivesANameOneMeaning) {
  EXPECT_EQ(parse_error("a(i) = b(i); c = i"),
            "error: 'i' is used both as a tensor and as an index variable\n  in expression, column 18:\n    a(i) = "
            "b(i); c = i\n"
            "                     ^\nnote: 'i' is an index variable at column 3\nhint: rename one of them\n");
  EXPECT_EQ(parse_error("a = b; c(a) = d(a)"),
            "error: 'a' is used both as a tensor and as an index variable\n  in expression, column 10:\n    a = b; "
            "c(a) = d(a)\n"
            "             ^\nnote: 'a' is a tensor at column 1\nhint: rename one of them\n");
}

TEST(Link, StartsUpdatesFromWhatIsThere) {
  EXPECT_EQ(linked("s = 0; s += a(i)*b(i)"), "s = 0; s = s + sum(i, a(i)*b(i))");
  EXPECT_EQ(linked("x(i) += a(i)"), "x(i) += a(i)");
  EXPECT_EQ(linked("x(i) += a(i)", {"x"}), "x(i) = x(i) + a(i)");
  EXPECT_EQ(linked("y(i) = x(i); x(i) max= a(i)"), "y(i) = x(i); x(i) = max(x(i), a(i))");
}

TEST(Link, HandsOnTheFillThatAnExpressionHas) {
  Formats sparse = {{"a", Format::sparse(1)}, {"t", Format::sparse(1)}, {"y", Format::sparse(1)}};
  std::vector<Statement> statements = statements_of(link(program("t(i) = a(i) + 3; y(i) = t(i)*2", sparse), {}));
  EXPECT_EQ(to_string(accesses(statements[1].rhs)[0].tensor.fill()), "3");
  EXPECT_EQ(to_string(made_by(statements[1]).fill()), "6");
}

TEST(Link, RefusesAnotherFormatThanWasAssigned) {
  IndexVar i("i");
  TensorVar a("a", ElementType::Float64, Format::dense(1)), t("t", ElementType::Float64, Format::sparse(1)),
      other("t", ElementType::Float64, Format::dense(1));
  Statement first{Access{t, {i}}, {}, Expr(Access{a, {i}})}, second{Access{a, {i}}, {}, Expr(Access{other, {i}})};
  EXPECT_EQ(error_of([&] { link({first, second}, {}); }),
            "error: 't' is read as dense float64, but a statement before assigns it as sparse float64\n");
}

TEST(Inputs, AreReadBeforeTheyAreAssigned) {
  std::vector<std::string> names;
  for (const TensorVar& input :
       inputs(statements_of(link(program("y(i) = A(i,j)*x(j); x(i) = y(i)*c; z(i) = x(i)"), {}))))
    names.push_back(input.name());
  EXPECT_EQ(names, (std::vector<std::string>{"A", "x", "c"}));
}

TEST(UnreadResults, AreThoseWhoseLastValueNobodyReads) {
  EXPECT_EQ(unread_results(statements_of(link(program("a = b; c = a; d = a"), {}))),
            (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(unread_results(statements_of(link(program("x(i) = y(i); z(i) = x(i); x(i) += z(i)"), {}))),
            (std::vector<std::string>{"x"}));
}

TEST(UsedSteps, LeaveOutWhatIsOverwritten) {
  std::vector<Step> steps = used_steps(link(program("a = b; a = c; d = a; e = b"), {}), {"d"});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].origins, (std::vector<size_t>{1}));
  EXPECT_EQ(steps[1].origins, (std::vector<size_t>{2}));
}

// --- Inlining ---------------------------------------------------------------------------------------

std::string inlined_text(const std::string& text, const Formats& formats = {}, const Types& types = {}) {
  std::vector<Statement> statements = statements_of(link(program(text, formats, types), {}));
  std::optional<Statement> together = inlined(statements[0], statements[1]);
  return together ? to_string(*together) : "apart";
}

const Formats matrices = {{"B", parse_format("csr", 2)},
                          {"C", parse_format("csr", 2)},
                          {"T", parse_format("csr", 2)},
                          {"M", parse_format("csr", 2)}};

TEST(Inlined, MakesReductionsExplicit) {
  EXPECT_EQ(inlined_text("T(i,j) = B(i,k)*C(k,j); y(i) = T(i,j)*x(j)", matrices),
            "y(i) = sum(j, sum(k, B(i,k)*C(k,j))*x(j))");
  EXPECT_EQ(inlined_text("T(i,j) = B(i,k)*C(k,j); A(a,k) = M(a,k) - T(a,k)", matrices),
            "A(a,k) = M(a,k) - sum(k2, B(a,k2)*C(k2,k))");
  EXPECT_EQ(inlined_text("T(i,j) = B(j,i); y(j) = T(i,j)*x(i)", matrices), "y(j) = sum(i, B(j,i)*x(i))");
}

TEST(Inlined, RepeatsNoWork) {
  EXPECT_EQ(inlined_text("T(i,j) = B(i,k)*C(k,j); A(i,l) = T(i,j)*M(j,l)", matrices), "apart");  // again for every l
  EXPECT_EQ(inlined_text("T(i,j) = B(i,k)*C(k,j); s = T(i,j)*T(i,j)", matrices), "apart");
  EXPECT_EQ(inlined_text("T(i,j) = B(i,k)*C(k,j); s(i) = T(i,i)", matrices), "apart");
}

TEST(Inlined, KeepsExtentsThatOnlyTheTemporaryHas) {
  EXPECT_EQ(inlined_text("t(i) = i*a; s = t(i)"), "apart");
  EXPECT_EQ(inlined_text("T(i,j) = a(i); y(i) = T(i,j)"), "apart");
  EXPECT_EQ(inlined_text("t(i) = i*a(i); s = t(i) + b"), "s = sum(i, i*a(i)) + b");
}

TEST(Inlined, KeepsRoundingToTheDeclaredType) {
  EXPECT_EQ(inlined_text("T(i,j) = B(i,j)/2; s = T(i,j)", matrices, {{"T", ElementType::Float32}}), "apart");
  EXPECT_EQ(inlined_text("T(i,j) = B(i,j)/2; s = T(i,j)", matrices), "s = sum(i, j, B(i,j)/2)");
}

TEST(Inlined, KeepsWhatPaddingMakesPresent) {
  Formats formats = {{"A", parse_format("csr", 2)}, {"z", Format::sparse(1)}, {"y", Format::sparse(1)}};
  EXPECT_EQ(inlined_text("t(i) = A(i,j)*x(j); y(i) = t(i)*z(i)", formats), "apart");  // an empty row of A is a 0 of t
  formats.erase("y");
  EXPECT_EQ(inlined_text("t(i) = A(i,j)*x(j); y(i) = t(i)*z(i)", formats),
            "apart");  // and times infinity it is no number
  EXPECT_EQ(inlined_text("t(i) = A(i,j)*x(j); y(i) = t(i) - z(i)", formats), "y(i) = sum(j, A(i,j)*x(j)) - z(i)");
  EXPECT_EQ(inlined_text("s = a(i)*b(i); t = s + 1"), "t = sum(i, a(i)*b(i)) + 1");
  EXPECT_EQ(inlined_text("s = 2; y(i) = s*b(i)"), "apart");
  EXPECT_EQ(inlined_text("T(i,j) = D(i,j); A(i,j) = M(i,j) + T(i,j)", matrices),
            "apart");  // the zeros of D are not in T
}

}  // namespace
}  // namespace filigree::notation
