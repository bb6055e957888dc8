// parallelize(variable, unit, races): iterations of the loop over `variable` run at the same time.
//
// Requires: 1. no other loop is parallel  2. of levels that are filled in order: it is outermost, when all commands are
// done  3. of a `vector`: nothing more. Of `cpu`, what is written below, with
//   `none`                       each component by one iteration; of levels that are filled in order, the first one by
//   the loop or by the one that it
//                                cuts, unless the result has the pattern of an operand
//   `atomics`                    by updates that a processor does at once, to a result with a place for every component
//   `temporary`, `reduction`     by an operator that can be taken up anywhere, to such a result
// 4. operators whose order matters are not accumulated with.
// That the loop can be divided is checked by lattice/strategy.h.  Of gpu_block, gpu_warp and gpu_thread: 1., each unit
// is for one loop, and what gpu_loops.cpp says. Before and after: the same loops; their tags say how they run.  Around
// several that were collapsed there is one over pieces of them.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/meeting.h"
#include "concrete/shared_pattern.h"
#include "concrete/visits.h"
#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {

using concrete::Assign;
using concrete::Races;
using concrete::Stmt;
using Unit = Parallelize::Unit;

bool is_array(const TensorVar& tensor) {
  const std::vector<Level>& levels = tensor.format().levels();
  return std::all_of(levels.begin(), levels.end(), [](const Level& level) {
    return level::takes_any_order(*level.format) && level.format->arrays().empty();
  });
}

void for_each_result(const IndexVar& var, const concrete::Program& program,
                     const std::function<void(const concrete::Forall&, const Assign&)>& visit) {
  for (const Stmt& loop : loops_over(var, program.statement)) {
    concrete::for_each(loop, [&](const Stmt& stmt) {
      const Assign* assign = stmt.as<Assign>();
      if (assign &&
          std::find(program.results.begin(), program.results.end(), assign->lhs.tensor) != program.results.end())
        visit(*loop.as<concrete::Forall>(), *assign);
    });
  }
}

