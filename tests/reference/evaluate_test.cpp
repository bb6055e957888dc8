// The oracle's own claims, with answers worked out by hand.
#include "tests/reference/evaluate.h"

#include <gtest/gtest.h>

#include "notation/parse.h"

namespace filigree::reference {
namespace {

using Entries = std::vector<std::pair<std::vector<std::int64_t>, double>>;

AnyTensor pack(const std::string& format, const std::vector<std::int64_t>& dimensions, const Entries& entries) {
  Coordinates list{dimensions, std::vector<std::vector<std::int64_t>>(dimensions.size()),
                   Array(ElementType::Float64, static_cast<std::int64_t>(entries.size()))};
  for (size_t n = 0; n < entries.size(); n++) {
    for (size_t d = 0; d < dimensions.size(); d++) list.coordinate[d].push_back(entries[n].first[d]);
    list.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, entries[n].second));
  }
  return AnyTensor::pack(list, parse_format(format, static_cast<int>(dimensions.size())));
}

/// The result's box as text: values of stored components, "." for the others; "fill" first if it is not 0.
std::string result(const std::string& text, const std::string& format, const std::map<std::string, AnyTensor>& operands,
                   const Extents& extents = {}) {
  notation::Parsed parsed = notation::parse(text);
  std::map<std::string, TensorVar> vars;
  Operands boxes;
  for (const notation::TensorUse& use : parsed.tensors) {
    Format of = use.is_result ? (use.order == 0 ? Format() : parse_format(format, use.order))
                              : operands.at(use.name).format();
    vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, of));
    if (!use.is_result) boxes.emplace(use.name, box_of(operands.at(use.name)));
  }
  notation::Statement statement = notation::resolve(parsed, vars);
  Box box = stored_in(evaluate(statement, boxes, extents), statement.lhs.tensor.format());
  std::string out = box.fill.is_zero() ? "" : "fill " + to_string(box.fill) + ": ";
  for (const Component& component : box.components) out += (component.present ? to_string(component.value) : ".") + " ";
  return out;
}

const AnyTensor b = pack("s", {4}, {{{0}, 2}, {{1}, 3}, {{3}, 0}});  // 2 3 . 0
const AnyTensor c = pack("s", {4}, {{{1}, 4}, {{2}, 5}, {{3}, 1}});  // . 4 5 1
const AnyTensor d = pack("d", {4}, {{{1}, 7}});                      // 0 7 0 0, all present

