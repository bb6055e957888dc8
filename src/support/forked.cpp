#include "support/forked.h"

#include <pthread.h>

#include <atomic>

#include "support/diagnostic.h"

namespace filigree {
namespace {

std::atomic<int> inside = 0;            // threads, those that are inside several times counted so
thread_local int own = 0;               // of these, this one's
std::atomic<bool> left_behind = false;  // another thread was inside when this process was forked

void in_child() {
  if (inside != own) left_behind = true;
  inside = own;
}

void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, in_child);
  (void)registered;
}

}  // namespace

Inside::Inside() {
  watch_forks();
  if (left_behind) {
    throw UserError("This process was forked while another thread used Filigree, whose work is left half done here")
        .hint(
            "fork while no other thread compiles or runs a kernel, or reads or writes a file, or start another program "
            "in the child");
  }
  inside++;
  own++;
}

Inside::~Inside() {
  own--;
  inside--;
}

}  // namespace filigree
