// What of a tensor goes into a file, in which order, and how its values are spelled.
#pragma once

#include <functional>

#include <fmt/format.h>

#include "io/dense.h"
#include "io/output.h"
#include "tensor/any_tensor.h"

namespace filigree::io {

/// What a file can say about components that it does not list.
struct FileKind {
  bool has_symmetry = false;  // they are mirror images of others, see Components::symmetry()
  bool has_fill = false;      // they have a fill other than 0 (io/fill.h)
};

/// The components of a tensor that go into a file: those that are stored, sorted by coordinates; all of them if the
/// fill is not 0 and the file cannot say so.  Storage that is sorted already, or dense, is walked; otherwise a sorted
/// list is made.
class Components {
 public:
  /// Throws UserError with the size if a fill makes them too many to write.
  Components(const AnyTensor& tensor, const std::string& path, const FileKind& kind = {});

  ElementType type() const { return tensor().type(); }
  const std::vector<std::int64_t>& dimensions() const { return tensor().dimensions(); }
  /// What the half that is listed is a half of; None if everything is listed.
  Symmetry symmetry() const { return symmetry_; }
  /// What is not listed, if that is not 0.
  std::optional<Scalar> fill() const;
  /// Is every component there?
  bool is_array() const { return tensor().format().is_dense(); }
  std::int64_t count() const { return count_; }
  /// The largest coordinate of each dimension; -1 if nothing is listed.
  const std::vector<std::int64_t>& largest() const { return largest_; }
  /// Is every value 1?
  bool are_ones() const;

  /// Calls `visit(coordinates, number)`; the value is element `number` of values().
  using Visit = std::function<void(const std::vector<std::int64_t>&, std::int64_t)>;
  void for_each(const Visit& visit) const;
  const Array& values() const { return list_ ? list_->values : tensor().values(); }

  /// All components with the first dimension fastest.  Requires: is_array().
  void for_each_by_columns(const Visit& visit) const;

 private:
  const AnyTensor& tensor() const { return expanded_ ? *expanded_ : *given_; }
  /// Is what walking storage gives sorted, each component once?  Counts on the way.
  bool walk_is_sorted();
  bool take_half();
  void make_list();
  bool is_listed(const std::vector<std::int64_t>& at) const;

  const AnyTensor* given_;
  std::optional<AnyTensor> expanded_;                 // with the fill written out
  std::optional<Coordinates> list_;                   // where a walk would not do
  std::optional<std::vector<std::int64_t>> strides_;  // of a dense tensor
  Symmetry symmetry_ = Symmetry::None;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> largest_;
};

/// Appends the shortest text that reads back as the same value; a complex one as two numbers.
void append_value(fmt::memory_buffer& text, const Array& values, std::int64_t number);

/// A line for each component: its coordinates, counted from `base`, and its value.
struct LineStyle {
  int base = 1;
  char separator = ' ';
  bool has_value = true;
  int more_ones = 0;  // coordinates behind the others that are 1: a vector as a column
};
void append_entries(OutputFile& file, const Components& components, const LineStyle& style = {});

}  // namespace filigree::io
