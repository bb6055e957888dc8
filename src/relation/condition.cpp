#include "relation/condition.h"

namespace filigree::relation {
namespace {

/// The part of the sum whose numbers have this sign.
std::string side(const Condition& condition, const std::vector<std::string>& names, int sign) {
  std::string text;
  auto add = [&](const std::string& term) { text += (text.empty() ? "" : " + ") + term; };
  for (std::size_t d = 0; d < names.size(); d++) {
    std::int64_t factor = sign * condition.factors[d];
    if (factor > 0) add(factor == 1 ? names[d] : std::to_string(factor) + "*" + names[d]);
  }
  if (sign * condition.offset > 0) add(std::to_string(sign * condition.offset));
  return text.empty() ? "0" : text;
}

}  // namespace

std::string to_string(const Condition& condition, const std::vector<std::string>& names) {
  Condition shown = condition;
  const char* compared = condition.kind == Condition::Kind::AtLeast ? " <= "
                         : condition.kind == Condition::Kind::Equal ? " == "
                                                                    : " != ";
  if (condition.kind == Condition::Kind::AtLeast && condition.offset == -1) {  // j + 1 <= i
    compared = " < ";
    shown.offset++;
  }
  return side(shown, names, -1) + compared + side(shown, names, 1);
}

}  // namespace filigree::relation
