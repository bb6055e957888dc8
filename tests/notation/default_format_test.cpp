#include "notation/default_format.h"

#include <gtest/gtest.h>

#include "notation/extents.h"
#include "tensor/named_format.h"
#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

using Formats = std::map<std::string, std::string>;
using Dimensions = std::map<std::string, std::vector<std::int64_t>>;

/// The default for the left tensor; operands are dense unless the test says otherwise.
DefaultFormat chosen(const std::string& text, const Formats& formats, const Dimensions& dimensions = {},
                     bool is_temporary = false, std::int64_t entries = 0) {
  Parsed parsed = parse(text);
  std::map<std::string, TensorVar> tensors;
  std::map<TensorVar, std::vector<std::int64_t>> known;
  SizeHints hints;
  for (const TensorUse& use : parsed.tensors) {
    auto format = formats.find(use.name);
    TensorVar tensor(use.name, use.is_index ? ElementType::Int64 : ElementType::Float64,
                     format == formats.end() ? Format::dense(use.order) : parse_format(format->second, use.order));
    tensors.emplace(use.name, tensor);
    if (auto found = dimensions.find(use.name); found != dimensions.end()) known.emplace(tensor, found->second);
    hints.entries[use.name] = entries;
  }
  Statement statement = resolve(parsed, tensors);
  hints.extents = infer_extents(statement, known, {});
  return default_format(statement, hints, is_temporary);
}

std::string name(const std::string& text, const Formats& formats = {}, const Dimensions& dimensions = {}) {
  return to_string(chosen(text, formats, dimensions).format);
}

