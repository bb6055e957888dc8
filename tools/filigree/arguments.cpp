#include "arguments.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "compiler/plan_sizes.h"
#include "completion.h"
#include "file_settings.h"
#include "help.h"
#include "io/files.h"
#include "man_page.h"
#include "notation/einsum.h"
#include "operand_order.h"
#include "parse_options.h"
#include "plan/text.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "version.h"

namespace filigree::tool {
namespace {

constexpr int most_threads = 4096;
constexpr int most_runs = 1000000;
constexpr size_t most_alternatives = 64;

Setting parse_setting(const Option& option, const Given& given) {
  size_t colon = given.value.find(':');
  std::string name = trim(given.value.substr(0, colon));
  std::string value = colon == std::string::npos ? "" : trim(given.value.substr(colon + 1));
  if (is_identifier(name) && !value.empty()) return {given.spelled, name, value};
  std::vector<std::string> examples;
  for (const std::string& example : option.examples) examples.push_back(given.spelled + " " + example);
  // A file without the tensor that it is for.
  if (option.takes_file && colon == std::string::npos && is_file_name(given.value))
    examples = {given.spelled + " " + option.examples[0].substr(0, option.examples[0].find(':') + 1) + given.value};
  throw UsageError(fmt::format("{} needs {}, found '{}'", given.spelled, option.syntax, given.value),
                   "for example " + join(examples, " or "));
}

/// All settings of an option, those for one name together, in order of first appearance.
std::vector<Settings> setting_groups(const GivenOptions& given, const std::string& name) {
  std::vector<Settings> groups;
  for (const Given& one : given.all(name)) {
    Setting setting = parse_setting(option(given.command, name), one);
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Settings& g) { return g[0].name == setting.name; });
    if (group == groups.end()) group = groups.insert(groups.end(), Settings{});
    group->push_back(std::move(setting));
  }
  return groups;
}

/// One for each name.
Settings settings(const GivenOptions& given, const std::string& name) {
  Settings list;
  for (const Settings& group : setting_groups(given, name)) {
    if (group.size() > 1) {
      throw UsageError(fmt::format("{} is given twice for '{}': {} and {}", group[1].option, group[0].name,
                                   group[0].value, group[1].value));
    }
    list.push_back(group[0]);
  }
  return list;
}

/// Single values that were given more than once are refused, not silently dropped.
const Given* single(const GivenOptions& given, const std::string& name) {
  const std::vector<Given>& all = given.all(name);
  if (all.size() > 1)
    throw UsageError(fmt::format("{} is given twice: {} and {}", all[1].spelled, all[0].value, all[1].value));
  return all.empty() ? nullptr : &all[0];
}

std::optional<std::string> single_value(const GivenOptions& given, const std::string& name) {
  const Given* one = single(given, name);
  return one ? std::optional(one->value) : std::nullopt;
}

std::optional<int> count(const GivenOptions& given, const std::string& name, int most) {
  const Given* one = single(given, name);
  if (!one) return std::nullopt;
  long long number = 0;
  if (parse_int64(trim(one->value), number) && number >= 1 && number <= most) return static_cast<int>(number);
  throw UsageError(fmt::format("{} needs a number from 1 to {}, found '{}'", one->spelled, most, one->value));
}

std::optional<std::int64_t> entries_to_show(const GivenOptions& given) {
  const Given* one = single(given, "show");
  if (!one) return std::nullopt;
  if (lower_case(trim(one->value)) == "all") return std::numeric_limits<std::int64_t>::max();
  long long number = 0;
  if (parse_int64(trim(one->value), number) && number >= 0) return number;
  throw UsageError(fmt::format("{} needs a number of entries or 'all', found '{}'", one->spelled, one->value));
}

