// Memory that belongs to somebody else, looked at before a tensor is made of it.
#pragma once

#include "tensor/any_tensor.h"

namespace filigree::front {

/// How many elements a dense tensor has there.  Throws UserError if the dimensions are none, if there are too many elements, or no memory for them.
std::int64_t count_to_borrow(const void* values, const std::vector<std::int64_t>& dimensions, const Format& format);

/// Throws UserError if there is no memory for elements that there should be.
void check_borrowed(const void* values, std::int64_t count, const std::vector<std::vector<Array>>& levels = {});

}  // namespace filigree::front
