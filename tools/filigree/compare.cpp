// filigree compare 'EXPR' [options]
#include <algorithm>
#include <exception>
#include <limits>

#include <fmt/format.h>

#include "alternatives.h"
#include "commands.h"
#include "compare_table.h"
#include "front/declared_sizes.h"
#include "io/progress.h"
#include "plan.h"
#include "same_values.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

/// Without --time: for how long, and how often at least and at most.
constexpr double enough_ms = 2000;
constexpr int fewest_rounds = 3, most_rounds = 1000;

/// Every combination, the last choice changing fastest.
std::vector<RunArguments> combinations(const CompareArguments& arguments) {
  std::vector<RunArguments> all = {arguments.common};
  for (const Settings& choices : arguments.formats) {
    std::vector<RunArguments> more;
    for (const RunArguments& one : all) {
      for (const Setting& choice : choices) {
        more.push_back(one);
        more.back().formats.push_back(choice);
      }
    }
    all = std::move(more);
  }
  if (arguments.schedules.empty()) return all;
  std::vector<RunArguments> more;
  for (const RunArguments& one : all) {
    for (const std::string& schedule : arguments.schedules) {
      more.push_back(one);
      more.back().schedule = schedule;
    }
  }
  return more;
}

/// Inputs that several alternatives share are made once.
class Inputs {
 public:
  std::shared_ptr<const AnyTensor> get(const Problem& problem, DeclaredTensor& tensor,
                                       const notation::ProgramSizes& sizes) {
    const std::string& name = tensor.use.name;
    for (const Known& known : known_) {
      if (known.name == name && known.format == tensor.format && known.dimensions == sizes.inputs.at(name) &&
          known.tensor->type() == tensor.type)
        return known.tensor;
    }
    Timings unused;
    known_.push_back({name, tensor.format, sizes.inputs.at(name),
                      std::make_shared<const AnyTensor>(make_input(problem, tensor, sizes, unused))});
    return known_.back().tensor;
  }

 private:
  struct Known {
    std::string name;
    Format format;
    std::vector<std::int64_t> dimensions;
    std::shared_ptr<const AnyTensor> tensor;
  };
  std::vector<Known> known_;
};

/// One alternative, ready to run.
class Candidate {
 public:
  Candidate(const RunArguments& arguments, ReadFiles& files, Inputs& inputs) {
    Timings unused;
    Problem problem = declare(arguments, unused, files);
    threads = thread_count(arguments, problem);
    notation::ProgramSizes found = find_sizes(problem);
    check_results_fit(problem, found);
    program_.emplace(Program::compile(problem.statements, program_options(arguments, problem)));
    for (DeclaredTensor& tensor : problem.tensors) {
      if (!tensor.is_input) continue;
      tensors_.push_back(inputs.get(problem, tensor, found));
      operands_.emplace_back(tensor.use.name, *tensors_.back());
      bytes += tensors_.back()->statistics().bytes;
    }
    sizes_ = front::given_sizes(problem);
  }

  std::map<std::string, AnyTensor> run() const { return program_->run(operands_, sizes_); }

  std::int64_t bytes = 0;  // of the inputs
  int threads = 1;

 private:
  std::optional<Program> program_;
  std::vector<std::shared_ptr<const AnyTensor>> tensors_;
  filigree::Arguments operands_;
  Sizes sizes_;
};

class Comparison {
 public:
  explicit Comparison(const CompareArguments& arguments) : arguments_(arguments) {}

  void operator()() {
    prepare();
    if (std::none_of(candidates_.begin(), candidates_.end(), [](const auto& c) { return c.has_value(); }))
      std::rethrow_exception(first_failure_);
    measure();
    std::vector<CompareRow> rows = rows_;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CompareRow& a, const CompareRow& b) { return a.sort_key() < b.sort_key(); });
    CompareSummary summary{arguments_.common.expression, names(), rounds_, threads_, results_differ_};
    print(arguments_.json ? compare_json(rows, summary) : compare_table(rows, summary));
    finish_printing();
    if (results_differ_)
      throw UserError("The results of the alternatives differ")
          .hint("--deterministic makes sums independent of threads; otherwise this is a bug in Filigree");
  }

 private:
  /// What the columns of the alternatives are called.
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const Settings& choices : arguments_.formats) list.push_back(choices[0].name);
    if (!arguments_.schedules.empty()) list.push_back("schedule");
    return list;
  }

  std::vector<std::string> choices_of(const RunArguments& alternative) const {
    std::vector<std::string> list;
    for (const Settings& choices : arguments_.formats)
      list.push_back(find(alternative.formats, choices[0].name)->value);
    if (!arguments_.schedules.empty()) list.push_back(*alternative.schedule);
    return list;
  }

  /// Everything is made and run once; what fails is kept with the reason.
  void prepare() {
    ReadFiles files;
    Inputs inputs;
    std::map<std::string, AnyTensor> expected;
    for (const RunArguments& alternative : combinations(arguments_)) {
      CompareRow row;
      row.choices = choices_of(alternative);
      io::Progress progress("compiling and running " + join(row.choices, " "));
      candidates_.emplace_back();
      try {
        Candidate candidate(alternative, files, inputs);
        std::map<std::string, AnyTensor> results = candidate.run();
        row.bytes = candidate.bytes;
        threads_ = std::max(threads_, candidate.threads);
        if (expected.empty()) {
          expected = std::move(results);
        } else {
          row.difference = difference(expected, results);
        }
        results_differ_ = results_differ_ || !row.difference.empty();
        candidates_.back().emplace(std::move(candidate));
      } catch (const UserError& error) {
        row.failure = error.message();
        if (!first_failure_) first_failure_ = std::current_exception();
      } catch (const std::bad_alloc&) {
        row.failure = "Memory ran out";
        if (!first_failure_) first_failure_ = std::current_exception();
      }
      rows_.push_back(row);
    }
  }

  static std::string difference(const std::map<std::string, AnyTensor>& expected,
                                const std::map<std::string, AnyTensor>& results) {
    for (const auto& [name, tensor] : expected) {
      if (std::optional<std::string> found = find_difference(tensor, results.at(name)))
        return fmt::format("'{}' has {}", name, *found);
    }
    return "";
  }

  /// In each round every alternative runs once, so that all of them see the same machine.
  void measure() {
    int most = arguments_.common.time.value_or(most_rounds);
    io::Progress progress("timing", arguments_.common.time.value_or(0));
    std::vector<double> spent(candidates_.size(), 0);
    Stopwatch all;
    for (; rounds_ < most; rounds_++) {
      if (!arguments_.common.time && rounds_ >= fewest_rounds && all.milliseconds() > enough_ms) break;
      for (size_t n = 0; n < candidates_.size(); n++) {
        bool is_slow = !arguments_.common.time && spent[n] > enough_ms;  // one run tells enough
        if (!candidates_[n] || is_slow) continue;
        Stopwatch watch;
        std::map<std::string, AnyTensor> results = candidates_[n]->run();
        rows_[n].times.push_back(watch.milliseconds());
        spent[n] += rows_[n].times.back();
      }
      progress.advance(1);
    }
  }

  const CompareArguments& arguments_;
  std::vector<std::optional<Candidate>> candidates_;  // none where something failed
  std::vector<CompareRow> rows_;
  std::exception_ptr first_failure_;
  bool results_differ_ = false;
  int rounds_ = 0, threads_ = 1;
};

}  // namespace

void compare(const CompareArguments& arguments) {
  io::allow_progress(!arguments.common.quiet);
  CompareArguments distinct = distinct_alternatives(arguments);
  Comparison{distinct}();
}

}  // namespace filigree::tool
