// Memory that belongs to somebody else, looked at before a tensor is made of it.
#pragma once

#include "tensor/any_tensor.h"

namespace filigree::front {

/// How many elements a dense tensor has.  Throws UserError if the dimensions are none, or if there are too many
/// elements.
std::int64_t count_to_borrow(const std::vector<std::int64_t>& dimensions, const Format& format);

/// Throws UserError unless these elements are what a typed tensor is to hold.
void check_element_type(ElementType is, ElementType wanted);

/// Throws UserError unless there is memory for every component of a tensor, called `label` in the message, and for no
/// more.
void check_room(const std::string& label, const std::vector<std::int64_t>& dimensions, const void* memory,
                std::size_t size);

}  // namespace filigree::front
