#include "jit/system_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "jit/file.h"
#include "jit/shortage.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/text.h"

extern char** environ;

namespace filigree::jit {
namespace {

/// The file a shell would run for `name`.
std::optional<std::string> find_program(const std::string& name) {
  const auto is_program = [](const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return is_program(name) ? std::optional(name) : std::nullopt;
  const char* path_list = std::getenv("PATH");
  for (const std::string& directory : split(path_list != nullptr ? path_list : "/bin:/usr/bin", ':'))
    if (!directory.empty() && is_program(directory + "/" + name)) return directory + "/" + name;
  return std::nullopt;
}

/// $CC may hold arguments too, such as "ccache gcc".
std::vector<std::string> compiler_command() {
  const char* variable = std::getenv("CC");
  std::vector<std::string> words;
  if (variable != nullptr)
    for (const std::string& word : split(variable, ' '))
      if (!trim(word).empty()) words.push_back(trim(word));
  const bool from_variable = !words.empty();
  if (!from_variable) words = {"cc"};
  const std::optional<std::string> program = find_program(words[0]);
  if (!program)
    throw UserError("Cannot find the C compiler '" + words[0] + "'" + (from_variable ? ", which CC names" : " in PATH"))
        .hint("install a C compiler, set CC to one, or compile in this process, as Target::Jit of the options does",
              "install a C compiler, set CC to one, or compile in this process, --target jit");
  words[0] = *program;
  return words;
}

/// Does this process run under a sanitizer?
bool has_runtime(const char* function) { return dlsym(RTLD_DEFAULT, function) != nullptr; }

std::vector<std::string> compiler_arguments(const CompileOptions& options, const std::string& source,
                                            const std::string& output) {
  std::vector<std::string> arguments = {
      "-std=gnu11", "-w", "-fwrapv", fmt::format("-O{}", options.optimization), "-march=native", "-shared", "-fPIC",
      // What the in-process compiler does as well: no errno, no trap flags, and complex arithmetic by the formulas.
      "-fno-math-errno", "-fno-trapping-math", "-fcx-limited-range",
      options.contract_floats ? "-ffp-contract=fast" : "-ffp-contract=off"};
  if (options.vector_width > 0) arguments.push_back(fmt::format("-mprefer-vector-width={}", options.vector_width));
  if (options.sanitize) {
    std::string sanitizers = has_runtime("__tsan_init") ? "-fsanitize=thread" : "-fsanitize=address,undefined";
    for (const std::string& argument : {sanitizers, std::string("-fno-sanitize-recover=all"),
                                        std::string("-fno-omit-frame-pointer"), std::string("-g1")})
      arguments.push_back(argument);
  }
  for (const std::string& argument : {std::string("-o"), output, source, std::string("-lm")})
    arguments.push_back(argument);
  return arguments;
}

/// The variables of this process, but with temporary files in `folder`.
std::vector<std::string> environment_with(const std::string& folder) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; variable++)
    if (std::strncmp(*variable, "TMPDIR=", 7) != 0) variables.push_back(*variable);
  variables.push_back("TMPDIR=" + folder);
  return variables;
}

/// Runs a program with both outputs in a file of `folder`; its wait status, or the error number of the start as
/// negative.  What the program leaves behind if it is ended is in the folder, too.
int run_program(const std::vector<std::string>& command, const std::string& folder, const std::string& output_file) {
  std::vector<std::string> variables = environment_with(folder);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -failed;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  return status;
}

void write_source(const std::string& path, const std::string& c_text) {
  OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.is_open() && write_all(file.descriptor(), c_text) && file.close_now()) return;
  throw cannot_use_temporary("write '" + path + "'", errno, "set TMPDIR to a directory with free space");
}

