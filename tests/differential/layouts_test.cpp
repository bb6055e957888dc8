// Layouts as operands: every expression over layouts and formats gives the oracle's values and pattern.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "layouts/pack.h"
#include "layouts/points.h"
#include "notation/parse.h"
#include "polyhedral/use_layout.h"
#include "support/text.h"
#include "tests/differential/expected.h"
#include "tests/layouts/examples.h"

namespace filigree::differential {
namespace {

using layouts::Data;
using polyhedral::UsedLayout;

/// Two of four columns and below the diagonal: what every layout can hold.
bool suits(const std::string& layout, std::int64_t i, std::int64_t j) {
  if (layout == "two_four" || layout == "warp") return j % 4 == (i + j / 4) % 4;
  return layout != "lower_triangle" || j <= i;
}

Coordinates random_entries(const std::string& layout, std::vector<std::int64_t> dimensions, unsigned one_in,
                           unsigned seed) {
  std::mt19937 random(seed);
  Coordinates entries;
  entries.dimensions = dimensions;
  entries.coordinate.resize(dimensions.size());
  std::vector<double> values;
  reference::for_each_coordinate(dimensions, [&](const std::vector<std::int64_t>& at) {
    if (random() % one_in != 0 || (at.size() == 2 && !suits(layout, at[0], at[1]))) return;
    for (size_t d = 0; d < at.size(); d++) entries.coordinate[d].push_back(at[d]);
    values.push_back(static_cast<double>(1 + random() % 9));
  });
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), entries.values.as<double>().begin());
  return entries;
}

