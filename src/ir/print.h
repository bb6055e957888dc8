// IR as text, in a syntax of its own that parse.h reads back.
//
//   function spmv(y, B, x) {
//     out y_vals: float64[y_size] is y.arrays[0]        what the caller gives and gets; out: so many elements
//     in B1_size: int64 is B.dimensions[0]
//     in B2_pos: int32[] is B.arrays[0]
//     local w: float64[]                                 memory that the body takes and gives back
//
//     var y_size: int64 = B1_size
//     alloc y_vals[y_size]                               alloc zero, grow, free, new t, keep p[i] = a[n], take a = p[i]
//     parallel for i = 0 .. B1_size {                    simd, unroll(4)
//       y_vals[i] = 2.5*B_vals[B2_pos[i] // 4]           atomic
//     }
//     copy d_x = x_vals[n]                               n elements; d_x: float64[] on device
//     block for b = 0 .. blocks {                        a launch; alloc tile[64] for tile: float64[] shared
//       warp for w = 0 .. 4 {
//         thread for t = 0 .. 32 {
//           barrier block                                or warp
//           lanes sum = add(x)                           of all lanes; lanes sum, first = add(x) by key: of segments
//         }
//       }
//     }
//     return ok
//   }
//
// Types are stated: int64 3, float64 3.0, 3i32, 2.5f32, complex128(1, -2), conversions int64(x).  // and % are Quotient
// and Modulus; operators without a symbol are called by their names.  Comments begin with #.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"

namespace filigree::ir {

std::string print(const Expr& expr);
std::string print(const Stmt& stmt);
std::string print(const FunctionDef& function);

/// "float64[]", "float64[] on device", "table", "parts of int32", "int64"
std::string to_string(const Type& type);

/// How an operator stands between its operands, or before the one it has; null: it is called by its name.
const char* infix_symbol(Operator op);
/// How tightly it binds.
int binding_strength(Operator op);
/// "i32", "u8", "f32": behind numbers; of types that need none and of those that have no numbers of one part, "".
std::string number_suffix(ElementType type);
/// Words that are no names of variables.
const std::vector<std::string>& reserved_words();

}  // namespace filigree::ir