namespace {

constexpr int reduction = 100;  // among races: temporaries, of a scalar

const std::vector<Arguments::Word> units = {{"cpu", int(Unit::Cpu)},
                                            {"CPUThread", int(Unit::Cpu)},
                                            {"CPUThreads", int(Unit::Cpu)},
                                            {"DefaultUnit", int(Unit::Cpu)},
                                            {"vector", int(Unit::Vector)},
                                            {"CPUVector", int(Unit::Vector)},
                                            {"gpu_block", int(Unit::GpuBlock)},
                                            {"GPUBlock", int(Unit::GpuBlock)},
                                            {"gpu_warp", int(Unit::GpuWarp)},
                                            {"GPUWarp", int(Unit::GpuWarp)},
                                            {"gpu_thread", int(Unit::GpuThread)},
                                            {"GPUThread", int(Unit::GpuThread)},
                                            {"serial", int(Unit::Serial)},
                                            {"NotParallel", int(Unit::Serial)}};
const std::vector<Arguments::Word> strategies = {
    {"none", int(Races::None)},      {"NoRaces", int(Races::None)},        {"NoRace", int(Races::None)},
    {"ignore", int(Races::Ignore)},  {"IgnoreRaces", int(Races::Ignore)},  {"atomics", int(Races::Atomics)},
    {"atomic", int(Races::Atomics)}, {"temporary", int(Races::Temporary)}, {"reduction", reduction},
    {"ParallelReduction", reduction}};

const char* word_for(const std::vector<Arguments::Word>& words, int value) {
  return std::find_if(words.begin(), words.end(), [&](const Arguments::Word& word) { return word.value == value; })
      ->text;
}

using Refuse = std::function<void(const std::string& what, const std::string& hint)>;

/// Levels that can only be appended to are filled in order: each thread makes a part of the result, of coordinates of
/// its first level that follow each other. Not if they have the pattern of an operand.
void check_order(const Assign& assign, const IndexVar& var, const Nest& nest, const Refuse& refuse) {
  const TensorVar& tensor = assign.lhs.tensor;
  const std::vector<Level>& levels = tensor.format().levels();
  if (std::all_of(levels.begin(), levels.end(), [](const Level& level) { return level.format->insert(); })) return;
  if (concrete::shared_pattern(nest.program(), tensor)) return;
  IndexVar first = concrete::level_vars(assign.lhs).front();
  const std::vector<concrete::PieceLoop>& cuts = nest.program().environment.piece_loops;
  bool in_order = var == first || std::any_of(cuts.begin(), cuts.end(), [&](const concrete::PieceLoop& cut) {
                    return cut.var == var && !cut.by_number && cut.loops == std::vector<IndexVar>{first};
                  });
  std::string stored = fmt::format("'{}' is stored as {}", tensor.name(), to_string(tensor.format()));
  if (!in_order) {
    bool is_cut = std::any_of(cuts.begin(), cuts.end(), [&](const concrete::PieceLoop& cut) {
      return cut.loops == std::vector<IndexVar>{first};
    });
    refuse(fmt::format("{}, which is filled in order: threads can share the loop over its first level, '{}', or over "
                       "pieces of that, and not the one over '{}'",
                       stored, first.name(), var.name()),
           is_cut ? fmt::format("parallelize the pieces of '{}' themselves, and split what is inside of them, or store "
                                "the result dense",
                                first.name())
                  : fmt::format("reorder '{}' to the outside and parallelize it, or store the result dense",
                                first.name()));
  }
  if (levels.front().format->arrange()) {
    refuse(fmt::format("{}, whose first level takes its own order when all of it is there: that is for one thread",
                       stored),
           "store the result dense, or leave the loop to one thread");
  }
}

void check_races(const Parallelize& command, const IndexVar& var, const Nest& nest) {
  const concrete::Program& program = nest.program();
  if (command.races == Races::Ignore) return;
  for_each_result(var, program, [&](const concrete::Forall& loop, const Assign& assign) {
    bool apart = concrete::writes_apart(loop, assign, program.environment);
    std::string result = notation::to_string(assign.lhs);
    auto refuse = [&](const std::string& what, const std::string& hint) {
      UserError error(what);
      std::optional<std::string> met = apart ? std::nullopt : concrete::meeting(var, assign, program);
      if (met) std::move(error).note(*met);
      nest.fail(std::move(error).hint(hint), command.place, command.place.span, {var});
    };
    if (apart) return check_order(assign, var, nest, refuse);
    if (contains(assign.lhs.indices, var) && concrete::has_shared_places(assign.lhs.tensor.format())) {
      refuse(fmt::format("'{}' is stored as {}, which has one place for several coordinates: threads would meet there",
                         assign.lhs.tensor.name(), to_string(assign.lhs.tensor.format())),
             "store the result in another format, or leave the loop to one thread");
    }
    if (command.races == Races::None) {
      refuse(fmt::format("Several iterations of '{}' write the same component of '{}'", command.variable.text, result),
             is_array(assign.lhs.tensor) ? "give a strategy for that: atomics, temporary, or reduction for a scalar; "
                                           "or parallelize a loop over an index of the result"
                                         : "parallelize a loop over the result's first index");
    }
    if (!is_array(assign.lhs.tensor) && !concrete::shared_pattern(program, assign.lhs.tensor)) {
      refuse(fmt::format("Several iterations of '{}' write the same component of '{}', which is stored as {}",
                         command.variable.text, result, to_string(assign.lhs.tensor.format())),
             "only dense results, and those with the pattern of an operand, can be updated by several threads; "
             "parallelize a loop over the result's first index");
    }
    if (!assign.op || !facts(*assign.op).associative || !facts(*assign.op).commutative ||
        !identity(*assign.op, assign.lhs.tensor.type())) {
      refuse(fmt::format("'{}' is not accumulated by an operator that can be taken up anywhere", result),
             "parallelize a loop over an index of the result");
    }
    if (command.races == Races::Atomics && is_complex(assign.lhs.tensor.type())) {
      refuse("Complex numbers cannot be updated at once", "use temporary instead of atomics");
    }
    if (command.reduces && assign.lhs.tensor.order() > 0)
      refuse(fmt::format("'reduction' is for a scalar, and '{}' is none", result),
             "use temporary: it is the same for tensors");
  });
}

/// Is there a place for every component that is written in the loop?
bool fills_in_any_order(const IndexVar& var, const Nest& nest) {
  bool any_order = true;
  for_each_result(var, nest.program(), [&](const concrete::Forall&, const Assign& assign) {
    any_order = any_order &&
                (is_array(assign.lhs.tensor) || concrete::shared_pattern(nest.program(), assign.lhs.tensor));
  });
  return any_order;
}

/// A loop inside of others is divided each time it comes, and so are several over the variable, one after the other.
/// Then none is around everything, as it has to be for results that are filled in order.
void check_outermost(const std::string& name, const IndexVar& var, const Nest& nest, const Place& place, Span span) {
  Stmt outermost = nest.program().statement;
  while (const concrete::Where* where = outermost.as<concrete::Where>()) outermost = where->consumer;
  const concrete::Forall* first = outermost.as<concrete::Forall>();
  if ((first && first->var == var) || fills_in_any_order(var, nest)) return;
  if (outermost.as<concrete::Sequence>()) {
    nest.fail(UserError(fmt::format("There is no loop over '{}' around everything: parts of the result are computed "
                                    "one after the other, each in loops of its own",
                                    name))
                  .hint("store the operands with a place for every '" + name +
                        "', such as csr for rows, or assign the sum in several statements"),
              place, span, {var});
  }
  nest.fail(
      UserError(fmt::format("The loop over '{}' is not the outermost one, and the result is filled in order", name))
          .hint("reorder the loops, parallelize the outermost one, or store the result dense"),
      place, span, {var});
}

/// The order is checked with the command; what comes after it may change the way in which a result is filled.
void check_order_again(const Nest& nest, const IndexVar& var, const concrete::LoopTag& tag) {
  const concrete::Environment& environment = nest.program().environment;
  Place place{tag.parallel_by.source, tag.parallel_by.span};
  auto refuse = [&](const std::string& what, const std::string& hint) {
    nest.fail(UserError(what).hint(hint), place, place.span, {var});
  };
  for_each_result(var, nest.program(), [&](const concrete::Forall& loop, const Assign& assign) {
    if (concrete::writes_apart(loop, assign, environment)) check_order(assign, var, nest, refuse);
  });
}

concrete::GpuUnit gpu_unit(Unit unit) {
  return unit == Unit::GpuBlock  ? concrete::GpuUnit::Block
         : unit == Unit::GpuWarp ? concrete::GpuUnit::Warp
                                 : concrete::GpuUnit::Thread;
}

/// What a GPU allows beyond this is for what generates its code to check.
void put_on_gpu(const Parallelize& command, const IndexVar& var, Nest& nest) {
  concrete::GpuUnit unit = gpu_unit(command.unit);
  for (const concrete::Forall& loop : concrete::tagged_loops(nest.program().statement)) {
    const auto& [other, known] = std::pair(loop.var, loop.tag);
    if (!known.gpu && !known.parallel) continue;
    bool is_same_loop = other == var;
    if (!is_same_loop && known.gpu && *known.gpu != unit) continue;
    std::string where = known.gpu ? "the GPU" : "several threads";
    nest.fail(
        UserError(is_same_loop || !known.gpu ? fmt::format("The loop over '{}' is for {} already", other.name(), where)
                                             : fmt::format("The loop over '{}' is the one for '{}' already",
                                                           other.name(), word_for(units, int(command.unit))))
            .hint(
                "each of gpu_block, gpu_warp and gpu_thread is for one loop, and nothing else of a kernel is for cpu"),
        command.place, command.place.span, {var, other});
  }
  concrete::LoopTag tag = nest.tag(var);
  tag.gpu = unit;
  tag.races = command.races;
  tag.parallel_by = {command.place.source, command.place.span};
  nest.set_tag(var, tag);
}

/// Loops run so unless something else is said; it must not be.
void leave_serial(const Parallelize& command, const Nest& nest) {
  for (const IndexVar& var : nest.space(command.variable, command.place).loops) {
    concrete::LoopTag tag = nest.tag(var);
    if (!tag.parallel && !tag.gpu && !tag.vector) continue;
    nest.fail(UserError(fmt::format("The loop over '{}' is parallel already", command.variable.text))
                  .hint("leave one of the two commands out"),
              command.place, command.place.span, {var});
  }
}

}  // namespace

