// The modes of lowering make the same result piece by piece: grow all at once; count, then fill; pattern, then values.
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "ir/interpret.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "tensor/any_tensor.h"
#include "tests/concrete/from_text.h"

namespace filigree::lowering {
namespace {

using concrete::Formats;
using ArrayList = std::vector<Array>;

/// A random tensor with small integers; index arrays are 32 bits wide.
AnyTensor random_tensor(const TensorVar& var, std::int64_t extent, unsigned seed) {
  std::mt19937 random(seed);
  Coordinates entries;
  entries.dimensions.assign(static_cast<size_t>(var.order()), extent);
  entries.coordinate.resize(static_cast<size_t>(var.order()));
  std::vector<double> values;
  std::int64_t total = 1;
  for (int d = 0; d < var.order(); d++) total *= extent;
  for (std::int64_t n = 0; n < total; n++) {
    if (random() % 3 != 0) continue;
    std::int64_t rest = n;
    for (auto& coordinate : entries.coordinate) coordinate.push_back(rest % extent), rest /= extent;
    values.push_back(1 + static_cast<double>(random() % 9));
  }
  entries.values = Array::borrow(ElementType::Float64, values.data(), static_cast<std::int64_t>(values.size())).copy();
  return AnyTensor::pack(entries, var.format());
}

class Modes {
 public:
  Modes(const std::string& text, const Formats& formats, std::int64_t extent)
      : program_(assemble::assemble(concrete::concretized(text, formats))), extent_(extent) {
    for (const TensorVar& operand : program_.operands)
      operands_.push_back(random_tensor(operand, extent, static_cast<unsigned>(operands_.size()) + 1));
  }

  /// The result's arrays after running the function for one mode; `given` are those that are there before.
  ArrayList run(Mode mode, ArrayList given) const {
    ir::FunctionDef function = lower(plan::make_plan(program_, {mode}),
                                     {"kernel", uniform_array_types(program_, ElementType::Int32, ElementType::Int32)});
    ir::verify(function);
    std::vector<ir::TensorView> views = {
        {std::vector<std::int64_t>(static_cast<size_t>(result().order()), extent_), {}}};
    for (Array& array : given) views[0].arrays.push_back({array.type(), array.data(), array.count()});
    views[0].arrays.resize(array_count());
    for (const AnyTensor& operand : operands_) {
      views.push_back({operand.dimensions(), {}});
      for (const Array* array : operand.all_arrays())
        views.back().arrays.push_back({array->type(), const_cast<void*>(array->data()), array->count()});
    }
    EXPECT_EQ(ir::interpret(function, views), ir::Status::Ok);
    ArrayList made = given;
    made.resize(array_count());
    for (const ir::Parameter& p : function.parameters) {
      if (p.direction != ir::Direction::Out) continue;
      size_t index = static_cast<size_t>(p.binding.index);
      const ir::ArrayView& array = views[0].arrays[index];
      made[index] = Array::adopt(array.type, array.data, array.count);
    }
    return made;
  }

  const TensorVar& result() const { return program_.results[0]; }
  size_t array_count() const { return descriptions().size() + 1; }
  std::vector<level::ArrayDescription> descriptions() const {
    std::vector<level::ArrayDescription> all;
    for (const Level& level : result().format().levels()) {
      for (const level::ArrayDescription& array : level.format->arrays()) all.push_back(array);
    }
    return all;
  }

 private:
  concrete::Program program_;
  std::vector<AnyTensor> operands_;
  std::int64_t extent_;
};

void expect_equal(const Array& a, const Array& b, const std::string& what) {
  ASSERT_EQ(a.type(), b.type()) << what;
  ASSERT_EQ(a.count(), b.count()) << what;
  for (std::int64_t n = 0; n < a.count(); n++) EXPECT_EQ(a.get(n), b.get(n)) << what << "[" << n << "]";
}

/// An array of the same type and size, full of what cannot be right.
Array spoiled(const Array& array) {
  Array out(array.type(), array.count());
  for (std::int64_t n = 0; n < out.count(); n++) out.set(n, Scalar::of(array.type(), std::int64_t{-99}));
  return out;
}

struct Example {
  std::string text;
  Formats formats;
};

const std::vector<Example> examples = {
    {"y(i) = A(i,j)*x(j)", {{"A", "csr"}}},
    {"y(i) = A(i,j)*x(j)", {{"A", "csr"}, {"y", "s"}}},
    {"y(i) = A(j,i)*x(j)", {{"A", "csr"}, {"y", "s"}}},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"A(i,j) = B(i,j)*C(i,j)", {{"A", "dcsr"}, {"B", "dcsr"}, {"C", "csr"}}},
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"A(i,j) = B(k,i)*C(k,j)", {{"A", "dcsr"}, {"B", "csr"}, {"C", "csr"}}},
    {"A(i,j) = B(i,j) + C(j,i)", {{"A", "csc"}, {"B", "csr"}, {"C", "csr"}}},
    {"A(i,j,k) = B(i,j,l)*C(k,l)", {{"A", "ssd"}, {"B", "sss"}}},
    {"A(i,j,k) = B(i,j,k) + C(i,j,k)", {{"A", "sds"}, {"B", "sss"}, {"C", "dds"}}},
    {"A(i,j) = b(i) + c(j)", {{"A", "csr"}, {"b", "s"}, {"c", "s"}}},
    {"a(i) = b(i) + c(i) + d(i) + e(i) + f(i)",
     {{"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}, {"e", "s"}, {"f", "s"}}},
    {"s = B(i,j)*C(i,j)", {{"B", "csr"}, {"C", "csr"}}},
    {"A(i,j) = B(i,j)", {{"A", "csr"}}},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "coo_aos"}, {"B", "coo_aos"}, {"C", "csr"}}},
    {"A(i,j,k) = B(i,j,l)*C(k,l)", {{"A", "coo_aos"}, {"B", "coo_aos"}}},
};

