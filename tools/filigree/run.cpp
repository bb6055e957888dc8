// filigree 'EXPR' [options]
#include <algorithm>

#include <fmt/format.h>

#include "balance.h"
#include "layout_format.h"
#include "commands.h"
#include "compiler/planned_kernel.h"
#include "file_settings.h"
#include "frontier.h"
#include "io/files.h"
#include "io/output.h"
#include "front/declared_sizes.h"
#include "ir/print.h"
#include "io/progress.h"
#include "plan.h"
#include "plan/text.h"
#include "show.h"
#include "support/out_of_memory.h"
#include "tensor/size.h"
#include "terminal.h"
#include "warnings.h"
#include "ways.h"

namespace filigree::tool {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Keeps the texts of the stages that --print asks for, kernel by kernel; a stage that runs again replaces what it
/// said.
class StageTexts {
 public:
  explicit StageTexts(const std::vector<std::string>& wanted) : wanted_(wanted) {}

  void note(const compiler::StageReport& report) {
    if (contains(wanted_, report.stage)) texts_[{report.step, report.stage}] = report.text;
  }
  bool has(const std::string& stage) const { return texts_.count({0, stage}) > 0; }
  /// One stage of one kernel as it is; else under headings, with the statements that a kernel does if there are
  /// several.
  std::string text(const std::vector<Program::Step>& steps) const {
    std::string out;
    for (size_t n = 0; n < steps.size(); n++) {
      for (const std::string& stage : wanted_) {
        auto text = texts_.find({n, stage});
        if (text == texts_.end()) continue;
        std::string title = steps.size() == 1 ? stage : fmt::format("{} of {}", stage, describe_origins(steps[n]));
        if (wanted_.size() > 1 || steps.size() > 1)
          out += (out.empty() ? "" : "\n") + tool::heading("== " + title + " ==") + "\n";
        out += text->second;
      }
    }
    return out;
  }

 private:
  const std::vector<std::string>& wanted_;
  std::map<std::pair<size_t, std::string>, std::string> texts_;
};

/// The kernel without the definitions it shares with all others, which --emit writes in front of it.
std::string without_definitions(const std::string& c, const TensorVar& result) {
  size_t start = c.find(fmt::format("\n// {}: {}, ", result.name(), to_string(result.type())));
  return start == std::string::npos ? c : c.substr(start + 1);
}

void write_text(const std::string& path, const std::string& text) {
  io::OutputFile file(path, true);
  file.text().append(text.data(), text.data() + text.size());
  file.commit();
}

std::map<std::string, AnyTensor> run_once(const Program& program, const filigree::Arguments& inputs,
                                          const Sizes& sizes) {
  io::Progress progress("compiling and running");
  return program.run(inputs, sizes);
}

/// Runs once to compile and warm up, then as often as --time asks for.
std::map<std::string, AnyTensor> measure(const Program& program, const filigree::Arguments& inputs, const Sizes& sizes,
                                         int count, double plan_ms, Timings& timings) {
  Stopwatch first;
  std::map<std::string, AnyTensor> results = run_once(program, inputs, sizes);
  double first_ms = first.milliseconds();
  const std::vector<Program::Step>& steps = program.steps(inputs);
  std::vector<double> times;
  std::vector<std::vector<double>> step_times(steps.size());
  io::Progress progress("running", count);
  for (int n = 0; n < count; n++) {
    std::vector<double> each;
    Stopwatch watch;
    results = program.run(inputs, sizes, &each);
    times.push_back(watch.milliseconds());
    progress.advance(1);
    for (size_t step = 0; step < steps.size(); step++) step_times[step].push_back(each[step]);
  }
  timings.push_back({"compile", plan_ms + std::max(0.0, first_ms - median(times))});
  for (size_t step = 0; steps.size() > 1 && step < steps.size(); step++) {
    timings.push_back(
        {fmt::format("run {}, median of {}", describe_origins(steps[step]), count), median(step_times[step])});
  }
  timings.push_back({fmt::format("run, median of {}", count), median(times)});
  timings.push_back({"run, fastest", *std::min_element(times.begin(), times.end())});
  return results;
}

class Run {
 public:
  explicit Run(const RunArguments& arguments)
      : arguments_(arguments), problem_(declared(arguments, timings_)), stages_(wanted()), texts_(stages_) {}

  void operator()() {
    std::optional<notation::ProgramSizes> sizes;
    if (problem_.has_data) {
      for (const Setting& output : arguments_.outputs) {
        if (is_standard_output(output.value)) reserve_standard_output();
      }
      sizes = find_sizes(problem_);
      check_results_fit(problem_, *sizes);
    } else {
      front::known_sizes(problem_);  // for code, too, windows must not disagree
    }
    if (arguments_.plan) return run_plan(sizes);
    Stopwatch plan;
    ProgramOptions options = observed_options();
    Program program = planned(options);
    plan_ms_ = plan.milliseconds();
    for (const Warning& warning : find_warnings(arguments_, problem_, program, options))
      print_error(warning.text(Wording::CommandLine));
    if (arguments_.explain) print(explain(problem_, program.steps(), thread_count(arguments_, problem_)));
    if (problem_.has_data) {
      compute(program, *sizes);
    } else {
      show_code(program, program, {});
    }
    if (arguments_.time) print_error(show_timings(timings_));
  }

