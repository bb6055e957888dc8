// How many stored components the loops of a statement will visit, as far as sizes tell.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "notation/notation.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// All of what is stored, but not where a sparse operand leads: what is multiplied with it is visited only where it has
/// something.
///
///   next(j) = any(i, front(i) and A(i,j)) and not seen(j)
///
/// `front` sparse with 3 of 1000 nodes, A csr with 5000 edges, seen dense: 3 + 15 + 0.  A guess: rows may be longer
/// than the others.
class ExpectedVisits {
 public:
  explicit ExpectedVisits(const notation::Statement& statement);
  /// `stored` components of each operand by name, `extents` as infer_extents makes them.
  double operator()(const std::map<std::string, std::int64_t>& stored,
                    const std::map<IndexVar, std::int64_t>& extents) const;

 private:
  struct Visited {
    notation::Access access;
    std::vector<notation::Access> vectors;  // sparse ones that lead it, over one of its variables
    bool is_looked_up = false;              // every component has a place, and another operand says which are needed
  };
  std::vector<Visited> all_;
};

}  // namespace filigree::compiler