/// The layout's arrays for these entries.
Data data_for(const layouts::Layout& layout, const Coordinates& entries) {
  Data data{entries.dimensions, {}};
  layouts::Rows rows = entries.order() == 2 ? layouts::rows_of(entries) : layouts::Rows();
  std::vector<std::int64_t> in_order(rows.size());
  for (size_t n = 0; n < rows.size(); n++) in_order[n] = static_cast<std::int64_t>(n);
  if (layout.name == "sliced_ell") return layouts::add_slices(rows, in_order, data), data;
  if (layout.name == "sell_c_sigma") {
    std::vector<std::int64_t> perm = layouts::by_length(rows);
    while (perm.size() % 4 != 0) perm.push_back(-1);
    layouts::add_slices(rows, perm, data);
    data.arrays.emplace("perm", layouts::indices(perm));
    return data;
  }
  if (layout.name == "jds") return layouts::add_jagged(rows, data), data;
  if (layout.name == "hyb") return layouts::add_hybrid(rows, data), data;
  if (layout.name == "permuted_rows") return layouts::add_permuted(rows, data), data;
  if (layout.name == "two_four") return layouts::add_two_four(entries, data), data;
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

/// The lists agree but for zeros.
void expect_same(const Coordinates& a, const Coordinates& b, const std::string& what) {
  auto values = [](const Coordinates& c) {
    std::map<std::vector<std::int64_t>, double> out;
    for (std::int64_t n = 0; n < c.count(); n++) {
      std::vector<std::int64_t> at;
      for (const auto& d : c.coordinate) at.push_back(d[static_cast<size_t>(n)]);
      out[at] += c.values.as<double>()[static_cast<size_t>(n)];
    }
    std::erase_if(out, [](const auto& entry) { return entry.second == 0; });
    return out;
  };
  EXPECT_EQ(values(a), values(b)) << what;
}

struct Operand {
  std::string format;  // of parse_format, if it is no layout
  std::optional<UsedLayout> layout;
  std::string name() const { return layout ? layout->layout.name : format; }
};

class Check {
 public:
  explicit Check(const std::string& text) : parsed_(notation::parse(text)) {}

  void run(const std::map<std::string, Operand>& operands, const std::map<std::string, std::int64_t>& sizes,
           unsigned one_in, unsigned seed, compiler::Target target) {
    std::map<std::string, TensorVar> vars;
    std::map<std::string, AnyTensor> packed;
    reference::Operands boxes;
    std::string what;
    for (const notation::TensorUse& use : parsed_.tensors) {
      auto given = operands.find(use.name);
      Format format = given == operands.end() ? Format::dense(use.order)
                      : given->second.layout  ? given->second.layout->format
                                              : parse_format(given->second.format, use.order);
      vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, format));
      if (given != operands.end()) what += " " + use.name + ":" + given->second.name();
      if (!use.is_operand) continue;
      std::vector<std::int64_t> dimensions;
      for (const std::string& index : indices_of(use.name)) dimensions.push_back(sizes.at(index));
      std::string layout = given != operands.end() && given->second.layout ? given->second.layout->layout.name : "";
      bool triangle = layout == "lower_triangle" && dimensions[0] != dimensions[1];
      if (triangle) return;
      Coordinates entries = random_entries(layout, dimensions, format.is_dense() ? 1 : one_in, seed++);
      if (layout.empty()) {
        packed.emplace(use.name, AnyTensor::pack(entries, format, Duplicates::Error, use.name));
      } else {
        Data data = data_for(given->second.layout->layout, entries);
        expect_same(layouts::unpack(given->second.layout->layout, data), entries, layout);
        packed.emplace(use.name, polyhedral::make_tensor(*given->second.layout, data, use.name));
        expect_same(packed.at(use.name).coordinates(), entries, layout + " as a tensor");
      }
      boxes.emplace(use.name, reference::box_of(packed.at(use.name)));
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

 private:
  std::vector<std::string> indices_of(const std::string& tensor) const {
    std::vector<std::string> names;
    std::string text = parsed_.source->text;
    size_t at = text.find(tensor + "("), end = text.find(')', at);
    std::string inside = text.substr(at + tensor.size() + 1, end - at - tensor.size() - 1);
    for (const std::string& name : split(inside, ',')) names.push_back(trim(name));
    return names;
  }

  notation::Parsed parsed_;
};

std::vector<UsedLayout> layouts_of_order(int order) {
  std::vector<UsedLayout> found;
  for (const std::string& path : layouts::example_paths()) {
    layouts::Layout layout = layouts::read_layout(path);
    if (layout.order() == order) found.push_back(polyhedral::use_layout(layout));
  }
  return found;
}

const std::map<std::string, std::int64_t> sizes = {{"i", 13}, {"j", 11}, {"k", 9}},
                                          square = {{"i", 12}, {"j", 12}, {"k", 12}};

/// FILIGREE_ALL: every combination, instead of one in three.
int every() { return std::getenv("FILIGREE_ALL") ? 1 : 3; }

TEST(Layouts, AreOperandsOfProductsWithVectors) {
  for (const UsedLayout& layout : layouts_of_order(2)) {
    for (const char* text : {"y(i) = A(i,j)*x(j)", "y(j) = A(i,j)*x(i)", "s = A(i,j)*x(j)", "y(i) = A(i,j) + x(i)"}) {
      for (const char* format : {"dense", "sparse", "compressed", "hash", "bitmap"}) {
        std::string vector = std::string(format) == "compressed" ? "(i) -> (i: compressed(unordered))" : format;
        for (unsigned one_in : {3u, 1000u}) {
          Operand a{"", layout}, x{vector, {}};
          Check(text).run({{"A", a}, {"x", x}}, square, one_in, 3, compiler::Target::Interpret);
          Check(text).run({{"A", a}, {"x", x}}, sizes, one_in, 7, compiler::Target::Interpret);
        }
      }
    }
  }
}

TEST(Layouts, MeetEachOtherAndFormats) {
  std::vector<Operand> others;
  int number = 0;
  for (const UsedLayout& layout : layouts_of_order(2)) others.push_back({"", layout});
  for (const char* format :
       {"csr", "csc", "dcsr", "coo", "coo(unordered)", "bcsr(2,3)", "dia", "ell", "hash", "csb(4,4)", "dense"})
    others.push_back({format, {}});
  for (const UsedLayout& layout : layouts_of_order(2)) {
    for (const Operand& other : others) {
      for (const char* text :
           {"C(i,j) = A(i,k)*B(k,j)", "C(i,j) = A(i,j)*B(i,j)", "C(i,j) = A(i,j) + B(i,j)", "C(i,j) = A(i,j)*B(j,i)"}) {
        Operand a{"", layout};
        if (number++ % every() != 0) continue;
        Check(text).run({{"A", a}, {"B", other}, {"C", {"csr", {}}}}, square, 3, 5, compiler::Target::Interpret);
      }
    }
  }
}

TEST(Layouts, AreCompiled) {
  std::vector<UsedLayout> all = layouts_of_order(2);
  for (size_t n = 0; n < all.size(); n++) {
    Operand a{"", all[n]}, b{"", all[(n + 3) % all.size()]}, x{"sparse", {}};
    Check("y(i) = A(i,j)*x(j)").run({{"A", a}, {"x", x}}, square, 3, 5, compiler::Target::Jit);
    Check("C(i,j) = A(i,k)*B(k,j)").run({{"A", a}, {"B", b}, {"C", {"csr", {}}}}, square, 3, 5, compiler::Target::Jit);
  }
}

TEST(Layouts, AreResultsWhereTheirArraysFollow) {
  for (const UsedLayout& layout : layouts_of_order(2)) {
    if (layouts::why_not_packed(layout.layout)) continue;
    if (layout.layout.name == "warp") continue;  // not every product fits
    Operand c{"", layout};
    if (layout.layout.name == "lower_triangle")
      Check("C(i,j) = A(i,j)*2").run({{"A", c}, {"C", c}}, square, 3, 5, compiler::Target::Interpret);
    else
      Check("C(i,j) = A(i,k)*B(k,j)")
          .run({{"A", {"csr", {}}}, {"B", {"csc", {}}}, {"C", c}}, square, 6, 5, compiler::Target::Interpret);
  }
}

TEST(Layouts, OfOneAndOfThreeDimensions) {
  for (const UsedLayout& layout : layouts_of_order(1)) {
    for (const char* format : {"dense", "sparse", "hash"})
      Check("s = a(i)*b(i)").run({{"a", {"", layout}}, {"b", {format, {}}}}, square, 3, 5, compiler::Target::Interpret);
    Check("s = a(i)*b(i)").run({{"a", {"", layout}}, {"b", {"", layout}}}, square, 3, 5, compiler::Target::Interpret);
  }
}

}  // namespace
}  // namespace filigree::differential
