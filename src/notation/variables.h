// Indices and tensor variables, which have an identity and a display name; shared by all later stages.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algebra/scalar.h"
#include "relation/condition.h"
#include "relation/derivation.h"
#include "support/id.h"
#include "tensor/format.h"

namespace filigree {

class IndexedTensor;  // see notation/build.h
class Term;
namespace notation {
struct Statement;
}

struct Gathered;
struct Selection;

/// How an index follows from index variables: offset + sum of factor*var; with a list, the entry of that number.
///
///   i+1  2*i  x+u    sums            3       only an offset
///   i(2,10,2)        2 + 2*i, with an extent of 4 for i
///   i({1,4,7})       the list's entry number i, with an extent of 3 for i
struct IndexMap {
  using Term = relation::TermOf<IndexVar>;
  std::vector<Term> terms = {};
  std::int64_t offset = 0;
  std::vector<std::int64_t> list = {};
  std::optional<std::int64_t> extent = {};  // of its variable, if it says so
  bool padded = false;                      // outside of the dimension the tensor has its fill
  // Only until selections stand for these (notation/select_indices.h):
  std::shared_ptr<const Gathered> gathered = nullptr;  // p(i), added to the sum
  bool wrapped = false;                                // the remainder of the sum divided by the modulus
  std::int64_t modulus = 0;                            // 0: the size of the dimension
  bool operator==(const IndexMap&) const = default;

  /// Before the list, if there is one, is asked for its entry.
  relation::Sum sum() const { return {terms, offset}; }
  /// The index, given the value of each variable.
  template <class ValueOf>
  std::int64_t at(ValueOf value_of) const {
    std::int64_t sum = offset;
    for (const Term& term : terms) sum += term.factor * value_of(term.var);
    return list.empty() ? sum : list[static_cast<std::size_t>(sum)];
  }
};

/// An index with this map, named after its variables: i_at, xu_at.
IndexVar make_index(IndexMap map);
/// `vars` with those that follow from others replaced by what they follow from, each once.
std::vector<IndexVar> free_of(const std::vector<IndexVar>& vars);
/// i+1, 2*i, i(2,10,2), ...
std::string to_string(const IndexMap& map, const std::function<std::string(const IndexVar&)>& name);

/// Data that a tensor variable may stand for: front/state.h has the tensors that hold some.
class HeldTensor {
 public:
  virtual ~HeldTensor() = default;
};

/// A tensor in an expression: a name with an element type, an order, a format and a fill.  It holds
/// no data and no sizes; a kernel is compiled for tensor variables and run on tensors.
class TensorVar {
 public:
  TensorVar(std::string name, ElementType type, Format format);
  TensorVar(std::string name, ElementType type, Format format, Scalar fill);
  /// A condition on indices: true where it holds, absent elsewhere.  It is stored nowhere; `dimensions` are in the
  /// order of loops.
  TensorVar(std::string name, relation::Condition condition, const std::vector<int>& dimensions);
  /// A scalar that is absent if nothing is written to it, and then has the fill.
  static TensorVar optional_scalar(std::string name, ElementType type, Scalar fill);
  /// True where its last coordinate is the one that the others select, absent elsewhere.
  TensorVar(std::string name, const Selection& selection);
  /// One that stands for a tensor which holds data (front/tensor.h); that is kept alive.
  static TensorVar standing_for(std::string name, ElementType type, Format format, std::shared_ptr<HeldTensor> tensor);

  const std::string& name() const { return data_->name; }
  ElementType type() const { return data_->type; }
  int order() const { return data_->format.order(); }
  const Format& format() const { return data_->format; }
  const Scalar& fill() const { return data_->fill; }
  /// May it have components that are absent?
  bool may_be_absent() const { return data_->is_optional || !format().stores_all(); }
  /// Null unless that is what it is.
  const relation::Condition* condition() const { return data_->condition ? &*data_->condition : nullptr; }
  /// Null unless that is what it is.
  const Selection* selection() const { return data_->selection.get(); }
  /// The tensor that has to be there for this one to be read: itself, or what a selection is made from; null for what
  /// is made from nothing.
  const TensorVar* read() const;
  /// Null unless it stands for one.
  const std::shared_ptr<HeldTensor>& tensor() const { return data_->tensor; }
  Id<struct TensorVarTag> id() const { return data_->id; }
  bool operator==(const TensorVar& other) const { return id() == other.id(); }
  bool operator<(const TensorVar& other) const { return id() < other.id(); }

  /// T(i, j), to write expressions in C++: include notation/build.h.
  template <std::same_as<IndexVar>... Indices>
  IndexedTensor operator()(const Indices&... indices) const;

  // A scalar needs no parentheses on the left either: s = sum(i, x(i)*y(i)).  `s = t` with two tensor variables copies
  // the variable.
  [[nodiscard]] notation::Statement operator=(const Term& right) const;
  [[nodiscard]] notation::Statement operator+=(const Term& right) const;
  [[nodiscard]] notation::Statement operator-=(const Term& right) const;
  [[nodiscard]] notation::Statement operator*=(const Term& right) const;
  [[nodiscard]] notation::Statement operator/=(const Term& right) const;

 private:
  struct Data {
    std::string name;
    ElementType type;
    Format format;
    Scalar fill;
    Id<TensorVarTag> id;
    std::optional<relation::Condition> condition = {};
    bool is_optional = false;
    std::shared_ptr<const Selection> selection = nullptr;
    std::shared_ptr<HeldTensor> tensor = {};
  };
  explicit TensorVar(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}
  std::shared_ptr<const Data> data_;
};

/// factor*p(i,j) in an index.
struct Gathered {
  TensorVar tensor;
  std::vector<IndexVar> indices;
  std::int64_t factor = 1;
};

/// Which coordinate of a dimension goes with coordinates c of others: offset + factor*source(c), or offset + the sum of
/// factors*c.
///
///   x(p(i))   is  sum(k, p_at(i,k)*x(k)),   where p_at selects p(i) for i
///
/// A run makes it from what the source holds: one coordinate for each c, so that nothing is searched.
struct Selection {
  std::optional<TensorVar> source = {};
  std::vector<std::int64_t> factors = {};  // without a source: of each c
  std::int64_t factor = 1;
  std::int64_t offset = 0;
  bool wraps = false;        // the remainder by the modulus
  std::int64_t modulus = 0;  // 0: the size of the dimension
  bool padded = false;       // nothing is selected by coordinates that are outside; else they are an error
  bool once = false;         // on the left side of an assignment, which gives no component several values
  bool operator==(const Selection&) const = default;
};

}  // namespace filigree
