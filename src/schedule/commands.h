// All commands: how each is read from text, printed and applied.  Internal to schedules.
#pragma once

#include <functional>
#include <vector>

#include "schedule/arguments.h"
#include "schedule/nest.h"

namespace filigree::schedule {

struct CommandSyntax {
  std::vector<const char*> names;  // the first is how it prints
  std::vector<const char*>
      parameters;  // for messages: "size", "[tensor]" if it may be left out, "..." for any number more
  Command (*read)(Arguments& arguments);
};
const std::vector<CommandSyntax>& commands();

/// "split(variable, outer, inner, size)"
std::string usage(const CommandSyntax& syntax);

// One file each.
Command read_protocol(Arguments& arguments);
Command read_reorder(Arguments& arguments);
Command read_split(Arguments& arguments);
Command read_divide(Arguments& arguments);
Command read_collapse(Arguments& arguments);
Command read_pos(Arguments& arguments);
Command read_coord(Arguments& arguments);
Command read_cut(Arguments& arguments);
Command read_parallelize(Arguments& arguments);
Command read_vectorize(Arguments& arguments);
Command read_unroll(Arguments& arguments);
Command read_bound(Arguments& arguments);
Command read_precompute(Arguments& arguments);
Command read_reformat(Arguments& arguments);
Command read_merge_by(Arguments& arguments);
Command read_assemble(Arguments& arguments);

/// The names in a command.
struct Mentioned {
  std::vector<Name> tensors, variables, made;  // made: variables there are from here on
  std::vector<Name> parts = {};                // tensors that are read, with whatever indices
  std::vector<Name> workspaces = {};           // tensors there are from here on
  std::vector<Name> results = {};              // tensors that are assigned
};

#define FILIGREE_SCHEDULE_COMMAND(Command)       \
  std::string to_string(const Command& command); \
  Mentioned mentioned(const Command& command);   \
  void apply(const Command& command, Nest& nest);
FILIGREE_SCHEDULE_COMMAND(Protocol)
FILIGREE_SCHEDULE_COMMAND(Reorder)
FILIGREE_SCHEDULE_COMMAND(Split)
FILIGREE_SCHEDULE_COMMAND(Collapse)
FILIGREE_SCHEDULE_COMMAND(Pos)
FILIGREE_SCHEDULE_COMMAND(Coord)
FILIGREE_SCHEDULE_COMMAND(Cut)
FILIGREE_SCHEDULE_COMMAND(Parallelize)
FILIGREE_SCHEDULE_COMMAND(Vectorize)
FILIGREE_SCHEDULE_COMMAND(Unroll)
FILIGREE_SCHEDULE_COMMAND(Bound)
FILIGREE_SCHEDULE_COMMAND(Precompute)
FILIGREE_SCHEDULE_COMMAND(Reformat)
FILIGREE_SCHEDULE_COMMAND(MergeBy)
FILIGREE_SCHEDULE_COMMAND(Assemble)
#undef FILIGREE_SCHEDULE_COMMAND

// What a command asks for before there are loops; most ask for nothing.
template <class Command>
void request(const Command&, Steered&) {}
void request(const Precompute& command, Steered& steered);
void request(const Reorder& command, Steered& steered);

/// The loop over `variable`, which is one of the program's, is to reach `tensor` like this.  Throws UserError if
/// another protocol was asked for there.
void ask_for_protocol(const std::string& tensor, const std::string& variable, concrete::Protocol protocol,
                      const Place& place, Nest& nest);
/// Pieces that share a coordinate add up what they make of it, when all commands are done.
void check_pieces(const Nest& nest);
/// Vector loops become innermost ones, when all commands are done.
void settle_vector_loops(Nest& nest);
/// The loop over `var`, which has those over `others` directly inside, inside of them, as reorder would put it.
void move_inside(const IndexVar& var, const std::vector<IndexVar>& others, const Place& place, Nest& nest);
/// Threads can fill the results of their loop in the way that these are filled in when all commands are done.
void check_parallel_loops(const Nest& nest);
/// The same for units of a GPU (gpu_loops.cpp).
void check_gpu_loops(const Nest& nest);
/// Has every component its own place in one array?
bool is_array(const TensorVar& tensor);
/// `visit` gets each assignment to a result inside of loops over `var`.
void for_each_result(const IndexVar& var, const concrete::Program& program,
                     const std::function<void(const concrete::Forall& loop, const concrete::Assign&)>& visit);

}  // namespace filigree::schedule
