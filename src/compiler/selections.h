// The selections of a statement, made from the tensors that a kernel is run on.
#pragma once

#include <map>

#include "notation/notation.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

class Selections {
 public:
  explicit Selections(const notation::Statement& statement) : statement_(statement) {}

  /// Its dimensions, as far as they are known: those of the source, which it borrows; the last one follows from what is
  /// selected in.
  std::vector<std::int64_t> add(const TensorVar& selection, const AnyTensor* source);
  bool empty() const { return sources_.empty(); }

  /// Where nothing tells the size of the dimension that coordinates are selected in, it is as large as they need.
  void find_sizes(const std::map<IndexVar, std::int64_t>& extents,
                  std::map<TensorVar, std::vector<std::int64_t>>& dimensions) const;

  /// The selection itself.  Throws UserError that names the first entry that is outside.
  AnyTensor make(const TensorVar& selection, const std::map<IndexVar, std::int64_t>& extents) const;

 private:
  const notation::Access& access_of(const TensorVar& selection) const;
  std::vector<std::int64_t> dimensions_of(const TensorVar& selection,
                                          const std::map<IndexVar, std::int64_t>& extents) const;
  [[noreturn]] void fail_outside(const TensorVar& selection, std::int64_t position, std::int64_t coordinate,
                                 const std::vector<std::int64_t>& dimensions, std::int64_t size) const;

  const notation::Statement& statement_;
  std::map<TensorVar, const AnyTensor*> sources_;  // null for what is made from nothing
  std::map<TensorVar, AnyTensor> dense_;           // copies of sources that are stored otherwise
  std::vector<notation::Access> accesses_;         // to selections
};

}  // namespace filigree::compiler