 private:
  static Problem declared(const RunArguments& arguments, Timings& timings) {
    ReadFiles files;  // given up when all tensors have theirs
    return declare(arguments, timings, files);
  }

  /// Without data and without a wish, C is what to print.
  std::vector<std::string> wanted() const {
    bool asks = !arguments_.print.empty() || arguments_.emit || arguments_.explain;
    return problem_.has_data || asks ? arguments_.print : std::vector<std::string>{"c"};
  }

  ProgramOptions observed_options() {
    ProgramOptions options = program_options(arguments_, problem_);
    if (!stages_.empty()) options.observer = [this](const compiler::StageReport& report) { texts_.note(report); };
    return options;
  }

  Program planned(const ProgramOptions& options) const {
    io::Progress progress("planning");
    return Program::compile(problem_.statements, options);
  }

  /// Without a schedule, loops depend on operands and threads; so from there on, stages are those of the kernel that
  /// would run.
  bool shows_what_runs() const {
    bool is_automatic = !has_commands(arguments_);
    return std::any_of(stages_.begin(), stages_.end(), [&](const std::string& stage) {
      bool is_code = stage == "plan" || stage == "ir" || stage == "c";
      bool is_before = stage == "notation" || stage == "concrete" || stage == "frontier" || stage == "layout" ||
                       stage == "space";
      return is_code || (is_automatic && !is_before);
    });
  }

  /// --print and --emit.
  void show_code(const Program& program, const Program& declared, const filigree::Arguments& inputs) {
    const std::vector<Program::Step>& steps = program.steps(inputs);
    if (arguments_.with_main && steps.size() > 1) {
      throw UserError(
          fmt::format("--main writes a main function for one kernel, but these statements take {}", steps.size()))
          .hint("leave it out, and call the kernels of the file one after the other");
    }
    bool prints_c = contains(stages_, "c");
    if (shows_what_runs() || arguments_.emit) {
      // Inputs tell how wide index arrays are.
      std::vector<ir::FunctionDef> functions = program.functions(inputs, front::given_sizes(problem_));
      for (size_t n = 0; (prints_c || arguments_.emit) && n < steps.size(); n++)
        compiler::check_units(steps[n].program());
      emit::EmitOptions how{.standalone = true, .with_main = arguments_.with_main};
      for (size_t n = 0; prints_c && n < steps.size(); n++) {
        std::string c = compiler::emit(functions[n], how);
        texts_.note({"c", arguments_.with_main ? c : without_definitions(c, steps[n].statements[0].lhs.tensor), 0, n});
      }
      if (arguments_.emit) write_text(*arguments_.emit, emit::emit_c(ir::Module{functions}, how));
    }
    if (contains(stages_, "schedule") && program.steps(inputs).size() == 1 && !texts_.has("schedule"))
      texts_.note({"schedule", thread_count(arguments_, problem_) > 1 ? "auto\n" : "serial\n", 0, 0});
    const std::vector<Program::Step>& declared_steps = declared.steps(inputs);
    for (size_t n = 0; contains(stages_, "frontier") && n < declared_steps.size(); n++) {
      std::string text, ways;
      if (!inputs.empty() && !arguments_.explain)
        ways = ways_json(declared, inputs, program_options(arguments_, problem_));
      for (const notation::Statement& statement : declared_steps[n].statements)
        text += frontier_text(statement, inputs, arguments_.explain, ways);
      texts_.note({"frontier", text, 0, n});
    }
    if (contains(stages_, "layout")) texts_.note({"layout", layouts_text(problem_), 0, 0});
    if (contains(stages_, "space")) texts_.note({"space", spaces_text(problem_), 0, 0});
    if (!stages_.empty()) print((arguments_.explain ? "\n" : "") + texts_.text(steps));
  }

  void compute(const Program& program, const notation::ProgramSizes& found) {
    beside_zero_ = std::any_of(problem_.tensors.begin(), problem_.tensors.end(), [](const DeclaredTensor& tensor) {
      return tensor.contents && tensor.contents->counts_from_zero();
    });
    std::map<std::string, AnyTensor> inputs = make_inputs(problem_, found, timings_);
    filigree::Arguments list;
    for (const auto& [name, tensor] : inputs) list.emplace_back(name, tensor);
    Sizes sizes = front::given_sizes(problem_);
    if (arguments_.explain && thread_count(arguments_, problem_) > 1) {
      io::Progress progress("counting steps");
      for (const std::string& remark : balance_remarks(problem_.statements, observed_options(), list, sizes))
        print("  - " + remark + "\n");
    }
    if (arguments_.explain) print(describe_ways(program, list, program_options(arguments_, problem_)));
    std::optional<Program> instead;
    if (!stages_.empty() || arguments_.emit) instead = taken_instead(program, list, observed_options());
    show_code(instead ? *instead : program, program, list);
    std::map<std::string, AnyTensor> results = arguments_.time
                                                   ? measure(program, list, sizes, *arguments_.time, plan_ms_, timings_)
                                                   : run_once(program, list, sizes);
    show_results(inputs, results);
  }

