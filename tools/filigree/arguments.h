// The command line, taken apart: what was asked for, in words that need no expression to be understood.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "compiler/executable.h"

namespace filigree::tool {

/// A command line that is wrong whatever the expression and the files are; ends in exit code 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string hint = "") : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// One `-x NAME:VALUE`.
struct Setting {
  std::string option;  // "-f"
  std::string name;    // of a tensor, or for -d of an index variable
  std::string value;
};
using Settings = std::vector<Setting>;

/// The setting for a name, if there is one.
const Setting* find(const Settings& settings, const std::string& name);

/// filigree 'EXPR' [options]
struct RunArguments {
  std::string expression;
  Settings formats, types, fills, dimensions, inputs, outputs;
  Settings bases;                  // --base T:0: what the coordinates in T's file count from
  std::optional<int> base;         // --base 0: the same for all files that are read
  std::optional<std::string> schedule;
  std::optional<int> time;         // how many runs to measure
  int threads = 0;                 // 0: as many as there are cores
  std::vector<std::string> print;  // names of stages, without repetitions; "all" is spelled out
  std::optional<std::string> emit;
  bool with_main = false;
  bool explain = false;
  bool deterministic = false;      // the same bits on any number of threads
  bool force = false;              // store what takes memory out of all proportion, too
  compiler::Target target = compiler::Target::Jit;
};

/// filigree convert IN OUT [-f FORMAT] [--from FORMAT] [--force]
struct ConvertArguments {
  std::string in, out;
  std::optional<std::string> format;
  std::optional<std::string> from;  // the format that the conversion starts from
  bool force = false;
  int threads = 0;
  compiler::Target target = compiler::Target::Jit;
  std::optional<int> base = {}, out_base = {};  // what the coordinates of IN and OUT count from
};

/// filigree info FILE [-f FORMAT] [--force]
struct InfoArguments {
  std::string file;
  std::optional<std::string> format;
  bool force = false;
  int threads = 0;
  std::optional<int> base = {};  // what the coordinates of the file count from
};

/// --help and --version: text to print.
struct Message {
  std::string text;
};

using Arguments = std::variant<RunArguments, ConvertArguments, InfoArguments, Message>;

/// Throws UsageError.
Arguments parse_arguments(int argc, const char* const* argv);

/// The stages that --print can show, in the order they run.
const std::vector<std::string>& printable_stages();

/// The numbers of "10,20".
std::vector<std::int64_t> parse_sizes(const Setting& setting);

}  // namespace filigree::tool
