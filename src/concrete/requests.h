// What a schedule asks for before there are loops: workspaces for parts of the statement, and orders of loops.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "notation/notation.h"
#include "policy/policy.h"

namespace filigree::concrete {

/// Reduce::workspace of the part that goes into it is its number in Requests.
struct WorkspaceRequest {
  std::string name;
  std::vector<IndexVar> variables;  // its indices where it is read
  std::vector<IndexVar> inner;  // and where it is filled: the same ones, or others that range over the same coordinates
  std::optional<Format> format = {};     // what concrete/workspace.h makes, unless it is given
  std::optional<ElementType> type = {};  // the part's, unless it is given
  Source source = nullptr;               // the text that asked for it, if any
  Span span = {};
};

struct Requests {
  std::vector<WorkspaceRequest> workspaces;
  /// Loops over these from the outermost in, where that takes no more copies than another order.
  std::vector<std::vector<IndexVar>> orders;
  /// Few operands meet in one loop, because code for loops over all of them at once would be too long.
  bool small_unions = false;
  const policy::Policy* policy = &policy::usual();  // what is cheaper; lives as long as this
};

}  // namespace filigree::concrete
