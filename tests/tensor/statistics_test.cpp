// Statistics of a tensor that several threads read and copy.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tensor/any_tensor.h"

namespace filigree {
namespace {

TEST(Statistics, MayBeAskedForWhileTheTensorIsCopied) {
  Coordinates entries{{100, 100}, {{}, {}}, Array(ElementType::Float64, 100)};
  for (std::int64_t n = 0; n < 100; n++) entries.coordinate[0].push_back(n), entries.coordinate[1].push_back(99 - n);
  for (int round = 0; round < 50; round++) {
    AnyTensor tensor = AnyTensor::pack(entries, parse_format("csr", 2));
    std::atomic<std::int64_t> stored = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; t++) {
        threads.emplace_back([&, t] {
          if (t % 2 == 0) {
            stored += tensor.statistics().stored;
          } else {
            AnyTensor copy = tensor, assigned;
            assigned = copy;
            stored += assigned.statistics().stored;
          }
        });
      }
    }
    EXPECT_EQ(stored, 400);
  }
}

TEST(Statistics, AreThoseOfEachCopy) {
  AnyTensor tensor(ElementType::Float64, {3}, Format::dense(1));
  EXPECT_EQ(tensor.statistics().stored, 3);
  AnyTensor copy = tensor;
  tensor.modified();
  EXPECT_EQ(copy.statistics().values, 3);
  EXPECT_EQ(tensor.statistics().values, 3);
}

}  // namespace
}  // namespace filigree
