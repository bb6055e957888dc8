// A level format of one's own: `skyline`, one run of neighbouring columns for each row, from its first entry to its last.
//
//   first = 0 1 0     row 0 has columns 0..1, row 1 column 1, row 2 columns 0..2        10 20  .
//   pos   = 0 2 3 6   where each row's values begin                                     .  30  .
//   values = 10 20 30 40 0 50                                                           40  .  50
//
// Direct solvers keep matrices like this: it needs one number per row beside the values.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "filigree.h"

using namespace filigree;
using level::Instance;
using level::Node;
using level::StoredLevel;

namespace {

const ir::Var& pos(const Instance& level) { return level.arrays[0]; }
const ir::Var& first(const Instance& level) { return level.arrays[1]; }

// --- What generated code does -----------------------------------------------------------------------

/// A loop over the coordinates of a row.  The level stands under rows, so that a parent's position is its coordinate.
class SkylineIteration : public level::ValueIteration {
 public:
  level::Bounds bounds(const Instance& level, const std::vector<ir::Expr>& ancestors) const override {
    const ir::Expr& row = ancestors.back();
    ir::Expr begin = ir::load_index(first(level), row);
    ir::Expr length = ir::subtract(ir::load_index(pos(level), ir::add(row, ir::integer(1))), ir::load_index(pos(level), row));
    return {begin, ir::add(begin, length)};
  }
  Node access(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    ir::Expr offset = ir::subtract(coordinates.back(), ir::load_index(first(level), parent));
    return {ir::add(ir::load_index(pos(level), parent), offset), coordinates.back()};
  }
};

/// Where a coordinate is, and whether it is there at all.
class SkylineLocate : public level::Locate {
 public:
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    ir::Expr begin = ir::load_index(pos(level), parent), end = ir::load_index(pos(level), ir::add(parent, ir::integer(1)));
    ir::Expr position = ir::add(begin, ir::subtract(coordinates.back(), ir::load_index(first(level), parent)));
    return {position, coordinates.back(), ir::both(ir::greater_equal(position, begin), ir::less(position, end))};
  }
};

// --- What the host does -----------------------------------------------------------------------------

class SkylineStorage : public level::Storage {
 public:
  /// Nodes come grouped by parent and, since the level is ordered, with increasing coordinates.
  level::Packed pack(const level::Shape& shape, const level::Nodes& nodes) const override {
    level::Packed packed;
    std::vector<std::int64_t> begin(static_cast<size_t>(shape.parent_count), -1), end(begin);
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      std::int64_t row = nodes.parent[n];
      if (begin[row] < 0) begin[row] = nodes.coordinate[n];
      end[row] = nodes.coordinate[n] + 1;
    }
    std::vector<std::int64_t> starts = {0};
    for (size_t row = 0; row < begin.size(); row++) starts.push_back(starts.back() + (end[row] - begin[row]));
    packed.size = starts.back();
    Array pos(index_type_for(packed.size), shape.parent_count + 1), first(index_type_for(shape.extent), shape.parent_count);
    for (size_t row = 0; row < starts.size(); row++) pos.set_index(static_cast<std::int64_t>(row), starts[row]);
    for (size_t row = 0; row < begin.size(); row++) first.set_index(static_cast<std::int64_t>(row), std::max<std::int64_t>(begin[row], 0));
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      packed.positions.push_back(starts[nodes.parent[n]] + nodes.coordinate[n] - begin[nodes.parent[n]]);
    }
    packed.arrays = {std::move(pos), std::move(first)};
    return packed;
  }
  double least_size(double, double, double nodes) const override { return std::min(nodes, 1.0); }

  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    const Array &pos = (*level.arrays)[0], &first = (*level.arrays)[1];
    auto wrong = [&](const std::string& array, std::int64_t element, const std::string& what) {
      return UserError(array + "[" + std::to_string(element) + "] of " + where + " " + what);
    };
    if (pos.count() != level.parent_count + 1 || first.count() != level.parent_count) throw UserError("The arrays of " + where + " do not have one element per row");
    if (pos.index_at(0) != 0) throw wrong("pos", 0, "is not 0");
    for (std::int64_t row = 0; row < level.parent_count; row++) {
      std::int64_t length = pos.index_at(row + 1) - pos.index_at(row), begin = first.index_at(row);
      if (length < 0) throw wrong("pos", row + 1, "is less than the element before it");
      if (begin < 0 || begin > level.extent - length) throw wrong("first", row, "puts the row outside of the matrix");
    }
    return pos.index_at(level.parent_count);
  }
  std::int64_t size(const StoredLevel& level) const override { return (*level.arrays)[0].index_at(level.parent_count); }
  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    const Array &pos = (*level.arrays)[0], &first = (*level.arrays)[1];
    for (std::int64_t q = pos.index_at(parent); q < pos.index_at(parent + 1); q++) visit(first.index_at(parent) + q - pos.index_at(parent), q);
  }
};

