// Layouts as operands: every expression over layouts and formats gives the oracle's values and pattern.
#include <gtest/gtest.h>

#include "layouts/pack.h"
#include "tests/differential/layout_operands.h"

namespace filigree::differential {
namespace {

using polyhedral::UsedLayout;

const std::map<std::string, std::int64_t> sizes = {{"i", 13}, {"j", 11}, {"k", 9}},
                                          square = {{"i", 12}, {"j", 12}, {"k", 12}};

TEST(Layouts, AreOperandsOfProductsWithVectors) {
  for (const UsedLayout& layout : layouts_of_order(2)) {
    for (const char* text : {"y(i) = A(i,j)*x(j)", "y(j) = A(i,j)*x(i)", "s = A(i,j)*x(j)", "y(i) = A(i,j) + x(i)"}) {
      for (const char* format : {"dense", "sparse", "compressed", "hash", "bitmap"}) {
        std::string vector = std::string(format) == "compressed" ? "(i) -> (i: compressed(unordered))" : format;
        for (unsigned one_in : {3u, 1000u}) {
          Operand a{"", layout}, x{vector, {}};
          LayoutCheck(text).run({{"A", a}, {"x", x}}, square, one_in, 3);
          LayoutCheck(text).run({{"A", a}, {"x", x}}, sizes, one_in, 7);
        }
      }
    }
  }
}

TEST(Layouts, MeetEachOtherAndFormats) {
  std::vector<Operand> others;
  int number = 0;
  for (const UsedLayout& layout : layouts_of_order(2)) others.push_back({"", layout});
  for (const char* format :
       {"csr", "csc", "dcsr", "coo", "coo(unordered)", "bcsr(2,3)", "dia", "ell", "hash", "csb(4,4)", "dense"})
    others.push_back({format});
  for (const UsedLayout& layout : layouts_of_order(2)) {
    for (const Operand& other : others) {
      for (const char* text : {"C(i,j) = A(i,k)*B(k,j)", "C(i,j) = A(i,j)*B(i,j)", "C(i,j) = A(i,j) + B(i,j)",
                               "C(i,j) = A(i,j)*B(j,i)", "C(i,j) = B(i,k)*A(k,j)", "C(i,j) = A(i,j) - B(j,i)"}) {
        Operand a{"", layout};
        if (number++ % every(4) != 0) continue;
        LayoutCheck(text).run({{"A", a}, {"B", other}, {"C", {"csr"}}}, square, 3, 5);
      }
    }
  }
}

/// Loops begin and end where these do, and some meet nowhere.
TEST(Layouts, OfPartsOfMatricesMeet) {
  std::vector<Operand> parts;
  for (const char* text :
       {"layout strict_lower(n, n) {\n arrays vals(n*(n - 1)/2)\n [pi, pj] -> [i, j] : 0 <= pi < n and 0 <= pj < pi "
        "and i = pi and j = pj\n value vals(pi*(pi - 1)/2 + pj)\n}\n",
        "layout strict_upper(n, n) {\n arrays vals(n, n)\n [pi, pj] -> [i, j] : 0 <= pi < n and pi < pj < n and i = pi "
        "and j = pj\n value vals(pi, pj)\n}\n",
        "layout diagonal(n, n) {\n arrays vals(n)\n [pi, pj] -> [i, j] : 0 <= pi < n and 0 <= pj < n and pj = pi and i "
        "= pi and j = pj\n value vals(pi)\n}\n",
        "layout band(rows, columns) {\n arrays vals(rows, 4)\n [pi, pd] -> [i, j] : 0 <= pi < rows and 0 <= pd < 4 and "
        "i = pi and j = pi + pd - 1\n value vals(pi, pd)\n}\n"})
    parts.push_back({"", polyhedral::use_layout(layouts::parse_layout(text))});
  std::vector<Operand> others = parts;
  for (const char* format : {"lower", "upper", "csr", "csc", "dense", "dia", "bcsr(2,3)", "hash"})
    others.push_back({format});
  for (const Operand& part : parts) {
    for (const Operand& other : others) {
      for (const char* text : {"s = A(i,j)*B(i,j)", "y(i) = A(i,j)*B(i,j)", "C(i,j) = A(i,j)*B(i,j)",
                               "C(i,j) = A(i,j) + B(i,j)", "C(i,j) = A(i,j)*B(j,i)", "C(i,j) = A(i,k)*B(k,j)",
                               "y(j) = A(i,j)*B(i,j)", "C(i,j) = select(j < i, A(i,j), B(i,j))"}) {
        std::map<std::string, Operand> operands = {{"A", part}, {"B", other}};
        if (text[0] == 'C') operands["C"] = {"csr"};
        LayoutCheck(text).run(operands, square, 2, 5);
      }
    }
  }
}

TEST(Layouts, AreCompiled) {
  std::vector<UsedLayout> all = layouts_of_order(2);
  for (size_t n = 0; n < all.size(); n++) {
    Operand a{"", all[n]}, b{"", all[(n + 3) % all.size()]}, x{"sparse", {}};
    LayoutCheck("y(i) = A(i,j)*x(j)").run({{"A", a}, {"x", x}}, square, 3, 5, compiler::Target::Jit);
    LayoutCheck("C(i,j) = A(i,k)*B(k,j)")
        .run({{"A", a}, {"B", b}, {"C", {"csr"}}}, square, 3, 5, compiler::Target::Jit);
  }
}

TEST(Layouts, AreResultsWhereTheirArraysFollow) {
  for (const UsedLayout& layout : layouts_of_order(2)) {
    if (layouts::why_not_packed(layout.layout)) continue;
    if (layout.layout.name == "warp") continue;  // not every product fits
    Operand c{"", layout};
    if (layout.layout.name == "lower_triangle") {
      LayoutCheck("C(i,j) = A(i,j)*2").run({{"A", c}, {"C", c}}, square, 3, 5);
      LayoutCheck("C(i,j) = A(i,j) + B(i,j)").run({{"A", c}, {"B", c}, {"C", c}}, square, 3, 5);
      continue;
    }
    for (const char* text :
         {"C(i,j) = A(i,k)*B(k,j)", "C(i,j) = A(i,j) + B(i,j)", "C(i,j) = A(i,j)*B(i,j)", "C(i,j) = A(j,i)"}) {
      LayoutCheck(text).run({{"A", {"csr"}}, {"B", {"csc"}}, {"C", c}}, square, 6, 5);
      LayoutCheck(text).run({{"A", {"csr"}}, {"B", {"csc"}}, {"C", c}}, square, 1000, 5);
    }
  }
}

TEST(Layouts, OfOneDimensionMeetEachOtherFormatsAndMatrices) {
  for (const UsedLayout& layout : layouts_of_order(1)) {
    Operand a{"", layout};
    for (const char* text : {"s = a(i)*b(i)", "c(i) = a(i) + b(i)", "c(i) = a(i) - b(i)"}) {
      for (const char* format : {"dense", "sparse", "hash", "bitmap"})
        LayoutCheck(text).run({{"a", a}, {"b", {format}}, {"c", {"sparse"}}}, square, 3, 5);
      LayoutCheck(text).run({{"a", a}, {"b", a}, {"c", a}}, square, 3, 5);
    }
    for (const UsedLayout& matrix : layouts_of_order(2))
      LayoutCheck("y(i) = A(i,j)*x(j)").run({{"A", {"", matrix}}, {"x", a}, {"y", {"sparse"}}}, square, 3, 5);
  }
}

}  // namespace
}  // namespace filigree::differential
