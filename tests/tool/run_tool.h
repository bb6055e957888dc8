// Runs the built command line tool as a child process, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace filigree::tool {

/// How a run ended: exit code (128 + signal number after a signal) and what it said.
struct Outcome {
  int code = 0;
  bool by_signal = false;
  std::string out, err;
};

struct RunOptions {
  std::vector<std::string> environment = {};  // "NAME=VALUE", instead of the test's own where not empty
  std::optional<int> close_descriptor = {};   // closed before the tool starts
  std::string output_path = {};               // standard output goes there instead of into `out`
  bool on_terminal = false;                   // standard error is a terminal
  std::string input_path = {};                // standard input comes from there
  bool reader_is_gone = false;                // standard output is a pipe that nobody reads
  int interrupt_with = 0;                     // send this signal once `interrupt_when` holds
  std::function<bool()> interrupt_when = {};
};

/// Are there terminals to be had?  Not where /dev/pts is not mounted, as in a plain chroot.
inline bool has_terminals() {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  bool usable = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
                access(ptsname(terminal), R_OK | W_OK) == 0;
  if (terminal >= 0) close(terminal);
  return usable;
}

class Child {
 public:
  Child(const std::vector<std::string>& arguments, const RunOptions& options) : options_(options) {
    if (pipe(out_) != 0 || pipe(err_) != 0) std::abort();
    if (options.on_terminal) open_terminal();
    pid_ = fork();
    if (pid_ == 0) become_tool(arguments);
    close(out_[1]);
    close(err_[1]);
    if (options.reader_is_gone) close(out_[0]), out_[0] = -1;
  }

  Outcome wait() {
    Outcome outcome;
    std::thread interrupter([&] { interrupt(); });
    read_both(outcome);
    int status = 0;
    waitpid(pid_, &status, 0);
    ended_ = true;
    interrupter.join();
    outcome.by_signal = WIFSIGNALED(status);
    outcome.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
  }

 private:
  /// In place of the pipe for standard error.
  void open_terminal() {
    close(err_[0]);
    close(err_[1]);
    err_[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (err_[0] < 0 || grantpt(err_[0]) != 0 || unlockpt(err_[0]) != 0) std::abort();
    err_[1] = open(ptsname(err_[0]), O_RDWR | O_NOCTTY);
    if (err_[1] < 0) std::abort();
  }

  [[noreturn]] void become_tool(const std::vector<std::string>& arguments) {
    if (options_.reader_is_gone) close(out_[0]);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    int out = options_.output_path.empty() ? out_[1]
                                           : open(options_.output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out, 1);
    if (!options_.input_path.empty()) dup2(open(options_.input_path.c_str(), O_RDONLY), 0);
    dup2(err_[1], 2);
    for (int descriptor = 3; descriptor < 64; descriptor++) close(descriptor);
    if (options_.close_descriptor) close(*options_.close_descriptor);
    std::string tool = FILIGREE_TOOL;
    std::vector<char*> argv = {tool.data()};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> environment;
    for (const std::string& variable : options_.environment) environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);
    if (options_.environment.empty()) execv(tool.c_str(), argv.data());
    execve(tool.c_str(), argv.data(), environment.data());
    _exit(127);
  }

  void interrupt() {
    if (options_.interrupt_with == 0) return;
    while (!ended_ && !options_.interrupt_when()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!ended_) kill(pid_, options_.interrupt_with);
  }

  void read_both(Outcome& outcome) {
    struct pollfd streams[2] = {{out_[0], POLLIN, 0}, {err_[0], POLLIN, 0}};
    std::string* texts[2] = {&outcome.out, &outcome.err};
    char buffer[1 << 16];
    int left = out_[0] < 0 ? 1 : 2;
    while (left > 0 && poll(streams, 2, -1) > 0) {
      for (int s = 0; s < 2; s++) {
        if (streams[s].fd < 0 || streams[s].revents == 0) continue;
        ssize_t count = read(streams[s].fd, buffer, sizeof buffer);
        if (count > 0) {
          texts[s]->append(buffer, static_cast<size_t>(count));
          continue;
        }
        close(streams[s].fd);
        streams[s].fd = -1;
        left--;
      }
    }
  }

  const RunOptions& options_;
  int out_[2], err_[2];
  pid_t pid_ = -1;
  std::atomic<bool> ended_{false};
};

inline Outcome run_tool(const std::vector<std::string>& arguments, const RunOptions& options = {}) {
  return Child(arguments, options).wait();
}

/// A folder of its own for each test, removed at its end; also the kernel cache of the tools it runs.
class ToolTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "filigree-tool-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("FILIGREE_CACHE", FILIGREE_TEST_CACHE, 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string read_text(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  /// Names of all files in the folder.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path folder_;
};

/// The matrix of these tests: 1 . 2 / . 3 . / 4 . 5.
inline const char* small_matrix =
    "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 3 2\n2 2 3\n3 1 4\n3 3 5\n";

}  // namespace filigree::tool
