#include "fuzz/isolate.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace filigree::fuzz {
namespace {

void write_all(int pipe, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    ssize_t written = write(pipe, text.data() + at, text.size() - at);
    if (written <= 0) _exit(4);
    at += static_cast<std::size_t>(written);
  }
}

/// All that comes through the pipe until its other end is closed; nothing if that takes too long.
std::optional<std::string> read_all(int pipe, int seconds) {
  std::string text;
  for (char buffer[4096];;) {
    pollfd waiting{pipe, POLLIN, 0};
    if (poll(&waiting, 1, seconds * 1000) <= 0) return std::nullopt;
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
  std::optional<std::string> answer = read_all(ends[0], seconds);
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
