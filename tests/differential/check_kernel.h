// Runs a kernel in every way it offers and compares each result with the oracle's.
#pragma once

#include <optional>
#include <string>

#include "compiler/kernel.h"
#include "tests/reference/evaluate.h"

namespace filigree::differential {

/// `run`, also as on several threads, and `assemble` followed by `compute`: storage is valid, and equals what the
/// oracle expects, in all of them. What is wrong, in words; nothing if all is well.  Exceptions, too, are reported as
/// words.
std::optional<std::string> check_kernel(const Kernel& kernel, const Arguments& operands, const Extents& extents,
                                        const reference::Box& expected, double tolerance = 0);

/// The words for the exception being handled, with its class.
std::string describe_exception();

/// "  B 4x3 (ds) float64:", then one line per stored component, 1-based as in .tns files.
std::string describe(const std::string& name, const AnyTensor& tensor);

}  // namespace filigree::differential
