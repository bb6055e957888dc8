#include "support/large_stack.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/diagnostic.h"
#include "support/sanitizers.h"
#include "support/text.h"

namespace filigree {
namespace {

/// What is left of the usual 8 MiB when the first function of a program calls; the deepest statements take less than
/// half.
constexpr std::size_t enough = std::size_t{7} << 20;
/// Code with sanitizers takes several times as much.
constexpr std::size_t made_bytes = std::size_t{is_sanitized ? 256 : 16} << 20;

/// The stack that this thread was started with; empty until it is known.
struct Stack {
  std::uintptr_t begin = 0, end = 0;
};
thread_local Stack own_stack;

const Stack& stack_of_thread() {
  if (own_stack.end != 0) return own_stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return own_stack;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0)
    own_stack = {reinterpret_cast<std::uintptr_t>(lowest), reinterpret_cast<std::uintptr_t>(lowest) + bytes};
  pthread_attr_destroy(&attributes);
  return own_stack;
}

/// Is this one that was made here?  There is none that is larger.
thread_local bool is_made = false;

bool has_enough() {
  if (is_made) return true;
  const char here = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(&here);
  const Stack& stack = stack_of_thread();
  // A coroutine or a signal handler may run elsewhere, on a stack of which nothing is known.
  return at >= stack.begin && at < stack.end && at - stack.begin >= enough;
}

struct Call {
  void (*call)(void*);
  void* closure;
};

/// False if there is no thread to be had.
bool call_on_thread(Call call) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  auto run = [](void* given) -> void* {
    const Call& own = *static_cast<const Call*>(given);
    is_made = true;
    own.call(own.closure);
    return nullptr;
  };
  pthread_t thread;
  bool started = pthread_attr_setstacksize(&attributes, made_bytes) == 0 &&
                 pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  return started;
}

/// A stack for a thread that cannot start another one.  Kept as long as the thread is: compilers note where the stack
/// of a thread begins.
class OwnStack {
 public:
  OwnStack()
      : start_(mmap(nullptr, made_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)) {
    if (is_there()) mprotect(start_, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
  }
  ~OwnStack() {
    if (is_there()) munmap(start_, made_bytes);
  }
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;

  bool is_there() const { return start_ != MAP_FAILED; }
  char* start() const { return static_cast<char*>(start_); }

 private:
  void* start_;
};

/// What the context that is entered next is to do: only integers can be given to it.
thread_local Call entered;

void enter() {
  Call own = entered;
  own.call(own.closure);
}

/// False if there is no memory for a stack.
bool call_on_own_stack(Call call) {
  thread_local std::unique_ptr<OwnStack> stack;
  if (is_sanitized) return false;  // they do not know such stacks
  if (!stack) stack = std::make_unique<OwnStack>();
  if (!stack->is_there()) {
    stack.reset();
    return false;
  }
  ucontext_t caller, callee;
  if (getcontext(&callee) != 0) return false;
  callee.uc_stack.ss_sp = stack->start();
  callee.uc_stack.ss_size = made_bytes;
  callee.uc_link = &caller;
  makecontext(&callee, enter, 0);
  entered = call;
  is_made = true;
  int status = swapcontext(&caller, &callee);
  is_made = false;
  return status == 0;
}

}  // namespace

void call_on_large_stack(void (*call)(void*), void* closure) {
  if (has_enough()) return call(closure);
  if (call_on_thread({call, closure}) || call_on_own_stack({call, closure})) return;
  throw UserError("Memory ran out before anything was done: there is none for a stack of " + human_bytes(made_bytes))
      .hint("let the program have more memory; ulimit -v and ulimit -s show its limits");
}

}  // namespace filigree
