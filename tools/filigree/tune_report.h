// What `filigree tune` found, for people, for programs, and as a picture.
#pragma once

#include <string>
#include <vector>

#include "compiler/choose_way.h"

namespace filigree::tool {

struct TunedWay {
  std::string title;               // "its own loops", "2 statements", "other loops"
  std::vector<std::string> lines;  // statements, or loops
  autoschedule::Measure measure = {};
  std::vector<double> times = {};  // milliseconds, by round
  std::string difference = {};     // from the first result; empty: none
  bool is_kept = false;

  double median_ms() const;
  double fastest_ms() const;
};

/// Requires: times for each.
std::string tune_table(const std::vector<TunedWay>& ways);
std::string tune_json(const std::vector<TunedWay>& ways, const std::string& statement);
/// Estimated work from left to right and measured time upwards, both by powers of ten; a point for each way, which the
/// table's number names.
std::string tune_svg(const std::vector<TunedWay>& ways, const std::string& statement);

}  // namespace filigree::tool
