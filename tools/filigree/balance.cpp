#include "balance.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::tool {
namespace {

/// Which takes the interpreter some seconds.
constexpr std::int64_t most_steps = 100'000'000;

constexpr size_t most_threads_shown = 8;

double total(const std::vector<ir::Work>& done, std::int64_t ir::Work::* what) {
  return std::accumulate(done.begin(), done.end(), 0.0,
                         [&](double sum, const ir::Work& work) { return sum + static_cast<double>(work.*what); });
}

/// By how many per cent the largest is above the average.
double excess(const std::vector<ir::Work>& done, std::int64_t ir::Work::* what) {
  double largest = 0;
  for (const ir::Work& work : done) largest = std::max(largest, static_cast<double>(work.*what));
  return 100 * (largest * static_cast<double>(done.size()) / total(done, what) - 1);
}

}  // namespace

std::vector<std::string> balance_remarks(const std::vector<notation::Statement>& statements, ProgramOptions options,
                                         const Arguments& inputs, const Sizes& sizes) {
  std::vector<ir::Work> most;
  options.target = compiler::Target::Interpret;
  options.step_limit = most_steps;
  std::vector<std::string> remarks;
  options.observer = [&](const compiler::StageReport& report) {
    if (report.stage != "schedule" || !options.schedule.empty()) return;
    std::string remark = fmt::format("the schedule is, by default: {}; -s serial turns it off",
                                     report.text.substr(0, report.text.find('\n')));
    if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(remark);
  };
  options.observe_parallel = [&](const std::vector<ir::Work>& done) {
    if (done.size() > 1 && total(done, &ir::Work::points) > total(most, &ir::Work::points)) most = done;
  };
  try {
    Program::compile(statements, options).run(inputs, sizes);
  } catch (const ir::StepLimitError&) {
    remarks.push_back("how evenly threads share the work is not measured: there are too many steps to count them all");
    return remarks;
  }
  double points = total(most, &ir::Work::points);
  if (points == 0) return remarks;
  std::vector<std::string> shares;
  for (size_t n = 0; n < std::min(most.size(), most_threads_shown); n++)
    shares.push_back(fmt::format("{:.1f}%", 100 * static_cast<double>(most[n].points) / points));
  if (most.size() > most_threads_shown) shares.push_back("...");
  double above = excess(most, &ir::Work::points), above_in_steps = excess(most, &ir::Work::steps);
  std::string remark = fmt::format(
      "{} pieces of the parallel loop visit {} of its points: the largest is {:.1f}% above the average, and {:.1f}% in "
      "steps, what is done for each row included",
      most.size(), join(shares, ", "), above, above_in_steps);
  bool rows_can_be_divided = std::all_of(statements.begin(), statements.end(),
                                         [](const notation::Statement& s) { return s.lhs.tensor.format().is_dense(); });
  if (rows_can_be_divided && std::min(above, above_in_steps) > 10)
    remark += "; cut(variable, t, nonzeros) and cut(variable, t, merge) divide a row among several pieces";
  remarks.push_back(remark);
  return remarks;
}

}  // namespace filigree::tool