compiler::Target target(const GivenOptions& given) {
  const Given* one = single(given, "target");
  if (!one) return compiler::Target::Jit;
  std::string name = lower_case(trim(one->value));
  if (name == "jit") return compiler::Target::Jit;
  if (name == "cc") return compiler::Target::Cc;
  if (name == "interpret") return compiler::Target::Interpret;
  throw unknown_word(one->spelled, one->value, {"jit", "cc", "interpret"});
}

std::vector<std::string> stages(const GivenOptions& given) {
  std::vector<std::string> words = printable_stages(), asked;
  words.push_back("all");
  for (const Given& list : given.all("print")) {
    for (const std::string& part : split(list.value, ',')) {
      std::string word = lower_case(trim(part));
      if (std::find(words.begin(), words.end(), word) == words.end()) throw unknown_word(list.spelled, word, words);
      asked.push_back(word);
    }
  }
  auto is_asked = [&](const std::string& stage) { return std::find(asked.begin(), asked.end(), stage) != asked.end(); };
  std::vector<std::string> found;
  for (const std::string& stage : printable_stages()) {
    // These are no stages of what runs.
    bool is_one_of_all = stage != "frontier" && stage != "layout" && stage != "space";
    if (is_asked(stage) || (is_asked("all") && is_one_of_all)) found.push_back(stage);
  }
  return found;
}

/// --base 0 for all files, or --base T:0 for one.
void take_bases(const GivenOptions& given, RunArguments& arguments) {
  GivenOptions named;
  named.command = given.command;
  for (const Given& base : given.all("base")) {
    if (base.value.find(':') != std::string::npos) {
      named.add("base", base);
    } else if (arguments.base) {
      throw UsageError(fmt::format("--base is given twice: {} and {}", *arguments.base, base.value));
    } else {
      arguments.base = parse_base(base.value);
    }
  }
  arguments.bases = settings(named, "base");
  for (const Setting& setting : arguments.bases) parse_base(setting.value);
}

/// filigree einsum ik,kj->ij B C: the expression that the words mean.
std::string einsum_expression(const GivenOptions& given) {
  const std::vector<std::string>& words = given.words;
  const char* usage = "filigree einsum 'ik,kj->ij' B C -i B:b.mtx -i C:c.mtx";
  if (words.empty()) throw UsageError("No subscripts are given", usage);
  std::vector<std::string> operands(words.begin() + 1, words.end());
  for (const std::string& name : operands) {
    if (!is_identifier(name)) throw UsageError(fmt::format("'{}' is not a name for an operand", name), usage);
  }
  std::vector<std::optional<int>> orders;
  bool has_dots = words[0].find('.') != std::string::npos;  // only then it matters how many dimensions operands have
  RunArguments bases;
  if (has_dots) take_bases(given, bases);
  bases.inputs = settings(given, "input");
  for (size_t n = 0; n < operands.size() && has_dots; n++) {
    orders.push_back(operand_order(operands[n], settings(given, "dimension"), bases.inputs, settings(given, "format"),
                                   file_base(bases, operands[n])));
  }
  return notation::from_einsum(words[0], operands, "R", orders);
}

/// More words than an expression has: a command with a typo, a setting without its option, or an expression in parts.
std::string unexpected_word_hint(const GivenOptions& given) {
  std::vector<std::string> commands;
  for (const CommandRow& row : all_commands()) {
    if (!row.name.empty()) commands.push_back(row.name);
  }
  const std::string &first = given.words[0], &second = given.words[1];
  auto guess = given.command == Command::Run && is_identifier(first) ? did_you_mean(first, commands) : std::nullopt;
  if (guess) return fmt::format("did you mean 'filigree {}'?", *guess);
  size_t colon = second.find(':');
  if (colon != std::string::npos && is_identifier(second.substr(0, colon)))
    return fmt::format("an option is missing in front of it, as in -i {0} or -f {0}", second);
  if (is_file_name(second)) return fmt::format("say which tensor it is for, as in -i A:{}", second);
  return "put the expression in quotes, so that the shell leaves it whole";
}

