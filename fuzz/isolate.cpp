#include "fuzz/isolate.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "fuzz/processor_time.h"

namespace filigree::fuzz {
namespace {

void write_all(int pipe, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    ssize_t written = write(pipe, text.data() + at, text.size() - at);
    if (written <= 0) _exit(4);
    at += static_cast<std::size_t>(written);
  }
}

/// All that comes through the pipe until its other end is closed; nothing if that takes the process there so many
/// seconds of the processor, or far longer by the clock.
std::optional<std::string> read_all(int pipe, pid_t from, int seconds) {
  constexpr int milliseconds = 100;
  std::string text;
  int left = longest_wait * seconds * (1000 / milliseconds);
  for (char buffer[4096];;) {
    pollfd waiting{pipe, POLLIN, 0};
    int ready = poll(&waiting, 1, milliseconds);
    if (ready < 0) return std::nullopt;
    if (ready == 0) {
      if (--left == 0 || processor_time(from) > seconds * std::int64_t{1'000'000}) return std::nullopt;
      continue;
    }
    ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

Verdict crash(int signal) { return {Verdict::Kind::Wrong, std::string("crash: ") + strsignal(signal)}; }
Verdict hang() { return {Verdict::Kind::Wrong, "hang"}; }

void limit_memory() {
  if (is_sanitized) return;
  constexpr rlim_t most = rlim_t{3} << 30;
  rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
}

Verdict check_isolated(const Program& program, compiler::Target target, const CheckOptions& how, int seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    close(ends[0]);
    limit_memory();
    Verdict verdict = check_program(program, target, how);
    write_all(ends[1], std::string(1, static_cast<char>('0' + static_cast<int>(verdict.kind))) + verdict.message);
    _exit(0);
  }
  close(ends[1]);
  std::optional<std::string> answer = read_all(ends[0], child, seconds);
  close(ends[0]);
  if (!answer) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (!answer) return hang();
  if (WIFSIGNALED(status)) return crash(WTERMSIG(status));
  if (answer->empty()) return {Verdict::Kind::Wrong, "crash: the process ended"};
  return {static_cast<Verdict::Kind>((*answer)[0] - '0'), answer->substr(1)};
}

}  // namespace filigree::fuzz
