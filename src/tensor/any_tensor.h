// A tensor: dimensions, format, level arrays, values and the fill value of what is not stored.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tensor/coordinates.h"
#include "tensor/format.h"

namespace filigree {

/// What packing does with two entries at the same coordinates.
enum class Duplicates { Sum, Last, Error };

/// When the elements of index arrays are looked at, which kernels rely on.
enum class Validate {
  Never,   // not even when a tensor is made of arrays: they are trusted
  Once,    // when it is made
  Always,  // then, and before every kernel that reads them: they may have been changed from outside
};

struct LevelStatistics {
  std::int64_t size = 0;    // positions
  std::int64_t fibres = 0;  // parents
  double average_fibre = 0;
  std::int64_t longest_fibre = 0;
  std::int64_t bytes = 0;
};
struct Statistics {
  std::int64_t stored = 0;  // components that are there, padding not counted
  std::int64_t values = 0;  // in memory
  std::int64_t bytes = 0;
  std::vector<LevelStatistics> levels;
};

/// Statistics of a tensor once they are known.  Threads may look, keep and copy at the same time.
class KeptStatistics {
 public:
  KeptStatistics() = default;
  KeptStatistics(const KeptStatistics& other) : statistics_(other.find()) {}
  KeptStatistics& operator=(const KeptStatistics& other);
  KeptStatistics(KeptStatistics&&) noexcept = default;
  KeptStatistics& operator=(KeptStatistics&&) noexcept = default;
  ~KeptStatistics() = default;

  /// Null if there are none.
  std::shared_ptr<const Statistics> find() const;
  /// Those that are kept from then on: others may have been faster.
  const Statistics& keep(std::shared_ptr<const Statistics> statistics);
  void forget();

 private:
  std::shared_ptr<const Statistics> statistics_;
};

class AnyTensor {
 public:
  /// A tensor with nothing stored (dense levels hold the fill).  Throws UserError, naming the tensor
  /// and the size, if its storage cannot fit in memory; nothing is allocated then.
  AnyTensor(ElementType type, std::vector<std::int64_t> dimensions, Format format, const std::string& name = "tensor");
  AnyTensor() : AnyTensor(ElementType::Float64, {}, Format()) {}  // the scalar 0

  /// Packs entries in any order.  Throws UserError if an entry cannot be stored in the format, or if storage would be
  /// out of all proportion to the entries (the diagonals of a scattered matrix), unless `force`.  What no entry sets
  /// has the fill, 0 by default.
  static AnyTensor pack(const Coordinates& entries, const Format& format, Duplicates duplicates = Duplicates::Sum,
                        const std::string& name = "tensor", bool force = false, std::optional<Scalar> fill = {});
  /// Wraps existing arrays (owned or borrowed) after validating them: arrays[k] are level k's arrays.  Their number and
  /// their types are checked in any case.
  static AnyTensor from_arrays(std::vector<std::int64_t> dimensions, Format format,
                               std::vector<std::vector<Array>> arrays, Array values, const std::string& name = "tensor",
                               Validate validate = Validate::Once);
  static AnyTensor scalar(const Scalar& value);
  /// Takes over what a kernel made, unchecked; without values, every component gets the fill.
  static AnyTensor from_kernel(std::vector<std::int64_t> dimensions, Format format,
                               std::vector<std::vector<Array>> arrays, Array values, ElementType type,
                               const Scalar& fill);

  ElementType type() const { return values_.type(); }
  int order() const { return static_cast<int>(dimensions_.size()); }
  const std::vector<std::int64_t>& dimensions() const { return dimensions_; }
  const Format& format() const { return format_; }
  const std::vector<std::vector<Array>>& level_arrays() const { return arrays_; }
  const Array& values() const { return values_; }
  Array& values() { return values_; }
  const Scalar& fill() const { return fill_; }
  void set_fill(const Scalar& fill) { fill_ = fill.cast(type()); }

  /// All arrays in the order kernels number them: each level's, then the values.
  std::vector<const Array*> all_arrays() const;

  /// Does it share memory with somebody else?
  bool is_borrowed() const;
  Validate validation() const { return validate_; }

  /// Checks the storage in one linear pass, on all cores where it is large; throws UserError saying what is wrong and
  /// where.
  void validate(const std::string& name = "tensor") const;
  /// The same if there are levels that are said to be full and could be otherwise: kernels take their word for it.
  void check_full(const std::string& name) const;

  /// What each level looks like in memory.
  std::vector<level::StoredLevel> stored_levels() const;
  /// Calls `visit(coordinates, position)` for every component that is stored, in storage order; of a symmetric matrix
  /// that is half of them, and a component that is stored twice is visited twice.
  void for_each(const std::function<void(const std::vector<std::int64_t>&, std::int64_t)>& visit) const;
  /// Number of values in memory, padding included.
  std::int64_t stored() const { return values_.count(); }
  /// All components that are present as a list, sorted by coordinates in dimension order: symmetric matrices with both
  /// halves, components that are stored several times with their sum.
  Coordinates coordinates() const;
  /// The same components with elements of another type, in memory of their own; cast<float>() is
  /// cast(ElementType::Float32).
  AnyTensor cast(ElementType type) const;
  template <Element T>
  AnyTensor cast() const {
    return cast(element_type_of<T>());
  }
  /// The same components in another format.
  AnyTensor converted(const Format& format, const std::string& name = "tensor", bool force = false) const;
  /// Computed on first use and kept; call modified() after changing the arrays from outside.
  const Statistics& statistics() const;
  void modified() { statistics_.forget(); }
  /// How many nodes of the last level there are for one of the level above; takes no pass over the arrays.
  double average_leaf_fibre() const;

 private:
  struct Empty {};
  explicit AnyTensor(Empty) {}  // to be filled in by pack and from_arrays
  /// What costs nothing to check: the shape, the number of arrays and their types.
  void check_arrays(const std::string& name) const;
  level::StoredLevel stored_level(int level, std::int64_t parent_count) const;
  Coordinates both_halves(Coordinates entries, const std::vector<std::int64_t>& positions) const;

  std::vector<std::int64_t> dimensions_;
  Format format_;
  std::vector<std::vector<Array>> arrays_;
  Array values_;
  Scalar fill_;
  Validate validate_ = Validate::Once;
  mutable KeptStatistics statistics_;
};

/// Bytes a tensor with all levels full would take; throws UserError naming the tensor when it is
/// more than this machine can give.
std::int64_t checked_dense_bytes(const std::vector<std::int64_t>& dimensions, ElementType type,
                                 const std::string& name);

}  // namespace filigree
