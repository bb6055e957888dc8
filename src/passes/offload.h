// Loops that units of a GPU share become launches.
//
// Lowering leaves loops for blocks, warps and threads where the plan has them: they begin and end anywhere, have other
// loops and statements between them, and work on arrays of the host.  Here, every thread of a grid gets all of that
// code:
//
//   for block = 0 .. n shared by 1 blocks {        block for block = 0 .. n {
//     var i_begin = 256*block                        thread for thread = 0 .. 256 {
//     var i_end = min(i_begin + 256, rows)             var i_begin = 256*block
//     for i = i_begin .. i_end                         var i_end = min(i_begin + 256, rows)
//         shared by 256 threads, one each {            var i = i_begin + thread
//       y[i] = ...                                     if i < i_end {
//     }                                                  y_gpu[i] = ...
//   }
//
//  * A loop of a unit is the iteration whose number the unit has, if there is one.  Where there may be more iterations
//    than units, each unit takes every so manieth.
//  * What stands outside of the thread loop is computed by every thread for itself, and stored by the first one.
//  * Without a block loop, the outermost loop is cut into blocks, which have as many units as it says.  Without a warp
//    loop, there are no warps; without a thread loop, the first lane does everything.
//  * Where a loop for warps or threads comes again, they wait for each other after it: another one may have the
//    component then.
//  * Sums over a thread loop, which a schedule asks for, are taken by each thread, then by lanes; the first lane has
//    the result.
//  * Arrays that the launch touches are copied to the device before it; those that it writes are copied back.
#pragma once

#include <map>
#include <string>

#include "ir/ir.h"
#include "support/diagnostic.h"

namespace filigree::passes {

/// Where a schedule asks for loops to be shared by units, by the loops' names: for messages.
struct Asked {
  Source source = nullptr;
  Span span = {};
};
using AskedLoops = std::map<std::string, Asked>;

/// Does it have loops that units of a GPU share?
bool is_for_units(const ir::FunctionDef& function);

/// The same function, with a launch for each nest of loops that units share.
/// Requires: verify(function) passes; loops for blocks are outside of those for warps, and these outside of those for
/// threads; those of one nest agree on how many units there are, in warps threads are the 32 lanes, and scalars are
/// summed by no more threads than a warp has.  Ensures: verify passes, and no loop is left that units share.
/// Throws: UserError if threads of a GPU cannot do what is inside.
ir::FunctionDef offload(const ir::FunctionDef& function, const AskedLoops& asked);

}  // namespace filigree::passes