// --- The format -------------------------------------------------------------------------------------

class Skyline : public level::Format {
 public:
  std::string name() const override { return "skyline"; }
  /// Coordinates increase and occur once, and every position has one; but not every coordinate is there.
  level::Properties properties() const override { return {}; }
  /// Between the first and the last entry of a row there is room for components that nobody stored.
  bool pads() const override { return true; }
  bool stands_under_rows() const override { return true; }
  std::vector<level::ArrayDescription> arrays() const override {
    using D = level::ArrayDescription;
    return {{"pos", D::Holds::Positions, D::IndexedBy::Parent, 1}, {"first", D::Holds::Coordinates, D::IndexedBy::Parent}};
  }
  const level::ValueIteration* value_iteration() const override { return &iteration_; }
  const level::Locate* locate() const override { return &locate_; }
  const level::Storage* storage() const override { return &storage_; }

 private:
  SkylineIteration iteration_;
  SkylineLocate locate_;
  SkylineStorage storage_;
};

// --- Its use ----------------------------------------------------------------------------------------

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

AnyTensor matrix(const Entries& list, const Format& format) {
  Coordinates entries{{3, 3}, {{}, {}}, Array(ElementType::Float64, static_cast<std::int64_t>(list.size()))};
  for (const auto& [at, value] : list) {
    entries.values.as<double>()[entries.coordinate[0].size()] = value;
    entries.coordinate[0].push_back(at.first);
    entries.coordinate[1].push_back(at.second);
  }
  return AnyTensor::pack(entries, format);
}

Entries entries_of(const AnyTensor& tensor) {
  Coordinates entries = tensor.coordinates();
  Entries list;
  for (std::int64_t n = 0; n < entries.count(); n++) list[{entries.coordinate[0][n], entries.coordinate[1][n]}] = entries.values.as<double>()[n];
  return list;
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

}  // namespace

int main() {
  level::add(std::make_shared<Skyline>());
  add_named_format("profile", 2, "(i,j) -> (i: dense, j: skyline)");
  Format profile = parse_format("profile", 2), csr = parse_format("csr", 2);

  AnyTensor stored = matrix({{{0, 0}, 10}, {{0, 1}, 20}, {{1, 1}, 30}, {{2, 0}, 40}, {{2, 2}, 50}}, profile);
  std::printf("%s, %ld values\n", to_map(stored.format()).c_str(), static_cast<long>(stored.stored()));
  check(stored.stored() == 6, "one place is padding");

  IndexVar i("i"), j("j");
  TensorVar y("y", ElementType::Float64, Format::dense(1)), x("x", ElementType::Float64, Format::dense(1));
  TensorVar A("A", ElementType::Float64, csr), B("B", ElementType::Float64, profile), C("C", ElementType::Float64, csr);

  // Rows are walked from their first entry to their last.
  AnyTensor ones(ElementType::Float64, {3}, Format::dense(1));
  for (double& component : ones.values().as<double>()) component = 1;
  AnyTensor product = Kernel::compile((y(i) = B(i, j) * x(j))).run({{"B", stored}, {"x", ones}});
  auto sums = product.values().as<double>();
  std::printf("B x = %g %g %g\n", sums[0], sums[1], sums[2]);
  check(sums[0] == 30 && sums[1] == 30 && sums[2] == 90, "the product");

  // A run of columns meets compressed ones in one loop.
  AnyTensor other = matrix({{{0, 2}, 1}, {{1, 1}, 2}}, csr);
  AnyTensor sum = Kernel::compile((A(i, j) = B(i, j) + C(i, j))).run({{"B", stored}, {"C", other}});
  for (const auto& [at, value] : entries_of(sum)) std::printf("(B+C)(%ld,%ld) = %g\n", static_cast<long>(at.first), static_cast<long>(at.second), value);
  Entries expected = {{{0, 0}, 10}, {{0, 1}, 20}, {{0, 2}, 1}, {{1, 1}, 32}, {{2, 0}, 40}, {{2, 1}, 0}, {{2, 2}, 50}};
  check(entries_of(sum) == expected, "the sum");

  // Conversion needs nothing more: it is an assignment.
  AnyTensor copied = Kernel::compile((A(i, j) = B(i, j))).run({{"B", stored}});
  check(copied.stored() == 5, "padding is left out");
  check(entries_of(copied.converted(profile)) == entries_of(stored), "there and back");
}
