// Which scalar temporaries are written for certain, and what is done where one of those that an assignment reads was
// not: decided while the tree is made.
//
//   s = t*u         if t, u: s = t*u
//   s = t + u       if any of t, u: s = t + u           an unwritten term is 0
//   s = min(t, u)   if t, u: s = min(t, u)              a case for each set of those that were written
//                   if t: s = t
//                   if u: s = u
//
// Cases for n of them would be 2^n.  So of an expression with many, parts are computed in steps, each into a scalar of
// its own, and the code grows with the expression.
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// What is known of a scalar temporary at a place in the tree.
struct KnownScalar {
  bool is_written = false;  // for certain
  bool starts_at_fill;      // unwritten, it holds its fill
  bool absorbs;             // absent points take part in its value, written or not
};
using KnownScalars = std::map<TensorVar, KnownScalar>;

/// `around`, and the scalars that a `where` with this producer is there for, while that writes them: in this order in
/// `filled`, which is empty if there is a workspace instead.
KnownScalars inside_producer(const concrete::Stmt& producer, const concrete::Program& program,
                             const KnownScalars& around, std::vector<TensorVar>& filled);
/// The same where the consumer reads them.
KnownScalars inside_consumer(KnownScalars inside_producer, const std::vector<TensorVar>& filled, const Where& where);

/// Is what it is there for written, whatever operands hold and however long loops are?
bool is_written_by(const Body& body);

/// Of these scalars, which the producer may leave unwritten, those that count as written if they hold something else
/// than their fill (Where::absorbing): without any point, not even an absent one, they hold the identity.
std::vector<TensorVar> absorbing(const concrete::Stmt& producer, const std::vector<TensorVar>& filled,
                                 const concrete::Program& program, const KnownScalars& inside_producer);

/// Makes the scalar of a step, the first one of an assignment having number 0.
using MakeStep = std::function<TensorVar(size_t number, ElementType type, const Scalar& fill)>;
TensorVar make_step(size_t number, ElementType type, const Scalar& fill);

/// What is done about scalars that `assign` reads and that may not have been written.
Assign cases_of(const concrete::Assign& assign, const concrete::Program& program, const KnownScalars& known,
                const policy::Cases& most, const MakeStep& make = make_step);

/// Why a person's cases are not those of the assignment; nothing if they are.
std::optional<std::string> problem_of_written(const concrete::Assign& assign, const Assign& how,
                                              const concrete::Program& program, const KnownScalars& known,
                                              const policy::Cases& most);

/// Does it combine a scalar with a structural value by an idempotent operator, because a point is absent?  That counts
/// for the value of a temporary but makes nothing present.
bool only_absorbs(const concrete::Assign& assign);

/// The assignment without what decides whether it runs at all: what its cases are about.
concrete::Assign anywhere(concrete::Assign assign);

}  // namespace filigree::plan
