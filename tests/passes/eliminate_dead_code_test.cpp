#include "passes/eliminate_dead_code.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Var n = int_var("n"), m = int_var("m"), y = value_array("y"), i = int_var("i"), p = int_var("p"),
          w = index_array("w"), t("t", table());

std::string eliminated(std::vector<Stmt> statements) {
  statements.insert(statements.begin(), {declare(n, m), Alloc{y, n, true}});
  FunctionDef function{"f", {"y"}, {out_array(y, 0, 0, n), dimension(m, 0, 0)}, block(std::move(statements)), {}};
  verify(function);
  FunctionDef result = eliminate_dead_code(function);
  verify(result);
  std::string text = print(result.body), start = "var n: int64 = m\nalloc zero y[n]\n";
  EXPECT_EQ(text.substr(0, start.size()), start);
  return text.substr(start.size());
}

Stmt use(const Expr& index) { return store(y, index, constant(Scalar(ElementType::Float64))); }
Expr insert(const Expr& coordinate) { return call(Function::TableInsert, {t, integer(0), coordinate}); }

TEST(EliminateDeadCode, ScalarsNobodyReads) {
  EXPECT_EQ(eliminated({declare(p, m), increment(p), For{i, integer(0), m, increment(p)}}), "");
  EXPECT_EQ(eliminated({declare(p, integer(0)), For{i, integer(0), m, block({use(i), increment(p)})}}),
            "for i = 0 .. m {\n  y[i] = 0.0\n}\n");
  EXPECT_EQ(eliminated({declare(p, m), use(p)}), "var p: int64 = m\ny[p] = 0.0\n");
}

TEST(EliminateDeadCode, ArraysNobodyReads) {
  EXPECT_EQ(eliminated({Alloc{w, m}, store(w, integer(0), m), Evaluate{call(Function::Sort, {w, integer(1)})},
                        Grow{w, m}, Free{w}}),
            "");
  EXPECT_EQ(eliminated({Alloc{w, m}, store(w, integer(0), m), use(load_index(w, integer(0))), Free{w}}),
            "alloc w[m]\nw[0] = int32(m)\ny[int64(w[0])] = 0.0\nfree w\n");
}

TEST(EliminateDeadCode, ArraysThatOnlyFeedEachOther) {
  Var v = index_array("v");
  EXPECT_EQ(eliminated({Alloc{w, m, true}, Alloc{v, m, true}, store(w, integer(0), load_index(v, integer(0))),
                        store(v, integer(0), load_index(w, integer(0))), Free{w}, Free{v}}),
            "");
}

TEST(EliminateDeadCode, SegmentsMatterWhenEitherArrayDoes) {
  Var v = index_array("v");
  Stmt make = block({Alloc{w, m, true}, Alloc{v, m, true}}), drop = block({Free{v}, Free{w}});
  Stmt sort = Evaluate{call(Function::SortSegment, {w, v, integer(0), m})};
  EXPECT_EQ(eliminated({make, sort, drop}), "");
  for (const Var& read : {w, v}) {
    std::string text = eliminated({make, sort, use(load_index(read, integer(0))), drop});
    EXPECT_EQ(text, "alloc zero w[m]\nalloc zero v[m]\nsort_segment(w, v, 0, m)\ny[int64(" + read.name() +
                        "[0])] = 0.0\nfree v\nfree w\n");
  }
}

TEST(EliminateDeadCode, SearchesReadTheirArray) {
  Stmt make = block({Alloc{w, integer(2)}, store(w, integer(0), integer(-1)), store(w, integer(1), m)});
  Stmt find = declare(p, call(Function::HashFind, {w, integer(0), integer(2), m}));
  EXPECT_EQ(eliminated({make, find, Free{w}}), "");
  EXPECT_EQ(eliminated({make, find, use(p), Free{w}}),
            "alloc w[2]\nw[0] = -1i32\nw[1] = int32(m)\nvar p: int64 = hash_find(w, 0, 2, m)\ny[p] = 0.0\nfree w\n");
}

TEST(EliminateDeadCode, TablesNobodyAsks) {
  EXPECT_EQ(eliminated({Declare{t, {}}, declare(p, insert(m)), Evaluate{call(Function::TableFinish, {t, integer(1)})},
                        Free{t}}),
            "");
}

TEST(EliminateDeadCode, InsertionsIntoALiveTableStay) {
  EXPECT_EQ(eliminated({Declare{t, {}}, declare(p, insert(m)), Evaluate{call(Function::TableClear, {t})},
                        use(call(Function::TableSize, {t})), Free{t}}),
            "new t\ntable_insert(t, 0, m)\ntable_clear(t)\ny[table_size(t)] = 0.0\nfree t\n");
}

TEST(EliminateDeadCode, BreaksMatterInLoopsThatMatter) {
  Stmt stop = if_then(equal(p, i), Break{});
  EXPECT_EQ(eliminated({declare(p, m), For{i, integer(0), m, block({stop, increment(p)})}}), "");
  EXPECT_EQ(eliminated({declare(p, m), For{i, integer(0), m, block({stop, increment(p), use(i)})}}),
            "var p: int64 = m\nfor i = 0 .. m {\n  if p == i {\n    break\n  }\n  p = p + 1\n  y[i] = 0.0\n}\n");
}

TEST(EliminateDeadCode, EmptyBranchesGo) {
  EXPECT_EQ(eliminated({declare(p, m), if_then(less(m, n), increment(p), use(m))}),
            "if not m < n {\n  y[m] = 0.0\n}\n");
  EXPECT_EQ(eliminated({declare(p, m), if_then(less(m, n), increment(p))}), "");
}

TEST(EliminateDeadCode, CommentsGoWithWhatTheyExplain) {
  EXPECT_EQ(eliminated({Comment{"one"}, declare(p, m), Comment{"two"}, Comment{"three"}, use(m), Comment{"four"}}),
            "# two\n# three\ny[m] = 0.0\n");
}

TEST(EliminateDeadCode, ReturnsMatter) {
  EXPECT_EQ(eliminated({if_then(less(m, integer(0)), Return{Status::OutOfMemory})}),
            "if m < 0 {\n  return out_of_memory\n}\n");
}

TEST(EliminateDeadCode, UnchangedBodiesStayTheSame) {
  for (const FunctionDef& f : {spmv(), vector_add(), scatter_product(), table_product()}) {
    FunctionDef once = eliminate_dead_code(f);
    EXPECT_EQ(print(eliminate_dead_code(once)), print(once));
  }
}

}  // namespace
}  // namespace filigree::passes
