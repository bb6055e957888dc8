// Operands whose arrays were changed by their owner after they were checked.
#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "compiler/program.h"
#include "notation/build.h"

namespace filigree {
namespace {

/// A 3 x 4 matrix in memory that its owner can change.
struct Matrix {
  std::vector<std::int32_t> positions = {0, 2, 2, 4}, columns = {0, 2, 1, 3};
  std::vector<double> values = {10, 20, 30, 40};

  AnyTensor tensor(Validate validate) {
    auto array = [](std::vector<std::int32_t>& v) {
      return Array::borrow(ElementType::Int32, v.data(), static_cast<std::int64_t>(v.size()));
    };
    return AnyTensor::from_arrays({3, 4}, parse_format("csr", 2), {{}, {array(positions), array(columns)}},
                                  Array::borrow(ElementType::Float64, values.data(), 4), "A", validate);
  }
};

TensorVar y("y", ElementType::Float64, Format::dense(1)), A("A", ElementType::Float64, parse_format("csr", 2)),
    x("x", ElementType::Float64, Format::dense(1));
IndexVar i("i"), j("j");

AnyTensor ones() {
  AnyTensor tensor(ElementType::Float64, {4}, Format::dense(1));
  for (std::int64_t n = 0; n < 4; n++) tensor.values().set(n, Scalar::of(ElementType::Float64, 1.0));
  return tensor;
}

std::string message_of_run(Validate kernel, const AnyTensor& matrix) {
  KernelOptions options;
  options.target = compiler::Target::Interpret;  // which notices what machine code would not
  options.validate = kernel;
  try {
    Kernel::compile((y(i) = A(i, j) * x(j)), options).run({{A, matrix}, {x, ones()}});
  } catch (const UserError& error) {
    return error.message();
  }
  return "no error";
}

TEST(Validate, AlwaysFindsWhatWasChanged) {
  Matrix matrix;
  AnyTensor once = matrix.tensor(Validate::Once), always = matrix.tensor(Validate::Always);
  EXPECT_EQ(message_of_run(Validate::Always, once), "no error");
  matrix.columns[3] = 1000000;
  const char* outside = "crd[3] of level 2 of 'A' is 1000000, outside 0..3";
  EXPECT_EQ(message_of_run(Validate::Always, once), outside);
  EXPECT_EQ(message_of_run(Validate::Once, always), outside);
  matrix.columns[3] = 3;
  matrix.positions[1] = 5;
  EXPECT_EQ(message_of_run(Validate::Always, once), "pos[1] of level 2 of 'A' is 5, but 'crd' has only 4 elements");
  matrix.positions[1] = 2;
  matrix.columns[1] = 0;
  EXPECT_EQ(message_of_run(Validate::Always, once),
            "crd[1] of level 2 of 'A' is 0 after 0; coordinates must increase within a segment");
  matrix.columns[1] = 2;
  EXPECT_EQ(message_of_run(Validate::Once, always), "no error");
}

TEST(Validate, NeverSkipsTheFirstCheckAndThoseBeforeRuns) {
  Matrix matrix;
  matrix.columns[1] = 0;  // twice: no memory is left by it
  EXPECT_THROW(matrix.tensor(Validate::Once), UserError);
  AnyTensor trusted = matrix.tensor(Validate::Never);
  EXPECT_EQ(message_of_run(Validate::Once, trusted), "no error");
  EXPECT_NE(message_of_run(Validate::Always, trusted), "no error");
  matrix.columns[1] = 2;
  AnyTensor always = matrix.tensor(Validate::Always);
  matrix.columns[1] = 0;
  EXPECT_EQ(message_of_run(Validate::Never, always), "no error");
  // The number of arrays and their types cost nothing.
  EXPECT_THROW(AnyTensor::from_arrays({3, 4}, parse_format("csr", 2), {{}, {}}, Array(ElementType::Float64, 0), "A",
                                      Validate::Never),
               UserError);
}

TEST(Validate, AlwaysLooksAtTheResultThatIsWrittenInto) {
  Matrix matrix;
  TensorVar B("B", ElementType::Float64, parse_format("csr", 2));
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.validate = Validate::Always;
  Kernel kernel = Kernel::compile((B(i, j) = 2 * A(i, j)), options);
  Matrix other;
  AnyTensor operand = other.tensor(Validate::Once), result = matrix.tensor(Validate::Once);
  kernel.compute(result, {{A, operand}});
  EXPECT_EQ(matrix.values[3], 80);
  matrix.positions[1] = 77;
  EXPECT_THROW(kernel.compute(result, {{A, operand}}), UserError);
}

TEST(Validate, AlwaysLooksAtOperandsOfPrograms) {
  Matrix matrix;
  AnyTensor tensor = matrix.tensor(Validate::Once);
  ProgramOptions options;
  options.target = compiler::Target::Interpret;
  options.validate = Validate::Always;
  TensorVar s("s", ElementType::Float64, Format()), t("t", ElementType::Float64, Format());
  Program program = Program::compile({(s = sum({i, j}, A(i, j))), (t = max_over({i, j}, A(i, j)))}, options);
  EXPECT_EQ(program.run({{A, tensor}}).at("s").values().get(0).as_complex().real(), 100);
  matrix.columns[0] = -5;
  EXPECT_THROW(program.run({{A, tensor}}), UserError);
}

/// Nothing of a step looks at arrays again: a change that the first step's observer makes is not noticed by the second.
TEST(Validate, LooksAtInputsOfProgramsOnce) {
  Matrix matrix;
  AnyTensor tensor = matrix.tensor(Validate::Once);
  ProgramOptions options;
  options.target = compiler::Target::Interpret;
  options.validate = Validate::Always;
  options.fuse = false;
  std::size_t compiled = 0;
  bool runs = false;
  options.observer = [&](const compiler::StageReport& report) {
    // A step is lowered when its own operands have been looked at.
    if (runs && report.step == 0 && compiled++ == 0) std::swap(matrix.columns[0], matrix.columns[1]);
  };
  TensorVar s("s", ElementType::Float64, Format()), t("t", ElementType::Float64, Format());
  Program program = Program::compile({(s = sum({i, j}, A(i, j))), (t = sum({i, j}, 2 * A(i, j)))}, options);
  runs = true;
  EXPECT_EQ(program.run({{A, tensor}}).at("t").values().get(0).as_complex().real(), 200);
  EXPECT_GT(compiled, 0u);
  EXPECT_THROW(program.run({{A, tensor}}), UserError) << "the next run looks again";
}

TEST(Validate, FindsTheFirstMistakeInLargeArrays) {
  constexpr std::int32_t rows = 50000, per_row = 8;
  std::vector<std::int32_t> positions, columns;
  for (std::int32_t row = 0; row <= rows; row++) positions.push_back(row * per_row);
  for (std::int32_t n = 0; n < rows * per_row; n++) columns.push_back(n % per_row * 10);
  std::vector<double> values(columns.size(), 1);
  auto array = [](std::vector<std::int32_t>& v) {
    return Array::borrow(ElementType::Int32, v.data(), static_cast<std::int64_t>(v.size()));
  };
  AnyTensor tensor = AnyTensor::from_arrays(
      {rows, 100}, parse_format("csr", 2), {{}, {array(positions), array(columns)}},
      Array::borrow(ElementType::Float64, values.data(), static_cast<std::int64_t>(values.size())));
  auto message = [&] {
    try {
      tensor.validate("A");
    } catch (const UserError& error) {
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(), "no error");
  for (size_t at : {size_t{0}, size_t{123457}, columns.size() - 1}) {
    std::int32_t right = columns[at];
    columns[at] = 100;
    EXPECT_EQ(message(), "crd[" + std::to_string(at) + "] of level 2 of 'A' is 100, outside 0..99");
    columns[at] = -1;
    EXPECT_EQ(message(), "crd[" + std::to_string(at) + "] of level 2 of 'A' is -1, outside 0..99");
    columns[at] = right;
  }
  for (size_t at = 1; at < columns.size(); at += 33333) {  // borders between pieces are anywhere
    if (at % per_row == 0) continue;
    std::int32_t right = columns[at];
    columns[at] = columns[at - 1];
    EXPECT_NE(message(), "no error") << at;
    columns[at] = right;
  }
  for (size_t at : {size_t{1}, size_t{25000}, size_t{rows}}) {
    std::int32_t right = positions[at];
    positions[at] = rows * per_row + 1;
    EXPECT_NE(message(), "no error") << at;
    positions[at] = -1;
    EXPECT_NE(message(), "no error") << at;
    positions[at] = right;
  }
  EXPECT_EQ(message(), "no error");
}

}  // namespace
}  // namespace filigree
