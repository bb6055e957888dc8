// The table of format names, shared by the parser and the printer of formats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensor/format.h"

namespace filigree {

struct NamedFormat {
  std::string name;
  std::optional<int> order;     // of the tensors it is for; nothing: any
  std::string letters;          // one per level, or a single one for all levels when `order` is nothing
  std::vector<int> dimensions;  // stored at each level; empty when `order` is nothing

  /// Requires: `order` is nothing or equals `tensor_order`.
  Format of_order(int tensor_order) const;
};

const std::vector<NamedFormat>& named_formats();

/// 'd' is dense, 's' is compressed; nullptr for other letters.
level::FormatPtr level_of_letter(char letter);

}  // namespace filigree