std::string expression(const GivenOptions& given) {
  if (given.command == Command::Einsum) return einsum_expression(given);
  if (given.has("plan")) {
    if (given.words.empty()) return "";
    throw UsageError(fmt::format("Unexpected argument '{}'", given.words[0]),
                     "what is computed is in the plan: leave the expression out");
  }
  if (given.words.empty()) {
    const char* example = given.command == Command::Compare
                              ? "filigree compare 'y(i) = A(i,j) * x(j)' -i A:a.mtx -i x:ones -f A:csr -f A:coo"
                          : given.command == Command::Tune
                              ? "filigree tune 'y(i) = A(i,j)*B(j,k)*x(k)' -i A:a.mtx -i B:b.mtx -i x:ones"
                              : "filigree 'y(i) = A(i,j) * x(j)' -f A:csr";
    throw UsageError("No expression is given", fmt::format("for example {}; {}", example, help_hint));
  }
  const std::string& first = given.words[0];
  if (given.words.size() == 1 && is_file_name(first)) {
    throw UsageError(
        fmt::format("'{}' is a file, not an expression", first),
        fmt::format("filigree info {0} tells what is in it; filigree 's = sum(i, j, A(i,j))' -i A:{0} reads it",
                    first));
  }
  if (given.words.size() == 1) return first;
  throw UsageError(fmt::format("Unexpected argument '{}'", given.words[1]), unexpected_word_hint(given));
}

/// What compare has in common with a run: all but formats and schedules.
RunArguments common_arguments(const GivenOptions& given) {
  RunArguments arguments;
  arguments.expression = expression(given);
  arguments.types = settings(given, "type");
  arguments.fills = settings(given, "fill");
  arguments.dimensions = settings(given, "dimension");
  arguments.inputs = settings(given, "input");
  for (const Setting& setting : arguments.dimensions) parse_sizes(setting);
  take_bases(given, arguments);
  arguments.time = count(given, "time", most_runs);
  arguments.threads = count(given, "threads", most_threads).value_or(0);
  arguments.target = target(given);
  arguments.deterministic = given.has("deterministic");
  arguments.strict = given.has("strict");
  arguments.force = given.has("force");
  arguments.quiet = given.has("quiet");
  return arguments;
}

