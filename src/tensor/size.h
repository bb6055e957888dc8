// How much memory storage takes, decided before any of it is allocated.
#pragma once

#include <string>
#include <vector>

#include "tensor/format.h"

namespace filigree {

/// "3 x 4 x 5"; "scalar" without dimensions.
std::string describe_dimensions(const std::vector<std::int64_t>& dimensions);

/// Memory of this machine in bytes.
double physical_memory();

/// Throws UserError if the dimensions are negative, do not match the format, or some level cannot store.
void check_shape(const std::vector<std::int64_t>& dimensions, const Format& format, const std::string& name);

/// Throws UserError, naming the tensor and the size, if storage for `count` entries cannot fit in memory whatever the
/// entries. Requires: check_shape passed.
void check_storage_fits(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type,
                        std::int64_t count, const std::string& name);

/// More positions than this cannot be numbered even where they take no memory.
constexpr double most_positions = 0x1p62;

/// The least number of values that `count` entries take when the levels from `level` on come under `parents` positions.
/// Requires: an extent for every level, any number for those that count entries.
double least_values(const std::vector<double>& extents, const Format& format, int level, double parents,
                    std::int64_t count);

/// What one position of the last level takes, with its value.
double position_bytes(const Format& format, ElementType type);
/// The memory that positions of the last level may take to be in proportion to `count` entries of a tensor of this
/// order.
double proportionate_bytes(ElementType type, int order, std::int64_t count);
/// Can storage for some entries be out of all proportion to them, because a level below a sparse one has room for many
/// that nobody set, or because there is no sparse level?  Decided without looking at entries; never for dense formats,
/// which are meant.
bool can_be_out_of_proportion(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type);

/// Throws UserError, with the size, if that many values cannot fit in memory, or are out of all proportion to `count`
/// entries while nobody insists.  Values that the format takes whatever the entries are (all of a dense one's) are in
/// proportion, unless they are many more than the tensor has components.
void check_proportion(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type,
                      double values, std::int64_t count, const std::string& name, bool force);

/// Throws UserError, with the size, if what levels note for every position above them, with or without entries, is out
/// of all proportion to `count` entries while nobody insists: as of a matrix with billions of rows and few entries that
/// is stored by rows. Requires: check_shape passed.
void check_index_proportion(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type,
                            std::int64_t count, const std::string& name, bool force);

}  // namespace filigree
