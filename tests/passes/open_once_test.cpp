#include "passes/open_once.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Var rows = int_var("rows"), n = int_var("n"), i = int_var("i"), o = int_var("o"), q = int_var("q"),
          room = int_var("room");
const Var y = value_array("y"), stored("stored", scalar(ElementType::Bool));

Stmt set_stored() { return assign(stored, boolean(true)); }
Stmt open(const Stmt& also = Stmt()) {
  return if_then(negate(stored), block({assign(room, add(room, n)), Grow{y, room}, also, set_stored()}));
}
Stmt write(const Expr& at) { return store(y, at, constant(Scalar(ElementType::Float64))); }

/// What becomes of a loop inside of which rows are made; "as it was" if nothing does.
std::string once(const Stmt& loop) {
  Stmt body = block({declare(n, rows), declare(room, integer(0)), Alloc{y, room, true}, Declare{stored, boolean(false)},
                     loop, declare(q, room)});
  FunctionDef function{"f", {"y", "B"}, {out_array(y, 0, 0, q), dimension(rows, 1, 0)}, body, {}};
  verify(function);
  FunctionDef result = open_once(function);
  verify(result);
  if (result.body == function.body) return "as it was";
  std::string text = print(result.body);
  return text.substr(text.find("stored: bool = false\n") + 21);
}

TEST(OpenOnce, TheQuestionMovesOutOfAllLoops) {
  Stmt inner = For{o, integer(0), n, block({declare(q, add(i, o)), open(), write(o)}), LoopKind::Simd};
  EXPECT_EQ(once(For{i, integer(0), integer(4), inner}), R"(if 0 < n and not stored {
  room = room + n
  grow y[room]
  stored = true
}
for i = 0 .. 4 {
  simd for o = 0 .. n {
    var q: int64 = i + o
    y[o] = 0.0
  }
}
var q: int64 = room
)");
}

TEST(OpenOnce, OtherLoopsStay) {
  auto over = [](const Stmt& body) { return For{o, integer(0), n, body}; };
  EXPECT_EQ(once(over(block({if_then(less(o, room), open()), write(o)}))), "as it was") << "not in each iteration";
  EXPECT_EQ(once(over(block({open(assign(room, add(room, o))), write(o)}))), "as it was") << "of one iteration";
  EXPECT_EQ(once(over(block({declare(q, room), open(), write(q)}))), "as it was") << "what comes before would change";
  EXPECT_EQ(once(over(block({open(), write(o), assign(stored, boolean(false))}))), "as it was") << "again and again";
  EXPECT_EQ(once(over(block({write(o), open()}))), "as it was") << "not first";
  EXPECT_EQ(once(For{o, integer(0), room, block({open(), write(o)})}), "as it was") << "the loop would be longer";
}

}  // namespace
}  // namespace filigree::passes
