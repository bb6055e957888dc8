#include "tests/differential/random_schedule.h"

#include <algorithm>

namespace filigree::differential {
namespace {

using schedule::Name;

/// What commands can name: variables, also those that commands made, and tensors.
class Names {
 public:
  Names(const concrete::Program& program, std::mt19937& random) : random_(random) {
    concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
      if (const concrete::Forall* forall = stmt.as<concrete::Forall>()) add(variables_, forall->var.name());
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      if (!assign) return;
      for (const concrete::Access& access : notation::accesses(assign->rhs)) add(tensors_, access.tensor.name());
    });
  }

  bool empty() const { return variables_.empty(); }
  /// Mostly one of the latest.
  Name variable() const {
    size_t back = std::min<size_t>(random_() % variables_.size(), random_() % variables_.size());
    return variables_[variables_.size() - 1 - back];
  }
  Name tensor() const { return tensors_.empty() ? Name("none") : Name(tensors_[random_() % tensors_.size()]); }
  Name fresh() { return "v" + std::to_string(made_++); }
  void accept(const std::vector<Name>& names) {
    for (const Name& name : names) add(variables_, name.text);
  }

 private:
  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::mt19937& random_;
  std::vector<std::string> variables_, tensors_;
  int made_ = 0;
};

struct Proposal {
  schedule::Command command;
  std::vector<Name> made;  // names it defines
};

Proposal propose(Names& names, std::mt19937& random) {
  const std::int64_t sizes[] = {1, 2, 3, 4, 7, 32};
  switch (random() % 10) {
    case 0:
    case 1: {
      Name outer = names.fresh(), inner = names.fresh();
      auto direction = random() % 3 == 0 ? schedule::Split::Direction::Up : schedule::Split::Direction::Down;
      schedule::Split split{names.variable(), outer, inner, sizes[random() % std::size(sizes)], direction};
      if (random() % 3 == 0) split.tensor = names.tensor();
      return {split, {outer, inner}};
    }
    case 2: {
      Name both = names.fresh();
      return {schedule::Collapse{names.variable(), names.variable(), both}, {both}};
    }
    case 3: {
      Name position = names.fresh();
      if (random() % 4 == 0) return {schedule::Coord{names.variable(), position}, {position}};
      return {schedule::Pos{names.variable(), position, names.tensor()}, {position}};
    }
    case 4: {
      using Races = concrete::Races;
      const Races races[] = {Races::None, Races::Atomics, Races::Temporary};
      return {schedule::Parallelize{names.variable(), schedule::Parallelize::Unit::Cpu, races[random() % 3]}, {}};
    }
    case 5: {
      const std::int64_t factors[] = {1, 2, 3, 8};
      if (random() % 2 == 0) return {schedule::Unroll{names.variable(), factors[random() % std::size(factors)]}, {}};
      return {schedule::Vectorize{names.variable()}, {}};
    }
    case 6: {
      // What holds for all data; tests/compiler/bounds_test.cpp has sizes to match.
      schedule::Bound bound{names.variable(), schedule::Bound::Kind::Max, 1000};
      if (random() % 2 == 0) bound.kind = schedule::Bound::Kind::Divisible, bound.amount = 1;
      if (random() % 2 == 0) return {bound, {}};
      bound.renamed = names.fresh();
      return {bound, {*bound.renamed}};
    }
    case 7: {
      using Kind = schedule::Cut::Kind;
      const Kind kinds[] = {Kind::Rows, Kind::Nonzeros, Kind::Merge};
      Name pieces = names.fresh();
      schedule::Cut cut{names.variable(), pieces, kinds[random() % 3]};
      if (cut.kind != Kind::Rows && random() % 2 == 0) cut.tensor = names.tensor();
      if (random() % 2 == 0) cut.number = sizes[random() % std::size(sizes)];
      return {cut, {pieces}};
    }
    default: {
      schedule::Reorder reorder{{names.variable(), names.variable()}};
      while (random() % 2 == 0 && reorder.order.size() < 4) reorder.order.push_back(names.variable());
      return {reorder, {}};
    }
  }
}

/// The loop that can be divided among threads.
std::optional<Name> outermost(const concrete::Program& program) {
  concrete::Stmt stmt = program.statement;
  while (const concrete::Where* where = stmt.as<concrete::Where>()) stmt = where->consumer;
  const concrete::Forall* forall = stmt.as<concrete::Forall>();
  return forall ? std::optional<Name>(forall->var.name()) : std::nullopt;
}

}  // namespace

RandomSchedule random_schedule(const notation::Statement& statement, int length, std::mt19937& random) {
  RandomSchedule out;
  KernelOptions options;
  Names names(Kernel::compile(statement, options).program(), random);
  if (names.empty()) return out;
  auto accept = [&](const Proposal& proposal) {
    options.schedule = out.commands;
    options.schedule.push_back(proposal.command);
    try {
      Kernel::compile(statement, options);
    } catch (const UserError&) {
      out.refused++;
      return;
    }
    out.commands = options.schedule;
    names.accept(proposal.made);
  };
  for (int tries = 0; tries < 6 * length && static_cast<int>(out.commands.size()) < length; tries++) {
    accept(propose(names, random));
  }
  // Every second program runs on threads if it can.
  if (random() % 2 == 0) {
    options.schedule = out.commands;
    std::optional<Name> first = outermost(Kernel::compile(statement, options).program());
    if (first && random() % 3 == 0) {
      Name outer = names.fresh(), inner = names.fresh();
      accept({schedule::Split{*first, outer, inner, 2}, {outer, inner}});
      first = outer;
    }
    if (first) accept({schedule::Parallelize{*first, schedule::Parallelize::Unit::Cpu, concrete::Races::None}, {}});
  }
  return out;
}

}  // namespace filigree::differential
