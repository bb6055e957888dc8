// What is stored in a layout: arrays by name, and the sizes that follow from them; values of expressions there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layouts/layout.h"
#include "level/array.h"

namespace filigree::layouts {

struct Data {
  std::vector<std::int64_t> dimensions;
  std::map<std::string, Array> arrays;  // index arrays hold int32 or int64
};

/// Sizes by name: dimensions, and what array lengths tell.  Throws UserError where they contradict each other, an array
/// is missing, or there is one too many.
std::map<std::string, std::int64_t> find_sizes(const Layout& layout, const Data& data);

/// Evaluates expressions and conditions of a layout, with variables in slots.
class Evaluator {
 public:
  /// All must outlive it.
  Evaluator(const Layout& layout, const Data& data);
  /// The same with sizes that are known; arrays of values may be missing, and others that nothing reads.
  Evaluator(const Layout& layout, std::map<std::string, std::int64_t> sizes,
            const std::map<std::string, const Array*>& arrays);

  /// An expression whose names are known: variables by slot, sizes and arrays by value.
  struct Code {
    Expr::Kind kind = Expr::Kind::Number;
    std::int64_t value = 0;  // of a number; a slot
    size_t array = 0;
    std::vector<Code> parts;
  };
  struct Test {
    Formula::Kind kind = Formula::Kind::And;
    std::vector<Code> sides;
    std::vector<Test> parts;
  };
  /// Slots of names: (name, primed).
  using Slots = std::map<std::pair<std::string, bool>, size_t>;
  Code compile(const Expr& expr, const Slots& slots) const;
  Test compile(const Formula& formula, const Slots& slots) const;

  using Values = std::vector<std::int64_t>;
  /// Throws UserError, naming array and place, for a place that is outside of an array.
  std::int64_t value(const Code& code, const Values& slots) const;
  bool holds(const Test& test, const Values& slots) const;
  /// The number of the element that a Read is of.
  std::int64_t element(const Code& code, const Values& slots) const;

  const std::map<std::string, std::int64_t>& sizes() const { return sizes_; }
  std::int64_t size(const std::string& name) const { return sizes_.at(name); }
  const std::vector<std::int64_t>& extents(const std::string& array) const;
  const std::vector<std::int64_t>& extents(size_t array) const { return extents_[array]; }
  const Array* array(size_t number) const { return arrays_[number]; }
  const Layout& layout() const { return layout_; }
  std::vector<std::int64_t> dimensions() const;

 private:
  const Layout& layout_;
  std::map<std::string, std::int64_t> sizes_;
  std::vector<const Array*> arrays_;  // as in the layout
  std::vector<std::vector<std::int64_t>> extents_;
};

/// The value of an expression of sizes alone; nothing if a name is not among them.
std::optional<std::int64_t> value_of(const Expr& expr, const std::map<std::string, std::int64_t>& sizes);

}  // namespace filigree::layouts
