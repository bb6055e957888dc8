// Threads with little stack, as programs with many threads have: every stage that walks expressions has a large one all
// the same.
#include <functional>

#include <gtest/gtest.h>
#include <pthread.h>

#include "compiler/kernel.h"
#include "notation/build.h"
#include "support/sanitizers.h"

namespace filigree {
namespace {

IndexVar i("i"), j("j");
TensorVar y("y", ElementType::Float64, Format::dense(1)), x("x", ElementType::Float64, Format::dense(1));

/// Does the work on a thread with a stack of 256 KiB; what it threw as a message, or nothing.
std::string on_small_thread(const std::function<void()>& work) {
  struct Task {
    const std::function<void()>& work;
    std::string error;
  } task{work, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  auto run = [](void* given) -> void* {
    Task& own = *static_cast<Task*>(given);
    try {
      own.work();
    } catch (const std::exception& error) {
      own.error = error.what();
    }
    return nullptr;
  };
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &task), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return task.error;
}

/// 0.5*(0.5*(... x ...) + 0.5) + 0.5: 1 for 1, nested `depth` deep.
Term nested(const Term& innermost, int depth) {
  Term term = innermost;
  for (int n = 0; n < depth; n++) term = 0.5 * term + 0.5;
  return term;
}

AnyTensor ones(std::vector<std::int64_t> dimensions, const Format& format) {
  AnyTensor tensor(ElementType::Float64, std::move(dimensions), format);
  for (double& element : tensor.values().as<double>()) element = 1;
  return tensor;
}

KernelOptions interpreted() {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  return options;
}

TEST(SmallStack, IsEnoughToStartFromAnOldValue) {
  if (is_sanitized) GTEST_SKIP() << "frames are larger";
  notation::Statement statement = (y(i) += nested(x(i), 1200));
  AnyTensor vector = ones({3}, Format::dense(1));
  AnyTensor result;
  std::string error =
      on_small_thread([&] { result = Kernel::compile(statement, interpreted()).run({{x, vector}, {y, vector}}); });
  ASSERT_EQ(error, "");
  for (double element : result.values().as<double>()) EXPECT_EQ(element, 2);
}

TEST(SmallStack, IsEnoughToShowCode) {
  if (is_sanitized) GTEST_SKIP() << "frames are larger";
  notation::Statement statement = (y(i) = nested(x(i), 1200));
  std::string text;
  std::string error =
      on_small_thread([&] { text = Kernel::compile(statement, interpreted()).c_text(lowering::Mode::Grow, {}); });
  EXPECT_EQ(error, "");
  EXPECT_NE(text.find("kernel"), std::string::npos);
}

/// Rows of blocks with room for far more than the entries: the result is made in a sparse format first, and refused
/// with its size.
TEST(SmallStack, IsEnoughForTheSparseFormatOfALargeResult) {
  if (is_sanitized) GTEST_SKIP() << "frames are larger";
  TensorVar B("B", ElementType::Float64, parse_format("sd", 2)), A("A", ElementType::Float64, parse_format("csr", 2));
  Term product = A(i, j);
  for (int n = 0; n < 300; n++) product = sqrt(0.5 * product);
  notation::Statement statement = (B(i, j) = product);
  const std::int64_t extent = 20000;
  Coordinates entries{{extent, extent}, {{}, {}}, Array(ElementType::Float64, 1000)};
  for (std::int64_t n = 0; n < 1000; n++) {
    entries.coordinate[0].push_back(n);
    entries.coordinate[1].push_back(n);
    entries.values.set(n, Scalar::of(ElementType::Float64, 1.0));
  }
  AnyTensor matrix = AnyTensor::pack(entries, A.format());
  std::string error = on_small_thread([&] { Kernel::compile(statement, interpreted()).run({{A, matrix}}); });
  EXPECT_NE(error.find("would take"), std::string::npos) << error;
}

}  // namespace
}  // namespace filigree
