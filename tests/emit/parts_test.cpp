// Arrays that the iterations of a parallel loop leave behind.
#include <gtest/gtest.h>

#include "passes/eliminate_dead_code.h"
#include "ir/interpret.h"
#include "emit/c_statement.h"
#include "passes/simplify.h"
#include "ir/verify.h"
#include "support/check.h"
#include "tests/emit/compiled.h"

namespace filigree::emit {
namespace {

using namespace ir;
using namespace ir::testing;

struct Names {
  Var y{"y_vals", array(ElementType::Float64)}, own{"own", array(ElementType::Float64)},
      all{"all", parts(ElementType::Float64)};
  Var count = int64_var("y_count"), piece = int64_var("piece");
};

/// Three pieces, each with its number; y is that of the second.
FunctionDef second_of_three(const Names& n, std::vector<Stmt> after) {
  Stmt loop = For{n.piece, integer(0), integer(3),
                  block({Alloc{n.own, integer(4)}, store(n.own, integer(0), convert(n.piece, ElementType::Float64)),
                         Keep{n.all, n.piece, n.own, integer(1)}}),
                  LoopKind::Parallel};
  std::vector<Stmt> code = {Alloc{n.all, integer(3)}, loop};
  code.insert(code.end(), after.begin(), after.end());
  code.push_back(declare(n.count, integer(1)));
  return {"f", {"y"}, {out_array(n.y, 0, 0, n.count)}, block(std::move(code)), {}};
}

TEST(Parts, AreTakenWhereTheyWereKept) {
  Names n;
  FunctionDef function = second_of_three(n, {Take{n.y, n.all, integer(1)}, Free{n.all}});
  verify(function);
  function = passes::eliminate_dead_code(passes::simplify(function));
  verify(function);
  std::vector<TensorView> tensors = {{{1}, {}}};
  ASSERT_EQ(interpret(function, tensors), Status::Ok);
  EXPECT_EQ(values_of(tensors[0].arrays[0]), std::vector<double>{1});
  release(tensors[0]);
}

TEST(Parts, AreReleasedWhenMemoryRunsOut) {
  Names n;
  FunctionDef function = second_of_three(n, {Take{n.y, n.all, integer(1)}, Grow{n.y, integer(9)}, Free{n.all}});
  emit::testing::Compiled compiled(emit_c({{function}}, {}));
  for (std::int64_t left = 0; left < 6; left++) {
    std::vector<TensorView> tensors = {{{1}, {}}}, again = tensors;
    emit::testing::Memory memory;
    memory.left = left;
    bool fails = left < 5;  // parts, three arrays, growth
    EXPECT_EQ(interpret(function, tensors, {.fail_allocation_after = fails ? left : -1}),
              fails ? Status::OutOfMemory : Status::Ok);
    EXPECT_EQ(emit::testing::run(compiled.entry("f"), again, {ElementType::Float64}, memory), fails ? 1 : 0);
    EXPECT_EQ(memory.blocks, fails ? 0 : 1);
    if (!fails) release(tensors[0]), release(again[0]);
  }
}

std::string error_of(const FunctionDef& function) {
  std::vector<TensorView> tensors = {{{1}, {}}};
  try {
    interpret(function, tensors);
  } catch (const InterpreterError& error) {
    return error.what();
  }
  release(tensors[0]);
  return "";
}

TEST(Parts, AreCheckedByTheInterpreter) {
  Names n;
  auto says = [&](std::vector<Stmt> after, const std::string& what) {
    EXPECT_NE(error_of(second_of_three(n, std::move(after))).find(what), std::string::npos) << what;
  };
  Stmt take = Take{n.y, n.all, integer(1)}, free = Free{n.all};
  says({take}, "leak: parts 'all' are never freed");
  says({Take{n.y, n.all, integer(3)}, free}, "part out of bounds: 'all' at 3, there are 3");
  says({Take{n.own, n.all, integer(1)}, Free{n.own}, Take{n.y, n.all, integer(1)}, free},
       "'y_vals' is taken from where nothing is kept");
  says({Take{n.own, n.all, integer(1)}, Keep{n.all, integer(0), n.own, integer(1)}, take, free},
       "leak: 'own' is kept where another array is");
  says({Take{n.own, n.all, integer(0)}, Keep{n.all, integer(0), n.own, integer(2)}, take, free},
       "2 elements of 'own' are kept, it has 1");
}

TEST(Parts, AreCheckedByTheVerifier) {
  Names n;
  auto says = [&](std::vector<Stmt> after, const std::string& what) {
    try {
      verify(second_of_three(n, std::move(after)));
      ADD_FAILURE() << what;
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  Stmt take = Take{n.y, n.all, integer(1)}, free = Free{n.all};
  says({take}, "local that is not freed in the block that allocates it: 'all'");
  says({free, take}, "parts used before they are allocated: 'all'");
  says({Keep{n.all, integer(0), n.own, integer(1)}, take, free}, "array used before it is allocated: 'own'");
  Var whole_numbers("whole", array(ElementType::Int64));
  says({Take{whole_numbers, n.all, integer(1)}, Free{whole_numbers}, take, free},
       "move of something that is no array of this kind: 'whole'");
  Stmt shared = For{n.piece, integer(0), integer(3), Take{n.y, n.all, n.piece}, LoopKind::Parallel};
  says({shared, free}, "an array that is shared taken in a parallel loop: 'y_vals'");
}

TEST(Parts, PrintAsTheyAreInC) {
  Names n;
  EXPECT_EQ(c_text(block({Alloc{n.all, integer(3)}, Keep{n.all, integer(0), n.own, integer(1)},
                          Take{n.own, n.all, integer(0)}, Free{n.all}})),
            "NEW_PARTS(all, 3);\nKEEP(all, 0, own);\nTAKE(own, all, 0);\nFREE_PARTS(all);\n");
}

}  // namespace
}  // namespace filigree::emit
