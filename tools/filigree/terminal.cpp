#include "terminal.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <random>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/files.h"
#include "io/output.h"
#include "io/progress.h"
#include "support/diagnostic.h"
#include "support/sanitizers.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::tool {
namespace {

ColourChoice colours = ColourChoice::Auto;

bool in_colour(int descriptor) {
  if (colours != ColourChoice::Auto) return colours == ColourChoice::Always;
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  bool is_dumb = terminal == nullptr || *terminal == '\0' || std::strcmp(terminal, "dumb") == 0;
  return isatty(descriptor) && !is_dumb && (refused == nullptr || *refused == '\0');
}

/// Stands for ESC in texts that are still to be printed.  Nobody can guess it, so what is painted here is told from
/// what a file name or an expression holds.
const std::string& escape_mark() {
  static const std::string mark = [] {
    std::random_device random;
    return fmt::format("\x1b{:08x}{:08x}", random(), random());
  }();
  return mark;
}

std::string painted(std::string_view text, const char* how) {
  return fmt::format("{0}[{1}m{2}{0}[0m", escape_mark(), how, text);
}

/// What is sent to a stream: nothing in it but what is painted here can be a command for a terminal.
std::string harmless(std::string_view text) {
  if (!has_controls(text)) return std::string(text);
  std::string out;
  const std::string& mark = escape_mark();
  for (size_t at = 0;;) {
    size_t end = text.find(mark, at);
    out += printable(text.substr(at, end == std::string_view::npos ? end : end - at), Tabs::Keep);
    if (end == std::string_view::npos) return out;
    out += '\x1b';
    at = end + mark.size();
  }
}

/// One line of a diagnostic, without its end.
std::string coloured_line(std::string_view line) {
  static constexpr std::pair<std::string_view, const char*> marks[] = {
      {"error:", "1;31"}, {"internal error:", "1;31"}, {"warning:", "1;33"}, {"note:", "1;34"}, {"hint:", "1;36"}};
  for (const auto& [mark, how] : marks) {
    if (line.starts_with(mark)) return painted(mark, how) + std::string(line.substr(mark.size()));
  }
  size_t caret = line.find_first_not_of(' ');
  bool is_carets = caret != std::string_view::npos && line.find_first_not_of('^', caret) == std::string_view::npos;
  return is_carets ? std::string(line.substr(0, caret)) + painted(line.substr(caret), "1;32") : std::string(line);
}

std::string coloured(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out += coloured_line(text.substr(at, end - at));
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

bool output_is_reserved = false;  // by a tensor that is written there

int printed_to() { return output_is_reserved ? STDERR_FILENO : STDOUT_FILENO; }

int print_failure = 0;  // errno of the first write that failed

extern "C" void end_quietly(int signal) {
  remove_unfinished_files();
  io::clear_progress_line();
  _exit(128 + signal);
}

/// Half-written files go, and what is told is the text alone.
[[noreturn]] void end_with(std::initializer_list<const char*> texts, int code) {
  remove_unfinished_files();
  io::clear_progress_line();
  for (const char* text : texts) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(code);
  }
  _exit(code);
}

extern "C" void end_at_time_limit(int) {
  end_with(
      {"error: The limit of processor time was reached\nhint: raise it, as in ulimit -t unlimited, or compute less\n"},
      UserMistake);
}

extern "C" void end_as_internal_error(int signal) {
  const char* text = signal == SIGABRT  ? "internal error: Filigree aborted\n"
                     : signal == SIGFPE ? "internal error: arithmetic fault\n"
                                        : "internal error: memory fault\n";
  end_with({text, bug_report_request}, InternalFailure);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void handle_faults() {
  use_fault_stack();
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    handle(signal, end_as_internal_error, SA_ONSTACK | SA_RESETHAND);
}

/// For a signal that would end the process.  Those that are ignored stay so, as below nohup.
void end_quietly_at(int signal) {
  struct sigaction inherited;
  sigaction(signal, nullptr, &inherited);
  if (inherited.sa_handler != SIG_IGN) handle(signal, end_quietly, 0);
}

/// At the limit of processor time the system ends a process with a signal that cannot be handled, if there is no lower
/// limit that can be.  So this one is told shortly before.
void handle_time_limit() {
  handle(SIGXCPU, end_at_time_limit, 0);
  struct rlimit limit;
  if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY || limit.rlim_cur < limit.rlim_max) return;
  struct sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  timer_t timer;
  if (limit.rlim_max == 0 || timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) return;
  struct itimerspec when = {};
  when.it_value.tv_sec = static_cast<time_t>(limit.rlim_max) - 1;
  when.it_value.tv_nsec = 900000000;
  timer_settime(timer, TIMER_ABSTIME, &when, nullptr);
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

/// A closed standard stream would become the first file that is opened.  What is then written to standard output fails:
/// it would be lost.
void open_standard_streams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY) != descriptor) _exit(UserMistake);
  }
}

}  // namespace

void use_fault_stack() {
  if (is_sanitized) return;
  static char stack[64 * 1024];
  stack_t description = {};
  description.ss_sp = stack;
  description.ss_size = sizeof stack;
  sigaltstack(&description, nullptr);
}

void prepare_process() {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the file size limit fails like any other
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
                     SIGSTKFLT, SIGTRAP, SIGSYS})
    end_quietly_at(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) end_quietly_at(signal);
  handle_time_limit();
  if (is_sanitized) return;
  handle_faults();
  limit_memory();
}

void choose_colours(ColourChoice choice) { colours = choice; }

std::string heading(const std::string& text) { return in_colour(printed_to()) ? painted(text, "1") : text; }

std::string aside(const std::string& text) { return in_colour(printed_to()) ? painted(text, "2") : text; }

void reserve_standard_output() { output_is_reserved = true; }

void print(std::string_view text) {
  if (output_is_reserved) return print_error(text);
  io::clear_progress_line();
  std::string shown = harmless(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size()) return;
  if (print_failure == 0) print_failure = errno;
}

void print_error(std::string_view text) {
  io::clear_progress_line();
  std::string shown = harmless(in_colour(STDERR_FILENO) ? coloured(text) : std::string(text));
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void finish_printing() {
  if (std::fflush(stdout) != 0 && print_failure == 0) print_failure = errno;
  if (print_failure == EPIPE) throw io::ReaderGone("standard output");
  if (print_failure != 0)
    throw UserError(fmt::format("Cannot write to standard output: {}", lower_case(std::strerror(print_failure))));
}

}  // namespace filigree::tool