/// --concrete: the expression is loops, which may have workspaces with formats.
void take_loops(RunArguments& arguments) {
  arguments.loops.emplace(arguments.expression);
  arguments.expression = arguments.loops->meaning();
  for (const auto& [name, order] : arguments.loops->workspaces()) {
    if (const Setting* setting = find(arguments.formats, name))
      arguments.loops->set_format(name, parse_format(setting->value, order, fmt::format("-f {}", name)));
    std::erase_if(arguments.formats, [&, own = name](const Setting& setting) { return setting.name == own; });
  }
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  if (is_standard_stream(path)) {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(path);
  if (!file) throw UserError(fmt::format("Cannot read '{}': {}", path, std::strerror(errno)));
  if (file.peek() == EOF && errno == EISDIR) throw UserError(fmt::format("Cannot read '{}': it is a folder", path));
  text << file.rdbuf();
  return text.str();
}

/// --plan: everything about tensors and loops is in the file.
void take_plan(const GivenOptions& given, const std::string& path, RunArguments& arguments) {
  for (const char* other : {"concrete", "schedule", "format", "type", "fill", "deterministic", "strict", "explain"}) {
    if (const std::vector<Given>& all = given.all(other); !all.empty())
      throw UsageError(fmt::format("{} cannot be given with --plan", all[0].spelled),
                       "the plan says what tensors are like and how loops run: change its text");
  }
  arguments.plan_path = path;
  arguments.plan = plan::parse(text_of(path), is_standard_stream(path) ? "the plan" : path);
  std::vector<std::string> statements;
  for (const notation::Statement& statement : compiler::like(*arguments.plan))
    statements.push_back(notation::to_string(statement));
  arguments.expression = join(statements, "; ");
  const concrete::Program& program = arguments.plan->program;
  for (const auto* tensors : {&program.results, &program.operands}) {
    for (const TensorVar& tensor : *tensors) {
      TensorVar outside = compiler::outside_of(*arguments.plan, tensor);
      arguments.types.push_back({"--plan", tensor.name(), to_string(tensor.type())});
      if (tensor.order() > 0) arguments.formats.push_back({"--plan", tensor.name(), to_string(outside.format())});
      bool is_operand = tensors == &program.operands;
      if (is_operand && !tensor.fill().is_zero())
        arguments.fills.push_back({"--plan", tensor.name(), to_string(tensor.fill())});
    }
  }
}

RunArguments run_arguments(const GivenOptions& given) {
  RunArguments arguments = common_arguments(given);
  arguments.formats = settings(given, "format");
  arguments.outputs = settings(given, "output");
  if (given.has("concrete")) take_loops(arguments);
  if (std::optional<std::string> path = single_value(given, "plan")) take_plan(given, *path, arguments);
  std::vector<std::string> commands;
  for (const Given& schedule : given.all("schedule")) commands.push_back(schedule.value);
  if (!commands.empty()) arguments.schedule = join(commands, ", ");
  arguments.emit = single_value(given, "emit");
  arguments.print = stages(given);
  arguments.show = entries_to_show(given);
  arguments.with_main = given.has("main");
  arguments.explain = given.has("explain");
  return arguments;
}

CompareArguments compare_arguments(const GivenOptions& given) {
  CompareArguments arguments;
  arguments.common = common_arguments(given);
  arguments.common.must_run = true;
  size_t combinations = 1;
  for (const Settings& group : setting_groups(given, "format")) {
    if (group.size() == 1) {
      arguments.common.formats.push_back(group[0]);
    } else {
      arguments.formats.push_back(group);
    }
    combinations = std::min(combinations * group.size(), most_alternatives + 1);
  }
  for (const Given& schedule : given.all("schedule")) arguments.schedules.push_back(schedule.value);
  if (arguments.schedules.size() == 1) {
    arguments.common.schedule = arguments.schedules[0];
    arguments.schedules.clear();
  }
  combinations *= std::max<size_t>(1, arguments.schedules.size());
  if (combinations > most_alternatives) {
    throw UsageError(fmt::format("There are more than {} combinations of formats and schedules", most_alternatives),
                     "compare fewer at a time");
  }
  if (combinations == 1) {
    throw UsageError(
        "There is nothing to compare",
        "give several formats of a tensor, as in -f A:csr -f A:coo, or several schedules, as in -s serial -s auto");
  }
  arguments.json = given.has("json");
  return arguments;
}

TuneArguments tune_arguments(const GivenOptions& given) {
  TuneArguments arguments;
  arguments.common = common_arguments(given);
  arguments.common.formats = settings(given, "format");
  arguments.common.must_run = true;
  arguments.svg = single_value(given, "svg");
  arguments.json = given.has("json");
  return arguments;
}

void require_files(const GivenOptions& given, size_t count, const char* usage) {
  if (given.words.size() < count) throw UsageError("A file name is missing", usage);
  if (given.words.size() > count) throw UsageError(fmt::format("Unexpected argument '{}'", given.words[count]), usage);
}

ConvertArguments convert_arguments(const GivenOptions& given) {
  require_files(given, 2, "filigree convert IN OUT [-f FORMAT]");
  ConvertArguments arguments;
  arguments.in = given.words[0];
  arguments.out = given.words[1];
  arguments.format = single_value(given, "format");
  arguments.from = single_value(given, "from");
  arguments.force = given.has("force");
  arguments.quiet = given.has("quiet");
  arguments.threads = count(given, "threads", most_threads).value_or(0);
  arguments.target = target(given);
  if (auto bases = single_value(given, "base")) {
    size_t comma = bases->find(',');
    if (comma != 0) arguments.base = parse_base(bases->substr(0, comma));
    if (comma != std::string::npos) arguments.out_base = parse_base(bases->substr(comma + 1));
  }
  return arguments;
}

InfoArguments info_arguments(const GivenOptions& given) {
  require_files(given, 1, "filigree info FILE [-f FORMAT]");
  InfoArguments arguments;
  arguments.file = given.words[0];
  arguments.format = single_value(given, "format");
  arguments.force = given.has("force");
  arguments.quiet = given.has("quiet");
  arguments.threads = count(given, "threads", most_threads).value_or(0);
  if (auto base = single_value(given, "base")) arguments.base = parse_base(*base);
  return arguments;
}

/// --help TOPIC, help TOPIC, and COMMAND --help.
std::string help(const GivenOptions& given) {
  for (const Given& asked : given.all("help")) {
    if (!asked.value.empty()) return help_text(asked.value);
  }
  if (given.command == Command::Help) return given.words.empty() ? main_help() : help_text(given.words[0]);
  return given.command == Command::Run ? main_help() : help_text(row_of(given.command).name);
}

std::string completion(const Given& shell) {
  std::string name = lower_case(trim(shell.value));
  if (name == "bash") return bash_completion();
  if (name == "zsh") return zsh_completion();
  if (name == "fish") return fish_completion();
  throw unknown_word(shell.spelled, shell.value, {"bash", "zsh", "fish"});
}

void check_colour(const Given& given) {
  const std::vector<std::string> words = {"auto", "always", "never"};
  if (std::find(words.begin(), words.end(), given.value) == words.end())
    throw unknown_word(given.spelled, given.value, words);
}

}  // namespace

