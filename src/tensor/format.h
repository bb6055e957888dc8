// How a tensor is stored: a map from its dimensions to an ordered list of levels, each in a level format.
//
//   csr        (i,j) -> (i: dense, j: compressed)
//   coo        (i,j) -> (i: compressed(nonunique), j: singleton)
//   coo_aos    (i,j) -> (i: tuples(2), j: member)
//   bcsr(4,2)  (i,j) -> (i/4: dense, j/2: compressed, i%4: dense, j%2: dense)
//   dia        (i,j) -> (j-i: compressed, i: range, j: offset)
//
// Text forms: a name (csr, coo, bcsr(4,2), ...; named_format.h has the table), letters as in TACO (`ds`, `ds:1,0`), or
// the map above.  parse_format(to_string(f), order) == f.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "level/registry.h"
#include "relation/coordinate.h"
#include "support/diagnostic.h"

namespace filigree {

struct Level {
  relation::Coordinate coordinate;  // what the level stores, in terms of the tensor's dimensions
  level::FormatPtr format;
  /// Requires: the level stores a dimension as it is.
  int dimension() const;
  bool operator==(const Level& other) const { return coordinate == other.coordinate && *format == *other.format; }
};

/// Only the part of a matrix on and below the diagonal is stored; the other one is its mirror image, negated (skew) or
/// conjugated (hermitian).
enum class Symmetry { None, Symmetric, Skew, Hermitian };

class Format;

namespace formats {

/// A format, or the format of a level, by its name: tensor/formats.h has the words.
class Word {
 public:
  constexpr explicit Word(const char* name) : name_(name) {}
  constexpr const char* name() const { return name_; }
  /// For tensors of this order: formats::coo(3).  Throws UserError if there is no such format.
  Format operator()(int order) const;
  /// Of the order that it is for: formats::csr is for matrices.  Throws UserError for those that are for any, as
  /// formats::coo is.
  Format of_its_order() const;

 private:
  const char* name_;
};

}  // namespace formats

class Format {
 public:
  Format() = default;  // a scalar's
  /// A level for each dimension: Format{dense, compressed}.  With an order, the first level is for dimension order[0],
  /// and so on. Throws UserError for what is no level format.
  Format(std::initializer_list<formats::Word> levels);
  Format(std::initializer_list<formats::Word> levels, const std::vector<int>& order);
  explicit Format(std::vector<Level> levels, Symmetry symmetry = Symmetry::None);

  /// Every level of the same kind, dimensions in order.
  static Format uniform(int order, const level::FormatPtr& format);
  static Format dense(int order) { return uniform(order, level::dense()); }
  static Format sparse(int order) { return uniform(order, level::compressed()); }

  /// Number of dimensions.
  int order() const { return order_; }
  int level_count() const { return static_cast<int>(levels_.size()); }
  const std::vector<Level>& levels() const { return levels_; }
  std::vector<relation::Coordinate> coordinates() const;
  Symmetry symmetry() const { return symmetry_; }

  /// Every level stores one dimension as it is, and every dimension has one level.
  bool is_plain() const;
  /// Which level holds a dimension.  Requires: is_plain().
  int level_of(int dimension) const;
  bool is_dense() const;  // plain, every level full and located
  /// Does it store components nobody asked for, because its last level has room for them?
  bool pads() const;
  /// Is there a place for every component, whatever the order of places?
  bool stores_all() const;

  /// The format in which the levels are dimensions of their own: what storage looks like to loops over levels.
  Format level_space() const;
  /// The same levels without symmetry.
  Format without_symmetry() const { return Format(levels_); }

  /// This format's pattern with the dimensions stored in another order: exactly the same components
  /// can be present.  Full levels stay full above the last level; everything else is compressed.
  /// Requires: is_plain().
  Format reordered(const std::vector<int>& dimensions) const;

  bool operator==(const Format&) const = default;

 private:
  int order_ = 0;
  std::vector<Level> levels_;
  Symmetry symmetry_ = Symmetry::None;
};

/// Requires: `order` >= 0.  Throws UserError that points into `text` (called `what` in messages).
Format parse_format(const std::string& text, int order, const std::string& what = "format");
/// The shortest text: a name where there is one, else letters, else the map.
std::string to_string(const Format& format);
/// The map, always: "(i,j) -> (i: dense, j: compressed)".
std::string to_map(const Format& format);
/// Names from the table, and then these.
std::vector<std::string> format_names();
/// symmetric, skew, hermitian
std::vector<std::string> symmetry_names();

/// Why levels cannot store a tensor with these dimensions, and which level or else which dimension is to blame; nothing
/// if they can.
struct FormatProblem {
  std::string message, hint;
  std::optional<int> level, dimension;
};
std::optional<FormatProblem> find_problem(const std::vector<Level>& levels,
                                          const std::vector<std::string>& dimension_names);
/// The same for a half of a symmetric matrix, on and below the diagonal.
std::optional<FormatProblem> find_problem_of_half(const Format& half);
/// i, j, k, ...
std::vector<std::string> usual_dimension_names(int order);

}  // namespace filigree
