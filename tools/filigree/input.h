// What -i says about a tensor, and the entries or values it stands for.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "arguments.h"
#include "tensor/any_tensor.h"

namespace filigree::tool {

struct FileInput {
  std::string path;
};
/// Arrays of a layout by name, each from a file: pos=pos.npy,crd=crd.npy,vals=vals.npy.
struct ArraysInput {
  std::vector<std::pair<std::string, std::string>> files;
};
struct NumberInput {
  std::string text;
};
struct ConstantInput {
  int value;
};  // ones, zeros
/// Each component is there with probability `density`.
struct RandomInput {
  double density;
  std::uint64_t seed;
};
using Input = std::variant<FileInput, ArraysInput, NumberInput, ConstantInput, RandomInput>;

/// Throws UserError for what cannot be meant: a number for a matrix, a density above 1.
Input parse_input(const Setting& setting, int order);

/// A scalar's value.  Without a type, float64 or, with an imaginary part, complex128; bool for true and false.
Scalar parse_number(const std::string& text, std::optional<ElementType> type, const std::string& name);

struct Shape {
  std::string name;  // for messages
  ElementType type;
  std::vector<std::int64_t> dimensions;
  Format format;
  Scalar fill = {};    // of that type
  bool force = false;  // even if storage is out of all proportion to the entries
};

/// A tensor whose every component has this value; where that is the fill, sparse levels store nothing.
AnyTensor make_constant(const Shape& shape, int value);
/// Needs memory for the entries only, not for the box they are in.
AnyTensor make_random(const Shape& shape, const RandomInput& input);

}  // namespace filigree::tool
