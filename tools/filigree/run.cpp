// filigree 'EXPR' [options]
#include <algorithm>

#include <fmt/format.h>

#include "commands.h"
#include "io/files.h"
#include "io/output.h"
#include "problem.h"
#include "show.h"
#include "tensor/size.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Keeps the texts of the stages that --print asks for; a stage that runs again replaces what it said.
class StageTexts {
 public:
  explicit StageTexts(const std::vector<std::string>& wanted) : wanted_(wanted) {}

  void note(const compiler::StageReport& report) {
    if (contains(wanted_, report.stage)) texts_[report.stage] = report.text;
  }
  /// One stage as it is; several under headings.
  std::string text() const {
    std::string out;
    for (const std::string& stage : wanted_) {
      auto text = texts_.find(stage);
      if (text == texts_.end()) continue;
      if (wanted_.size() > 1) out += fmt::format("{}== {} ==\n", out.empty() ? "" : "\n", stage);
      out += text->second;
    }
    return out;
  }

 private:
  const std::vector<std::string>& wanted_;
  std::map<std::string, std::string> texts_;
};

/// The kernel without the definitions it shares with all others, which --emit writes in front of it.
std::string without_definitions(const std::string& c, const TensorVar& result) {
  size_t start = c.find(fmt::format("\n// {}: {}, ", result.name(), to_string(result.type())));
  return start == std::string::npos ? c : c.substr(start + 1);
}

void write_text(const std::string& path, const std::string& text) {
  io::OutputFile file(path);
  file.text().append(text.data(), text.data() + text.size());
  file.commit();
}

/// Runs once to compile and warm up, then as often as --time asks for.
Tensor measure(const Kernel& kernel, const filigree::Arguments& operands, const Extents& extents, int count, double plan_ms, Timings& timings) {
  Stopwatch first;
  Tensor result = kernel.run(operands, extents);
  double first_ms = first.milliseconds();
  std::vector<double> times;
  for (int n = 0; n < count; n++) {
    Stopwatch watch;
    result = kernel.run(operands, extents);
    times.push_back(watch.milliseconds());
  }
  std::sort(times.begin(), times.end());
  double median = times[times.size() / 2];
  timings.push_back({"compile", plan_ms + std::max(0.0, first_ms - median)});
  timings.push_back({fmt::format("run, median of {}", count), median});
  timings.push_back({"run, fastest", times[0]});
  return result;
}

class Run {
 public:
  explicit Run(const RunArguments& arguments) : arguments_(arguments), problem_(declare(arguments, timings_)), stages_(wanted()), texts_(stages_) {}

  void operator()() {
    std::map<IndexVar, std::int64_t> extents;
    if (problem_.has_data) {
      for (const Setting& output : arguments_.outputs) check_output(output.value);
      extents = find_extents(problem_);
      check_result_fits(extents);
    }
    Stopwatch plan;
    Kernel kernel = Kernel::compile(problem_.statement, kernel_options());
    plan_ms_ = plan.milliseconds();
    if (arguments_.explain) print(explain(problem_, kernel, arguments_.threads));
    if (problem_.has_data) {
      compute(kernel, extents);
    } else {
      show_code(kernel, {});
    }
    if (arguments_.time) print_error(show_timings(timings_));
  }

 private:
  /// Without data and without a wish, C is what to print.
  std::vector<std::string> wanted() const {
    bool asks = !arguments_.print.empty() || arguments_.emit || arguments_.explain;
    return problem_.has_data || asks ? arguments_.print : std::vector<std::string>{"c"};
  }

  /// Before operands are made, which may be large themselves.
  void check_result_fits(const std::map<IndexVar, std::int64_t>& extents) const {
    const notation::Access& result = problem_.statement.lhs;
    std::vector<std::int64_t> dimensions;
    for (const IndexVar& var : result.indices) dimensions.push_back(extents.at(var));
    check_storage_fits(dimensions, result.tensor.format(), result.tensor.type(), 0, result.tensor.name());
  }

  KernelOptions kernel_options() {
    KernelOptions options;
    options.target = arguments_.target;
    options.force = arguments_.force;
    options.threads = std::max(1, arguments_.threads);
    if (arguments_.schedule) options.schedule = schedule::parse(*arguments_.schedule, "-s");
    if (!stages_.empty()) options.observer = [this](const compiler::StageReport& report) { texts_.note(report); };
    return options;
  }

  bool operands_have_all_variables() const {
    std::vector<IndexVar> vars = notation::index_vars(problem_.statement.rhs);
    return std::all_of(problem_.statement.lhs.indices.begin(), problem_.statement.lhs.indices.end(),
                       [&](const IndexVar& var) { return std::find(vars.begin(), vars.end(), var) != vars.end(); });
  }

  /// --print and --emit.
  void show_code(const Kernel& kernel, const filigree::Arguments& operands) {
    bool prints_c = contains(stages_, "c");
    if (prints_c || contains(stages_, "ir") || arguments_.emit) {
      // Operands tell how wide index arrays are, unless something else must tell how large the result is.
      filigree::Arguments known = operands_have_all_variables() ? operands : filigree::Arguments{};
      std::string c = kernel.c_text(lower::Mode::Grow, {.standalone = true, .with_main = arguments_.with_main}, known);
      texts_.note({"c", arguments_.with_main ? c : without_definitions(c, problem_.statement.lhs.tensor), 0});
      if (arguments_.emit) write_text(*arguments_.emit, c);
    }
    if (!stages_.empty()) print((arguments_.explain ? "\n" : "") + texts_.text());
  }

  void compute(const Kernel& kernel, const std::map<IndexVar, std::int64_t>& found) {
    std::map<std::string, Tensor> operands = make_operands(problem_, found, timings_);
    filigree::Arguments list;
    for (const auto& [name, tensor] : operands) list.emplace_back(name, tensor);
    Extents extents;
    for (const auto& [var, extent] : found) extents[var.name()] = extent;
    const notation::Access& left = problem_.statement.lhs;
    for (size_t d = 0; d < left.indices.size(); d++) extents[fmt::format("{}.{}", left.tensor.name(), d + 1)] = found.at(left.indices[d]);
    show_code(kernel, list);
    Tensor result = arguments_.time ? measure(kernel, list, extents, *arguments_.time, plan_ms_, timings_) : kernel.run(list, extents);
    const std::string& name = problem_.statement.lhs.tensor.name();
    for (const Setting& output : arguments_.outputs) {
      Stopwatch watch;
      write_file(output.value, output.name == name ? result : operands.at(output.name));
      timings_.push_back({"write " + output.value, watch.milliseconds()});
    }
    if (!find(arguments_.outputs, name)) print(show_result(name, result));
  }

  const RunArguments& arguments_;
  Timings timings_;
  Problem problem_;
  std::vector<std::string> stages_;
  StageTexts texts_;
  double plan_ms_ = 0;
};

}  // namespace

void run(const RunArguments& arguments) { Run{arguments}(); }

}  // namespace filigree::tool
