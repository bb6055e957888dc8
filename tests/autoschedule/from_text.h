// Problems from text for tests: float64 tensors, dense unless a format is given.
#pragma once

#include "autoschedule/frontier.h"
#include "tests/concrete/from_text.h"

namespace filigree::autoschedule {

inline Problem problem(const std::string& text, const concrete::Formats& formats = {}) {
  return std::get<Problem>(problem_of(concrete::statement(text, formats)));
}

inline Frontier frontier(const std::string& text, const concrete::Formats& formats,
                         const FrontierOptions& options = {}) {
  return std::get<Frontier>(find_frontier(problem(text, formats), options));
}

}  // namespace filigree::autoschedule