const Setting* find(const Settings& settings, const std::string& name) {
  auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

std::vector<std::int64_t> parse_sizes(const Setting& setting) {
  std::vector<std::int64_t> sizes;
  for (const std::string& part : split(setting.value, ',')) {
    long long size = 0;
    bool overflow = false;
    if (!parse_int64(trim(part), size, &overflow) || size < 0) {
      throw UsageError(
          fmt::format("{} {}:{} {}", setting.option, setting.name, setting.value,
                      overflow ? "is more than the largest 64-bit integer" : "is not a size"),
          fmt::format("sizes are whole numbers from 0 on, as in {0} i:100 or {0} A:10,20", setting.option));
    }
    sizes.push_back(size);
  }
  return sizes;
}

ColourChoice colour_choice(const std::vector<std::string>& words) {
  ColourChoice choice = ColourChoice::Auto;
  for (size_t n = 0; n < words.size(); n++) {
    for (const char* name : {"--color", "--colour"}) {
      std::string value = words[n] == name && n + 1 < words.size()        ? words[n + 1]
                          : words[n].starts_with(std::string(name) + "=") ? words[n].substr(words[n].find('=') + 1)
                                                                          : "";
      if (value == "always") choice = ColourChoice::Always;
      if (value == "never") choice = ColourChoice::Never;
    }
  }
  return choice;
}

Arguments parse_arguments(const std::vector<std::string>& words) {
  GivenOptions given = parse_options(words);
  if (given.has("help") || given.command == Command::Help) return Message{help(given)};
  if (given.has("version")) return Message{version_text()};
  if (const Given* shell = single(given, "completion")) return Message{completion(*shell)};
  if (given.has("man")) return Message{man_page()};
  for (const Given& colour : given.all("color")) check_colour(colour);
  if (given.command == Command::Compare) return compare_arguments(given);
  if (given.command == Command::Tune) return tune_arguments(given);
  if (given.command == Command::Convert) return convert_arguments(given);
  if (given.command == Command::Info) return info_arguments(given);
  return run_arguments(given);
}

}  // namespace filigree::tool
