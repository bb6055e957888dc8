#include "passes/fetch_ahead.h"

#include <random>

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/runtime/scattered.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

FILIGREE_SCATTERED(scattered_i32, std::int32_t)
FILIGREE_SCATTERED(scattered_i64, std::int64_t)

const Var rows = int_var("rows"), count = int_var("count"), pos = index_array("pos"), crd = index_array("crd"),
          cursors = index_array("cursors");
const Var y = value_array("y"), i = int_var("i"), p = int_var("p"), j = int_var("j"), q = int_var("q");

Stmt step(const Expr& row) { return store(cursors, row, add(load_index(cursors, row), integer(1))); }
Stmt write(const Expr& place) { return store(y, place, constant(Scalar(ElementType::Float64))); }
Stmt scatter_to(const Expr& row) {
  return block({declare(j, load_index(crd, p)), declare(q, load_index(cursors, row)), step(row), write(q)});
}

std::string ahead(const Stmt& loop) {
  Stmt body = block({declare(count, rows), Alloc{y, count, true}, Alloc{cursors, rows, true}, loop, Free{cursors}});
  FunctionDef function{"f",
                       {"y", "B"},
                       {out_array(y, 0, 0, count), dimension(rows, 1, 0), in_array(pos, 1, 0), in_array(crd, 1, 1)},
                       body,
                       {}};
  verify(function);
  FunctionDef result = fetch_ahead(function);
  verify(result);
  if (result.body == function.body) return "as it was";
  std::string text = print(result.body);
  return text.substr(text.find("# If"));
}

TEST(FetchAhead, EntriesOfAllRowsCount) {
  Stmt inner = For{p, load_index(pos, i), load_index(pos, add(i, integer(1))), scatter_to(j)};
  EXPECT_EQ(ahead(For{i, integer(0), rows, inner}),
            R"(# If the entries are scattered, the places they go to are fetched ahead of time.
var jumps: bool = scattered(crd, int64(pos[0]), int64(pos[rows])) != 0
var last: int64 = int64(pos[rows]) - 1
for i = 0 .. rows {
  for p = int64(pos[i]) .. int64(pos[i + 1]) {
    if jumps {
      var next: int64 = int64(cursors[int64(crd[min(p + 16, last)])])
      fetch(y, next)
    }
    var j: int64 = int64(crd[p])
    var q: int64 = int64(cursors[j])
    cursors[j] = int32(int64(cursors[j]) + 1)
    y[q] = 0.0
  }
}
free cursors
)");
}

TEST(FetchAhead, OneLoop) {
  std::string text = ahead(For{p, load_index(pos, integer(0)), load_index(pos, integer(1)), scatter_to(j)});
  EXPECT_NE(text.find("scattered(crd, int64(pos[0]), int64(pos[1]))"), std::string::npos) << text;
}

TEST(FetchAhead, OtherLoopsStay) {
  auto over_entries = [](const Stmt& body) {
    return For{p, load_index(pos, integer(0)), load_index(pos, integer(1)), body};
  };
  EXPECT_EQ(ahead(over_entries(block({declare(j, load_index(crd, p)), declare(q, load_index(cursors, j)), write(q)}))),
            "as it was")
      << "no cursor moves";
  EXPECT_EQ(ahead(over_entries(block({declare(j, load_index(crd, p)), write(j)}))), "as it was") << "no cursor";
  EXPECT_EQ(ahead(over_entries(if_then(less(p, rows), scatter_to(j)))), "as it was") << "not for all entries";
  EXPECT_EQ(ahead(For{i, integer(0), rows, over_entries(scatter_to(j))}), "as it was")
      << "the same entries in every iteration";
  Stmt inner = For{p, load_index(pos, i), load_index(pos, add(i, integer(1))), scatter_to(add(i, j))};
  EXPECT_EQ(ahead(For{i, integer(0), rows, inner}), "as it was") << "later entries belong to other rows";
}

TEST(FetchAhead, WhatIsScattered) {
  constexpr std::int64_t entries = 1 << 20, columns = 100'000;
  std::mt19937 random(1);
  std::vector<std::int32_t> anywhere, band, stencil, clusters;
  for (std::int64_t n = 0; n < entries; n++) {
    anywhere.push_back(static_cast<std::int32_t>(random() % columns));
    band.push_back(static_cast<std::int32_t>(n / 11 + n % 11));
    stencil.push_back(static_cast<std::int32_t>(n / 5 + n % 5 * 300));
    clusters.push_back(static_cast<std::int32_t>(random() % 500 + n / 1000));
  }
  EXPECT_EQ(scattered_i32(anywhere.data(), 0, entries), 1);
  EXPECT_EQ(scattered_i32(anywhere.data(), entries / 4, entries), 1);
  EXPECT_EQ(scattered_i32(anywhere.data(), 0, 1000), 0) << "it stays in the cache";
  EXPECT_EQ(scattered_i32(anywhere.data(), 0, 0), 0);
  EXPECT_EQ(scattered_i32(band.data(), 0, entries), 0);
  EXPECT_EQ(scattered_i32(stencil.data(), 0, entries), 0);
  EXPECT_EQ(scattered_i32(clusters.data(), 0, entries), 0);
  std::vector<std::int64_t> wide(anywhere.begin(), anywhere.end());
  EXPECT_EQ(scattered_i64(wide.data(), 0, entries), 1);
}

}  // namespace
}  // namespace filigree::passes
