// Times of alternatives as a table with bars, or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace filigree::tool {

struct CompareRow {
  std::vector<std::string> choices;  // one for each column of alternatives
  std::vector<double> times;         // milliseconds; none if it failed
  std::int64_t bytes = 0;            // of the inputs
  std::string failure;               // why it was refused
  std::string difference;            // of its result from the first one's

  bool has_times() const { return !times.empty(); }
  double median_ms() const;
  double fastest_ms() const;
  /// How far the middle half of the runs is apart, as a share of the median.
  double spread() const;
  /// Those with times first, the fastest in front.
  double sort_key() const;
};

struct CompareSummary {
  std::string expression;
  std::vector<std::string> columns;  // of alternatives: names of tensors, "schedule"
  int rounds = 0;
  int threads = 1;
  bool results_differ = false;
};

/// Rows as they are sorted.
std::string compare_table(const std::vector<CompareRow>& rows, const CompareSummary& summary);
std::string compare_json(const std::vector<CompareRow>& rows, const CompareSummary& summary);

}  // namespace filigree::tool
