// Operands whose coordinates stand in different orders meet in one loop (P0 figure 11).
#include <gtest/gtest.h>

#include "ir/interpret.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "tests/concrete/from_text.h"
#include "tests/level/orders.h"

namespace filigree::lowering {
namespace {

using concrete::Protocol;
using concrete::ProtocolRequest;

struct Vector {
  level::FormatPtr format;
  std::vector<std::int32_t> coordinates;  // as stored
};

constexpr std::int64_t extent = 12;

/// r(i) = ... over vectors whose component at i has the value i+1, 10*(i+1), 100*(i+1), ...; r is dense.
std::vector<double> run(const std::string& text, const std::map<std::string, Vector>& vectors,
                        const std::vector<ProtocolRequest>& requests = {}) {
  std::map<std::string, TensorVar> tensors;
  tensors.emplace("r", TensorVar("r", ElementType::Float64, Format::dense(1)));
  std::vector<std::string> names;
  for (const auto& [name, vector] : vectors) {
    tensors.emplace(name, TensorVar(name, ElementType::Float64, Format({{0, vector.format}})));
    names.push_back(name);
  }
  concrete::Program program = concrete::program("forall(i, " + text + ")", tensors, "r", names);
  program.environment.protocols = requests;
  ir::FunctionDef function =
      lower(plan::make_plan(program), {"kernel", uniform_array_types(program, ElementType::Int32, ElementType::Int32)});
  ir::verify(function);

  std::vector<std::vector<std::int32_t>> index;
  std::vector<std::vector<double>> values;
  double scale = 1;
  for (const auto& [name, vector] : vectors) {
    index.push_back({0, static_cast<std::int32_t>(vector.coordinates.size())});
    index.push_back(vector.coordinates);
    values.emplace_back();
    for (std::int32_t i : vector.coordinates) values.back().push_back(scale * (i + 1));
    scale *= 10;
  }
  std::vector<ir::TensorView> views = {{{extent}, std::vector<ir::ArrayView>(1)}};
  for (size_t n = 0; n < names.size(); n++) {
    views.push_back({{extent}, {}});
    for (std::vector<std::int32_t>* array : {&index[2 * n], &index[2 * n + 1]})
      views.back().arrays.push_back({ElementType::Int32, array->data(), static_cast<std::int64_t>(array->size())});
    views.back().arrays.push_back(
        {ElementType::Float64, values[n].data(), static_cast<std::int64_t>(values[n].size())});
  }
  EXPECT_EQ(ir::interpret(function, views), ir::Status::Ok);
  Array result = Array::adopt(ElementType::Float64, views[0].arrays[0].data, views[0].arrays[0].count);
  std::vector<double> out;
  for (std::int64_t i = 0; i < result.count(); i++) out.push_back(result.get(i).as_double());
  return out;
}

const Vector up = {level::compressed(), {1, 3, 4, 7, 8, 10}}, down = {level::decreasing(), {11, 8, 7, 4, 3, 0}},
             mixed = {level::shuffled(), {7, 2, 4, 11, 1, 3}};

std::vector<double> at(const std::map<std::int64_t, double>& values) {
  std::vector<double> out(extent, 0);
  for (const auto& [i, value] : values) out[static_cast<size_t>(i)] = value;
  return out;
}

TEST(Orders, MeetInAnIntersection) {
  std::vector<double> expected = at({{3, 64e3}, {4, 125e3}, {7, 512e3}});
  std::map<std::string, Vector> vectors = {{"a", up}, {"b", down}, {"c", mixed}};
  EXPECT_EQ(run("r(i) = a(i)*b(i)*c(i)", vectors), expected);
  for (Protocol b : {Protocol::Binary, Protocol::Hash, Protocol::Scan}) {
    for (Protocol c : {Protocol::Hash, Protocol::Scan}) {
      EXPECT_EQ(run("r(i) = a(i)*b(i)*c(i)", vectors, {{"b", "i", b}, {"c", "i", c}}), expected)
          << concrete::to_string(b) << " " << concrete::to_string(c);
    }
  }
}

TEST(Orders, MeetInAUnion) {
  EXPECT_EQ(run("r(i) = a(i) + b(i)", {{"a", up}, {"b", mixed}}),
            at({{1, 22}, {2, 30}, {3, 44}, {4, 55}, {7, 88}, {8, 9}, {10, 11}, {11, 120}}));
  EXPECT_EQ(run("r(i) = a(i) + b(i)", {{"a", down}, {"b", mixed}}),
            at({{0, 1}, {1, 20}, {2, 30}, {3, 44}, {4, 55}, {7, 88}, {8, 9}, {11, 132}}));
}

TEST(Orders, NeedNoOperandInOrder) {
  EXPECT_EQ(run("r(i) = a(i)*b(i)", {{"a", down}, {"b", mixed}}), at({{3, 160}, {4, 250}, {7, 640}, {11, 1440}}));
  EXPECT_EQ(run("r(i) = a(i)*b(i) + c(i)", {{"a", down}, {"b", mixed}, {"c", up}}),
            at({{1, 200}, {3, 560}, {4, 750}, {7, 1440}, {8, 900}, {10, 1100}, {11, 1440}}));
}

}  // namespace
}  // namespace filigree::lowering
