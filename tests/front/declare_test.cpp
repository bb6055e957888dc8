// Programs as text, with what is said about tensors by name.
#include <gtest/gtest.h>

#include "front/declare.h"
#include "front/declared_sizes.h"
#include "tests/front/message_of.h"

namespace filigree::front {
namespace {

DeclaredProgram declared(const std::string& text, const StatedByName& stated, const DeclareOptions& options = {},
                         const std::set<std::string>& given = {}) {
  notation::ParsedProgram program = notation::parse_program(text);
  return declare(program, ProgramNames(program, given), stated, options);
}

std::shared_ptr<Contents> diagonal(std::int64_t size, bool implied) {
  Coordinates entries{{size, size}, {{}, {}}, Array(ElementType::Int32, size)};
  for (std::int64_t n = 0; n < size; n++) {
    entries.coordinate[0].push_back(n);
    entries.coordinate[1].push_back(n);
    entries.values.set(n, Scalar::of(ElementType::Int32, n + 1));
  }
  entries.dimensions_implied = implied;
  return std::make_shared<Contents>(std::move(entries));
}

Stated in(const Format& format) {
  Stated stated;
  stated.format = format;
  return stated;
}

Stated read(std::shared_ptr<Contents> contents) {
  Stated stated;
  stated.contents = std::move(contents);
  return stated;
}

TEST(Declare, WhatIsNotSaidFollowsFromTheDataAndFromWhatIsAssigned) {
  DeclaredProgram program = declared("y(i) = A(i,j)*x(j)", {{"A", read(diagonal(3, false))}});
  EXPECT_EQ(to_string(program.find("A")->format), "dcsr");
  EXPECT_EQ(program.find("A")->type, ElementType::Int32);
  EXPECT_EQ(program.find("A")->dimensions, (std::vector<std::int64_t>{3, 3}));
  EXPECT_TRUE(program.find("x")->format.is_dense());
  EXPECT_EQ(program.find("x")->type, ElementType::Float64);
  EXPECT_FALSE(program.find("y")->is_input);
  EXPECT_EQ(to_string(program.find("y")->format), "sparse");
  EXPECT_EQ(program.statements.size(), 1U);
}

TEST(Declare, ResultsOfOneStatementAreOperandsOfTheNext) {
  DeclaredProgram program =
      declared("C(i,j) = A(i,k)*B(k,j); d(i) = C(i,i)",
               {{"A", in(Format::sparse(2))}, {"B", in(Format::sparse(2))}, {"d", in(Format::sparse(1))}});
  EXPECT_FALSE(program.find("C")->format.is_dense());
  EXPECT_FALSE(program.find("C")->is_input);
  EXPECT_EQ(program.find("d")->format, Format::sparse(1));
  EXPECT_EQ(program.find("d")->format_reason, "given");
  EXPECT_EQ(program.statements[1].rhs.as<notation::Access>()->tensor.format(), program.find("C")->format);
}

TEST(Declare, SizesOfFilesThatSayNoneAreThoseOfOthers) {
  DeclaredProgram program =
      declared("C(i,j) = A(i,j) + B(i,j)", {{"A", read(diagonal(3, true))}, {"B", read(diagonal(5, false))}});
  EXPECT_EQ(program.find("A")->dimensions, (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(program.find("A")->contents->dimensions(), (std::vector<std::int64_t>{5, 5}));
  notation::ProgramSizes sizes = known_sizes(program);
  EXPECT_EQ(sizes.inputs.at("A"), (std::vector<std::int64_t>{5, 5}));
}

TEST(Declare, AnUpdateOfAPartIsTwoStatementsOrOne) {
  EXPECT_EQ(declared("y(i+1) += x(i)", {}, {}, {"y"}).statements.size(), 2U);
  EXPECT_EQ(declared("y(i+1) += x(i)", {}, {.splits_updates = false}, {"y"}).statements.size(), 1U);
}

TEST(Declare, AFillFollowsFromTheExpressionOrTheFile) {
  Stated infinite;
  infinite.fill = Scalar::of(ElementType::Float64, std::numeric_limits<double>::infinity());
  EXPECT_EQ(declared("y(i) = x(i)", {{"x", infinite}}).find("x")->fill, *infinite.fill);
  EXPECT_NE(message_of([&] {
              declared("y(i) = x(i)", {{"x", in(Format::sparse(1))}, {"y", infinite}});
            }).find("What 'y' does not store is given as inf, but 0 follows from the expression"),
            std::string::npos);
  Stated both = read(diagonal(2, false));
  both.contents->set_fill(Scalar::of(ElementType::Int32, std::int64_t{7}));
  EXPECT_EQ(declared("y(i,j) = A(i,j)", {{"A", both}}).find("A")->fill, *both.contents->fill());
  both.fill = Scalar::of(ElementType::Int32, std::int64_t{8});
  EXPECT_NE(message_of([&] { declared("y(i,j) = A(i,j)", {{"A", both}}); }).find("its file says 7"), std::string::npos);
}

}  // namespace
}  // namespace filigree::front
