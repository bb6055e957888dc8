// cut(variable, pieces, rows|nonzeros|merge, [tensor], [number]): as many pieces as there are threads, or that number,
// of equal work.
//
//   rows      equal numbers of coordinates of `variable`
//   nonzeros  equal numbers of entries of `tensor`, wherever its rows end: the loops directly inside that run over its
//   levels are cut along merge     equal numbers of rows and entries together
//
// Requires: 1. `variable` is a loop, in coordinates  2. `pieces` is a new name  3. but for rows, a tensor that stores
// entries along the loops; it may be left out where there is one  4. for merge, one that has entries below rows.
// Before: forall(i, forall(j, s)).  After: forall(pieces, forall(i, forall(j, s))), and Environment::piece_loops says
// that pieces cuts i, or i and j.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using concrete::Access;
using Kind = Cut::Kind;

const std::vector<Arguments::Word> kinds = {
    {"rows", int(Kind::Rows)}, {"nonzeros", int(Kind::Nonzeros)}, {"merge", int(Kind::Merge)}};

/// The loops of `space`, and those directly inside, as far as they run over the levels of `access` and down to one that
/// tells what is stored; none if there is no such level.
std::vector<IndexVar> loops_along(const Access& access, const Space& space, const concrete::Stmt& stmt) {
  std::vector<IndexVar> vars = concrete::level_vars(access), loops = space.loops;
  auto found = std::search(vars.begin(), vars.end(), loops.begin(), loops.end());
  if (found == vars.end()) return {};
  size_t first = static_cast<size_t>(found - vars.begin());
  while (first + loops.size() < vars.size() && loop_inside(loops.back(), stmt) == vars[first + loops.size()])
    loops.push_back(vars[first + loops.size()]);
  auto is_full = [&] {
    return level::is_always_found(*access.tensor.format().levels()[first + loops.size() - 1].format);
  };
  while (!loops.empty() && is_full()) loops.pop_back();
  return loops.size() < space.loops.size() ? std::vector<IndexVar>() : loops;
}

struct Along {
  std::string tensor;
  std::vector<IndexVar> loops;
};

/// Every tensor that could be meant.
std::vector<Along> candidates(const Space& space, const concrete::Stmt& stmt) {
  std::vector<Along> out;
  for (const concrete::Stmt& loop : loops_over(space.loops.front(), stmt)) {
    concrete::for_each(loop, [&](const concrete::Stmt& s) {
      const concrete::Assign* assign = s.as<concrete::Assign>();
      if (!assign) return;
      for (const Access& access : notation::accesses(assign->rhs)) {
        bool known = std::any_of(out.begin(), out.end(),
                                 [&](const Along& along) { return along.tensor == access.tensor.name(); });
        std::vector<IndexVar> loops = known ? std::vector<IndexVar>() : loops_along(access, space, stmt);
        if (!loops.empty()) out.push_back({access.tensor.name(), loops});
      }
    });
  }
  return out;
}

/// Does the loop run over a level of the tensor?
bool is_stored_along(const std::string& tensor, const IndexVar& var, const concrete::Stmt& stmt) {
  bool found = false;
  concrete::for_each(stmt, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>()) {
      found = found || (access.tensor.name() == tensor && contains(access.indices, var));
    }
  });
  return found;
}

Along choose(const Cut& command, const Space& space, const Nest& nest) {
  std::vector<Along> all = candidates(space, nest.program().statement);
  std::vector<std::string> names;
  for (const Along& along : all) {
    if (command.tensor && along.tensor == command.tensor->text) return along;
    names.push_back(along.tensor);
  }
  const std::string& var = command.variable.text;
  if (command.tensor && !is_stored_along(command.tensor->text, space.loops.front(), nest.program().statement))
    nest.positions_of(*command.tensor, space, command.place);  // says what is wrong with it
  if (command.tensor) {
    nest.fail(
        UserError(fmt::format("'{}' has no entries to count along '{}': the loop directly inside, if there is one, is "
                              "not over its next level",
                              command.tensor->text, var))
            .hint(fmt::format(
                "parallelize '{}' itself, which threads share by entries of whole rows; or take cut({}, {}, rows)", var,
                var, command.pieces.text)),
        command.place, command.tensor->span, space.loops);
  }
  if (all.empty()) {
    nest.fail(UserError(fmt::format("No operand has entries to count along '{}' and the loops directly inside it", var))
                  .hint(fmt::format("cut({}, {}, rows) takes equal numbers of coordinates", var, command.pieces.text)),
              command.place, command.variable.span, space.loops);
  }
  if (all.size() > 1) {
    nest.fail(UserError(fmt::format("Several operands have entries along '{}': {}", var, join(names, ", ")))
                  .hint(fmt::format("name the one whose entries count, as in cut({}, {}, nonzeros, {})", var,
                                    command.pieces.text, names.front())),
              command.place, command.variable.span, space.loops);
  }
  return all.front();
}

}  // namespace