TEST(DefaultFormat, FollowsWhatASelectionReads) {
  EXPECT_EQ(name("R(i,j) = wrap(A(i,j+2))", {{"A", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("R(i,j) = wrap(A(i,j+2))", {{"A", "csr"}}), "csr");
  EXPECT_EQ(name("R(i,j) = wrap(A(i+1,j))", {{"A", "csr"}}), "csr");
  EXPECT_EQ(name("R(i,j) = wrap(A(i,j+2))"), "dense");
  EXPECT_EQ(name("z(i) = wrap(x(i+1))"), "dense");
  EXPECT_EQ(name("z(i) = wrap(x(i+1))", {{"x", "sparse"}}), "sparse");
  EXPECT_EQ(name("z(i) = wrap(x(i+1)) + y(i)", {{"x", "sparse"}}), "dense");
}

TEST(DefaultFormat, IsDenseWhereEveryCoordinateIsReached) {
  EXPECT_EQ(name("y(i) = A(i,j)*x(j)", {{"A", "csr"}}), "dense");
  EXPECT_EQ(name("y(i) = A(i,j)*x(j)", {{"A", "dcsr"}}), "sparse");
  EXPECT_EQ(name("A(i,j) = B(i,j) + C(i,j)", {{"B", "csr"}, {"C", "csr"}}), "csr");
  EXPECT_EQ(name("A(i,j) = B(i,j) + C(i,j)", {{"B", "csr"}}), "dense");
  EXPECT_EQ(name("L(i,j) = A(i,j)*(j <= i)"), "csr");
  EXPECT_EQ(chosen("s = x(i)*y(i)", {}).reason, "");
}

TEST(DefaultFormat, FollowsOperandsThroughTheirIndices) {
  EXPECT_EQ(name("B(i,j) = A(i(2,10),j(0,5))", {{"A", "csr"}}), "csr");
  EXPECT_EQ(name("B(i,j) = A(i(2,10),j(0,5))", {{"A", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("B(i,j) = A(i({3,5}),j)", {{"A", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("B(i,j) = A(i+1,2*j)", {{"A", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("B(i,j) = A(i+1,2*j)"), "dense");
  EXPECT_EQ(name("y(j) = A(3,j)", {{"A", "csr"}}), "sparse");
  EXPECT_EQ(name("y(j) = A(3,j)", {{"A", "csc"}}), "sparse");  // a column need not have row 3
  EXPECT_EQ(name("y(j) = A(3,j)"), "dense");
  EXPECT_EQ(name("H(i,j) = pad(A(i,j)) + pad(B(i-37,j))", {{"A", "dcsr"}, {"B", "dcsr"}}), "dcsr");
}

TEST(DefaultFormat, FollowsOperandsToSelectedCoordinates) {
  EXPECT_EQ(name("B(i,j) = A(i,p(j))", {{"A", "csr"}}), "csr");
  EXPECT_EQ(name("B(i,j) = A(i,p(j))", {{"A", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("B(i,j) = A(i,p(j))"), "dense");
  EXPECT_EQ(chosen("B(i,j) = A(i,p(j))", {{"A", "csr"}}).reason, "every i is reached; 'A' skips some j");
  EXPECT_EQ(name("B(i,j) = A(p(i),j)", {{"A", "csr"}}), "csr");
  EXPECT_EQ(name("B(i,j) = A(p(i),j)", {{"A", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("B(i,j) = wrap(A(i,j+1))", {{"A", "csr"}}), "csr");
  EXPECT_EQ(name("T(i,j) = S(p(i),p(j))", {{"S", "csr"}}), "csr");
  EXPECT_EQ(name("T(i,j) = S(p(i),p(j))", {{"S", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("T(i,j) = S(p(i),p(j)) + D(i,j)", {{"S", "csr"}}), "dense");
  EXPECT_EQ(name("y(i) = x(p(q(i)))", {{"x", "sparse"}}), "sparse");
  EXPECT_EQ(name("y(i) = A(p(i),j)*x(j)", {{"A", "csr"}}), "dense");
  EXPECT_EQ(name("y(i) = pad(x(p(i)))"), "dense");
  EXPECT_EQ(name("h(p(i)) += w(i)"), "sparse");  // what nothing is sent to is left out
}

TEST(DefaultFormat, IsSparseWhereTheLeftIndexReachesFewCoordinates) {
  EXPECT_EQ(name("D(i,i) = x(i)"), "csr");
  EXPECT_EQ(name("D(i,i) = x(i)", {{"x", "sparse"}}), "dcsr");
  EXPECT_EQ(name("B(3,j) = x(j)"), "sd");
  EXPECT_EQ(name("B(61*i) = x(i)"), "sparse");
  EXPECT_EQ(name("H(i,j+1000) = B(i,j)", {}, {{"B", {3, 4}}}), "csr");
  EXPECT_EQ(chosen("H(i,j+1000) = B(i,j)", {}, {{"B", {3, 4}}}).reason,
            "every i is reached; j+1000 reaches 4 of 1004 coordinates");
}

TEST(DefaultFormat, IsDenseWhereTheLeftIndexReachesMostCoordinates) {
  EXPECT_EQ(name("B(i+1) = x(i)", {}, {{"x", {9}}}), "dense");
  EXPECT_EQ(name("B(i+1,j) = A(i,j)", {{"A", "csr"}}), "csr");
  EXPECT_EQ(name("C(i+k) += x(i)*y(k)", {}, {{"x", {9}}, {"y", {3}}}), "dense");
  EXPECT_EQ(name("K(3*i+k,2*j+l) += A(i,j)*B(k,l)", {}, {{"A", {4, 4}}, {"B", {3, 2}}}), "dense");
  EXPECT_EQ(name("K(3*i+k,2*j+l) += A(i,j)*B(k,l)", {{"A", "csr"}, {"B", "csr"}}, {{"A", {4, 4}}, {"B", {3, 2}}}),
            "csr");
  EXPECT_EQ(name("K(3*i+k,2*j+l) += A(i,j)*B(k,l)", {{"A", "dcsr"}, {"B", "dcsr"}}, {{"A", {4, 4}}, {"B", {3, 2}}}),
            "dcsr");
}

TEST(DefaultFormat, CanLeaveOutWhatIsPruned) {
  EXPECT_EQ(name("y(i) = prune(x(i))"), "sparse");
  EXPECT_EQ(name("B(i,j) = prune(A(i,j))"), "csr");
  EXPECT_EQ(name("B(i,j) = prune(A(i,j))", {{"A", "dcsr"}}), "dcsr");
  EXPECT_EQ(name("s = prune(x(i))"), "scalar");
}

TEST(DefaultFormat, OfATemporaryVectorThatIsSmallIsABitmap) {
  EXPECT_EQ(to_string(chosen("d(j) = count(i, A(i,j))", {{"A", "dcsr"}}, {{"A", {9, 1000}}}, true).format), "bitmap");
  EXPECT_EQ(to_string(chosen("d(j) = count(i, A(i,j))", {{"A", "dcsr"}}, {{"A", {9, 1000}}}).format), "sparse");
  EXPECT_EQ(to_string(chosen("d(j) = count(i, A(i,j))", {{"A", "csc"}}, {{"A", {9, 1000}}}, true).format), "dense");
  EXPECT_EQ(to_string(chosen("d(j) = count(i, A(i,j))", {{"A", "dcsr"}}, {{"A", {9, 1 << 30}}}, true).format),
            "sparse");
  EXPECT_EQ(to_string(chosen("d(j) = count(i, A(i,j))", {{"A", "dcsr"}}, {{"A", {9, 1 << 30}}}, true, 1 << 29).format),
            "bitmap");
  EXPECT_EQ(to_string(chosen("d(j) = count(i, A(i,j))", {{"A", "dcsr"}}, {}, true).format),
            "sparse");  // of unknown size
}

}  // namespace
}  // namespace filigree::notation
