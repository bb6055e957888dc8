// Layouts of tensors with three dimensions: products with vectors and matrices, sums, products with each other.
#include <gtest/gtest.h>

#include "layouts/pack.h"
#include "tests/differential/layout_operands.h"

namespace filigree::differential {
namespace {

using polyhedral::UsedLayout;

const std::map<std::string, std::int64_t> sizes = {{"i", 6}, {"j", 5}, {"k", 7}, {"l", 3}, {"r", 4}},
                                          cube = {{"i", 6}, {"j", 6}, {"k", 6}, {"l", 3}, {"r", 4}};

/// In a box and in a cube, with some entries and with none.
void check(const char* text, const std::map<std::string, Operand>& operands) {
  LayoutCheck(text).run(operands, cube, 4, 3);
  LayoutCheck(text).run(operands, sizes, 4, 11);
  LayoutCheck(text).run(operands, cube, 1000000, 3);
}

TEST(LayoutsOfOrder3, MeetVectorsAndMatrices) {
  for (const UsedLayout& layout : layouts_of_order(3)) {
    Operand a{"", layout};
    for (const char* text :
         {"y(i,j) = A(i,j,k)*x(k)", "y(i,k) = A(i,j,k)*x(j)", "y(j,k) = A(i,j,k)*x(i)", "y(k,i) = A(i,j,k)*x(j)"}) {
      for (const char* vector : {"dense", "sparse", "hash"}) check(text, {{"A", a}, {"x", {vector}}, {"y", {"csr"}}});
    }
    check("s = A(i,j,k)*x(i)*z(j)*w(k)", {{"A", a}, {"x", {"sparse"}}});
    check("C(i,j,l) = A(i,j,k)*B(k,l)", {{"A", a}, {"C", {"sss"}}});
    check("C(i,l,k) = A(i,j,k)*B(j,l)", {{"A", a}, {"B", {"csr"}}});
    check("M(i,r) = A(i,j,k)*B(j,r)*D(k,r)", {{"A", a}});
    check("M(j,r) = A(i,j,k)*B(i,r)*D(k,r)", {{"A", a}, {"B", {"csr"}}});
    check("y(i) = A(i,j,k)", {{"A", a}});
    check("y(j) = A(i,j,k)", {{"A", a}, {"y", {"sparse"}}});
  }
}

TEST(LayoutsOfOrder3, MeetEachOtherAndFormats) {
  std::vector<Operand> others;
  for (const UsedLayout& layout : layouts_of_order(3)) others.push_back({"", layout});
  for (const char* format : {"sss", "dss", "dds", "sds:2,0,1", "sss:1,2,0", "coo", "coo(unordered)", "hash", "dok",
                             "mode_generic(2,2,2)", "bitmap", "dense"})
    others.push_back({format});
  int number = 0;
  for (const UsedLayout& layout : layouts_of_order(3)) {
    for (const Operand& other : others) {
      for (const char* text :
           {"C(i,j,k) = A(i,j,k) + B(i,j,k)", "C(i,j,k) = A(i,j,k)*B(i,j,k)", "s = A(i,j,k)*B(k,j,i)",
            "C(i,j,k) = A(i,j,k) - B(k,i,j)", "C(i,l) = A(i,j,k)*B(l,j,k)"}) {
        if (number++ % every(4) != 0) continue;
        Operand a{"", layout};
        // Here l is a dimension of B.
        std::map<std::string, std::int64_t> all_equal = {{"i", 6}, {"j", 6}, {"k", 6}, {"l", 6}};
        std::map<std::string, Operand> operands = {{"A", a}, {"B", other}};
        if (text[1] == '(') operands["C"] = {std::string(text).starts_with("C(i,l)") ? "csr" : "sss"};
        LayoutCheck(text).run(operands, all_equal, 4, 3);
      }
    }
  }
}

TEST(LayoutsOfOrder3, AreCompiled) {
  for (const UsedLayout& layout : layouts_of_order(3)) {
    Operand a{"", layout};
    LayoutCheck("y(i,j) = A(i,j,k)*x(k)").run({{"A", a}, {"x", {"sparse"}}}, cube, 4, 3, compiler::Target::Jit);
    LayoutCheck("C(i,j,k) = A(i,j,k) + B(i,j,k)")
        .run({{"A", a}, {"B", {"sss"}}, {"C", {"sss"}}}, cube, 4, 3, compiler::Target::Jit);
  }
}

TEST(LayoutsOfOrder3, AreResultsWhereTheirArraysFollow) {
  int packed = 0;
  for (const UsedLayout& layout : layouts_of_order(3)) {
    if (layouts::why_not_packed(layout.layout)) continue;
    packed++;
    Operand c{"", layout};
    check("C(i,j,k) = A(i,j,k) + B(i,j,k)", {{"A", {"sss"}}, {"B", {"dss:2,1,0"}}, {"C", c}});
    check("C(i,j,k) = A(i,j,l)*B(l,k)", {{"A", {"sss"}}, {"B", {"csr"}}, {"C", c}});
    check("C(i,j,k) = A(k,i,j)", {{"A", {"coo"}}, {"C", c}});
  }
  EXPECT_GE(packed, 3);
}

}  // namespace
}  // namespace filigree::differential
