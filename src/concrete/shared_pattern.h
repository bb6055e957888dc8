// Results that have the pattern of an operand.
//
//   A(i,j) = B(i,j) * C(i,k) * D(k,j)    A, B csr: A has a component where B has one
//   A(i,j) = B(i,j,k) * c(k)             A dcsr, B csf: where B has a fibre
//   A(i,j,l) = B(i,j,k) * C(k,l)         A dense in l below such levels: the same
//
// The index of such a result is a copy, and its values go where the operand has its own: no node waits for the one
// before it, so iterations may come in any order, or at the same time.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Iterations on threads with `atomics`, and those of a GPU, may also come by a node several times, as pieces of all
/// entries of B do in the second example: values are added up where they are.
///
/// The operand whose pattern `result` has, if: 1. loops over their first levels stand around all others, and whatever
/// cuts them cuts nothing else; or components may be added up in any order
/// 2. these levels are stored alike, every component once and in a row  3. without the operand there is nothing to do,
/// and nothing else decides where there is something: other operands have a place for every coordinate, also inside of
/// the loops.  All of the result's levels below have, too.
///
/// What the format cannot tell is whether each of the operand's nodes has something below it: code finds out
/// (ir::Status::PatternMismatch), at each node or, from what was noted, in the end.
std::optional<SharedPattern> shared_pattern(const Program& program, const TensorVar& result);
/// The same with this operand, whatever the loops read where they write the result: in an assembled program it may fill
/// a temporary.
std::optional<SharedPattern> pattern_shared_with(const Access& operand, const Program& program,
                                                 const TensorVar& result);

}  // namespace filigree::concrete