/// What is wrong after the compiler has failed: it, or what it was given.  One that cannot compile a single line is of
/// no use to anybody, and no fault of ours.
[[noreturn]] void throw_rejected(const CompileOptions& options, const std::string& folder,
                                 const std::vector<std::string>& failed, const std::string& problem,
                                 const std::string& said) {
  const std::string source = folder + "/line.c", output = folder + "/line.so", messages = folder + "/about_line";
  write_source(source, "int filigree_line(int x) { return x; }\n");
  std::vector<std::string> command = compiler_command();
  const std::string compiler = command[0];
  for (const std::string& argument : compiler_arguments(options, source, output)) command.push_back(argument);
  const int status = run_program(command, folder, messages);
  if (status == 0 && read_file(output).value_or("").starts_with("\x7f"
                                                                "ELF"))
    throw InternalError("jit", problem + ":\n" + said, join(failed, " "));
  UserError error(fmt::format("The C compiler '{}'{} cannot compile a single line", compiler,
                              std::getenv("CC") != nullptr ? ", which CC names," : ""));
  const std::string reason = trim(read_file(messages).value_or(""));
  if (!reason.empty()) std::move(error).note(reason.substr(0, reason.find('\n')));
  throw std::move(error)
      .note("it was run with " + join({command.begin() + 1, command.end()}, " "))
      .hint("set CC to another C compiler, or compile in this process, as Target::Jit of the options does",
            "set CC to another C compiler, or compile in this process, --target jit");
}

}  // namespace

std::string system_compiler_identity(const CompileOptions& options) {
  std::string identity;
  for (const std::string& word : compiler_command()) {
    identity += word;
    struct stat status;
    const std::optional<std::string> file = find_program(word);
    if (file && stat(file->c_str(), &status) == 0)
      identity +=
          fmt::format(" [{} {} {}.{}]", status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    identity += '\n';
  }
  return identity + join(compiler_arguments(options, "kernel.c", "kernel.so"), "\n");
}

std::string compile_with_system_compiler(const std::string& c_text, const CompileOptions& options,
                                         CompileReport& report) {
  std::vector<std::string> command = compiler_command();
  const TemporaryDirectory directory;
  const std::string source = directory.path() + "/kernel.c", output = directory.path() + "/kernel.so",
                    messages = directory.path() + "/messages";
  write_source(source, c_text);
  for (const std::string& argument : compiler_arguments(options, source, output)) command.push_back(argument);

  const auto start = std::chrono::steady_clock::now();
  const int status = run_program(command, directory.path(), messages);
  report.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (status < 0 && names_a_shortage(std::strerror(-status)))
    throw compiler_ran_out("while the C compiler '" + command[0] + "' was started", std::strerror(-status));
  if (status < 0)
    throw UserError("Cannot run the C compiler '" + command[0] + "': " + std::strerror(-status))
        .hint("set CC to a C compiler, or compile in this process, as Target::Jit of the options does",
              "set CC to a C compiler, or compile in this process, --target jit");
  const std::string said = read_file(messages).value_or("");
  if (WIFSIGNALED(status))
    throw UserError(fmt::format("The C compiler '{}' was ended by signal {} ({})", command[0], WTERMSIG(status),
                                lower_case(strsignal(WTERMSIG(status)))))
        .hint(
            "it may have had too little memory, stack or time (ulimit -a shows the limits); compile in-process "
            "instead");
  if (WEXITSTATUS(status) != 0 && names_a_shortage(said))
    throw compiler_ran_out("while the C compiler '" + command[0] + "' ran", said);
  if (WEXITSTATUS(status) != 0)
    throw_rejected(options, directory.path(), command, "the C compiler rejects the generated C", said);
  std::optional<std::string> elf = read_file(output);
  if (!elf || !elf->starts_with("\x7f"
                                "ELF"))
    throw_rejected(options, directory.path(), command, "the C compiler left no machine code", said);
  return *elf;
}

void require_sanitizer_runtime() {
  if (has_runtime("__asan_init") || has_runtime("__tsan_init")) return;
  throw UserError("A kernel with sanitizers needs a process that runs under the address or the thread sanitizer")
      .hint(
          "configure with -DFILIGREE_SANITIZE=address,undefined, or start with "
          "LD_PRELOAD=$(cc -print-file-name=libasan.so)");
}

}  // namespace filigree::jit
