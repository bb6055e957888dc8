// Indices in C++: A(i + 1, fixed(3)), B(window(i, 2, 10), entries(j, {1, 4, 7})), value(i) * b(i), pad(b(i - 1)),
// x(at(p(i))), wrap(x(i + 1)).
#pragma once

#include <cstdint>
#include <vector>

#include "notation/variables.h"

namespace filigree {

class Term;

// Sums of integers and index variables with integer factors.  Throw UserError for a window or list, which stands alone.
IndexVar operator+(const IndexVar& a, const IndexVar& b);
IndexVar operator-(const IndexVar& a, const IndexVar& b);
IndexVar operator+(const IndexVar& a, std::int64_t offset);
IndexVar operator+(std::int64_t offset, const IndexVar& a);
IndexVar operator-(const IndexVar& a, std::int64_t offset);
IndexVar operator-(std::int64_t offset, const IndexVar& a);
IndexVar operator*(std::int64_t factor, const IndexVar& a);

/// One coordinate, counted from 0.
IndexVar fixed(std::int64_t coordinate);
/// The coordinates from `first` on that are below `end`, in steps of `stride`, for i = 0, 1, ...
IndexVar window(const IndexVar& i, std::int64_t first, std::int64_t end, std::int64_t stride = 1);
/// These coordinates for i = 0, 1, ..., in any order; some may be there again.
IndexVar entries(const IndexVar& i, const std::vector<std::int64_t>& coordinates);

/// The coordinate that a tensor of integers holds: x(at(p(i))).
IndexVar at(const Term& coordinates);
/// The remainder that the index leaves when it is divided by `modulus`, from 0 on: x(modulo(i + 1, 8)).
IndexVar modulo(const IndexVar& index, std::int64_t modulus);
/// An operand whose indices begin again where they leave its dimensions: wrap(x(i + 1)).
Term wrap(const Term& operand);

/// The value of an index variable, an int64.
Term value(const IndexVar& i);
/// An operand that has its fill where its indices are outside.
Term pad(const Term& operand);

}  // namespace filigree
