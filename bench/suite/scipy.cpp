// SciPy as a contender: a process of Python that is told what to compute, and answers with its milliseconds.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "libraries.h"

namespace suite {

namespace {

/// A line to the process, a line back.
class Python {
 public:
  explicit Python(const char* interpreter) {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      for (int file : {to[0], to[1], from[0], from[1]}) close(file);
      execl(interpreter, interpreter, SUITE_SCIPY_PROGRAM, nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
    char folder[] = "/tmp/filigree-suite-XXXXXX";
    folder_ = mkdtemp(folder);
    signal(SIGPIPE, SIG_IGN);
    works_ = ask("hello") == "hello";
  }
  ~Python() {
    if (to_ != nullptr) fclose(to_);
    if (from_ != nullptr) fclose(from_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;

  bool works() const { return works_; }
  const std::string& folder() const { return folder_; }
  std::string ask(const std::string& line) {
    fmt::print(to_, "{}\n", line);
    fflush(to_);
    char back[256] = "";
    if (fgets(back, sizeof back, from_) == nullptr) return {};
    std::string word(back);
    return word.substr(0, word.find('\n'));
  }

 private:
  pid_t child_ = -1;
  FILE *to_ = nullptr, *from_ = nullptr;
  std::string folder_;
  bool works_ = false;
};

Python* python() {
  const char* interpreter = std::getenv("FILIGREE_BENCH_PYTHON");
  if (interpreter == nullptr || *interpreter == 0) return nullptr;
  static Python process(interpreter);
  return process.works() ? &process : nullptr;
}

template <class T>
void write(const std::string& name, const Vector<T>& list) {
  std::ofstream file(python()->folder() + "/" + name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(list.data()), static_cast<std::streamsize>(list.size() * sizeof(T)));
}

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::Spmv: return "spmv";
    case Operation::SpmvTransposed: return "spmv_transposed";
    case Operation::ToBlocks: return "to_blocks";
    case Operation::ToDiagonals: return "to_diagonals";
    case Operation::Spmm: return "spmm";
    case Operation::SpmmFloat: return "spmm_float";
    case Operation::SpgemmSorted: return "spgemm_sorted";
    case Operation::SpgemmAsMade: return "spgemm";
    case Operation::Add: return "add";
    case Operation::Add3: return "add3";
    case Operation::AddTransposed: return "add_transposed";
    case Operation::Multiply3: return "multiply3";
    case Operation::InnerProduct: return "inner";
    case Operation::Transpose: return "transpose";
    case Operation::FromEntries:
    case Operation::FromSorted: return "from_entries";
    case Operation::AddVectors: return "add";
    case Operation::ReadFile: return "read";
    default: return nullptr;
  }
}

}  // namespace

void enter_scipy(Race& race, const Task& task) {
  const char* operation = name_of(task.operation);
  if (operation == nullptr || python() == nullptr) return;
  std::string line = fmt::format("setup {} {} {} {}", operation, python()->folder(), task.columns,
                                 task.file.empty() ? "-" : task.file);
  for (std::size_t n = 0; n < task.matrices.size(); n++) {
    const Matrix& a = *task.matrices[n];
    write(fmt::format("start{}", n), a.start);
    write(fmt::format("column{}", n), a.column);
    write(fmt::format("value{}", n), a.value);
    line += fmt::format(" {} {}", a.rows, a.columns);
  }
  for (std::size_t n = 0; n < task.dense.size(); n++) write(fmt::format("dense{}", n), *task.dense[n]);
  if (task.entries != nullptr) {
    for (std::size_t d = 0; d < 2; d++) write(fmt::format("coordinate{}", d), task.entries->coordinate[d]);
    write("entries", task.entries->value);
    line += fmt::format(" {} {}", task.entries->dimensions[0], task.entries->dimensions[1]);
  }
  if (python()->ask(line) != "ready") return;
  Contender contender;
  contender.name = "SciPy";
  contender.self_timed = [](bool of_processor) {
    return std::atof(python()->ask(of_processor ? "run cpu" : "run wall").c_str());
  };
  contender.answer = [] {
    double count = 0, sum = 0;
    std::string answer = python()->ask("answer");
    return std::sscanf(answer.c_str(), "%lf %lf", &count, &sum) == 2 ? Answer(count, sum) : Answer();
  };
  race.peer(std::move(contender));
}

}  // namespace suite
