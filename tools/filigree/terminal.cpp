#include "terminal.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/files.h"
#include "support/diagnostic.h"
#include "support/sanitizers.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::tool {
namespace {

bool output_is_reserved = false;
int print_failure = 0;  // errno of the first write that failed for a reason worth telling

extern "C" void end_quietly(int signal) {
  remove_unfinished_files();
  _exit(128 + signal);
}

extern "C" void end_as_internal_error(int signal) {
  remove_unfinished_files();
  const char* text = signal == SIGABRT  ? "internal error: Filigree aborted\n"
                     : signal == SIGFPE ? "internal error: arithmetic fault\n"
                                        : "internal error: memory fault\n";
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(InternalFailure);
  _exit(InternalFailure);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// A fault handler needs a stack of its own: the fault may be that the stack is used up.
void handle_faults() {
  static char stack[64 * 1024];
  stack_t description = {};
  description.ss_sp = stack;
  description.ss_size = sizeof stack;
  sigaltstack(&description, nullptr);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle(signal, end_as_internal_error, SA_ONSTACK | SA_RESETHAND);
}

/// The number in a file of one line, or nothing (memory.max may say "max").
double number_in(const char* path, double otherwise) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? number : otherwise;
}

/// Lets allocations fail that would otherwise be granted and later end in the kernel's out-of-memory killer.
void limit_memory() {
  double bytes = physical_memory();
  bytes = std::min(bytes, number_in("/sys/fs/cgroup/memory.max", bytes));
  bytes = std::min(bytes, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes));
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(0.95 * bytes));
  setrlimit(RLIMIT_DATA, &limit);
}

/// A closed standard stream would become the first file that is opened.
void open_standard_streams() {
  for (int descriptor : {0, 1, 2}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", O_RDWR) != descriptor) _exit(UserMistake);
  }
}

}  // namespace

void prepare_process() {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the file size limit fails like any other
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited;
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) handle(signal, end_quietly, 0);  // nohup stays in force
  }
  if (is_sanitized) return;
  handle_faults();
  limit_memory();
}

void reserve_standard_output() { output_is_reserved = true; }

void print(std::string_view text) {
  if (output_is_reserved) return print_error(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  if (print_failure == 0 && errno != EPIPE) print_failure = errno;
}

void print_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void finish_printing() {
  if (std::fflush(stdout) != 0 && print_failure == 0 && errno != EPIPE) print_failure = errno;
  if (print_failure != 0) throw UserError(fmt::format("Cannot write to standard output: {}", lower_case(std::strerror(print_failure))));
}

}  // namespace filigree::tool
