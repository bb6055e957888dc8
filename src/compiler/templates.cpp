#include "compiler/templates.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/notation.h"
#include "support/text.h"

namespace filigree::compiler {
namespace {

/// There are 24 orders of four loops.
constexpr size_t most_ordered = 4;

/// The variables of loops from the outside to the inside, each once.
std::vector<std::string> loops_of_program(const concrete::Program& program) {
  std::vector<std::string> out;
  concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
    const concrete::Forall* loop = stmt.as<concrete::Forall>();
    bool is_new = loop && std::find(out.begin(), out.end(), loop->var.name()) == out.end();
    if (is_new && !loop->as_stored) out.push_back(loop->var.name());
  });
  return out;
}

/// All orders but that of the loops as they are, which no command asks for.
Stage orders(std::vector<std::string> loops) {
  Stage out{"order", {""}};
  if (loops.size() < 2 || loops.size() > most_ordered) return out;
  std::vector<std::string> order = loops;
  std::sort(order.begin(), order.end());
  do {
    if (order != loops) out.commands.push_back(fmt::format("reorder({})", join(order, ", ")));
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

}  // namespace

std::vector<Stage> schedule_stages(const concrete::Program& own) {
  std::vector<std::string> loops = loops_of_program(own);
  if (loops.empty()) return {};
  Stage threads{"threads", {""}}, strategies{"strategy", {""}}, lanes{"lanes", {""}}, tiles{"tiles", {""}};
  for (const std::string& outer : loops) {
    threads.commands.push_back(fmt::format("parallelize({}, cpu, none)", outer));
    threads.commands.push_back(fmt::format("cut({0}, {0}_piece, rows), parallelize({0}_piece, cpu, none)", outer));
    threads.commands.push_back(
        fmt::format("cut({0}, {0}_piece, nonzeros), parallelize({0}_piece, cpu, atomics)", outer));
  }
  for (const std::string& loop : loops) {
    strategies.commands.push_back(fmt::format("mergeby({}, gallop)", loop));
    strategies.commands.push_back(fmt::format("mergeby({}, two_finger)", loop));
    lanes.commands.push_back(fmt::format("vectorize({})", loop));
    lanes.commands.push_back(fmt::format("unroll({}, 4)", loop));
    for (int size : {32, 256}) tiles.commands.push_back(fmt::format("split({0}, {0}_tile, {0}_in, {1})", loop, size));
  }
  return {orders(loops), tiles, strategies, threads, lanes};
}

}  // namespace filigree::compiler
