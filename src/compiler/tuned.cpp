#include "compiler/tuned.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "compiler/meeting.h"
#include "jit/cache.h"
#include "notation/assignment.h"
#include "notation/parse.h"

namespace filigree::compiler {
namespace {

const std::string own_loops = "own\n", loops_mark = "loops: ", schedule_mark = "schedule: ",
                  commands_mark = "commands: ";

std::string describe(const TensorVar& tensor) {
  return fmt::format("{}:{}:{}:{}", tensor.name(), to_string(tensor.type()), to_string(tensor.format()),
                     to_string(tensor.fill()));
}

std::string host() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

/// The file that this code is in, as it is now: another build may estimate in another way.
std::string build() {
  Dl_info info = {};
  struct stat file = {};
  bool is_found = dladdr(reinterpret_cast<void*>(&build), &info) != 0 && info.dli_fname &&
                  stat(info.dli_fname, &file) == 0;
  return is_found ? fmt::format("{} {} {}", file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec) : "";
}

/// Of what a choice depends on.
jit::Digest key_of(const std::string& kind, const notation::Statement& statement,
                   const autoschedule::KnownInputs& inputs) {
  std::string text = "filigree " + kind + "\n" + notation::to_string(statement) + "\n";
  std::set<std::string> tensors = {describe(statement.lhs.tensor)};
  for (const notation::Access& access : notation::accesses(statement.rhs)) tensors.insert(describe(access.tensor));
  for (const std::string& tensor : tensors) text += tensor + "\n";
  return jit::Sha256().add(text + bucket_of(statement, inputs)).finish();
}

std::string tuned() { return "tuned 2\n" + host(); }

std::string chosen(const WayOptions& options) {
  return fmt::format("chosen 1\n{}\n{} {} {} {}", build(), options.worth.least_work, options.worth_walking,
                     options.worth.least_gain, options.parallel);
}

/// FILIGREE_TUNED=0, for example.
bool is_turned_off(const char* variable) {
  const char* value = std::getenv(variable);
  return value && std::string(value) == "0";
}

std::optional<std::string> load(const char* switched_by, const std::string& kind, const notation::Statement& statement,
                                const autoschedule::KnownInputs& inputs) {
  std::optional<jit::DiskCache> cache =
      is_turned_off(switched_by) ? std::nullopt : jit::DiskCache::from_environment();
  return cache ? cache->load_text(key_of(kind, statement, inputs)) : std::nullopt;
}

std::optional<Way> load_way(const char* switched_by, const std::string& kind, const notation::Statement& statement,
                            const autoschedule::KnownInputs& inputs) {
  std::optional<std::string> text = load(switched_by, kind, statement, inputs);
  return text ? way_of_text(*text, statement) : std::nullopt;
}

bool keep(const std::string& kind, const notation::Statement& statement, const autoschedule::KnownInputs& inputs,
          const std::string& text) {
  std::optional<jit::DiskCache> cache = jit::DiskCache::from_environment();
  return cache && cache->store_text(key_of(kind, statement, inputs), text);
}

bool can_run(const Way& way, const notation::Statement& statement) {
  if (way.commands.empty()) return loops_of(way)(statement).has_value();
  try {
    PipelineOptions how;
    how.schedule = schedule::parse(way.commands);
    plan(statement, how);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

std::string bucket_of(const notation::Statement& statement, const autoschedule::KnownInputs& inputs) {
  std::map<std::string, int> powers;
  for (const auto& [var, extent] : inputs.extents)
    powers["index " + var.name()] = std::ilogb(static_cast<double>(extent) + 1);
  for (const auto& [name, stored] : inputs.stored) powers["tensor " + name] = std::ilogb(stored + 1);
  std::string text;
  for (const auto& [name, power] : powers) text += fmt::format("{} {}\n", name, power);
  return text + meeting_of(statement, inputs);
}

std::string text_of(const Way& way) {
  if (way.statements.empty()) return own_loops;
  if (!way.candidate.empty()) return loops_mark + way.candidate + "\n";
  if (!way.schedule.empty()) return schedule_mark + way.schedule + "\n";
  if (!way.commands.empty()) return commands_mark + way.commands + "\n";
  std::string text;
  for (const notation::Statement& statement : way.statements)
    text += to_string(statement.lhs.tensor.format()) + ": " + notation::to_string(statement) + "\n";
  return text;
}

std::optional<Way> way_of_text(const std::string& text, const notation::Statement& statement) {
  if (text == own_loops) return Way{};
  for (const std::string* mark : {&loops_mark, &schedule_mark, &commands_mark}) {
    if (text.rfind(*mark, 0) != 0) continue;
    Way way{{statement}};
    std::string rest = text.substr(mark->size(), text.size() - mark->size() - 1);
    (mark == &loops_mark ? way.candidate : mark == &schedule_mark ? way.schedule : way.commands) = rest;
    return can_run(way, statement) ? std::optional(way) : std::nullopt;
  }
  std::map<std::string, TensorVar> known;
  for (const notation::Access& access : notation::accesses(statement.rhs))
    known.emplace(access.tensor.name(), access.tensor);
  Way way;
  std::istringstream lines(text);
  try {
    for (std::string line; std::getline(lines, line);) {
      size_t colon = line.find(": ");
      if (colon == std::string::npos) return std::nullopt;
      notation::Parsed parsed = notation::parse(line.substr(colon + 2));
      std::map<std::string, TensorVar> tensors = known;
      const notation::TensorUse& assigned = parsed.tensors.at(0);
      bool is_last = assigned.name == statement.lhs.tensor.name();
      TensorVar result = is_last ? statement.lhs.tensor
                                 : TensorVar(assigned.name, statement.lhs.tensor.type(),
                                             parse_format(line.substr(0, colon), assigned.order));
      tensors.insert_or_assign(assigned.name, result);
      bool is_known = std::all_of(parsed.tensors.begin(), parsed.tensors.end(), [&](const notation::TensorUse& use) {
        auto tensor = tensors.find(use.name);
        return tensor != tensors.end() && tensor->second.order() == use.order;
      });
      if (!is_known) return std::nullopt;
      notation::Statement made = notation::resolve(parsed, tensors);
      if (!is_last) {
        made.lhs.tensor = TensorVar(result.name(), result.type(), result.format(),
                                    notation::result_fill(notation::as_assignment(made)));
        known.insert_or_assign(result.name(), made.lhs.tensor);
      }
      way.statements.push_back(std::move(made));
    }
  } catch (const UserError&) {
    return std::nullopt;
  }
  bool is_whole = way.statements.size() > 1 && way.statements.back().lhs.tensor == statement.lhs.tensor;
  return is_whole ? std::optional(way) : std::nullopt;
}

std::optional<Way> tuned_way(const notation::Statement& statement, const autoschedule::KnownInputs& inputs) {
  return load_way("FILIGREE_TUNED", tuned(), statement, inputs);
}

bool keep_tuned(const notation::Statement& statement, const autoschedule::KnownInputs& inputs, const Way& way) {
  return keep(tuned(), statement, inputs, text_of(way));
}

std::map<std::string, double> tuned_times(const notation::Statement& statement,
                                          const autoschedule::KnownInputs& inputs) {
  std::optional<std::string> text = load("FILIGREE_TUNED", "times\n" + tuned(), statement, inputs);
  std::map<std::string, double> out;
  std::istringstream lines(text.value_or(""));
  double milliseconds = 0;
  int count = 0;
  while (lines >> milliseconds >> count) {
    std::string way, line;
    std::getline(lines, line);
    for (int n = 0; n < count && std::getline(lines, line); n++) way += line + "\n";
    out[way] = milliseconds;
  }
  return out;
}

bool keep_times(const notation::Statement& statement, const autoschedule::KnownInputs& inputs,
                const std::map<std::string, double>& milliseconds) {
  std::string text;
  for (const auto& [way, time] : milliseconds)
    text += fmt::format("{} {}\n{}", time, std::count(way.begin(), way.end(), '\n'), way);
  return keep("times\n" + tuned(), statement, inputs, text);
}

std::optional<Way> chosen_way(const notation::Statement& statement, const autoschedule::KnownInputs& inputs,
                              const WayOptions& options) {
  if (options.policy != &policy::usual()) return std::nullopt;  // nobody knows what another one says
  return load_way("FILIGREE_CHOICES", chosen(options), statement, inputs);
}

bool keep_chosen(const notation::Statement& statement, const autoschedule::KnownInputs& inputs,
                 const WayOptions& options, const Way& way) {
  bool is_kept = options.policy == &policy::usual() && !is_turned_off("FILIGREE_CHOICES");
  return is_kept && keep(chosen(options), statement, inputs, text_of(way));
}

}  // namespace filigree::compiler
