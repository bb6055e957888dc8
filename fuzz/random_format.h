// Random formats: mostly plain ones, else one with a name or a map that is built level by level.
#pragma once

#include <random>

#include "tensor/format.h"

namespace filigree::fuzz {

/// Dense and compressed levels, dimensions in any order.
Format random_plain_format(int order, std::mt19937_64& random);
/// Any format that find_problem() accepts, for tensors of this order.
Format random_format(int order, std::mt19937_64& random);

/// Is it made of plain dense and compressed levels?
bool is_dense_and_compressed(const Format& format);
/// Does a level say that every coordinate is there, although it stores coordinates?  Then the data has to be so.
bool promises_fullness(const Format& format);

}  // namespace filigree::fuzz
