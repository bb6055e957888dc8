#include "tests/differential/layout_operands.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "layouts/pack.h"
#include "layouts/points.h"
#include "support/text.h"
#include "tests/differential/expected.h"
#include "tests/layouts/examples.h"

namespace filigree::differential {
namespace {

using layouts::Data;

/// Two of four columns and below the diagonal: what every layout can hold.
bool suits(const std::string& layout, const std::vector<std::int64_t>& at) {
  if (layout == "two_four" || layout == "warp") return at[1] % 4 == (at[0] + at[1] / 4) % 4;
  if (layout == "symmetric3") return at[0] >= at[1] && at[1] >= at[2];
  if (layout == "strict_lower") return at[1] < at[0];
  if (layout == "strict_upper") return at[1] > at[0];
  if (layout == "diagonal") return at[1] == at[0];
  if (layout == "band") return at[1] <= at[0] + 2 && at[0] <= at[1] + 1;
  if (layout == "upper") return at[0] <= at[1];
  return (layout != "lower_triangle" && layout != "lower") || at[1] <= at[0];
}

/// Does the layout hold what is at a coordinate in all orders?
bool is_symmetric(const std::string& layout) { return layout == "symmetric3"; }

Coordinates list_of(const std::vector<std::int64_t>& dimensions,
                    const std::map<std::vector<std::int64_t>, double>& components) {
  Coordinates entries;
  entries.dimensions = dimensions;
  entries.coordinate.resize(dimensions.size());
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(components.size()));
  std::int64_t n = 0;
  for (const auto& [at, value] : components) {
    for (size_t d = 0; d < at.size(); d++) entries.coordinate[d].push_back(at[d]);
    entries.values.as<double>()[static_cast<size_t>(n++)] = value;
  }
  return entries;
}

std::map<std::vector<std::int64_t>, double> components_of(const Coordinates& entries) {
  std::map<std::vector<std::int64_t>, double> out;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    std::vector<std::int64_t> at;
    for (const auto& d : entries.coordinate) at.push_back(d[static_cast<size_t>(n)]);
    out[at] += entries.values.as<double>()[static_cast<size_t>(n)];
  }
  return out;
}

/// The lists agree but for zeros.
void expect_same(const Coordinates& a, const Coordinates& b, const std::string& what) {
  auto values = [](const Coordinates& c) {
    auto out = components_of(c);
    std::erase_if(out, [](const auto& entry) { return entry.second == 0; });
    return out;
  };
  EXPECT_EQ(values(a), values(b)) << what;
}

/// Layouts whose arrays do not follow from coordinates; false for others.
bool add_arrays(const layouts::Layout& layout, const Coordinates& entries, Data& data) {
  if (layout.name == "symmetric3") return layouts::add_symmetric3(entries, data), true;
  if (layout.name == "hicoo") return layouts::add_blocks_of_lists(entries, data), true;
  if (entries.order() != 2) return false;
  layouts::Rows rows = layouts::rows_of(entries);
  std::vector<std::int64_t> in_order(rows.size());
  for (size_t n = 0; n < rows.size(); n++) in_order[n] = static_cast<std::int64_t>(n);
  if (layout.name == "sliced_ell") return layouts::add_slices(rows, in_order, data), true;
  if (layout.name == "sell_c_sigma") {
    std::vector<std::int64_t> perm = layouts::by_length(rows);
    while (perm.size() % 4 != 0) perm.push_back(-1);
    layouts::add_slices(rows, perm, data);
    data.arrays.emplace("perm", layouts::indices(perm));
    return true;
  }
  if (layout.name == "jds") return layouts::add_jagged(rows, data), true;
  if (layout.name == "hyb") return layouts::add_hybrid(rows, data), true;
  if (layout.name == "permuted_rows") return layouts::add_permuted(rows, data), true;
  if (layout.name == "two_four") return layouts::add_two_four(entries, data), true;
  return false;
}

}  // namespace

Coordinates random_entries(const std::string& layout, const std::vector<std::int64_t>& dimensions, unsigned one_in,
                           unsigned seed) {
  std::mt19937 random(seed);
  std::map<std::vector<std::int64_t>, double> components;
  reference::for_each_coordinate(dimensions, [&](const std::vector<std::int64_t>& at) {
    if (random() % one_in != 0 || (at.size() > 1 && !suits(layout, at))) return;
    double value = static_cast<double>(1 + random() % 9);
    std::vector<std::int64_t> order = at;
    std::sort(order.begin(), order.end());
    if (!is_symmetric(layout)) {
      components[at] = value;
      return;
    }
    do components[order] = value;
    while (std::next_permutation(order.begin(), order.end()));
  });
  return list_of(dimensions, components);
}

