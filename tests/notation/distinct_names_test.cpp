#include "notation/distinct_names.h"

#include <gtest/gtest.h>

#include "notation/build.h"
#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

IndexVar i("i"), j("j");

TensorVar tensor(const std::string& name, const std::string& format, int order) {
  return TensorVar(name, ElementType::Float64, parse_format(format, order));
}

TEST(CheckTensorNames, RefusesTwoTensorsOfOneName) {
  TensorVar y = tensor("y", "dense", 1), A = tensor("A", "csr", 2), same = tensor("A", "csr", 2),
            other = tensor("A", "coo", 2);
  std::string hint =
      "hint: use the same TensorVar wherever the same tensor is meant, and give other tensors other names\n";
  EXPECT_EQ(error_of([&] { check_tensor_names({(y(i) = A(i, j) * A(j, i))}); }), "no error");
  EXPECT_EQ(error_of([&] { check_tensor_names({(y(i) = A(i, j) * same(i, j))}); }),
            "error: Two different tensors are named 'A'\n" + hint);
  EXPECT_EQ(error_of([&] { check_tensor_names({(y(i) = A(i, j) * other(i, j))}); }),
            "error: Two different tensors are named 'A'\nnote: one is float64 csr, the other float64 coo\n" + hint);
}

TEST(CheckTensorNames, LooksAtTheLeftSideAndAtAllStatements) {
  TensorVar y = tensor("y", "dense", 1), A = tensor("A", "csr", 2), s("A", ElementType::Int32, Format()),
            filled("A", ElementType::Float64, parse_format("csr", 2), Scalar::of(ElementType::Float64, 1.0));
  EXPECT_NE(error_of([&] { check_tensor_names({(s() = A(i, j))}); }).find("one is int32 scalar, the other float64 csr"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              check_tensor_names({(y(i) = A(i, j)), (y(i) = filled(i, j))});
            }).find("the other float64 csr, fill 1"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { check_tensor_names({(y(i) = A(i, j)), (A(i, j) = 2 * A(i, j)), (y(i) = A(i, j))}); }),
            "no error");
}

TEST(CheckTensorNames, LetsTextAssignATensorAnewInAnotherFormat) {
  std::map<std::string, TensorVar> dense{
      {"H", tensor("H", "dense", 1)}, {"a", tensor("a", "dense", 1)}, {"y", tensor("y", "dense", 1)}},
      sparse = dense;
  sparse.insert_or_assign("H", tensor("H", "sparse", 1));
  Statement first = resolve(parse("H(i) = a(i)"), dense), again = resolve(parse("H(i) = 2*a(i)"), sparse);
  EXPECT_EQ(error_of([&] { check_tensor_names({first, again, resolve(parse("y(i) = H(i)"), sparse)}); }), "no error");
  EXPECT_NE(error_of([&] {
              check_tensor_names({first, again, resolve(parse("y(i) = H(i)"), dense)});
            }).find("Two different tensors are named 'H'"),
            std::string::npos);
}

}  // namespace
}  // namespace filigree::notation
