// Index variables and tensor variables: identity plus a display name; shared by all later stages.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include "algebra/scalar.h"
#include "support/id.h"
#include "tensor/format.h"

namespace filigree {

class IndexedTensor;  // see notation/build.h

class IndexVar {
 public:
  explicit IndexVar(std::string name);
  const std::string& name() const { return data_->name; }
  Id<struct IndexVarTag> id() const { return data_->id; }
  bool operator==(const IndexVar& other) const { return id() == other.id(); }
  bool operator<(const IndexVar& other) const { return id() < other.id(); }

 private:
  struct Data { std::string name; Id<IndexVarTag> id; };
  std::shared_ptr<const Data> data_;
};

bool contains(const std::vector<IndexVar>& vars, const IndexVar& var);

/// A tensor in an expression: a name with an element type, an order, a format and a fill.  It holds
/// no data and no sizes; a kernel is compiled for tensor variables and run on tensors.
class TensorVar {
 public:
  TensorVar(std::string name, ElementType type, Format format);
  TensorVar(std::string name, ElementType type, Format format, Scalar fill);

  const std::string& name() const { return data_->name; }
  ElementType type() const { return data_->type; }
  int order() const { return data_->format.order(); }
  const Format& format() const { return data_->format; }
  const Scalar& fill() const { return data_->fill; }
  Id<struct TensorVarTag> id() const { return data_->id; }
  bool operator==(const TensorVar& other) const { return id() == other.id(); }
  bool operator<(const TensorVar& other) const { return id() < other.id(); }

  /// T(i, j), to write expressions in C++: include notation/build.h.
  template <std::same_as<IndexVar>... Indices>
  IndexedTensor operator()(const Indices&... indices) const;

 private:
  struct Data { std::string name; ElementType type; Format format; Scalar fill; Id<TensorVarTag> id; };
  std::shared_ptr<const Data> data_;
};

}  // namespace filigree
