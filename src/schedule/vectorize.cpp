// vectorize(variable): iterations of the loop over `variable` are elements of vectors.  parallelize(variable, vector)
// is the same.
//
// Requires: 1. `variable` is one loop  2. when all commands are done there are only loops inside, which may be
// reordered with it  3. it goes through no operands side by side, which lattice/strategy.h checks.  Sums may be added
// up in another order. Before: forall(k, forall(j, s)).  After: forall(j, forall(k, s)), since all elements of a vector
// take every step together; the loop's tag says how it runs.
#include <fmt/format.h>

#include "concrete/vars.h"
#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

/// The loops directly inside of this one, from the outside in.
std::vector<IndexVar> loops_inside(const concrete::Forall& loop) {
  std::vector<IndexVar> inside;
  for (const concrete::Forall* inner = loop.body.as<concrete::Forall>(); inner;
       inner = inner->body.as<concrete::Forall>())
    inside.push_back(inner->var);
  return inside;
}

/// A loop anywhere inside of this one.
std::optional<IndexVar> any_loop_inside(const concrete::Forall& loop) {
  std::optional<IndexVar> found;
  concrete::for_each(loop.body, [&](const concrete::Stmt& stmt) {
    if (const concrete::Forall* forall = stmt.as<concrete::Forall>(); forall && !found) found = forall->var;
  });
  return found;
}

struct VectorLoop {
  IndexVar var;
  concrete::LoopTag tag;
  Nest& nest;

  [[noreturn]] void fail(const std::string& why) const {
    Place place{tag.vector_by.source, tag.vector_by.span};
    nest.fail(UserError(fmt::format("The loop over '{}' cannot run as vectors: {}", var.name(), why))
                  .hint("vectorize an innermost loop, or reorder the loops"),
              place, place.span, {var});
  }
};

/// The loops inside of one over `var` that has only loops inside.
std::optional<std::vector<IndexVar>> loops_to_go_inside(const IndexVar& var, const concrete::Stmt& stmt) {
  for (const concrete::Stmt& loop : loops_over(var, stmt)) {
    std::vector<IndexVar> inside = loops_inside(*loop.as<concrete::Forall>());
    if (!inside.empty()) return inside;
  }
  return std::nullopt;
}

/// Makes the loop the innermost one, wherever only loops are inside of it.
void settle(const VectorLoop& vector) {
  const auto& [var, tag, nest] = vector;
  size_t nests = loops_over(var, nest.program().statement).size();
  const std::string name = nest.name_of(var);
  for (size_t n = 0; n < nests; n++) {
    std::optional<std::vector<IndexVar>> inside = loops_to_go_inside(var, nest.program().statement);
    if (!inside) return;
    if (tag.parallel || tag.gpu)
      vector.fail(
          fmt::format("it is divided among threads, so the loop over '{}' stays inside of it", inside->front().name()));
    try {
      move_inside(var, *inside, {tag.vector_by.source, tag.vector_by.span}, nest);
    } catch (const UserError& why) {
      vector.fail(fmt::format("it cannot be inside of the loop over '{}'. {}", inside->back().name(), why.message()));
    }
    nest.program().environment.remarks.push_back(
        fmt::format("the loop over {} goes inside of those over {}: its iterations are elements of vectors, which take "
                    "each step together",
                    name, concrete::names(*inside)));
  }
}

}  // namespace

Command read_vectorize(Arguments& arguments) { return Vectorize{arguments.name("a variable"), arguments.place()}; }

std::string to_string(const Vectorize& command) { return fmt::format("vectorize({})", command.variable.text); }

Mentioned mentioned(const Vectorize& command) { return {{}, {command.variable}, {}}; }

void apply(const Vectorize& command, Nest& nest) {
  IndexVar var = nest.as_one_loop(command.variable, command.place);
  concrete::LoopTag tag = nest.tag(var);
  tag.vector = true;
  tag.vector_by = {command.place.source, command.place.span};
  nest.set_tag(var, tag);
}

void settle_vector_loops(Nest& nest) {
  auto all = [&] {
    std::vector<VectorLoop> vectors;
    for (const concrete::Forall& loop : concrete::tagged_loops(nest.program().statement)) {
      if (loop.tag.vector) vectors.push_back({loop.var, loop.tag, nest});
    }
    return vectors;
  };
  for (const VectorLoop& vector : all()) settle(vector);
  for (const VectorLoop& vector : all()) {  // which may be over other parts of the same points now
    for (const concrete::Stmt& loop : loops_over(vector.var, nest.program().statement)) {
      if (std::optional<IndexVar> inside = any_loop_inside(*loop.as<concrete::Forall>()))
        vector.fail(fmt::format("the loop over '{}' is inside of it", inside->name()));
    }
  }
}

}  // namespace filigree::schedule
