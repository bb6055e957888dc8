// A second front end: subscripts as in NumPy's einsum.
//
//   ik,kj->ij  of B and C     R(i,j) = B(i,k)*C(k,j)
//   ii         of B           R = B(i,i)               without '->', labels that occur once are the result's, in
//   alphabetical order
//   ...ij,...jk->...ik        R(a,i,k) = B(a,i,j)*C(a,j,k)   '...' is as many dimensions as an operand has beside its
//   labels, the last ones alike
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace filigree::notation {

/// The statement in index notation.  Throws UserError pointing into `subscripts`: what is no label, a label of the
/// result that no operand has or that comes twice, a number of operands that does not match; or into the operands: the
/// result's name, functions, words. `orders` are the operands' numbers of dimensions, as far as they are known; '...'
/// needs them.
std::string from_einsum(const std::string& subscripts, const std::vector<std::string>& operands,
                        const std::string& result = "R", const std::vector<std::optional<int>>& orders = {});

}  // namespace filigree::notation
