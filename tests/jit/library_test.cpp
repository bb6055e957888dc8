#include "jit/library.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "jit/system_compiler.h"

namespace filigree::jit {
namespace {

int seven(const Library& library) { return reinterpret_cast<int (*)()>(library.symbol("seven"))(); }

TEST(LoadWithSymbols, AChildHasFilesOfItsOwn) {
  CompileReport report;
  CompileOptions options;
  options.target = Target::SystemCompiler;
  const std::string elf = compile_with_system_compiler("int seven(void) { return 7; }", options, report);
  const Library first = load_with_symbols(elf);
  EXPECT_EQ(seven(first), 7);
  const pid_t child = fork();
  if (child == 0) {
    int status = 1;
    try {
      status = seven(load_with_symbols(elf)) == 7 ? 0 : 2;
    } catch (...) {}
    std::exit(status);  // with destructors, which remove what is the child's
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(seven(load_with_symbols(elf)), 7) << "in the folder that the parent still has";
}

}  // namespace
}  // namespace filigree::jit
