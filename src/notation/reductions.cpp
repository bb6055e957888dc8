#include "notation/reductions.h"

#include "support/check.h"

namespace filigree::notation {
namespace {

struct Named { const char* name; Operator op; };
constexpr Named table[] = {
    {"sum", Operator::Add}, {"prod", Operator::Multiply}, {"min_over", Operator::Min}, {"max_over", Operator::Max}};

}  // namespace

std::optional<Operator> find_reduction(std::string_view name) {
  for (const Named& row : table) {
    if (name == row.name) return row.op;
  }
  return std::nullopt;
}

std::string reduction_name(Operator op) {
  for (const Named& row : table) {
    if (op == row.op) return row.name;
  }
  throw InternalError("notation", "an operator that cannot reduce", facts(op).name);
}

std::vector<std::string> reduction_names() {
  std::vector<std::string> names;
  for (const Named& row : table) names.push_back(row.name);
  return names;
}

}  // namespace filigree::notation
