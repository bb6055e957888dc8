// Children of fork(): where another thread was at work, they are told, before they wait for a lock that nobody gives
// back.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "front/tensor.h"
#include "support/forked.h"

namespace filigree {
namespace {

/// 0 if the work of a child is refused because of a thread that is left behind.
int refusal_of(const std::function<void()>& work) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    try {
      work();
    } catch (const UserError& error) {
      _exit(error.message() ==
                    "This process was forked while another thread used Filigree, whose work is left half done here"
                ? 0
                : 1);
    }
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Fork, WhileAnotherThreadIsInsideIsToldWhoeverUsesTensors) {
  Tensor<double> x = Tensor<double>::vector({1, 2, 3}), y({3}), z({3}, Format{formats::compressed});
  IndexVar i;
  y(i) = 2 * x(i);
  z.insert({1}, 4.0);
  std::promise<void> is_inside, may_go;
  std::thread other([&] {
    Inside inside;
    is_inside.set_value();
    may_go.get_future().wait();
  });
  is_inside.get_future().wait();
  EXPECT_EQ(refusal_of([&] { y.evaluate(); }), 0) << "a statement that waits";
  EXPECT_EQ(refusal_of([&] { z.evaluate(); }), 0) << "what was inserted";
  EXPECT_EQ(refusal_of([&] { write("/dev/null", x); }), 0) << "a file that is written";
  EXPECT_EQ(refusal_of([&] { read<double>("/nonexistent/x.tns", Format{formats::dense}); }), 0)
      << "a file that is read";
  may_go.set_value();
  other.join();
  EXPECT_EQ(y.at(2), 6);
  EXPECT_EQ(z.at(1), 4);
}

}  // namespace
}  // namespace filigree
