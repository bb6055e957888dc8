// From the way in which the plan fills a result to the class that does it.
#pragma once

#include <memory>

#include "lower/level_result.h"

namespace filigree::lowering {

std::unique_ptr<Result> make_result(const plan::Filling& filling, const ResultOf& of);

}  // namespace filigree::lowering
