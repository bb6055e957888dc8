#include "notation/lost_values.h"

#include <fmt/format.h>

#include "notation/index_forms.h"
#include "notation/program.h"

namespace filigree::notation {
namespace {

/// The statement that replaces what number `n` assigns, if nothing reads that before.
const Statement* replacement(const std::vector<Statement>& linked, size_t n) {
  const std::string& name = linked[n].lhs.tensor.name();
  for (size_t later = n + 1; later < linked.size(); later++) {
    if (reads(linked[later], name)) return nullptr;
    if (assigns(linked[later], name)) return &linked[later];
  }
  return nullptr;
}

Warning lost_value(const Statement& lost, const Statement& replaced_by) {
  const std::string& name = lost.lhs.tensor.name();
  std::string left = to_string(replaced_by.lhs);
  UserError what(fmt::format("What '{}' is assigned here is lost: '{}' is assigned anew before anything reads it", to_string(lost.lhs), name));
  if (lost.source) std::move(what).at(lost.source, lost.lhs_span);
  std::string place = replaced_by.source ? " at " + describe_place(replaced_by.source, replaced_by.lhs_span.begin) : "";
  bool is_part = has_maps(replaced_by.lhs);
  if (is_part) {
    std::move(what).note(fmt::format("'{}'{} makes a new '{}': outside of what it reaches there is the fill, {}", left, place, name, to_string(made_by(replaced_by).fill())));
  } else {
    std::move(what).note(fmt::format("the next value is assigned{}", place.empty() ? fmt::format(" by '{}'", to_string(replaced_by)) : place));
  }
  std::move(what).hint(fmt::format("to add to what '{}' holds, write {} += ...", name, left));
  if (!is_part) std::move(what).hint("otherwise leave this statement out, or give one of the two another name");
  return Warning(std::move(what));
}

}  // namespace

std::vector<Warning> lost_values(const std::vector<Statement>& linked) {
  std::vector<Warning> warnings;
  for (size_t n = 0; n < linked.size(); n++) {
    if (const Statement* later = replacement(linked, n)) warnings.push_back(lost_value(linked[n], *later));
  }
  return warnings;
}

}  // namespace filigree::notation
