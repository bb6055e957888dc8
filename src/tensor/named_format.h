// The table of format names, shared by the parser and the printer of formats.  Programs can add names of their own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensor/format.h"

namespace filigree {

struct NamedFormat {
  std::string name;
  std::optional<int> order;  // of the tensors it is for; nothing: any
  bool has_blocks = false;   // written name(4,2): a block size for each dimension
  std::function<Format(int order, const std::vector<std::int64_t>& blocks)> make;
};

/// In the order in which they are tried when a format is printed.
std::vector<NamedFormat> named_formats();
/// Adds a name, or gives it a new meaning; from then on it can be used wherever a format is written.
void add_named_format(NamedFormat format);
/// The same, from text: add_named_format("rows", 2, "(i,j) -> (i: dense, j: hashed)").
void add_named_format(const std::string& name, int order, const std::string& map);

/// What csr (dense dimension 0), csc (1), bcsr and dia mean at first, whatever programs make of these names.
Format csr_format(int dense_dimension);
Format block_format(const std::vector<std::int64_t>& blocks);
Format diagonal_format();

/// The format with every level that can have these properties having them, as in coo(unordered); nothing if none can
/// have one of them.
std::optional<Format> with_properties(const Format& format, const std::vector<std::string>& words);

/// The level format TACO writes with this letter (d dense, s compressed, u compressed and not unique, q and c
/// singleton), or one of ours (h hashed, b bitmap); nullptr for others.
level::FormatPtr level_of_letter(char letter);

}  // namespace filigree
