// Packing of entries that are given up.
#pragma once

#include "tensor/any_tensor.h"
#include "tensor/entry_list.h"

namespace filigree {

/// As AnyTensor::pack; the memory of the entries becomes the tensor's where it can.
AnyTensor pack_list(EntryList entries, const Format& format, Duplicates duplicates = Duplicates::Sum,
                    const std::string& name = "tensor", bool force = false, std::optional<Scalar> fill = {});

}  // namespace filigree
