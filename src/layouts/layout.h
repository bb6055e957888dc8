// A layout: how what is stored of a tensor relates to its coordinates (P0 section 3; docs/layouts.md is for users).
//
//   layout csr(rows, columns) {
//     arrays   pos(rows + 1), crd(entries), vals(entries)
//     [pi, pj] -> [i, j] : 0 <= pi < rows and pos(pi) <= pj < pos(pi + 1) and i = pi and j = crd(pj)
//     value    vals(pj)
//     where    pi = pi' and a < a' -> crd(a) < crd(a')
//   }
//
// Physical variables are on the left, logical ones (the tensor's coordinates) on the right.  Every point of the
// relation stores a component; a component that several points store has the sum of their values.  Coordinates outside
// of the dimensions are room that is not used.  A layout of several terms stores the sum of what they store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/expression.h"

namespace filigree::layouts {

struct ArrayShape {
  std::string name;
  std::vector<Expr> extents;
  bool operator==(const ArrayShape&) const = default;
};

/// One relation, and where its points find their values.
struct Term {
  std::vector<std::string> physical, logical;
  Formula relation;  // a conjunction
  Expr value;        // a Read
  bool operator==(const Term&) const = default;

  /// What the relation says a logical variable is, in terms of physical ones.  Requires: the layout was checked.
  Expr coordinate(size_t dimension) const;
};

struct Layout {
  std::string name;
  std::vector<std::string> dimensions;  // sizes of the tensor; one that occurs twice says that they are equal
  std::vector<ArrayShape> arrays;
  std::vector<Term> terms;
  std::vector<Formula> properties;  // implications, or what always holds
  bool operator==(const Layout&) const = default;

  int order() const { return static_cast<int>(dimensions.size()); }
  const ArrayShape* find_array(const std::string& array) const;
  /// Does it hold values?  The others are index arrays.
  bool holds_values(const std::string& array) const;
  /// Sizes that are no dimensions: arrays tell them.  In order of appearance.
  std::vector<std::string> parameters() const;
};

/// Reads and checks the text.  Throws UserError that points into it; `what` is what it is called.
Layout parse_layout(const std::string& text, const std::string& what = "layout");
/// The same from a file; throws UserError if it cannot be read.
Layout read_layout(const std::string& path);
/// parse_layout(to_string(layout)) == layout.
std::string to_string(const Layout& layout);

/// What is wrong with a layout that was read or put together: throws UserError, which points into `source` if there is
/// one.  In order: names that mean nothing or two things, arrays read with too many or too few places, coordinates and
/// physical variables that do not follow, sizes that no array tells.
void check(const Layout& layout, const Source& source = nullptr);

/// A property as a formula over two points of one term, or over places of arrays.
struct Property {
  /// The term whose points it is about; nothing: it is about any places of arrays.
  std::optional<size_t> term;
  Formula formula;
  /// The names that range over places, each with the array and the number of the place; for properties about places.
  struct Place {
    std::string name, array;
    size_t number;
  };
  std::vector<Place> places = {};
  bool two_instances = false;  // is something primed?
};
/// A name that is no physical variable stands for a place of the array that it is read from: the place that the
/// relation reads, if the property names physical variables too; any place otherwise.  Throws UserError if it is
/// neither.
Property resolve(const Layout& layout, const Formula& property, const Source& source = nullptr);

}  // namespace filigree::layouts