Command read_parallelize(Arguments& arguments) {
  Name variable = arguments.name("a variable");
  auto unit = static_cast<Unit>(arguments.word("a unit", units));
  int races = arguments.left() > 0 ? arguments.word("a strategy for races", strategies) : int(Races::None);
  return Parallelize{variable, unit, races == reduction ? Races::Temporary : static_cast<Races>(races),
                     races == reduction, arguments.place()};
}

std::string to_string(const Parallelize& command) {
  return fmt::format("parallelize({}, {}, {})", command.variable.text, word_for(units, int(command.unit)),
                     word_for(strategies, command.reduces ? reduction : int(command.races)));
}

Mentioned mentioned(const Parallelize& command) { return {{}, {command.variable}, {}}; }

void apply(const Parallelize& command, Nest& nest) {
  if (command.unit == Unit::Vector) return apply(Vectorize{command.variable, command.place}, nest);
  if (command.unit == Unit::Serial) return leave_serial(command, nest);
  // What was collapsed is cut into a piece for each thread; a unit of a GPU takes one point after the other.
  if (command.unit != Unit::Cpu) return put_on_gpu(command, nest.as_one_loop(command.variable, command.place), nest);
  IndexVar var = nest.flatten(command.variable, concrete::PieceLoop::Given::Threads, 0, command.place);
  for (const concrete::Forall& loop : concrete::tagged_loops(nest.program().statement)) {
    const auto& [other, known] = std::pair(loop.var, loop.tag);
    if (known.gpu)
      nest.fail(UserError(fmt::format("The loop over '{}' is for the GPU, so none is for cpu", other.name()))
                    .hint("use the units of a GPU for all loops, or for none"),
                command.place, command.variable.span, {var, other});
    if (known.parallel)
      nest.fail(UserError(fmt::format("The loop over '{}' is parallel already", other.name()))
                    .hint("one loop is divided among threads; vectorize others"),
                command.place, command.variable.span, {var, other});
  }
  concrete::LoopTag tag = nest.tag(var);
  tag.parallel = true;
  tag.races = command.races;
  tag.parallel_by = {command.place.source, command.place.span};
  nest.set_tag(var, tag);
  check_races(command, var, nest);
}

