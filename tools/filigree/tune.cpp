// filigree tune 'EXPR' [options]
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "commands.h"
#include "compiler/tuned.h"
#include "compiler/templates.h"
#include "compiler/way_program.h"
#include "front/declared_sizes.h"
#include "io/output.h"
#include "io/progress.h"
#include "plan.h"
#include "same_values.h"
#include "stopwatch.h"
#include "support/text.h"
#include "terminal.h"
#include "tune_report.h"
#include "ways.h"

namespace filigree::tool {
namespace {

/// Without --time: for how long, and how often at least and at most.
constexpr double enough_ms = 3000;
constexpr int fewest_rounds = 3, most_rounds = 200;
/// A way that takes longer than so many times what the fastest took is not run again, and if it takes so long, not even
/// once more.
constexpr double hopeless = 10, long_ms = 100;
/// One that is estimated to take so much, and so many times what the best takes, is not run at all.
constexpr double endless = 3e9, hopeless_work = 1000;
/// So long for schedules that differ in constant factors, and so many runs of each.
constexpr double refining_ms = 10'000;
constexpr int refining_runs = 10;

std::vector<std::string> lines_of(const compiler::Way& way) {
  if (!way.candidate.empty()) return {way.candidate};
  if (!way.schedule.empty()) return {fmt::format("-s '{}'", way.schedule)};
  if (!way.commands.empty()) return {fmt::format("-s '{}'", way.commands)};
  std::vector<std::string> lines;
  for (const notation::Statement& statement : way.statements)
    lines.push_back(fmt::format("{}  ({})", notation::to_string(statement), to_string(statement.lhs.tensor.format())));
  return lines;
}

class Tuning {
 public:
  explicit Tuning(const TuneArguments& arguments) : arguments_(arguments) {}

  void operator()() {
    ReadFiles files;
    Timings unused;
    Problem problem = declare(arguments_.common, unused, files);
    notation::ProgramSizes found = find_sizes(problem);
    check_results_fit(problem, found);
    ProgramOptions options = program_options(arguments_.common, problem);
    Program choosing = Program::compile(problem.statements, options);
    inputs_ = make_inputs(problem, found, unused);
    for (const auto& [name, tensor] : inputs_) operands_.emplace_back(name, tensor);
    sizes_ = front::given_sizes(problem);
    const Kernel* kernel = only_kernel(choosing, operands_);
    if (!kernel)
      throw UserError("Only a single statement is tuned").hint("tune the statements one by one, on the inputs of each");
    compiler::WayOptions all{0, 0, options.thread_count() > 1};
    all.most_classes = all.most_members = std::numeric_limits<size_t>::max();
    compiler::Ways ways = compiler::ways_of(*kernel, operands_, all);
    if (ways.others.empty()) throw UserError(fmt::format("There is nothing to tune: {}", ways.reason));
    prepare(problem, options, ways);
    measure();
    refine(*kernel, options);
    report(*kernel);
  }

 private:
  struct Runnable {
    compiler::Way way;
    Program program;
  };

  void prepare(const Problem& problem, ProgramOptions options, const compiler::Ways& ways) {
    options.make_loops = compiler::own_loops();
    add({}, Program::compile(problem.statements, options), "its own loops",
        {notation::to_string(problem.statements[0])}, *ways.own);
    for (const compiler::Way& way : ways.others) {
      if (way.measure.work > std::max(endless, hopeless_work * ways.others[0].measure.work)) continue;
      try {
        add(way, compiler::program_of(way, options), compiler::name_of(way), lines_of(way), way.measure);
      } catch (const UserError&) {  // it cannot run, so it is not the fastest
      }
    }
  }

  /// Runs it once, to compile it and to see what comes out.
  void add(const compiler::Way& way, Program program, const std::string& title, std::vector<std::string> lines,
           const autoschedule::Measure& measure) {
    io::Progress progress("compiling and running " + title);
    std::map<std::string, AnyTensor> results = program.run(operands_, sizes_);
    TunedWay row{title, std::move(lines), measure};
    const auto& [name, result] = *results.begin();
    if (expected_.empty()) {
      expected_ = std::move(results);
    } else if (std::optional<std::string> difference = find_difference(expected_.at(name), result)) {
      row.difference = *difference;
    }
    rows_.push_back(std::move(row));
    runnables_.push_back({way, std::move(program)});
  }

  /// One slow run may be the fault of something else that runs on the machine.
  static bool is_hopeless(const TunedWay& row, double fastest) {
    int fewest = row.times.empty() || row.fastest_ms() < long_ms ? fewest_rounds : 1;
    return static_cast<int>(row.times.size()) >= fewest && row.fastest_ms() > hopeless * fastest;
  }

