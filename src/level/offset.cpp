// offset: nothing is stored; every parent has one child, whose coordinate follows from the levels above.
//
//   locate(p, j) = <p, true>          size(parents) = parents
//
// Example, the columns of a DIA matrix, (j-i: compressed, i: range, j: offset): j is the diagonal plus i.
#include "level/registry.h"

namespace filigree::level {
namespace {

class OffsetLocate : public Locate {
 public:
  Node locate(const Instance&, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return {parent, coordinates.back()};
  }
};

class OffsetInsert : public Insert {
 public:
  std::optional<ir::Expr> size(const Instance&, const ir::Expr& parent_count) const override { return parent_count; }
  ir::Stmt init(const Instance&) const override { return {}; }
  Node insert(const Instance&, const ir::Expr& parent, const ir::Expr& coordinate, bool, const OnNew&) const override {
    return {parent, coordinate};
  }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
  ir::Stmt clear(const Instance&) const override { return {}; }
};

class OffsetStorage : public Storage {
 public:
  Packed pack(const Shape& shape, const Nodes& nodes) const override { return {{}, nodes.parent, shape.parent_count}; }
  double least_size(double, double parent_count, double) const override { return parent_count; }
  std::int64_t validate(const StoredLevel& level, const std::string&) const override { return level.parent_count; }
  std::int64_t size(const StoredLevel& level) const override { return level.parent_count; }
  void for_each_child(const StoredLevel&, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    visit(0, parent);  // whoever walks knows the coordinate
  }
};

class Offset : public Format {
 public:
  std::string name() const override { return "offset"; }
  Properties properties() const override { return {.full = true, .branchless = true, .compact = false}; }
  bool is_implied() const override { return true; }
  std::vector<ArrayDescription> arrays() const override { return {}; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }
  const Storage* storage() const override { return &storage_; }

 private:
  OffsetLocate locate_;
  OffsetInsert insert_;
  OffsetStorage storage_;
};

}  // namespace

FormatPtr offset() {
  static const FormatPtr format = std::make_shared<Offset>();
  return format;
}

}  // namespace filigree::level
