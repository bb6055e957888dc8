#include "ir/rewrite.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "tests/ir/kernels.h"

namespace filigree::ir {
namespace {

using namespace testing;

const Var a = int_var("a"), b = int_var("b"), i = int_var("i"), v = value_array("v"), w = value_array("w"),
          t("t", table());

Stmt loop() {
  return For{i, integer(0), a,
             block({store(v, add(i, b), Load{w, i}), if_then(less(i, b), increment(b), Alloc{w, b})})};
}

TEST(MapChildren, ReturnsTheSameHandleWhenNothingChanges) {
  Stmt stmt = loop();
  Stmt same = map_children(stmt, [](const Stmt& s) { return s; }, [](const Expr& e) { return e; });
  EXPECT_TRUE(same.same_as(stmt));
  EXPECT_TRUE(substitute(stmt, Substitution()).same_as(stmt));
}

TEST(Substitute, ReplacesScalarsAndRenamesArrays) {
  Var other = value_array("other");
  Substitution substitution;
  substitution.set(a, add(a, integer(1)));
  substitution.set(w, other);
  EXPECT_EQ(print(substitute(loop(), substitution)), R"(for i = 0 .. a + 1 {
  v[i + b] = other[i]
  if i < b {
    b = b + 1
  } else {
    alloc other[b]
  }
}
)");
}

TEST(Variables, ReadAndWrittenAnywhereInside) {
  Stmt stmt = block({loop(), Evaluate{call(Function::TableClear, {t})}});
  VarSet read = variables_read(stmt), written = variables_written(stmt);
  for (const Var& var : {a, b, i, w, t}) EXPECT_TRUE(read.contains(var)) << var.name();
  EXPECT_FALSE(read.contains(v));
  for (const Var& var : {b, i, v, w, t}) EXPECT_TRUE(written.contains(var)) << var.name();
  EXPECT_FALSE(written.contains(a));
}

TEST(Variables, BothArraysOfASegmentAreWritten) {
  VarSet written = variables_written(Evaluate{call(Function::SortSegment, {v, w, a, b})});
  EXPECT_TRUE(written.contains(v) && written.contains(w));
  EXPECT_FALSE(written.contains(a) || written.contains(b));
}

TEST(Variables, SearchesReadTheirArrayAndChangeNothing) {
  Var crd = index_array("crd");
  Stmt stmt = assign(a, call(Function::HashFind, {crd, b, i, a}));
  VarSet read = variables_read(stmt), written = variables_written(stmt);
  for (const Var& var : {crd, a, b, i}) EXPECT_TRUE(read.contains(var)) << var.name();
  EXPECT_EQ(written.size(), 1u);
  Substitution substitution;
  substitution.set(crd, index_array("other"));
  EXPECT_EQ(print(substitute(stmt, substitution)), "a = hash_find(other, b, i, a)\n");
}

TEST(Variables, AllocatedInOrderOfAppearance) {
  std::vector<Var> found = variables_allocated(block({Declare{t, {}}, loop(), Alloc{v, a}, Alloc{v, a}}));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], t);
  EXPECT_EQ(found[1], w);
  EXPECT_EQ(found[2], v);
}

}  // namespace
}  // namespace filigree::ir
