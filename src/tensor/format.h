// How a tensor is stored: which dimension each level holds, and in which level format.
//
//   csr   (i,j) -> (i: dense, j: compressed)        csc   (i,j) -> (j: dense, i: compressed)
//
// Text forms: a name (csr, csc, dcsr, dcsc, csf, dense, sparse), letters as in TACO (`ds`, `ds:1,0`), or the map
// above.  parse_format(to_string(f), order) == f.
#pragma once

#include <string>
#include <vector>

#include "level/registry.h"
#include "support/diagnostic.h"

namespace filigree {

struct Level {
  int dimension = 0;          // which of the tensor's dimensions this level stores
  level::FormatPtr format;
  bool operator==(const Level& other) const { return dimension == other.dimension && format == other.format; }
};

class Format {
 public:
  Format() = default;  // a scalar's
  explicit Format(std::vector<Level> levels) : levels_(std::move(levels)) {}

  /// Every level of the same kind, dimensions in order.
  static Format uniform(int order, const level::FormatPtr& format);
  static Format dense(int order) { return uniform(order, level::dense()); }
  static Format sparse(int order) { return uniform(order, level::compressed()); }

  int order() const { return static_cast<int>(levels_.size()); }
  const std::vector<Level>& levels() const { return levels_; }
  /// Which level holds a dimension.
  int level_of(int dimension) const;
  bool is_dense() const;  // every level is full and can be located

  /// This format's pattern with the dimensions stored in another order: exactly the same components
  /// can be present.  Full levels stay full above the last level; everything else is compressed.
  Format reordered(const std::vector<int>& dimensions) const;

  bool operator==(const Format&) const = default;

 private:
  std::vector<Level> levels_;
};

/// Requires: `order` >= 0.  Throws UserError that points into `text` (called `what` in messages).
Format parse_format(const std::string& text, int order, const std::string& what = "format");
/// The shortest text: a name where there is one, else letters, else the map.
std::string to_string(const Format& format);
/// The map, always: "(i,j) -> (i: dense, j: compressed)".
std::string to_map(const Format& format);
std::vector<std::string> format_names();

}  // namespace filigree
