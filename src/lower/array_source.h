// Where the arrays of a result come from: a class for each way, chosen once, so that what fills them does not ask.
//
//   made       A2_crd = alloc(..)  GROW(A2_crd, ..)                 the caller gets them, with how many elements they
//   have given      if (A2_crd_count < pA2 + 1) return mismatch          somebody made them: they may be too short
//   updated    the same, and values begin with what they hold
#pragma once

#include <memory>

#include "lower/parameters.h"
#include "lower/room.h"

namespace filigree::lowering {

class ArraySource {
 public:
  virtual ~ArraySource() = default;
  /// The parameters for an array, which has this number among those of its tensor.
  virtual std::vector<ir::Parameter> parameters(const TensorParameter& tensor, int number, const ir::Var& array) = 0;

  /// Memory for so many elements, cleared if they are to be `zero`.
  virtual ir::Stmt allocate(const ir::Var& array, const ir::Expr& count, bool zero) const = 0;
  virtual ir::Stmt open(const Room& room, const ir::Expr& count) const = 0;
  /// Room for so many, of which not all may come.
  virtual ir::Stmt reserve(const Room& room, const ir::Expr& count) const = 0;
  /// Ends the function unless there are so many elements.
  virtual ir::Stmt check(const ir::Var& array, const ir::Expr& count) const = 0;
  /// The same in the end, when there must not be more.
  virtual ir::Stmt check_all(const ir::Var& array, const ir::Expr& count) const = 0;

  /// What is in arrays of an index at the beginning, when nothing is stored: `content` puts it there.
  virtual ir::Stmt begin_index(const ir::Stmt& content) const = 0;
  /// The same of values, which begin with the fill: `content` stores it everywhere, and memory may be zero already.
  virtual ir::Stmt begin_values(const ir::Stmt& content, bool is_zero) const = 0;
};

std::unique_ptr<ArraySource> array_source(plan::Mode mode);

/// Ends the function unless `limit`, the length of something that is given, is at least `count`.
ir::Stmt check_limit(const ir::Var& limit, const ir::Expr& count);

}  // namespace filigree::lowering
