// What programs are told: which tensor is meant, and advice that a program can follow.
#include <gtest/gtest.h>

#include "front/compile.h"
#include "front/tensor.h"
#include "tests/front/message_of.h"

namespace filigree {
namespace {

using formats::csr, formats::dense;

TEST(Messages, CallTensorsWithoutNamesByTheirPlace) {
  Tensor<double> C({2, 2}), A({2, 3}, csr), B({4, 2}, csr);
  IndexVar i, j, k;
  EXPECT_EQ(
      text_of([&] { C(i, j) = A(i, k) * B(k, j); }),
      "error: Index variable 'k' has two extents: dimension 2 of 'operand1' has 3 but dimension 1 of 'operand2' has 4\n"
      "note: the statement is result(i,j) = sum(k, operand1(i,k)*operand2(k,j)), where operand1 is 2 x 3 csr, operand2 "
      "is 4 x 2 csr\n"
      "note: operands are counted from left to right; tensors with a name, as in Tensor<double> A(\"A\", {2, 3}), are "
      "called by it\n");
}

TEST(Messages, CountOperandsWithNamesToo) {
  Tensor<double> y("y", {2}), A("A", {2, 3}, csr), x({4});
  IndexVar i, j;
  EXPECT_EQ(message_of([&] { y(i) = A(i, j) * x(j); }),
            "Index variable 'j' has two extents: dimension 2 of 'A' has 3 but dimension 1 of 'operand2' has 4");
  Tensor<double> named("operand2", {2, 3});
  EXPECT_EQ(message_of([&] { y(i) = named(i, j) * x(j); }),
            "Index variable 'j' has two extents: dimension 2 of 'operand2' has 3 but dimension 1 of 'operand22' has 4");
}

TEST(Messages, OfNamedTensorsNeedNoExplanation) {
  Tensor<double> y("y", {2}), A("A", {2, 3}, csr), x("x", {4});
  IndexVar i, j;
  EXPECT_EQ(text_of([&] { y(i) = A(i, j) * x(j); }).find("from left to right"), std::string::npos);
}

/// Hints for the command line have options in them.
bool has_option(const std::string& text) {
  for (const char* option : {" -d ", " -t ", " -f ", " -i ", " --"}) {
    if (text.find(option) != std::string::npos) return true;
  }
  return false;
}

TEST(Messages, HaveNoOptionsOfTheCommandLine) {
  TensorVar y("y", ElementType::Float64, Format::dense(2)), x("x", ElementType::Float64, Format::dense(1)),
      p("p", ElementType::Float64, Format::dense(1)), s("s", ElementType::Float64, Format());
  IndexVar i("i"), j("j"), k("k");
  AnyTensor vector(ElementType::Float64, {3}, Format::dense(1));
  std::vector<std::vector<std::int64_t>> scattered(2);
  for (std::int64_t n = 0; n < 2000; n++) scattered[0].push_back(37 * n), scattered[1].push_back(11 * n);
  std::vector<std::string> texts = {
      text_of([&] { Kernel::compile((y(i, j) = x(i))).run({{x, vector}}); }),
      text_of([&] { (void)(y(i, j) = x(at(p(i))) * x(j)); }),
      text_of([&] { Kernel::compile((s = sum(i, pad(x(i - 1)) * value(i)))); }),
      text_of([&] { Kernel::compile((s = sum({i, j}, pad(x(i + j))))); }),
      text_of([&] {
        Tensor<double>::from_coordinates({100000, 100000}, scattered, std::vector<double>(scattered[0].size(), 1),
                                         formats::dia);
      }),
  };
  for (size_t n = 0; n < texts.size(); n++) {
    EXPECT_NE(texts[n], "no error") << n;
    EXPECT_NE(texts[n].find("hint: "), std::string::npos) << texts[n];
    EXPECT_FALSE(has_option(texts[n])) << texts[n];
  }
}

TEST(Messages, AboutElementTypesSayHowToConvert) {
  AnyTensor tensor(ElementType::Float64, {2}, Format::dense(1));
  EXPECT_EQ(text_of([&] { Tensor<float>{tensor}; }),
            "error: The elements of the tensor are float64, not float32\n"
            "hint: convert them with cast<float>(), or make a Tensor<double> of it\n");
  tensor.values().set(1, Scalar::of(ElementType::Float64, 2.5));
  Tensor<float> converted(tensor.cast<float>());
  EXPECT_EQ(converted.at(1), 2.5F);
  EXPECT_EQ(Tensor<double>(tensor).cast<int>().at(1), 2);
  EXPECT_EQ(text_of([&] { (void)tensor.values().as<int>(); }),
            "error: These elements are float64, not int32\n"
            "hint: read them with as<double>(), or convert them first: converted(element_type_of<std::int32_t>())\n");
}

TEST(Messages, AboutMemoryForResultsNameBothSizes) {
  Tensor<double> B("B", {2, 3}, csr);
  std::vector<double> small(5);
  EXPECT_EQ(message_of([&] { B.evaluate_into(small); }), "There is memory for 5 components, but 'B' has 6 (2 x 3)");
  Tensor<double> s;
  EXPECT_EQ(message_of([&] { s.evaluate_into(small); }), "There is memory for 5 components, but the tensor has 1");
  std::int64_t large = std::int64_t{1} << 40;
  Tensor<double> huge({large, large}, formats::coo);
  EXPECT_EQ(message_of([&] { huge.evaluate_into(small); }),
            "There is memory for 5 components, but the tensor has more than 64 bits can count (1099511627776 x "
            "1099511627776)");
}

TEST(Messages, CountOneElementAsOne) {
  try {
    Array::borrow(ElementType::Float64, nullptr, 1);
    ADD_FAILURE() << "not refused";
  } catch (const UserError& error) {
    EXPECT_EQ(error.notes(), std::vector<std::string>{"it should hold 1 element"});
  }
}

TEST(Formats, OfOneOrderNeedNoDimensions) {
  Tensor<double> A(csr), B({{1, 0}, {0, 2}}, csr), half(formats::symmetric);
  IndexVar i, j;
  A(i, j) = 2 * B(i, j);
  EXPECT_EQ(A.dimensions(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(A.format(), csr(2));
  EXPECT_EQ(A.at(1, 1), 4);
  EXPECT_EQ(half.format(), formats::symmetric(2));
  EXPECT_EQ(message_of([] { Tensor<double>{formats::coo}; }),
            "The format coo is for tensors of any order: it does not tell how many dimensions there are");
  EXPECT_EQ(message_of([] { Tensor<double>{formats::compressed}; }),
            "'compressed' is the format of a level, not of a tensor");
  Tensor<double> x(Format{dense});
  EXPECT_EQ(x.order(), 1);
}

}  // namespace
}  // namespace filigree
