// lower, upper: row i of a packed triangle holds columns 0..i, or i and beyond, one row after the other.
//
//   lower:  coord_iter(i) = <0, min(i+1, N)>     locate(i, j) = <begin(i) + j, j <= i>        begin(i) = m(m+1)/2 +
//   (i-m)N upper:  coord_iter(i) = <i, N>               locate(i, j) = <begin(i) + j - i, i <= j>    begin(i) = mN -
//   m(m-1)/2
//
// with m = min(i, N) for N columns.  It stands under a dense level of rows, so that a parent's position is its row.
//
// Example, a 3x3 lower triangle:  values = (0,0) (1,0) (1,1) (2,0) (2,1) (2,2).
#include <algorithm>

#include "level/registry.h"

namespace filigree::level {
namespace {

enum class Side { Lower, Upper };

/// The same formula for code and for the host: `Number` is an ir::Expr or an integer.
template <class Number, class Min, class Half>
Number row_begin(Side side, const Number& row, const Number& columns, const Number& one, Min min, Half half) {
  Number m = min(row, columns);
  if (side == Side::Lower) return half(m * (m + one)) + (row - m) * columns;
  return m * columns - half(m * (m - one));
}

struct Code {
  ir::Expr expr;
  Code operator+(const Code& o) const { return {ir::add(expr, o.expr)}; }
  Code operator-(const Code& o) const { return {ir::subtract(expr, o.expr)}; }
  Code operator*(const Code& o) const { return {ir::multiply(expr, o.expr)}; }
};

ir::Expr row_begin(Side side, const ir::Expr& row, const ir::Expr& columns) {
  auto min = [](const Code& a, const Code& b) { return Code{ir::min(a.expr, b.expr)}; };
  auto half = [](const Code& a) { return Code{ir::quotient(a.expr, ir::integer(2))}; };
  return row_begin(side, Code{row}, Code{columns}, Code{ir::integer(1)}, min, half).expr;
}

std::int64_t row_begin(Side side, std::int64_t row, std::int64_t columns) {
  auto min = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
  return row_begin(side, row, columns, std::int64_t{1}, min, [](std::int64_t a) { return a / 2; });
}

/// Of sizes that may be too large for integers.
double row_begin(Side side, double row, double columns) {
  auto min = [](double a, double b) { return std::min(a, b); };
  return row_begin(side, row, columns, 1.0, min, [](double a) { return a / 2; });
}

/// Where column 0 of the row would be.
ir::Expr column_zero(Side side, const ir::Expr& row, const ir::Expr& columns) {
  ir::Expr begin = row_begin(side, row, columns);
  return side == Side::Lower ? begin : ir::subtract(begin, row);
}
std::int64_t column_zero(Side side, std::int64_t row, std::int64_t columns) {
  return row_begin(side, row, columns) - (side == Side::Lower ? 0 : row);
}

class TriangleIteration : public ValueIteration {
 public:
  explicit TriangleIteration(Side side) : side_(side) {}
  Bounds bounds(const Instance& level, const std::vector<ir::Expr>& ancestors) const override {
    const ir::Expr& row = ancestors.back();
    if (side_ == Side::Upper) return {row, level.extent};
    return {ir::integer(0), ir::min(ir::add(row, ir::integer(1)), level.extent)};
  }
  Node access(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return {ir::add(column_zero(side_, parent, level.extent), coordinates.back()), coordinates.back()};
  }

 private:
  Side side_;
};

class TriangleLocate : public Locate {
 public:
  explicit TriangleLocate(Side side) : side_(side) {}
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    const ir::Expr& column = coordinates.back();
    ir::Expr inside = side_ == Side::Lower ? ir::greater_equal(parent, column) : ir::greater_equal(column, parent);
    return {ir::add(column_zero(side_, parent, level.extent), column), column, inside};
  }

 private:
  Side side_;
};

class TriangleInsert : public Insert {
 public:
  explicit TriangleInsert(Side side) : side_(side), locate_(side) {}
  std::optional<ir::Expr> size(const Instance& level, const ir::Expr& parent_count) const override {
    return row_begin(side_, parent_count, level.extent);
  }
  ir::Stmt init(const Instance&) const override { return {}; }
  bool holds_all() const override { return false; }
  Node insert(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate, bool,
              const OnNew&) const override {
    return locate_.locate(level, parent, {coordinate});
  }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
  ir::Stmt clear(const Instance&) const override { return {}; }

 private:
  Side side_;
  TriangleLocate locate_;
};

class TriangleStorage : public Storage {
 public:
  explicit TriangleStorage(Side side) : side_(side) {}
  Packed pack(const Shape& shape, const Nodes& nodes) const override {
    Packed packed;
    packed.size = row_begin(side_, shape.parent_count, shape.extent);
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      std::int64_t row = nodes.parent[n], column = nodes.coordinate[n];
      bool inside = side_ == Side::Lower ? column <= row : row <= column;
      packed.positions.push_back(inside ? column_zero(side_, row, shape.extent) + column : Packed::does_not_fit);
    }
    return packed;
  }
  double least_size(double extent, double parent_count, double) const override {
    return row_begin(side_, parent_count, extent);
  }
  std::int64_t validate(const StoredLevel& level, const std::string&) const override { return size(level); }
  std::int64_t size(const StoredLevel& level) const override {
    return row_begin(side_, level.parent_count, level.extent);
  }
  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    std::int64_t zero = column_zero(side_, parent, level.extent);
    std::int64_t begin = side_ == Side::Lower ? 0 : parent,
                 end = side_ == Side::Lower ? std::min(parent + 1, level.extent) : level.extent;
    for (std::int64_t j = begin; j < end; j++) visit(j, zero + j);
  }

 private:
  Side side_;
};

class Triangle : public Format {
 public:
  explicit Triangle(Side side) : side_(side), iteration_(side), locate_(side), insert_(side), storage_(side) {}
  std::string name() const override { return side_ == Side::Lower ? "lower" : "upper"; }
  Properties properties() const override { return {}; }
  bool stands_under_rows() const override { return true; }
  bool pads() const override { return true; }
  std::vector<ArrayDescription> arrays() const override { return {}; }
  const ValueIteration* value_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }
  const Storage* storage() const override { return &storage_; }

 private:
  Side side_;
  TriangleIteration iteration_;
  TriangleLocate locate_;
  TriangleInsert insert_;
  TriangleStorage storage_;
};

}  // namespace

FormatPtr lower() {
  static const FormatPtr format = std::make_shared<Triangle>(Side::Lower);
  return format;
}

FormatPtr upper() {
  static const FormatPtr format = std::make_shared<Triangle>(Side::Upper);
  return format;
}

}  // namespace filigree::level
