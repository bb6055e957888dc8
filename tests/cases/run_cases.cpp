// Compares golden cases with what the compiler makes of them.
//
//   run_cases tests/cases                     all .case files below the folder
//   run_cases --update tests/cases/spmv       rewrite the sections; review the difference as code
//   run_cases --jit tests/cases               results from machine code; otherwise from the interpreter
//   run_cases --show a.case                   print every section of a case, expected or not
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include <fmt/format.h>

#include "tests/cases/run_case.h"
#include "tests/reference/functions.h"

namespace filigree::cases {
namespace {

constexpr int most_golden_lines = 60;

struct Options {
  bool update = false, show = false;
  compiler::Target target = compiler::Target::Interpret;
  std::vector<std::string> paths;
};

std::vector<std::string> case_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".case") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What is wrong with a case, in words; nothing if all is well.
std::string check(const Case& expected, const Outcome& outcome) {
  std::string wrong = outcome.failure;
  for (size_t n = 0; n < expected.sections.size(); n++) {
    const Section& section = expected.sections[n];
    if (section.text != outcome.sections[n].text)
      wrong += fmt::format("[{}]\n{}", section.name, difference(section.text, outcome.sections[n].text));
    if (std::count(section.text.begin(), section.text.end(), '\n') > most_golden_lines) {
      wrong += fmt::format("[{}] has more than {} lines: show less\n", section.name, most_golden_lines);
    }
  }
  return wrong;
}

/// Is the case as it should be (or was it made so)?
bool handle(const std::string& path, const Options& options) {
  Case c = read_case(path);
  if (options.update && c.sections.empty()) c.sections.push_back({"result", ""});
  if (options.show) {
    for (const char* name : {"notation", "concrete", "schedule", "assemble", "lattice", "plan", "ir", "c", "loops",
                             "parallel", "launch", "explain", "result", "error"}) {
      if (!c.find(name)) c.sections.push_back({name, ""});
    }
  }
  Outcome outcome = run_case(c, options.target);
  if (options.update || options.show) {
    c.sections = outcome.sections;
    if (options.show) fmt::print("{}", to_string(c));
    if (options.update) write_text(path, to_string(c));
    std::string wrong = options.show ? outcome.failure : check(c, outcome);
    if (!wrong.empty()) fmt::print("FAILED {}\n{}\n", path, wrong);
    return wrong.empty();
  }
  std::string wrong = check(c, outcome);
  if (!wrong.empty()) fmt::print("FAILED {}\n{}\n", path, wrong);
  return wrong.empty();
}

int run(const Options& options) {
  std::vector<std::string> files = case_files(options.paths);
  int failed = 0;
  for (const std::string& file : files) {
    try {
      failed += !handle(file, options);
    } catch (const std::exception& error) {
      fmt::print("FAILED {}\n{}\n", file, error.what());
      failed++;
    }
  }
  fmt::print("{} cases, {} failed\n", files.size(), failed);
  return failed > 0 || files.empty();
}

}  // namespace
}  // namespace filigree::cases

int main(int argc, char** argv) {
  filigree::reference::add_functions();
  filigree::cases::Options options;
  for (int n = 1; n < argc; n++) {
    std::string argument = argv[n];
    if (argument == "--update") {
      options.update = true;
    } else if (argument == "--show") {
      options.show = true;
    } else if (argument == "--jit") {
      options.target = filigree::compiler::Target::Jit;
    } else {
      options.paths.push_back(argument);
    }
  }
  return filigree::cases::run(options);
}
