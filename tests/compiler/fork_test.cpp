// Children of fork(): what they can do, and what they are told if they cannot.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "notation/build.h"

namespace filigree {
namespace {

constexpr std::int64_t rows = 200000;

/// What a child returned, or -1 if it had to be stopped.
int exit_code_of_child(const std::function<int()>& work) {
  pid_t child = fork();
  if (child == 0) {
    int code = 100;
    try {
      code = work();
    } catch (...) {
      code = 101;
    }
    std::exit(code);  // with destructors, as a program would
  }
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

AnyTensor vector_of(double value) {
  AnyTensor tensor(ElementType::Float64, {rows}, Format::dense(1));
  for (double& element : tensor.values().as<double>()) element = value;
  return tensor;
}

KernelOptions two_threads(compiler::Observer observer = {}) {
  KernelOptions options;
  options.threads = 2;
  options.worth_threads = 1;
  options.observer = std::move(observer);
  return options;
}

TensorVar y("y", ElementType::Float64, Format::dense(1)), x("x", ElementType::Float64, Format::dense(1));
IndexVar i("i");

bool has(const AnyTensor& tensor, double value) {
  for (double element : tensor.values().as<double>()) {
    if (element != value) return false;
  }
  return true;
}

TEST(Fork, LeavesAChildThatRunsAndCompiles) {
  Kernel kernel = Kernel::compile((y(i) = 2 * x(i)), two_threads());
  AnyTensor ones = vector_of(1);
  ASSERT_TRUE(has(kernel.run({{x, ones}}), 2));
  int code = exit_code_of_child([&] {
    if (!has(kernel.run({{x, ones}}), 2)) return 1;
    double other = 3 + static_cast<double>(getpid());  // a text that nobody compiled before
    if (!has(Kernel::compile((y(i) = other * x(i)), two_threads()).run({{x, ones}}), other)) return 2;
    return exit_code_of_child([&] { return has(kernel.run({{x, ones}}), 2) ? 0 : 3; });
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(has(kernel.run({{x, ones}}), 2));
}

TEST(Fork, WhileAnotherThreadCompilesIsToldToTheChild) {
  std::promise<void> is_inside, may_go;
  std::shared_future<void> go = may_go.get_future().share();
  bool first = true;
  std::thread other([&] {
    Kernel::compile((y(i) = 5 * x(i)), two_threads([&](const compiler::StageReport&) {
                      if (std::exchange(first, false)) is_inside.set_value(), go.wait();
                    }));
  });
  is_inside.get_future().wait();
  int code = exit_code_of_child([&] {
    try {
      Kernel::compile((y(i) = 2 * x(i)), two_threads());
    } catch (const UserError& error) {
      return error.message() ==
                     "This process was forked while another thread used Filigree, whose work is left half done here"
                 ? 0
                 : 1;
    }
    return 2;
  });
  may_go.set_value();
  other.join();
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace filigree