TEST(Evaluate, SumsAreUnions) { EXPECT_EQ(result("a(i)=b(i)+c(i)", "s", {{"b", b}, {"c", c}}), "2 7 5 1 "); }
TEST(Evaluate, ProductsAreIntersectionsAndStoredZerosCount) {
  EXPECT_EQ(result("a(i)=b(i)*c(i)", "s", {{"b", b}, {"c", c}}), ". 12 . 0 ");
}
TEST(Evaluate, DenseOperandsArePresentEverywhere) {
  EXPECT_EQ(result("a(i)=b(i)+d(i)", "s", {{"b", b}, {"d", d}}), "2 10 0 0 ");
  EXPECT_EQ(result("a(i)=b(i)*d(i)", "s", {{"b", b}, {"d", d}}), "0 21 . 0 ");
}
TEST(Evaluate, DenseResultsPad) { EXPECT_EQ(result("a(i)=b(i)*c(i)", "d", {{"b", b}, {"c", c}}), "0 12 0 0 "); }
TEST(Evaluate, LiteralsBesideAbsentOperandsAreTheFill) {
  EXPECT_EQ(result("a(i)=b(i)+2", "s", {{"b", b}}), "fill 2: 4 5 . 2 ");
}
TEST(Evaluate, LiteralsAloneAreStored) { EXPECT_EQ(result("a(i)=2", "s", {}, {{"i", 2}}), "2 2 "); }
TEST(Evaluate, AbsentDividendsAnnihilate) {
  EXPECT_EQ(result("a(i)=b(i)/c(i)", "s", {{"b", b}, {"c", c}}), "inf 0.75 . 0 ");
}
TEST(Evaluate, MaximaUseTheFill) {
  AnyTensor n = pack("s", {4}, {{{0}, -2}, {{1}, -3}});
  EXPECT_EQ(result("a(i)=max(n(i),c(i))", "s", {{"n", n}, {"c", c}}), "0 4 5 1 ");
}
TEST(Evaluate, ReductionsAreStoredWhereSomePointIs) {
  AnyTensor B = pack("ds", {3, 2}, {{{0, 0}, 1}, {{0, 1}, -1}, {{2, 1}, 4}});
  EXPECT_EQ(result("a(i)=B(i,j)", "s", {{"B", B}}), "0 . 4 ");
  EXPECT_EQ(result("a(i)=max_over(j,B(i,j))", "s", {{"B", B}}), "1 . 4 ");
  EXPECT_EQ(result("a(i)=min_over(j,B(i,j))", "s", {{"B", B}}), "-1 . 0 ");
  EXPECT_EQ(result("a(i)=prod(j,B(i,j))", "s", {{"B", B}}), "-1 0 0 ");
  EXPECT_EQ(result("s=B(i,j)", "", {{"B", B}}), "4 ");
}
TEST(Evaluate, SumsOfOtherFillsCountPoints) {
  AnyTensor B = pack("ds", {2, 3}, {{{0, 0}, 1}});
  EXPECT_EQ(result("a(i)=sum(j,(B(i,j)+2)*(B(i,j)+1))", "s", {{"B", B}}), "10 6 ");
}
TEST(Evaluate, FullLevelsPadBelowStoredOnes) {
  AnyTensor B = pack("ss", {3, 2}, {{{0, 1}, 1}, {{2, 1}, 4}});
  EXPECT_EQ(result("A(i,j)=B(i,j)", "sd", {{"B", B}}), "0 1 . . 0 4 ");
  EXPECT_EQ(result("A(i,j)=B(i,j)", "sd:1,0", {{"B", B}}), ". 1 . 0 . 4 ");
  EXPECT_EQ(result("A(i,j)=B(i,j)", "ds", {{"B", B}}), ". 1 . . . 4 ");
}
TEST(Evaluate, CopiesDropPadding) {
  AnyTensor dense = pack("dd", {2, 2}, {{{0, 1}, 1}}), rows = pack("sd", {2, 2}, {{{0, 1}, 1}}),
            sparse = pack("ss", {2, 2}, {{{0, 1}, 1}, {{1, 1}, 0}});
  EXPECT_EQ(result("A(i,j)=B(i,j)", "ds", {{"B", dense}}), ". 1 . . ");
  EXPECT_EQ(result("A(i,j)=B(i,j)", "ss", {{"B", rows}}), ". 1 . . ");
  EXPECT_EQ(result("A(i,j)=B(i,j)", "ss", {{"B", sparse}}), ". 1 . 0 ");
  EXPECT_EQ(result("A(i,j)=2*B(i,j)", "ss", {{"B", rows}}), "0 2 . . ");
}
TEST(Evaluate, NothingToReduceIsTheIdentity) {
  AnyTensor B = pack("dd", {2, 0}, {});
  EXPECT_EQ(result("a(i)=B(i,j)", "d", {{"B", B}}), "0 0 ");
  EXPECT_EQ(result("a(i)=B(i,j)", "s", {{"B", B}}), ". . ");
  EXPECT_EQ(result("a(i)=B(i,j)+1", "d", {{"B", B}}), "1 1 ");
}

TEST(Compare, NamesTheFirstDifference) {
  Box expected = box_of(b);
  EXPECT_EQ(compare(expected, b), std::nullopt);
  EXPECT_EQ(compare(expected, c), "(0) is 0 (not stored), expected 2");
  EXPECT_EQ(compare(expected, pack("d", {4}, {{{0}, 2}, {{1}, 3}})), "(2) is 0, expected 0 (not stored)");
  EXPECT_EQ(compare(expected, pack("s", {5}, {})), "dimensions are (5), expected (4)");
}

}  // namespace
}  // namespace filigree::reference
