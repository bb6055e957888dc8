// The options of evaluations that are given none.
#include <gtest/gtest.h>

#include <thread>

#include "front/tensor.h"

namespace filigree {
namespace {

TEST(EvaluationOptions, MayBeSetWhileOthersEvaluate) {
  KernelOptions before = front::evaluation_options();
  {
    std::jthread setter([](std::stop_token stop) {
      for (int n = 0; !stop.stop_requested(); n++) {
        KernelOptions options;
        options.threads = 1 + n % 2;
        options.schedule = {};
        front::set_evaluation_options(options);
      }
    });
    std::vector<std::jthread> readers;
    for (int t = 0; t < 2; t++) {
      readers.emplace_back([] {
        Tensor<double> x = Tensor<double>::vector({1, 2, 3}), y({3});
        IndexVar i;
        for (int n = 0; n < 200; n++) {
          y(i) = x(i) + 1;
          EXPECT_EQ(y.at(1), 3);
        }
      });
    }
    readers.clear();
  }
  front::set_evaluation_options(before);
}

TEST(EvaluationOptions, AreThoseOfTheMomentInWhichItIsComputed) {
  KernelOptions before = front::evaluation_options(), bad;
  bad.fail_allocation_after = 0;
  Tensor<double> x = Tensor<double>::vector({1, 2, 3}), y({3}, Format{formats::compressed});
  IndexVar i;
  y(i) = x(i) * x(i);
  front::set_evaluation_options(bad);
  EXPECT_THROW(y.evaluate(), UserError);
  front::set_evaluation_options(before);
  y(i) = x(i) * x(i);
  EXPECT_EQ(y.at(2), 9);
}

/// Far more rows than entries: refused, unless somebody insists.
TEST(EvaluationOptions, CanInsistOnAFormat) {
  constexpr std::int64_t rows = 70'000'000;
  KernelOptions before = front::evaluation_options(), insisting;
  insisting.force = true;
  Tensor<double> tensor({rows, 3}, Format{formats::dense, formats::compressed});
  tensor.insert({rows - 1, 2}, 5.0);
  try {
    tensor.evaluate();
    ADD_FAILURE() << "not refused";
  } catch (const UserError& error) {
    EXPECT_NE(error.text().find("or insist with force, of pack or of KernelOptions\n"), std::string::npos)
        << error.text();
  }
  front::set_evaluation_options(insisting);
  EXPECT_EQ(tensor.at(rows - 1, 2), 5);
  EXPECT_EQ(static_cast<const AnyTensor&>(tensor).level_arrays()[1][0].count(), rows + 1);
  front::set_evaluation_options(before);
}

}  // namespace
}  // namespace filigree