Command read_cut(Arguments& arguments) {
  Name variable = arguments.name("a variable"), pieces = arguments.name("a name for the loop over the pieces");
  Cut cut{variable, pieces, static_cast<Kind>(arguments.word("a way to cut", kinds)), {}, {}, arguments.place()};
  if (arguments.left() > 0 && !arguments.is_number()) cut.tensor = arguments.tensor();
  if (arguments.left() > 0) cut.number = arguments.size();
  return cut;
}

std::string to_string(const Cut& command) {
  return fmt::format("cut({}, {}, {}{}{})", command.variable.text, command.pieces.text,
                     kinds[static_cast<size_t>(command.kind)].text, command.tensor ? ", " + command.tensor->text : "",
                     command.number ? fmt::format(", {}", *command.number) : "");
}

Mentioned mentioned(const Cut& command) {
  Mentioned names{{}, {command.variable}, {command.pieces}};
  if (command.tensor) names.tensors.push_back(*command.tensor);
  return names;
}

void apply(const Cut& command, Nest& nest) {
  Space space = nest.space(command.variable, command.place);
  if (command.number) nest.check_amount(concrete::PieceLoop::Given::Count, *command.number, command.place);
  if (space.positions) {
    nest.fail(UserError(fmt::format("'{}' is in positions of '{}' already", command.variable.text,
                                    space.positions->tensor.name()))
                  .hint("split it: its pieces have equal numbers of entries"),
              command.place, command.variable.span, space.loops);
  }
  if (command.kind == Kind::Rows && command.tensor) {
    nest.fail(UserError("'rows' counts coordinates, not the entries of a tensor")
                  .hint("leave the tensor out, or use nonzeros"),
              command.place, command.tensor->span, space.loops);
  }
  if (command.kind != Kind::Rows) {
    Along along = choose(command, space, nest);
    size_t given = space.loops.size();
    space.loops = along.loops;
    space.positions = nest.positions_of({along.tensor, command.tensor ? command.tensor->span : command.variable.span},
                                        space, command.place);
    const std::vector<Level>& levels = space.positions->tensor.format().levels();
    std::vector<IndexVar> vars = concrete::level_vars(*space.positions);
    size_t last = static_cast<size_t>(std::find(vars.begin(), vars.end(), space.loops.back()) - vars.begin());
    bool has_rows = space.loops.size() > 1 && !levels[last].format->properties().branchless;
    if (command.kind == Kind::Merge && !has_rows) {
      nest.fail(UserError(fmt::format("'{}' has no rows to count beside its entries: it is stored as {}", along.tensor,
                                      to_string(space.positions->tensor.format())))
                    .hint("use nonzeros"),
                command.place, command.tensor ? command.tensor->span : command.variable.span,
                std::vector<IndexVar>(space.loops.begin(), space.loops.begin() + static_cast<std::ptrdiff_t>(given)));
    }
  }
  // Not inside of the braces: GCC 12 destroys the base twice if this throws.
  IndexVar pieces = nest.define_loop(command.pieces, command.place);
  concrete::PieceLoop cut{{space.loops, space.positions},
                          pieces,
                          concrete::PieceLoop::Given::Threads,
                          0,
                          command.place.source,
                          command.place.span};
  if (command.number) cut.given = concrete::PieceLoop::Given::Count, cut.amount = *command.number;
  cut.counts_parents = command.kind == Kind::Merge;
  nest.insert(cut);
}

}  // namespace filigree::schedule
