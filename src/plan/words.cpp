#include "plan/words.h"

#include <set>

#include "algebra/operator.h"

namespace filigree::plan {

bool is_word(const std::string& name) {
  static const std::set<std::string> words = {"fill",   "inf",    "nan",      "true",  "false",    "complex",
                                              "loop",   "pieces", "first",    "in",    "together", "let",
                                              "forall", "where",  "sequence", "multi", "nothing"};
  if (words.count(name)) return true;
  for (Operator op : writable_operators()) {
    if (name == facts(op).symbol) return true;
  }
  return false;
}

std::string number(const Scalar& value) {
  ElementType type = value.type();
  if (type == ElementType::Bool) return value.as_bool() ? "true" : "false";
  std::string text = is_complex(type) ? "complex(" + to_string(value, ",") + ")" : to_string(value);
  if (is_floating(type) && text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  bool is_plain = type == ElementType::Int64 || type == ElementType::Float64 || type == ElementType::Complex128;
  return is_plain ? text : text + ":" + to_string(type);
}

}  // namespace filigree::plan
