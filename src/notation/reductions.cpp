#include "notation/reductions.h"

#include <fmt/format.h>

namespace filigree::notation {

std::optional<Operator> find_reduction(std::string_view name) {
  for (Operator op : writable_operators()) {
    if (facts(op).reduction && name == facts(op).reduction) return op;
  }
  return std::nullopt;
}

std::string reduction_name(Operator op) {
  return facts(op).reduction ? facts(op).reduction : fmt::format("reduce({}, ...)", facts(op).symbol);
}

std::string reduction_opening(Operator op) {
  return facts(op).reduction ? fmt::format("{}(", facts(op).reduction) : fmt::format("reduce({}, ", facts(op).symbol);
}

std::vector<std::string> reduction_names() {
  std::vector<std::string> names;
  for (Operator op : writable_operators()) {
    if (facts(op).reduction) names.push_back(facts(op).reduction);
  }
  names.push_back("count");
  names.push_back("reduce");
  return names;
}

std::optional<Operator> find_operator(std::string_view symbol) {
  for (Operator op : writable_operators()) {
    if (facts(op).arity == 2 && symbol == facts(op).symbol) return op;
  }
  return std::nullopt;
}

std::vector<std::string> reducing_symbols() {
  std::vector<std::string> symbols;
  for (Operator op : writable_operators()) {
    if (can_reduce(op)) symbols.push_back(facts(op).symbol);
  }
  return symbols;
}

}  // namespace filigree::notation
