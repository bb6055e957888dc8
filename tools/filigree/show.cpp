#include "show.h"

#include <algorithm>

#include <fmt/format.h>

#include "layout_format.h"
#include "first_entries.h"
#include "support/text.h"
#include "tensor/size.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

constexpr std::int64_t most_shown_whole = 100;
constexpr std::int64_t shown_of_large = 10;

double components(const AnyTensor& tensor) {
  double product = 1;
  for (std::int64_t extent : tensor.dimensions()) product *= static_cast<double>(extent);
  return product;
}

}  // namespace

std::string summarize(const std::string& name, const AnyTensor& tensor) {
  std::string fill = tensor.fill().is_zero() ? "" : fmt::format(", fill {}", to_string(tensor.fill()));
  double all = components(tensor);
  Statistics statistics = tensor.statistics();
  std::string share = all > 0 ? fmt::format(" ({:.3g}%)", 100 * static_cast<double>(statistics.stored) / all) : "";
  return fmt::format("{}: {}, {}, {}{}, {} stored{}, {}", name, describe_dimensions(tensor.dimensions()),
                     to_string(tensor.type()), to_string(tensor.format()), fill, statistics.stored, share,
                     human_bytes(static_cast<double>(statistics.bytes)));
}

std::string show_result(const std::string& name, const AnyTensor& tensor, bool among_several, bool beside_zero,
                        std::optional<std::int64_t> show) {
  if (tensor.order() == 0) return (among_several ? name + " = " : "") + to_string(tensor.values().get(0)) + "\n";
  std::string text = aside("# " + summarize(name, tensor) +
                           (beside_zero ? "; coordinates count from 1, not from 0 as in the edge list" : "")) +
                     "\n";
  std::int64_t stored = tensor.statistics().stored;
  std::int64_t count = show.value_or(stored <= most_shown_whole ? stored : shown_of_large);
  bool is_whole = count >= stored;
  Coordinates entries = is_whole ? tensor.coordinates() : first_entries(tensor, count);
  for (std::int64_t n = 0; n < entries.count(); n++) {
    for (const std::vector<std::int64_t>& coordinate : entries.coordinate)
      text += std::to_string(coordinate[n] + 1) + " ";
    text += to_string(entries.values.get(n)) + "\n";
  }
  if (is_whole) return text;
  return text +
         aside(fmt::format("# the first {} of {}: --show all shows all of them, -o {}:FILE.tns writes them",
                           entries.count(), stored, name)) +
         "\n";
}

std::string show_time(double milliseconds) {
  if (milliseconds >= 1000) return fmt::format("{:.2f} s", milliseconds / 1000);
  if (milliseconds >= 100) return fmt::format("{:.0f} ms", milliseconds);
  if (milliseconds >= 1) return fmt::format("{:.2f} ms", milliseconds);
  return fmt::format("{:.2f} us", milliseconds * 1000);
}

std::string show_timings(const Timings& timings) {
  size_t width = 0;
  for (const Timing& timing : timings) width = std::max(width, timing.what.size());
  std::string text;
  for (const Timing& timing : timings)
    text += fmt::format("{:{}}  {:>10}\n", timing.what, width, show_time(timing.milliseconds));
  return text;
}

std::string describe_origins(const Program::Step& step) {
  std::vector<std::string> numbers;
  for (size_t origin : step.origins) numbers.push_back(std::to_string(origin + 1));
  return numbers.size() == 1 ? "statement " + numbers[0] : "statements " + join(numbers, ", ");
}

namespace {

std::string tensor_table(const Problem& problem) {
  std::string text;
  size_t name_width = 0, type_width = 0, format_width = 0;
  auto format_text = [](const DeclaredTensor& tensor) {
    return tensor.use.order == 0 ? std::string("scalar") : to_string(tensor.format);
  };
  for (const DeclaredTensor& tensor : problem.tensors) {
    name_width = std::max(name_width, tensor.use.name.size());
    type_width = std::max(type_width, to_string(tensor.type).size());
    format_width = std::max(format_width, format_text(tensor).size());
  }
  for (const DeclaredTensor& tensor : problem.tensors) {
    std::string line = fmt::format("  {:{}}  {:{}}  {:{}}  {}", tensor.use.name, name_width, to_string(tensor.type),
                                   type_width, format_text(tensor), format_width, tensor.format_reason);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string fill_lines(const std::vector<Program::Step>& steps) {
  std::string text;
  for (const Program::Step& step : steps) {
    for (const TensorVar& result : step.program().results) {
      if (!result.fill().is_zero())
        text += fmt::format("  what '{}' does not store is {}\n", result.name(), to_string(result.fill()));
    }
  }
  return text;
}

/// What stands in the loops for an index that a tensor holds, or that wraps around.
std::string selection_lines(const Problem& problem) {
  std::string text;
  for (const notation::Statement& statement : problem.statements) {
    notation::for_each(statement.rhs, [&](const notation::Expr& expr) {
      const notation::Access* access = expr.as<notation::Access>();
      if (!access || !access->tensor.selection() || !statement.source) return;
      std::string written = statement.source->text.substr(static_cast<size_t>(expr.span().begin),
                                                          static_cast<size_t>(expr.span().end - expr.span().begin));
      std::string line = fmt::format("  {} is true where {} is the coordinate that {} means\n",
                                     notation::to_string(*access), access->indices.back().name(), written);
      if (text.find(line) == std::string::npos) text += line;
    });
  }
  return text;
}

}  // namespace

std::string explain(const Problem& problem, const std::vector<Program::Step>& steps, int threads) {
  std::string text = heading(problem.statements.size() == 1 ? "statement" : "statements") + "\n";
  for (const notation::Statement& statement : problem.statements) text += "  " + notation::to_string(statement) + "\n";
  text += "\n" + heading("tensors") + "\n" + tensor_table(problem) + fill_lines(steps) + selection_lines(problem);
  std::vector<std::string> remarks;
  for (const Program::Step& step : steps) {
    text += "\n" + heading(steps.size() == 1 ? "loops" : "loops of " + describe_origins(step)) + "\n";
    text += indent(concrete::to_lines(step.program().statement), 2);
    if (!text.ends_with('\n')) text += "\n";
    for (const auto* of_step : {&step.remarks, &step.program().environment.remarks}) {
      for (const std::string& remark : *of_step) {
        if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(remark);
      }
    }
  }
  for (const std::string& remark : remarks_on_layouts()) remarks.push_back(remark);
  text += "\n" + heading("remarks") + "\n";
  for (const std::string& remark : remarks) text += "  - " + remark + "\n";
  std::string kernels = steps.size() == 1 ? "the kernel runs" : "kernels run";
  if (threads <= 1) return text + fmt::format("  - {} on one thread\n", kernels);
  return text + fmt::format("  - {} on {} threads if operands are large enough\n", kernels, threads);
}

}  // namespace filigree::tool
