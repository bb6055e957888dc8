#include "jit/system_compiler.h"

#include <gtest/gtest.h>

#include <cstdio>

#include <sys/resource.h>
#include <unistd.h>

#include "jit/file.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "tests/jit/kernels.h"

namespace filigree::jit {
namespace {

using namespace testing;

const CompileOptions system_options = [] {
  CompileOptions options;
  options.target = Target::SystemCompiler;
  options.optimization = 0;
  options.use_memory_cache = false;
  options.use_disk_cache = false;
  return options;
}();

std::string user_error_of(const CompileOptions& options) {
  try {
    compile("int f(void) { return 0; }", options);
  } catch (const UserError& error) {
    return error.text();
  }
  return "";
}

TEST(CompileWithSystemCompiler, AMissingCompilerIsAUserError) {
  const ScopedVariable cc("CC", std::nullopt), path("PATH", "");
  EXPECT_EQ(
      user_error_of(system_options),
      "error: Cannot find the C compiler 'cc' in PATH\n"
      "hint: install a C compiler, set CC to one, or compile in this process, as Target::Jit of the options does\n");
  const ScopedVariable other("CC", "/nonexistent/gcc -m64");
  EXPECT_EQ(
      user_error_of(system_options),
      "error: Cannot find the C compiler '/nonexistent/gcc', which CC names\n"
      "hint: install a C compiler, set CC to one, or compile in this process, as Target::Jit of the options does\n");
}

TEST(CompileWithSystemCompiler, NoPlaceForTemporaryFilesIsAUserError) {
  const ScopedVariable temporary("TMPDIR", "/proc/nonexistent");
  EXPECT_EQ(user_error_of(system_options),
            "error: Cannot create a directory in '/proc/nonexistent': no such file or directory\n"
            "hint: set TMPDIR to a directory that can be written\n");
}

TEST(CompileWithSystemCompiler, TooFewFilesAreNotBlamedOnThePlace) {
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  const int next = dup(0);
  close(next);
  for (int more : {0, 1}) {  // none for the folder, none for what is in it
    few.rlim_cur = static_cast<rlim_t>(next + more);
    setrlimit(RLIMIT_NOFILE, &few);
    const std::string error = user_error_of(system_options);
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_NE(error.find("too many open files"), std::string::npos) << error;
    EXPECT_NE(error.find("ulimit -n"), std::string::npos) << error;
    EXPECT_EQ(error.find("TMPDIR"), std::string::npos) << error;
  }
}

TEST(CompileWithSystemCompiler, ACompilerThatCompilesNothingIsAUserError) {
  for (const char* broken : {"false", "true", "cp /dev/null"}) {
    const ScopedVariable cc("CC", broken);
    const std::string error = user_error_of(system_options);
    EXPECT_NE(error.find(", which CC names, cannot compile a single line"), std::string::npos) << broken << error;
    EXPECT_NE(error.find("hint: set CC to another C compiler"), std::string::npos) << error;
  }
  const ScopedVariable cc("CC", "cc --no-such-option");
  EXPECT_NE(user_error_of(system_options).find("--no-such-option"), std::string::npos) << "what it says is told";
}

TEST(CompileWithSystemCompiler, CcMayHoldArguments) {
  const ScopedVariable cc("CC", "  cc  -DANSWER=42 ");
  EXPECT_EQ(compile("int f(void) { return ANSWER; }", system_options).function<int()>("f")(), 42);
}

TEST(CompileWithSystemCompiler, LeavesNothingBehind) {
  const TemporaryDirectory place;
  const ScopedVariable temporary("TMPDIR", place.path());
  compile("int f(void) { return 0; }", system_options);
  EXPECT_THROW(compile("int f(void) { return }", system_options), InternalError);
  EXPECT_TRUE(files_in(place.path()).empty());
}

TEST(CompileWithSystemCompiler, IsCachedOnDisk) {
  const TemporaryDirectory place;
  const ScopedVariable cache("FILIGREE_CACHE", place.path());
  CompileOptions options = system_options;
  options.use_disk_cache = true;
  CompileReport report;
  compile("int f(void) { return 0; }", options, &report);
  EXPECT_EQ(report.origin, Origin::Compiler);
  compile("int f(void) { return 0; }", options, &report);
  EXPECT_EQ(report.origin, Origin::DiskCache);
  const ScopedVariable cc("CC", "cc -DOTHER");
  compile("int f(void) { return 0; }", options, &report);
  EXPECT_EQ(report.origin, Origin::Compiler);
}

TEST(CompileWithSystemCompiler, ShellCharactersInPathsAreHarmless) {
  const TemporaryDirectory place;
  const std::string odd = place.path() + "/a b;$(c)'";
  std::filesystem::create_directory(odd);
  const ScopedVariable temporary("TMPDIR", odd);
  EXPECT_EQ(compile("int f(void) { return 5; }", system_options).function<int()>("f")(), 5);
}

#ifndef __SANITIZE_ADDRESS__

TEST(CompileWithSystemCompiler, SanitizersNeedTheirRuntimeInTheProcess) {
  CompileOptions options = system_options;
  options.sanitize = true;
  EXPECT_NE(user_error_of(options).find("needs a process that runs under the address or the thread sanitizer"),
            std::string::npos);
}

std::string sanitizer_runtime() {
  FILE* pipe = popen("cc -print-file-name=libasan.so 2>/dev/null", "r");
  char line[4096] = "";
  if (pipe == nullptr || fgets(line, sizeof line, pipe) == nullptr) line[0] = '\0';
  if (pipe != nullptr) pclose(pipe);
  std::string path = line;
  while (!path.empty() && path.back() == '\n') path.pop_back();
  return path.find('/') == std::string::npos ? "" : path;
}

TEST(CompileWithSystemCompilerDeathTest, SanitizersStopAKernelThatReadsOutOfBounds) {
  const std::string runtime = sanitizer_runtime();
  if (runtime.empty()) GTEST_SKIP() << "cc has no address sanitizer";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const SharedDirectory directory;
  const auto read_out_of_bounds = [&] {
    // On disk, so that the report finds the line in the library's file.
    const ScopedVariable cache("FILIGREE_CACHE", directory.path());
    CompileOptions options = system_options;
    options.sanitize = true;
    options.use_disk_cache = true;
    const Library library = compile("int f(const int *x, long i) { return x[i]; }", options);
    int* array = static_cast<int*>(std::malloc(40));
    array[9] = 0;
    std::exit(library.function<int(const int*, long)>("f")(array, 10) == 0 ? 0 : 2);
  };
  const ScopedVariable preload("LD_PRELOAD", runtime);
  const ScopedVariable settings("ASAN_OPTIONS", "detect_leaks=0:exitcode=99");
  EXPECT_EXIT(read_out_of_bounds(), ::testing::ExitedWithCode(99), "heap-buffer-overflow(.|\n)*kernel.c:1");
}

#endif

}  // namespace
}  // namespace filigree::jit
