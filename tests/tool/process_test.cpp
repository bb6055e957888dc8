// How the tool behaves as a process: signals, closed streams, other commands.
#include <sys/stat.h>

#include "run_tool.h"

namespace filigree::tool {
namespace {

using Process = ToolTest;

TEST_F(Process, HelpAndVersion) {
  Outcome help = run_tool({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.out.find("Filigree compiles tensor algebra"), 0u);
  for (const char* option :
       {"-f, --format T:FORMAT", "-t, --type T:TYPE", "-d, --dimension i:SIZE", "-i, --input T:FILE",
        "-o, --output T:FILE", "--time N", "--threads N", "--print", "--emit", "--target", "--explain"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run_tool({"-h"}).out, help.out);
  EXPECT_LE(std::count(help.out.begin(), help.out.end(), '\n'), 46) << "more than one screen";
  EXPECT_EQ(run_tool({"--version"}).out.find("filigree "), 0u);
  EXPECT_EQ(run_tool({"-V"}).out, run_tool({"--version"}).out);
  EXPECT_EQ(run_tool({"convert", "--help"}).out.find("usage: filigree convert"), 0u);
  EXPECT_EQ(run_tool({"info", "--help"}).out.find("usage: filigree info"), 0u);
}

TEST_F(Process, AReaderThatWentAwayEndsItQuietly) {
  std::vector<std::string> printing = {"A(i,j) = B(i,k)*C(k,j)", "--print", "all"};
  std::vector<std::string> writing = {"a(i) = i; b(i) = 2*i", "-d", "i:3", "-o", "a:-", "-o", "b:" + path("b.tns")};
  std::vector<std::string> zipping = {"a(i) = i", "-d", "i:3", "-o", "a:-.tns.gz"};
  for (const std::vector<std::string>& command : {printing, writing, zipping}) {
    Outcome outcome = run_tool(command, {.reader_is_gone = true});
    EXPECT_FALSE(outcome.by_signal);
    EXPECT_EQ(outcome.code, 141) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_EQ(read_text(path("b.tns")), "# filigree type=int64 dimensions=3\n1 0\n2 2\n3 4\n")
      << "what others read is written";
}

TEST_F(Process, AReaderOfANamedPipeThatWentAwayEndsItQuietly) {
  std::string pipe = path("pipe.tns");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread reader([&] {
    int end = open(pipe.c_str(), O_RDONLY);
    char byte;
    EXPECT_EQ(read(end, &byte, 1), 1);
    close(end);
  });
  Outcome outcome = run_tool({"a(i) = i", "-d", "i:1000000", "-o", "a:" + pipe});
  reader.join();
  EXPECT_EQ(outcome.code, 141);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Process, ClosedStreamsAreNoError) {
  for (int descriptor : {0, 1, 2}) {
    Outcome outcome = run_tool({"a(i) = b(i)", "-i", "b:ones", "-d", "i:3", "-o", "a:" + path("a.tns")},
                               {.close_descriptor = descriptor});
    EXPECT_EQ(outcome.code, 0) << descriptor;
    EXPECT_EQ(read_text(path("a.tns")), "1 1\n2 1\n3 1\n") << descriptor;
  }
}

TEST_F(Process, WhatCannotBePrintedIsNotLostSilently) {
  Outcome printed = run_tool({"s = sum(i, i)", "-d", "i:3"}, {.close_descriptor = 1});
  EXPECT_EQ(printed.code, 1);
  EXPECT_NE(printed.err.find("Cannot write to standard output"), std::string::npos) << printed.err;
  Outcome written = run_tool({"A(i,j) = i+j", "-d", "i:3", "-d", "j:3", "-o", "A:-"}, {.close_descriptor = 1});
  EXPECT_EQ(written.code, 1);
  EXPECT_NE(written.err.find("standard output"), std::string::npos) << written.err;
}

TEST_F(Process, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  Outcome outcome = run_tool({"A(i,j) = B(i,k)*C(k,j)"}, {.output_path = "/dev/full"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "error: Cannot write to standard output: no space left on device\n");
}

TEST_F(Process, InterruptionLeavesNoHalfWrittenFile) {
  for (int signal : {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGRTMIN + 1}) {
    auto is_writing = [&] { return !files().empty(); };
    RunOptions options{.interrupt_with = signal, .interrupt_when = is_writing};
    Outcome outcome =
        run_tool({"a(i) = b(i)", "-i", "b:random", "-d", "i:20000000", "-o", "a:" + path("a.tns")}, options);
    EXPECT_FALSE(outcome.by_signal);
    EXPECT_EQ(outcome.code, 128 + signal);
    EXPECT_EQ(files(), std::vector<std::string>()) << signal;
  }
}

TEST_F(Process, InterruptionEndsALongKernel) {
  auto start = std::chrono::steady_clock::now();
  auto after_a_while = [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(700); };
  RunOptions options{.interrupt_with = SIGINT, .interrupt_when = after_a_while};
  Outcome outcome = run_tool({"s max= a(i) + b(j) + c(k)", "-i", "a:random", "-i", "b:random", "-i", "c:random", "-d",
                              "i:100000", "-d", "j:100000", "-d", "k:100000"},
                             options);
  EXPECT_EQ(outcome.code, 130) << outcome.out << outcome.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(Process, AFaultIsABugToReport) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "faults are the sanitizer's there";
#endif
  std::vector<std::string> endless = {
      "s = sum(i, j, k, (i + j) % (k + 1))", "-d", "i:100000", "-d", "j:100000", "-d", "k:100000"};
  auto start = std::chrono::steady_clock::now();
  auto is_running = [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(500); };
  Outcome outcome = run_tool(endless, {.interrupt_with = SIGSEGV, .interrupt_when = is_running});
  EXPECT_EQ(outcome.code, 70) << outcome.err;
  EXPECT_EQ(outcome.err,
            "internal error: memory fault\nThis is a bug in Filigree.  Please report it with the command, the files "
            "that it reads, and what 'filigree --version' prints.\n");
}

TEST_F(Process, WhatTakesLongIsToldOnATerminalAndTheLineIsGoneAtTheEnd) {
  if (!has_terminals()) GTEST_SKIP() << "there are no terminals here: /dev/pts is not mounted";
  auto start = std::chrono::steady_clock::now();
  auto after_a_while = [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(3000); };
  std::vector<std::string> command = {"s max= a(i) + b(j) + c(k)",
                                      "-i",
                                      "a:random",
                                      "-i",
                                      "b:random",
                                      "-i",
                                      "c:random",
                                      "-d",
                                      "i:100000",
                                      "-d",
                                      "j:100000",
                                      "-d",
                                      "k:100000"};
  RunOptions options{.environment = {"TERM=xterm", "FILIGREE_CACHE=" FILIGREE_TEST_CACHE},
                     .on_terminal = true,
                     .interrupt_with = SIGINT,
                     .interrupt_when = after_a_while};
  Outcome shown = run_tool(command, options);
  EXPECT_EQ(shown.code, 130);
  EXPECT_NE(shown.err.find("\rcompiling and running 1 s\x1b[K"), std::string::npos) << shown.err;
  EXPECT_TRUE(shown.err.ends_with("\r\x1b[K")) << shown.err;
  for (const char* quiet : {"TERM=dumb", "--quiet"}) {
    start = std::chrono::steady_clock::now();
    if (quiet[0] == '-') command.push_back(quiet);
    options.environment[0] = quiet[0] == '-' ? "TERM=xterm" : quiet;
    EXPECT_EQ(run_tool(command, options).err, "") << quiet;
  }
}

TEST_F(Process, ColoursAreShownOnATerminal) {
  if (!has_terminals()) GTEST_SKIP() << "there are no terminals here: /dev/pts is not mounted";
  auto error = [](const std::string& variable) {
    return run_tool({"y(i) = "}, {.environment = {"TERM=xterm", variable}, .on_terminal = true}).err;
  };
  EXPECT_NE(error("A=1").find("\x1b[1;31merror:"), std::string::npos);
  EXPECT_EQ(error("NO_COLOR=1").find('\x1b'), std::string::npos);
  EXPECT_NE(error("NO_COLOR=").find('\x1b'), std::string::npos);
  EXPECT_EQ(run_tool({"y(i) = "}, {.environment = {"TERM=dumb"}, .on_terminal = true}).err.find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace filigree::tool
