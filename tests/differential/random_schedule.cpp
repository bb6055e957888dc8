#include "tests/differential/random_schedule.h"

#include <algorithm>

#include "notation/parts.h"
#include "support/check.h"
#include "tests/differential/published_rules.h"

namespace filigree::differential {
namespace {

using schedule::Name;

/// What commands can name: variables, also those that commands made, and tensors.
class Names {
 public:
  Names(const notation::Statement& statement, const concrete::Program& program, std::mt19937& random)
      : random_(random), result_(statement.lhs.tensor.name()), parts_(notation::part_texts(statement.rhs)) {
    for (const IndexVar& var : notation::index_vars(statement)) add(own_, var.name());
    for (const notation::Access& access : notation::accesses(statement.rhs))
      add(accesses_, notation::to_string(access));
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
  Name result() const { return result_; }
  /// A part of the statement, or what may be one.
  std::string part() const {
    if (accesses_.size() < 2 || random_() % 2 == 0) return parts_[random_() % parts_.size()];
    const char* operators[] = {"*", "*", "*", "+"};
    return accesses_[random_() % accesses_.size()] + operators[random_() % 4] + accesses_[random_() % accesses_.size()];
  }
  /// Some of the statement's variables, mostly of those in the text.
  std::vector<Name> variables_in(const std::string& text) const {
    std::vector<Name> out;
    for (const std::string& name : own_) {
      bool is_inside = text.find(name + ",") != std::string::npos || text.find(name + ")") != std::string::npos;
      if (random_() % (is_inside ? 2 : 20) == 0) out.push_back(name);
    }
    if (random_() % 3 == 0) std::reverse(out.begin(), out.end());
    return out;
  }
  Name fresh() { return "v" + std::to_string(made_++); }
  void accept(const std::vector<Name>& names, const std::vector<Name>& tensors) {
    for (const Name& name : names) add(variables_, name.text);
    for (const Name& name : tensors) add(tensors_, name.text);
  }

 private:
  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::mt19937& random_;
  std::string result_;
  std::vector<std::string> variables_, tensors_;
  std::vector<std::string> own_, accesses_, parts_;  // of the statement
  int made_ = 0;
};

struct Proposal {
  schedule::Command command;
  std::vector<Name> made;          // names it defines
  std::vector<Name> tensors = {};  // workspaces it defines
};

Proposal propose_precompute(Names& names, std::mt19937& random) {
  std::string part = names.part();
  std::vector<Name> variables = names.variables_in(part), inner;
  if (random() % 3 == 0) variables = {names.variable()};
  for (const Name& name : variables) inner.push_back(random() % 2 == 0 ? name : names.fresh());
  schedule::Precompute command{part, variables, inner};
  std::vector<Name> made;
  if (random() % 3 > 0) command.workspace = names.fresh();
  if (command.workspace) made.push_back(*command.workspace);
  const char* formats[] = {"dense", "list",   "table",  "hash", "dok",
                           "csr",   "sparse", "bitmap", "coo",  "(i,j)->(i:dense,j:hashed(full))"};
  if (random() % 3 == 0) command.format = formats[random() % std::size(formats)];
  if (random() % 8 == 0) command.type = random() % 2 == 0 ? ElementType::Float64 : ElementType::Complex128;
  return {command, inner, made};
}

Proposal propose_reformat(const Names& names, std::mt19937& random) {
  const char* formats[] = {"csr",       "csc",       "dcsr", "coo", "dense",   "bitmap",    "hash",
                           "dok",       "s",         "b",    "ss",  "sss",     "dds",       "ss:1,0",
                           "sss:2,0,1", "bcsr(2,2)", "dia",  "ell", "coo_aos", "symmetric", "csb(2,2)"};
  return {schedule::Reformat{names.tensor(), formats[random() % std::size(formats)]}, {}};
}

/// How the result is filled, or how operands are merged.
Proposal propose_ways(const Names& names, std::mt19937& random) {
  using How = schedule::Assemble::How;
  if (random() % 2 == 0) return {schedule::Assemble{names.result(), random() % 3 == 0 ? How::Append : How::Insert}, {}};
  using Strategy = schedule::MergeBy::Strategy;
  return {schedule::MergeBy{names.variable(), random() % 2 == 0 ? Strategy::Gallop : Strategy::TwoFinger}, {}};
}

Proposal propose(Names& names, std::mt19937& random) {
  const std::int64_t sizes[] = {1, 2, 3, 4, 7, 32};
  if (random() % 4 == 0) return random() % 3 == 0 ? propose_reformat(names, random) : propose_precompute(names, random);
  if (random() % 8 == 0) return propose_ways(names, random);
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

/// Commands that give each thread an equal share of a tensor's entries, wherever its rows end; mostly of the one whose
/// pattern the result has.
std::vector<Proposal> balance(const concrete::Program& program, Names& names, std::mt19937& random) {
  std::vector<Name> loops;
  concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
    if (const concrete::Forall* forall = stmt.as<concrete::Forall>()) loops.push_back(forall->var.name());
  });
  size_t depth = std::min<size_t>(1 + random() % 3, loops.size());
  Name tensor = names.tensor();
  const auto& shared = program.environment.shared_patterns;
  if (!shared.empty() && random() % 4 > 0) {
    depth = static_cast<size_t>(shared.begin()->second.levels);
    tensor = shared.begin()->second.operand.tensor;
  }
  std::vector<Proposal> all;
  Name together = loops[0];
  for (size_t n = 1; n < depth; n++) {
    Name wider = names.fresh();
    all.push_back({schedule::Collapse{together, loops[n], wider}, {wider}});
    together = wider;
  }
  Name position = names.fresh(), outer = names.fresh(), inner = names.fresh();
  all.push_back({schedule::Pos{together, position, tensor}, {position}});
  all.push_back({schedule::Split{position, outer, inner, static_cast<std::int64_t>(1 + random() % 4)}, {outer, inner}});
  all.push_back({schedule::Parallelize{outer, schedule::Parallelize::Unit::Cpu, concrete::Races::None}, {}});
  return all;
}

/// A diagnostic without what was named in it.
std::string without_names(const std::string& message) {
  std::string out;
  bool inside = false;
  for (char c : message) {
    if (c == '\'') out += inside ? "'" : "'..", inside = !inside;
    else if (!inside) out += c;
  }
  return out;
}

}  // namespace

RandomSchedule random_schedule(const notation::Statement& statement, int length, std::mt19937& random) {
  RandomSchedule out;
  KernelOptions options;
  concrete::Program unscheduled = Kernel::compile(statement, options).program();
  Names names(statement, unscheduled, random);
  if (names.empty()) return out;
  PublishedRules rules(statement, unscheduled.statement);
  auto accept = [&](const Proposal& proposal) {
    options.schedule = out.commands;
    bool is_legal = rules.allow(proposal.command) == true;
    std::string text = schedule::to_string(proposal.command);
    if (is_legal) out.legal.push_back({text.substr(0, text.find('('))});
    options.schedule.push_back(proposal.command);
    try {
      Kernel::compile(statement, options);
      if (schedule::parse(schedule::to_string(options.schedule)) != options.schedule)
        throw std::runtime_error("another schedule when read back: " + schedule::to_string(options.schedule));
    } catch (const UserError& error) {
      out.refused++;
      if (is_legal) out.legal.back().refused = without_names(error.message());
      return false;
    } catch (const InternalError& error) {
      throw std::runtime_error(error.what() + std::string("\nwith the schedule ") +
                               schedule::to_string(options.schedule));
    }
    rules.follow(proposal.command);
    out.commands = options.schedule;
    names.accept(proposal.made, proposal.tensors);
    return true;
  };
  if (random() % (unscheduled.environment.shared_patterns.empty() ? 6 : 2) == 0) {
    for (const Proposal& proposal : balance(unscheduled, names, random)) accept(proposal);
  }
  for (int tries = 0; tries < 6 * length && static_cast<int>(out.commands.size()) < length; tries++) {
    Proposal proposal = propose(names, random);
    bool accepted = accept(proposal);
    // What is inside of pieces, around them.
    if (const auto* split = std::get_if<schedule::Split>(&proposal.command); accepted && split && random() % 2 == 0) {
      schedule::Reorder inside_out{{split->inner, split->outer}};
      if (random() % 2 == 0)
        inside_out.order.insert(inside_out.order.begin() + static_cast<std::ptrdiff_t>(random() % 3), names.variable());
      accept({inside_out, {}});
    }
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
