// The command line, taken apart: what was asked for, in words that need no expression to be understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/executable.h"
#include "concrete/written.h"
#include "plan/plan.h"
#include "terminal.h"
#include "usage.h"

namespace filigree::tool {

/// One `-x NAME:VALUE`.
struct Setting {
  std::string option;  // as it was spelled: "-f" or "--format"
  std::string name;    // of a tensor, or for -d of an index variable
  std::string value;
};
using Settings = std::vector<Setting>;

/// The setting for a name, if there is one.
const Setting* find(const Settings& settings, const std::string& name);

/// filigree 'EXPR' [options]
struct RunArguments {
  std::string expression;                  // of --concrete what the loops compute
  std::optional<concrete::Written> loops;  // --concrete
  std::optional<std::string> plan_path;    // --plan: where it is read from
  std::optional<plan::Plan> plan;          // --plan; the expression has the same tensors at the same indices
  Settings formats, types, fills, dimensions, inputs, outputs;
  Settings bases;           // --base T:0: what the coordinates in T's file count from
  std::optional<int> base;  // --base 0: the same for all files that are read
  std::optional<std::string> schedule;
  std::optional<int> time;         // how many runs to measure
  int threads = 0;                 // 0: as many as there are cores
  std::vector<std::string> print;  // names of stages, without repetitions; "all" is spelled out
  std::optional<std::string> emit;
  bool with_main = false;
  bool explain = false;
  bool deterministic = false;        // the same bits on any number of threads
  bool strict = false;               // sums are added up in the order of the loops
  bool force = false;                // store what takes memory out of all proportion, too
  bool quiet = false;                // no line about what takes long
  bool must_run = false;             // code alone is of no use, so everything that a run needs must be given
  std::optional<std::int64_t> show;  // entries of a result; nothing: all of a small one, else the first few
  compiler::Target target = compiler::Target::Jit;
};

/// filigree compare 'EXPR' [options]
struct CompareArguments {
  RunArguments common;                 // what all alternatives share; --time is the number of rounds
  std::vector<Settings> formats;       // the alternatives of each tensor that has several
  std::vector<std::string> schedules;  // the alternatives, if there are several
  bool json = false;
};

/// filigree tune 'EXPR' [options]
struct TuneArguments {
  RunArguments common;             // --time is the number of rounds
  std::optional<std::string> svg;  // where to draw what was estimated and measured
  bool json = false;
};

/// filigree convert IN OUT [options]
struct ConvertArguments {
  std::string in, out;
  std::optional<std::string> format;
  std::optional<std::string> from;  // the format that the conversion starts from
  bool force = false;
  bool quiet = false;
  int threads = 0;
  compiler::Target target = compiler::Target::Jit;
  std::optional<int> base = {}, out_base = {};  // what the coordinates of IN and OUT count from
};

/// filigree info FILE [options]
struct InfoArguments {
  std::string file;
  std::optional<std::string> format;
  bool force = false;
  bool quiet = false;
  int threads = 0;
  std::optional<int> base = {};  // what the coordinates of the file count from
};

/// --help, --version and the like: text to print.
struct Message {
  std::string text;
};

using Arguments = std::variant<RunArguments, CompareArguments, TuneArguments, ConvertArguments, InfoArguments, Message>;

/// Throws UsageError.
Arguments parse_arguments(const std::vector<std::string>& words);

/// What --color says, whatever else is wrong with the words.
ColourChoice colour_choice(const std::vector<std::string>& words);

/// The numbers of "10,20".
std::vector<std::int64_t> parse_sizes(const Setting& setting);

}  // namespace filigree::tool