void check_parallel_loops(const Nest& nest) {
  for (const concrete::Forall& loop : concrete::tagged_loops(nest.program().statement)) {
    const auto& [var, tag] = std::pair(loop.var, loop.tag);
    if (!tag.parallel) continue;
    check_outermost(var.name(), var, nest, {tag.parallel_by.source, tag.parallel_by.span}, tag.parallel_by.span);
    if (tag.races != Races::Ignore) check_order_again(nest, var, tag);
  }
}

void check_deterministic(const concrete::Program& program) {
  for (const concrete::Forall& loop : concrete::tagged_loops(program.statement)) {
    const auto& [var, tag] = std::pair(loop.var, loop.tag);
    bool updates = tag.races == Races::Atomics || (tag.gpu && tag.races == Races::Temporary),
         ignores = tag.races == Races::Ignore;
    if ((!tag.parallel && !tag.gpu) || (!updates && !ignores)) continue;
    // Whole numbers add up to the same in any order.
    bool exact = updates;
    for (const TensorVar& result : program.results)
      exact = exact && !is_floating(result.type()) && !is_complex(result.type());
    if (exact) continue;
    UserError error(updates ? fmt::format("With '{}', the order in which iterations of '{}' are added up is another "
                                          "each time, and so are the last bits of their sum",
                                          word_for(strategies, int(tag.races)), var.name())
                            : fmt::format("With 'ignore', nothing tells that iterations of '{}' do not race, and the "
                                          "result is to be the same each time",
                                          var.name()));
    std::move(error).note(concrete::describe_loops(program.statement, {var}));
    std::move(error).hint(
        ignores   ? "use none, which is checked, or do not ask for deterministic results"
        : tag.gpu ? "parallelize a loop over an index of the result, or do not ask for deterministic results"
                  : "use temporary, or do not ask for deterministic results");
    if (tag.parallel_by.source) std::move(error).at(tag.parallel_by.source, tag.parallel_by.span);
    throw error;
  }
}

}  // namespace filigree::schedule
