// Other ways to run a statement than its own loops: as several statements with temporaries, or with loops from its
// frontier, where operands of these sizes make that worth it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autoschedule/measure.h"
#include "compiler/pipeline.h"

namespace filigree::compiler {

/// Could anything be gained?  A cheap test: a product of few operands has no parts to store.  A statement that reads
/// its own result, or updates it, is left alone, and one with indices that no operand has.
bool may_have_ways(const notation::Statement& statement);

/// Several statements, or one with other loops.  These come from the frontier or from a schedule.
struct Way {
  std::vector<notation::Statement> statements;  // temporaries first
  std::string candidate = {};                   // of one: its loops, as autoschedule/statement.h writes them
  std::string schedule = {};                    // of one: its loops, by commands for parts (workspace_ways.h)
  std::map<std::string, double> stored = {};    // components of temporaries, as far as can be told
  autoschedule::Measure measure = {};
  std::string commands = {};  // of one: its whole schedule, threads and lanes included (templates.h)
};

/// In a few words: "2 statements", "a schedule", "commands", "a candidate", "its own loops".
std::string name_of(const Way& way);
/// Loops as the way says; nothing if it leaves them to the compiler.
MakeLoops loops_of(const Way& way);

struct Ways {
  std::optional<autoschedule::Measure> own;  // of the statement's own loops; none: it cannot be told
  std::vector<Way> others;                   // the least work first
  bool takes_other = false;                  // is the first of these taken?
  std::string reason;                        // why, or why not, as a sentence
};

struct WayOptions {
  policy::OtherWays worth = {};
  bool parallel = false;
  double worth_walking = 1'000'000;           // where there is more, patterns are looked at, if they are there
  size_t most_classes = 3, most_members = 4;  // of a frontier: so many costs, and candidates of each, are loops
  const policy::Policy* policy = &policy::usual();
};

/// What there is for inputs of these sizes; `own` are the statement's own loops.
Ways find_ways(const notation::Statement& statement, const concrete::Program& own,
               const autoschedule::KnownInputs& known, const WayOptions& options);

}  // namespace filigree::compiler
