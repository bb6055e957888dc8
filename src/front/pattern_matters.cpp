#include "front/pattern_matters.h"

#include <algorithm>
#include <set>

#include "notation/assignment.h"
#include "notation/substitute.h"

namespace filigree::front {
namespace {

/// More operands have too many sets of them that may be absent.
constexpr size_t most_others = 6;

std::set<std::string> names_in(const notation::Expr& expr) {
  std::set<std::string> names;
  for (const notation::Access& access : notation::accesses(expr)) names.insert(access.tensor.name());
  return names;
}

}  // namespace

bool pattern_matters(const notation::Statement& statement, const std::string& tensor) {
  std::vector<notation::Access> reads = notation::accesses(statement.rhs);
  auto is_own = [&](const notation::Access& access) { return access.tensor.name() == tensor; };
  // Of 0/0, what is not stored is something else than what is.
  bool is_simple = std::count_if(reads.begin(), reads.end(), is_own) == 1 && !statement.prunes && !statement.op;
  std::set<std::string> all = names_in(statement.rhs);
  all.erase(tensor);
  std::vector<std::string> others(all.begin(), all.end());
  if (!is_simple || others.size() > most_others) return true;
  for (unsigned absent = 0; absent < 1u << others.size(); absent++) {
    auto is_absent = [&](const notation::Access& access) {
      auto found = std::find(others.begin(), others.end(), access.tensor.name());
      return found != others.end() && (absent >> (found - others.begin()) & 1);
    };
    notation::Expr with = notation::substitute_fill(statement.rhs, is_absent);
    notation::Expr without = notation::substitute_fill(
        statement.rhs, [&](const notation::Access& access) { return is_own(access) || is_absent(access); });
    std::set<std::string> left = names_in(with);
    left.erase(tensor);
    bool is_same = left == names_in(without) && names_in(with).empty() == left.empty();
    if (!is_same) return true;
  }
  return false;
}

}  // namespace filigree::front