/// Calls `check(modes, grown, label)` for every example at several sizes.
template <class Check>
void for_each_example(Check check) {
  for (const Example& example : examples) {
    for (std::int64_t extent : {0, 1, 5}) {
      Modes modes(example.text, example.formats, extent);
      check(modes, modes.run(Mode::Grow, {}), example.text + " at " + std::to_string(extent));
    }
  }
}

TEST(Pattern, MakesTheIndexThatGrowMakes) {
  for_each_example([](const Modes& modes, const ArrayList& grown, const std::string& label) {
    ArrayList pattern = modes.run(Mode::Pattern, {});
    for (size_t k = 0; k + 1 < grown.size(); k++)
      expect_equal(pattern[k], grown[k], label + ", " + modes.descriptions()[k].name);
  });
}

TEST(Count, MakesThePositionsThatGrowMakes) {
  for_each_example([](const Modes& modes, const ArrayList& grown, const std::string& label) {
    ArrayList counted = modes.run(Mode::Count, {});
    for (size_t k = 0; k + 1 < grown.size(); k++) {
      if (modes.descriptions()[k].holds == level::ArrayDescription::Holds::Positions)
        expect_equal(counted[k], grown[k], label + ", " + modes.descriptions()[k].name);
    }
  });
}

TEST(Fill, CompletesWhatCountBegan) {
  for_each_example([](const Modes& modes, const ArrayList& grown, const std::string& label) {
    ArrayList given = modes.run(Mode::Count, {});
    for (size_t k = 0; k < grown.size(); k++) {
      bool counted = k + 1 < grown.size() && modes.descriptions()[k].holds == level::ArrayDescription::Holds::Positions;
      if (!counted) given[k] = spoiled(grown[k]);
    }
    ArrayList filled = modes.run(Mode::Fill, given);
    for (size_t k = 0; k < grown.size(); k++) expect_equal(filled[k], grown[k], label + ", array " + std::to_string(k));
  });
}

TEST(Values, FillInAPatternHoweverOften) {
  for_each_example([](const Modes& modes, const ArrayList& grown, const std::string& label) {
    ArrayList given = grown;
    given.back() = spoiled(grown.back());
    for (int time : {1, 2}) {
      given = modes.run(Mode::Values, given);
      for (size_t k = 0; k < grown.size(); k++)
        expect_equal(given[k], grown[k], label + ", array " + std::to_string(k) + ", time " + std::to_string(time));
    }
  });
}

TEST(Grow, ReturnsOutOfMemoryFromEveryAllocationAndLeaksNothing) {
  concrete::Program program =
      assemble::assemble(concrete::concretized("A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}));
  ir::FunctionDef function =
      lower(plan::make_plan(program), {"kernel", uniform_array_types(program, ElementType::Int32, ElementType::Int32)});
  AnyTensor operand = random_tensor(program.operands[0], 5, 1);
  int failures = 0;
  for (std::int64_t allocation = 0;; allocation++) {
    std::vector<ir::TensorView> views = {{{5, 5}, std::vector<ir::ArrayView>(3)}};
    for (int n = 0; n < 2; n++) {
      views.push_back({operand.dimensions(), {}});
      for (const Array* array : operand.all_arrays())
        views.back().arrays.push_back({array->type(), const_cast<void*>(array->data()), array->count()});
    }
    ir::Status status = ir::interpret(function, views, {.fail_allocation_after = allocation});
    if (status == ir::Status::Ok) {
      for (const ir::ArrayView& array : views[0].arrays) std::free(array.data);
      break;
    }
    failures++;
    for (const ir::ArrayView& array : views[0].arrays) EXPECT_EQ(array.data, nullptr);
  }
  EXPECT_GT(failures, 3);
}

}  // namespace
}  // namespace filigree::lowering
