// Runs a program in every way it offers and compares its results with what the oracle makes of the statements one by
// one.
#pragma once

#include <optional>
#include <string>

#include "compiler/program.h"
#include "tests/reference/evaluate.h"

namespace filigree::differential {

/// What the oracle says about all tensors at the end, if these are asked for; nothing if one is assigned that its
/// format cannot hold.
std::optional<reference::Operands> expected_values(const std::vector<notation::Statement>& statements,
                                                   const std::vector<std::string>& outputs, const Arguments& operands,
                                                   const Sizes& sizes);

/// The tensors that statements assign, each once.
std::vector<std::string> assigned_names(const std::vector<notation::Statement>& statements);

/// With temporaries inlined, without, and with every one of them asked for: all outputs are valid and what the oracle
/// expects.  A result that its format cannot hold must be refused.  What is wrong, in words; nothing if all is well.
std::optional<std::string> check_statements(const std::vector<notation::Statement>& statements,
                                            const ProgramOptions& options, const Arguments& operands,
                                            const Sizes& sizes, double tolerance = 0);

}  // namespace filigree::differential
