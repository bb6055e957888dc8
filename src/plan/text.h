// Plans as text.  What is printed parses back to an equal plan, so people and programs can read a plan, keep it and
// change it.
//
//   results y
//   operands A, x
//   tensor A: float64, fill 0.0, order 2, csr
//   tensor x: float64, fill 0.0, order 1, dense
//   tensor y: float64, fill 0.0, order 1, dense
//   tensor t: float64, fill 0.0, scalar
//   index i: dimension 1 of A
//   index j: dimension 2 of A
//
//   loop i over universe
//     universe:
//       first
//         loop j: A.2(i,j) step
//           {A.2}:
//             t += A(i,j) * x(j)
//       then
//         y(i) = t by levels
//
// Behind a loop stands what is decided about it: `in pieces by A.2(i,j)` for threads, `sharing y by +` where iterations
// write the same components, `full first` where full pieces are apart from the tail.  `first once` fills a temporary of
// which each component is written once at most, `first whole` one of which everything is written for certain, and
// `first absorbing t` one whose value counts even if nothing was present.  A loop `within i` keeps i inside its extent.
// Below an assignment stands what it comes to where scalars that it reads were not written:
//
//   y(i) = s * t
//     if s, t
//
//   m = min(s, t)
//     if s, t
//     if s: m = s
//     if t: m = t
//
// Operands that have operands are in parentheses.  `fill(0.0)` stands for something absent, `#i` is the value of an
// index variable.  Variables of the same name are told apart by a number, and keep the name they are `shown` by.
#pragma once

#include <cstddef>
#include <string>

#include "plan/plan.h"

namespace filigree::plan {

std::string to_string(const Plan& plan);

/// Throws UserError, with the place, for text that is no plan, and for a plan that cannot run (find_mistake of
/// plan/verify.h).  Messages call the text `name`.
Plan parse(const std::string& text, const std::string& name = "plan");

/// The same with names that say nothing but where they are used first: plans that differ in names alone have the same
/// text.
std::string canonical_text(const Plan& plan);
/// Are they equal up to names?
bool operator==(const Plan& a, const Plan& b);
std::size_t hash(const Plan& plan);

}  // namespace filigree::plan
