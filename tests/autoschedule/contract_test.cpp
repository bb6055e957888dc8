#include "autoschedule/contract.h"

#include <gtest/gtest.h>

#include "support/text.h"
#include "tests/autoschedule/from_text.h"

namespace filigree::autoschedule {
namespace {

/// The statements of the best split, temporaries with their formats; none: "".
std::string best(const std::string& text, const concrete::Formats& formats,
                 const std::map<std::string, std::int64_t>& extents, std::map<std::string, double> stored) {
  Problem p = problem(text, formats);
  KnownInputs inputs{{}, std::move(stored)};
  for (const auto& [name, var] : p.variables) {
    auto extent = extents.find(name);
    if (extent != extents.end()) inputs.extents[var] = extent->second;
  }
  std::vector<Split> all = splits(p, inputs);
  if (all.empty()) return "";
  std::vector<std::string> lines;
  for (const notation::Statement& statement : all[0].statements) {
    bool is_last = &statement == &all[0].statements.back();
    lines.push_back(notation::to_string(statement) +
                    (is_last ? "" : " in " + to_string(statement.lhs.tensor.format())));
  }
  return join(lines, "; ");
}

const concrete::Formats csr = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}};
const std::map<std::string, std::int64_t> thousands = {{"i", 1000}, {"j", 1000}, {"k", 1000}, {"l", 1000}};

TEST(Splits, TakeTheProductOfWhatIsNearlyEmptyFirst) {
  const std::string text = "A(i,l) = B(i,j)*C(j,k)*D(k,l)";
  EXPECT_EQ(best(text, csr, thousands, {{"B", 10}, {"C", 50000}, {"D", 50000}}),
            "w(i,k) = sum(j, B(i,j)*C(j,k)) in csr; A(i,l) = sum(k, w(i,k)*D(k,l))");
  EXPECT_EQ(best(text, csr, thousands, {{"B", 50000}, {"C", 50000}, {"D", 10}}),
            "w(l,j) = sum(k, C(j,k)*D(k,l)) in csr; A(i,l) = sum(j, B(i,j)*w(l,j))");
}

TEST(Splits, ReduceAtOnce) {
  EXPECT_EQ(best("y(i) = B(i,j)*C(j,k)*d(k)", csr, thousands, {{"B", 5000}, {"C", 5000}, {"d", 1000}}),
            "w(j) = sum(k, C(j,k)*d(k)) in bitmap; y(i) = sum(j, B(i,j)*w(j))");
}

TEST(Splits, KeepDenseDimensionsBehindSparseOnes) {
  EXPECT_EQ(best("G(p,q) = T(i,j,k)*P(i,p)*Q(j,q)*x(k)", {{"T", "sss"}},
                 {{"i", 1000}, {"j", 1000}, {"k", 1000}, {"p", 16}, {"q", 16}},
                 {{"T", 100000}, {"P", 16000}, {"Q", 16000}, {"x", 1000}}),
            "w(j,p) = sum(k, i, P(i,p)*T(i,j,k)*x(k)) in bd; G(p,q) = sum(j, w(j,p)*Q(j,q))");
}

TEST(Splits, AreMadeInOtherSemirings) {
  // The shortest of three steps: what is not stored is infinitely far.
  notation::Parsed parsed = notation::parse("A(i,l) min= B(i,j) + C(j,k) + D(k,l)");
  Scalar infinity = Scalar::of(ElementType::Float64, std::numeric_limits<double>::infinity());
  std::map<std::string, TensorVar> vars;
  for (const char* name : {"A", "B", "C", "D"})
    vars.emplace(name, TensorVar(name, ElementType::Float64, parse_format("csr", 2), infinity));
  Problem p = std::get<Problem>(problem_of(notation::resolve(parsed, vars)));
  KnownInputs inputs{{}, {{"B", 10}, {"C", 50000}, {"D", 50000}}};
  for (const auto& [name, var] : p.variables) inputs.extents[var] = 1000;
  std::vector<Split> all = splits(p, inputs);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(notation::to_string(all[0].statements[0]), "w(i,k) = min_over(j, B(i,j) + C(j,k))");
  EXPECT_EQ(all[0].statements[0].lhs.tensor.fill(), infinity);
}

TEST(Splits, AreNotMadeOfSums) {
  EXPECT_EQ(best("A(i,j) = B(i,j) + C(i,j)*D(i,j)", csr, thousands, {{"B", 10}, {"C", 10}, {"D", 10}}), "");
  EXPECT_EQ(best("s = exp(P(i,j))*Q(j,k)*R(k,i)", {}, thousands, {{"P", 10}, {"Q", 10}, {"R", 10}}), "");
}

TEST(Splits, NeedSizesOfAll) {
  EXPECT_EQ(best("s = P(i,j)*Q(j,k)*R(k,i)", {}, {{"i", 10}, {"j", 10}}, {{"P", 100}, {"Q", 100}, {"R", 100}}), "");
  EXPECT_EQ(best("s = P(i,j)*Q(j,k)*R(k,i)", {}, thousands, {{"P", 100}, {"Q", 100}}), "");
}

TEST(Variants, HaveTemporariesInOtherOrdersAndFormats) {
  Problem p = problem("A(i,l) = B(i,j)*C(j,k)*D(k,l)", csr);
  KnownInputs inputs{{}, {{"B", 10}, {"C", 50000}, {"D", 50000}}};
  for (const auto& [name, var] : p.variables) inputs.extents[var] = 1000;
  Split split = splits(p, inputs)[0];
  std::vector<std::string> seen;
  for (const Split& other : variants(split, 0)) {
    const notation::Statement& first = other.statements[0];
    seen.push_back(notation::to_string(first.lhs) + " " + to_string(first.lhs.tensor.format()) + ", " +
                   notation::to_string(other.statements[1]));
  }
  EXPECT_EQ(join(seen, "; "),
            "w(i,k) dcsr, A(i,l) = sum(k, w(i,k)*D(k,l)); w(k,i) csr, A(i,l) = sum(k, w(k,i)*D(k,l)); "
            "w(k,i) dcsr, A(i,l) = sum(k, w(k,i)*D(k,l))");
}

}  // namespace
}  // namespace filigree::autoschedule