  /// --plan: what the file says, without a choice.
  void run_plan(const std::optional<notation::ProgramSizes>& found) {
    PlannedKernel kernel = PlannedKernel::compile(*arguments_.plan, program_options(arguments_, problem_));
    std::map<std::string, AnyTensor> inputs;
    if (found) inputs = make_inputs(problem_, *found, timings_);
    filigree::Arguments list;
    for (const auto& [name, tensor] : inputs) list.emplace_back(name, tensor);
    Sizes sizes = front::given_sizes(problem_);
    show_plan(kernel, list, sizes);
    if (!found) return;
    Stopwatch first;
    std::map<std::string, AnyTensor> results = kernel.run(list, sizes);
    double first_ms = first.milliseconds();
    std::vector<double> times;
    for (int n = 0; n < arguments_.time.value_or(0); n++) {
      Stopwatch watch;
      results = kernel.run(list, sizes);
      times.push_back(watch.milliseconds());
    }
    if (!times.empty()) {
      timings_.push_back({"compile", std::max(0.0, first_ms - median(times))});
      timings_.push_back({fmt::format("run, median of {}", times.size()), median(times)});
      timings_.push_back({"run, fastest", *std::min_element(times.begin(), times.end())});
    }
    show_results(inputs, results);
    if (arguments_.time) print_error(show_timings(timings_));
  }

  /// The stages that come after a plan.
  void show_plan(const PlannedKernel& kernel, const filigree::Arguments& inputs, const Sizes& sizes) {
    for (const std::string& stage : arguments_.print) {
      bool is_there = stage == "plan" || stage == "ir" || stage == "c" || arguments_.print.size() > 4;
      if (!is_there)
        throw UserError(fmt::format("A plan has no stage '{}': what comes before it is not in its text", stage))
            .hint("show plan, ir or c", "--print plan, ir or c shows those that there are");
    }
    std::string text;
    auto show = [&](const char* stage, const std::string& shown) {
      if (!contains(stages_, stage)) return;
      if (stages_.size() > 1) text += (text.empty() ? "" : "\n") + heading(fmt::format("== {} ==", stage)) + "\n";
      text += shown;
    };
    bool shows_c = contains(stages_, "c") || arguments_.emit;
    if (contains(stages_, "plan")) show("plan", plan::to_string(kernel.plan()));
    if (contains(stages_, "ir") || shows_c) {
      ir::FunctionDef function = kernel.function("kernel", inputs, sizes);
      show("ir", ir::print(function));
      if (shows_c) compiler::check_units(kernel.plan().program);
      emit::EmitOptions how{.standalone = true, .with_main = arguments_.with_main};
      if (contains(stages_, "c")) {
        std::string c = compiler::emit(function, how);
        show("c", arguments_.with_main ? c : without_definitions(c, kernel.plan().program.results.front()));
      }
      if (arguments_.emit) write_text(*arguments_.emit, emit::emit_c(ir::Module{{function}}, how));
    }
    print(text);
  }

  /// Writes what -o asks for, and prints the rest.
  void show_results(const std::map<std::string, AnyTensor>& inputs, const std::map<std::string, AnyTensor>& results) {
    std::optional<io::ReaderGone> gone;
    for (const Setting& output : arguments_.outputs) {
      auto result = results.find(output.name);
      try {
        write_output(output, result == results.end() ? inputs.at(output.name) : result->second);
      } catch (const io::ReaderGone& error) {
        gone = error;  // the others are written nevertheless
      }
    }
    for (const std::string& name : problem_.results) {
      if (!find(arguments_.outputs, name)) print_result(name, results.at(name));
    }
    if (gone) throw *gone;
  }

  void write_output(const Setting& output, const AnyTensor& tensor) {
    Stopwatch watch;
    io::Progress progress("writing " + output.value);
    write_file(output.value, tensor, {.base = file_base(arguments_, output.name, false), .progress = true});
    timings_.push_back({"write " + output.value, watch.milliseconds()});
  }

  void print_result(const std::string& name, const AnyTensor& tensor) const {
    double entries = static_cast<double>(tensor.stored()) * (8.0 * tensor.order() + size_in_bytes(tensor.type()));
    std::string activity =
        fmt::format("printing '{}' ({}, {} stored)", name, describe_dimensions(tensor.dimensions()), tensor.stored());
    naming_memory(activity, entries, [&] {
      print(show_result(name, tensor, problem_.results.size() > 1, beside_zero_, arguments_.show));
    });
  }

  const RunArguments& arguments_;
  Timings timings_;
  Problem problem_;
  std::vector<std::string> stages_;
  StageTexts texts_;
  double plan_ms_ = 0;
  bool beside_zero_ = false;  // an input is a text that counts from 0, but results are shown from 1 on
};

}  // namespace

void run(const RunArguments& arguments) {
  io::allow_progress(!arguments.quiet);
  Run{arguments}();
}

}  // namespace filigree::tool
