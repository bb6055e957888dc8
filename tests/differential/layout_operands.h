// Operands in layouts and formats, with random entries, and kernels over them compared with the oracle.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel.h"
#include "layouts/data.h"
#include "notation/parse.h"
#include "polyhedral/use_layout.h"
#include "tensor/coordinates.h"

namespace filigree::differential {

/// One in `one_in` of the components that the layout can hold; a layout that has no restrictions can hold all.
Coordinates random_entries(const std::string& layout, const std::vector<std::int64_t>& dimensions, unsigned one_in,
                           unsigned seed);

/// The layout's arrays for these entries.
layouts::Data data_for(const layouts::Layout& layout, const Coordinates& entries);

struct Operand {
  std::string format;  // of parse_format, if it is no layout
  std::optional<polyhedral::UsedLayout> layout = {};
  std::string name() const { return layout ? layout->layout.name : format; }
};

/// The example layouts with so many dimensions.
std::vector<polyhedral::UsedLayout> layouts_of_order(int order);

/// FILIGREE_ALL: every combination, instead of one in `sample`.
int every(int sample);

/// Runs statements over operands and compares with the oracle; what is wrong is a failure of the test.
class LayoutCheck {
 public:
  explicit LayoutCheck(const std::string& text) : parsed_(notation::parse(text)) {}

  /// Tensors that are not named are dense.  Nothing is run where a layout cannot have the shape.
  void run(const std::map<std::string, Operand>& operands, const std::map<std::string, std::int64_t>& sizes,
           unsigned one_in, unsigned seed, compiler::Target target = compiler::Target::Interpret);

 private:
  std::vector<std::string> indices_of(const std::string& tensor) const;
  std::optional<AnyTensor> make(const notation::TensorUse& use, const Operand* operand, const Format& format,
                                const std::map<std::string, std::int64_t>& sizes, unsigned one_in, unsigned seed) const;

  notation::Parsed parsed_;
};

}  // namespace filigree::differential
