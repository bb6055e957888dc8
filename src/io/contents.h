// What was read from a file, on its way to a tensor in the format that is wanted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/warning.h"
#include "tensor/any_tensor.h"
#include "tensor/entry_list.h"

namespace filigree {

/// A list of entries, or storage: the arrays of a .npy or .npz file are some format's, and need not be taken apart for
/// that format.
class Contents {
 public:
  explicit Contents(EntryList entries) : entries_(std::move(entries)) {}
  explicit Contents(Coordinates entries) : entries_(owned(std::move(entries))) {}
  explicit Contents(AnyTensor storage) : storage_(std::move(storage)) {}

  const std::vector<std::int64_t>& dimensions() const {
    return storage_ ? storage_->dimensions() : entries_.dimensions;
  }
  int order() const { return static_cast<int>(dimensions().size()); }
  ElementType type() const { return storage_ ? storage_->type() : entries_.values.type(); }
  /// Nothing if it is a list of entries.
  const AnyTensor* storage() const { return storage_ ? &*storage_ : nullptr; }
  /// Nothing if it is storage.
  const EntryList* list() const { return storage_ ? nullptr : &entries_; }
  /// Entries; of storage, its values.
  std::int64_t count() const { return storage_ ? storage_->stored() : entries_.count(); }
  /// Was every component given?
  bool is_dense() const { return storage_ ? storage_->format().is_dense() : entries_.is_dense; }
  /// Are the dimensions just large enough for the entries, because nothing states them?  Then they may grow.
  bool dimensions_implied() const { return !storage_ && entries_.dimensions_implied; }
  void widen(const std::vector<std::int64_t>& dimensions) { entries_.dimensions = dimensions; }

  /// The format to store it in when nobody says another, and where that comes from: "an array file", "a coordinate
  /// file", "that of the file".
  Format usual_format() const;
  std::string format_reason() const;
  /// For a file that says in which format it is, though its arrays are not fit to be used as they are.
  void set_usual_format(const Format& format) { usual_ = format; }
  bool has_usual_format() const { return usual_.has_value(); }

  /// What a file says about components that are not there; nothing: 0.
  const std::optional<Scalar>& fill() const { return fill_; }
  void set_fill(const Scalar& fill) { fill_ = fill; }

  /// Do coordinates count from 0 in the text of the file?
  bool counts_from_zero() const { return counts_from_zero_; }
  void set_counts_from_zero() { counts_from_zero_ = true; }

  /// The first line of a Matrix Market file; empty for other files.
  const std::string& banner() const { return banner_; }
  void set_banner(std::string line) { banner_ = std::move(line); }

  /// Something that may be a mistake, to be told to people.
  const std::vector<Warning>& warnings() const { return warnings_; }
  void warn(UserError what) { warnings_.emplace_back(std::move(what)); }

  /// All entries.  Zeros that blocks and diagonals have room for are none.
  Coordinates coordinates() const&;
  Coordinates coordinates() &&;
  /// Those that packing stores: of a file with every component, those that equal the fill are left out where the format
  /// can do without them.
  Coordinates entries_for(const Format& format, const std::optional<Scalar>& fill = {}) const;

  /// As AnyTensor::pack; the second form gives the entries or the storage up.
  AnyTensor pack(const Format& format, const std::string& name, bool force = false,
                 std::optional<Scalar> fill = {}) const&;
  AnyTensor pack(const Format& format, const std::string& name, bool force = false, std::optional<Scalar> fill = {}) &&;

 private:
  AnyTensor with_fill(AnyTensor tensor, const std::optional<Scalar>& fill) const;
  AnyTensor repack(const Format& format, const std::string& name, bool force, const std::optional<Scalar>& fill) const;
  /// Does packing store all entries of the list?
  bool stores_list(const Format& format) const;

  EntryList entries_;
  std::optional<AnyTensor> storage_;
  std::optional<Format> usual_;
  std::optional<Scalar> fill_;
  bool counts_from_zero_ = false;
  std::string banner_;
  std::vector<Warning> warnings_;
};

}  // namespace filigree