  /// In each round every way runs once, so that all of them see the same machine.
  void measure() {
    int most = arguments_.common.time.value_or(most_rounds);
    io::Progress progress("timing", arguments_.common.time.value_or(0));
    Stopwatch all;
    for (int round = 0; round < most; round++) {
      if (!arguments_.common.time && round >= fewest_rounds && all.milliseconds() > enough_ms) break;
      double fastest = 0;
      for (const TunedWay& row : rows_) {
        if (!row.times.empty()) fastest = fastest == 0 ? row.fastest_ms() : std::min(fastest, row.fastest_ms());
      }
      for (size_t n = 0; n < rows_.size(); n++) {
        if (is_hopeless(rows_[n], fastest)) continue;
        Stopwatch watch;
        std::map<std::string, AnyTensor> results = runnables_[n].program.run(operands_, sizes_);
        rows_[n].times.push_back(watch.milliseconds());
      }
      progress.advance(1);
    }
  }

  /// Of the fastest schedule and of the statement's own loops, what differs in constant factors, stage by stage: each
  /// one goes on with the best of the one before.
  void refine(const Kernel& kernel, const ProgramOptions& options) {
    size_t best = 0;
    for (size_t n = 1; n < rows_.size(); n++) {
      bool is_single = runnables_[n].way.statements.size() < 2 && runnables_[n].way.candidate.empty();
      if (is_single && rows_[n].fastest_ms() < rows_[best].fastest_ms()) best = n;
    }
    std::string commands = runnables_[best].way.schedule;
    Stopwatch all;
    for (const compiler::Stage& stage : compiler::schedule_stages(kernel.program())) {
      std::optional<double> fastest;
      std::string taken = commands;
      for (const std::string& more : stage.commands) {
        if (all.milliseconds() > refining_ms) return;
        std::string text = commands + (commands.empty() || more.empty() ? "" : ", ") + more;
        if (text.empty()) continue;
        std::optional<double> time = time_commands(kernel.statement(), text, options, best);
        if (time && (!fastest || *time < *fastest)) fastest = *time, taken = text;
      }
      commands = taken;
    }
  }

  /// The fastest of some runs; nothing if that schedule is not possible.
  std::optional<double> time_commands(const notation::Statement& statement, const std::string& text,
                                      const ProgramOptions& options, size_t best) {
    compiler::Way way{{statement}};
    way.commands = text;
    auto known = std::find_if(runnables_.begin(), runnables_.end(),
                              [&](const Runnable& one) { return one.way.commands == text; });
    if (known != runnables_.end()) return rows_[static_cast<size_t>(known - runnables_.begin())].fastest_ms();
    try {
      add(way, compiler::program_of(way, options), compiler::name_of(way), lines_of(way), rows_[best].measure);
    } catch (const UserError&) {
      return std::nullopt;
    }
    TunedWay& row = rows_.back();
    int most = arguments_.common.time.value_or(refining_runs);
    for (int n = 0; n < most; n++) {
      Stopwatch watch;
      runnables_.back().program.run(operands_, sizes_);
      row.times.push_back(watch.milliseconds());
      if (row.fastest_ms() > hopeless * rows_[best].fastest_ms()) break;
    }
    return row.difference.empty() ? std::optional(row.fastest_ms()) : std::nullopt;
  }

  void report(const Kernel& kernel) {
    std::vector<size_t> order;
    for (size_t n = 0; n < rows_.size(); n++) order.push_back(n);
    auto key = [&](size_t n) { return std::pair(!rows_[n].difference.empty(), rows_[n].median_ms()); };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
    const notation::Statement& statement = kernel.statement();
    bool is_kept =
        compiler::keep_tuned(statement, compiler::known_inputs(statement, operands_), runnables_[order[0]].way);
    std::map<std::string, double> times;
    for (size_t n = 0; n < rows_.size(); n++) times[compiler::text_of(runnables_[n].way)] = rows_[n].median_ms();
    compiler::keep_times(statement, compiler::known_inputs(statement, operands_), times);
    std::vector<TunedWay> sorted;
    for (size_t n : order) sorted.push_back(rows_[n]);
    sorted[0].is_kept = is_kept;
    std::string text = notation::to_string(statement);
    print(arguments_.json ? tune_json(sorted, text) : tune_table(sorted));
    if (!is_kept) print_error("warning: The fastest way is not kept: there is no folder for compiled kernels\n");
    if (arguments_.svg) {
      io::OutputFile file(*arguments_.svg, true);
      std::string svg = tune_svg(sorted, text);
      file.text().append(svg.data(), svg.data() + svg.size());
      file.commit();
    }
    finish_printing();
    if (std::any_of(rows_.begin(), rows_.end(), [](const TunedWay& row) { return !row.difference.empty(); }))
      throw UserError("The results of the ways differ").hint("this is a bug in Filigree");
  }

  const TuneArguments& arguments_;
  std::map<std::string, AnyTensor> inputs_, expected_;
  filigree::Arguments operands_;
  Sizes sizes_;
  std::vector<TunedWay> rows_;
  std::vector<Runnable> runnables_;
};

}  // namespace

void tune(const TuneArguments& arguments) {
  io::allow_progress(!arguments.common.quiet);
  Tuning{arguments}();
}

}  // namespace filigree::tool
