// Loops for the units of a GPU become a launch: IR to IR.  Internal to lowering.
//
// Lowering leaves loops for blocks, warps and threads where the plan has them: they begin and end anywhere, have other
// loops and statements between them, and work on arrays of the host.  Here, every thread of a grid gets all of that
// code:
//
//   block for block = 0 .. n {                     block for block = 0 .. n {
//     var i_begin = 256*block                        thread for thread = 0 .. 256 {
//     var i_end = min(i_begin + 256, rows)             var i_begin = 256*block
//     thread for i = i_begin .. i_end {                var i_end = min(i_begin + 256, rows)
//       y[i] = ...                                     var i = i_begin + thread
//     }                                                if i < i_end {
//   }                                                    y_gpu[i] = ...
//
//  * A loop of a unit is the iteration whose number the unit has, if there is one.  Where there may be more iterations
//    than units, each unit takes every so manieth.
//  * What stands outside of the thread loop is computed by every thread for itself, and stored by the first one.
//  * Without a block loop, the outermost loop is cut into blocks: of 256 threads, or of 8 warps.  Without a warp loop,
//    there are no warps; without a thread loop, the first lane does everything.
//  * Where a loop for warps or threads comes again, they wait for each other after it: another one may have the
//    component then.
//  * Sums over a thread loop, which a schedule asks for, are taken by each thread, then by lanes; the first lane has
//    the result.
//  * Arrays that the launch touches are copied to the device before it; those that it writes are copied back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "concrete/concrete.h"
#include "ir/ir.h"

namespace filigree::lowering {

/// An array whose elements are updated.
struct Accumulated {
  ir::Var array;
  Operator op;
};

/// What is known of a loop for a unit, beside what its node says.
struct UnitLoop {
  ir::Var var;
  std::optional<std::int64_t> most;  // so many iterations, or fewer, are expected; none: nobody knows
  bool is_certain;                   // there are never more
  std::vector<Accumulated> reduced;  // by several iterations, whose updates are to be combined first
  bool sums_scalars;                 // so are updates of scalars
  std::string name;                  // for messages
  concrete::LoopTag::Asked asked;
};

/// The same function, with a launch for each nest of loops for units.
/// Requires: loops for blocks are outside of those for warps, and these outside of those for threads; `units` has all
/// of them. Throws: UserError if threads of a GPU cannot do what is inside.
ir::FunctionDef offload(ir::FunctionDef function, const std::vector<UnitLoop>& units);

}  // namespace filigree::lowering