Data data_for(const layouts::Layout& layout, const Coordinates& entries) {
  Data data{entries.dimensions, {}};
  if (add_arrays(layout, entries, data)) return data;
  layouts::PackedData packed = layouts::pack_arrays(layout, entries.dimensions, entries.coordinate);
  data.arrays = std::move(packed.arrays);
  Array& values = data.arrays.at(layout.terms[0].value.text());
  for (std::int64_t n = 0; n < entries.count(); n++) {
    if (packed.elements[static_cast<size_t>(n)] < 0) {
      ADD_FAILURE() << layout.name << " does not hold an entry";
      continue;
    }
    values.set(packed.elements[static_cast<size_t>(n)], entries.values.get(n));
  }
  return data;
}

std::vector<polyhedral::UsedLayout> layouts_of_order(int order) {
  std::vector<polyhedral::UsedLayout> found;
  for (const std::string& path : layouts::example_paths()) {
    layouts::Layout layout = layouts::read_layout(path);
    if (layout.order() == order) found.push_back(polyhedral::use_layout(layout));
  }
  return found;
}

int every(int sample) { return std::getenv("FILIGREE_ALL") ? 1 : sample; }

std::vector<std::string> LayoutCheck::indices_of(const std::string& tensor) const {
  std::vector<std::string> names;
  std::string text = parsed_.source->text;
  size_t at = text.find(tensor + "("), end = text.find(')', at);
  std::string inside = text.substr(at + tensor.size() + 1, end - at - tensor.size() - 1);
  for (const std::string& name : split(inside, ',')) names.push_back(trim(name));
  return names;
}

std::optional<AnyTensor> LayoutCheck::make(const notation::TensorUse& use, const Operand* operand, const Format& format,
                                           const std::map<std::string, std::int64_t>& sizes, unsigned one_in,
                                           unsigned seed) const {
  std::vector<std::int64_t> dimensions;
  for (const std::string& index : indices_of(use.name)) dimensions.push_back(sizes.at(index));
  const layouts::Layout* layout = operand && operand->layout ? &operand->layout->layout : nullptr;
  for (size_t d = 0; layout && d < dimensions.size(); d++) {
    for (size_t e = 0; e < d; e++) {
      if (layout->dimensions[d] == layout->dimensions[e] && dimensions[d] != dimensions[e]) return std::nullopt;
    }
  }
  std::string name = operand ? operand->name() : "";
  Coordinates entries = random_entries(name, dimensions, format.is_dense() ? 1 : one_in, seed);
  if (!layout) return AnyTensor::pack(entries, format, Duplicates::Error, use.name);
  Data data = data_for(*layout, entries);
  expect_same(layouts::unpack(*layout, data), entries, name);
  AnyTensor tensor = polyhedral::make_tensor(*operand->layout, data, use.name);
  expect_same(tensor.coordinates(), entries, name + " as a tensor");
  return tensor;
}

void LayoutCheck::run(const std::map<std::string, Operand>& operands, const std::map<std::string, std::int64_t>& sizes,
                      unsigned one_in, unsigned seed, compiler::Target target) {
  std::map<std::string, TensorVar> vars;
  std::map<std::string, AnyTensor> packed;
  reference::Operands boxes;
  std::string what;
  for (const notation::TensorUse& use : parsed_.tensors) {
    auto given = operands.find(use.name);
    const Operand* operand = given == operands.end() ? nullptr : &given->second;
    Format format = !operand          ? Format::dense(use.order)
                    : operand->layout ? operand->layout->format
                                      : parse_format(operand->format, use.order);
    vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, format));
    if (operand) what += " " + use.name + ":" + operand->name();
    if (!use.is_operand) continue;
    std::optional<AnyTensor> tensor = make(use, operand, format, sizes, one_in, seed++);
    if (!tensor) return;
    boxes.emplace(use.name, reference::box_of(*tensor));
    packed.emplace(use.name, std::move(*tensor));
  }
  notation::Statement statement = notation::resolve(parsed_, vars);
  reference::Box expected =
      reference::stored_in(reference::evaluate(statement, boxes, {}), statement.lhs.tensor.format());
  KernelOptions options;
  options.target = target;
  std::optional<std::string> wrong;
  try {
    Kernel kernel = Kernel::compile(statement, options);
    Arguments arguments;
    for (const auto& [name, tensor] : packed) arguments.emplace_back(name, tensor);
    wrong = check_kernel(kernel, arguments, {}, expected, 1e-9);
  } catch (...) {
    wrong = describe_exception();
  }
  EXPECT_FALSE(wrong) << notation::to_string(statement) << what << ", one in " << one_in << ", seed " << seed << ": "
                      << *wrong;
}

}  // namespace filigree::differential
