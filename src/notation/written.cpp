#include "notation/written.h"

namespace filigree::notation {

std::string written_left(const Statement& statement) {
  if (!statement.source) return to_string(statement.lhs);
  Span span = statement.lhs_span;
  return statement.source->text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
}

}  // namespace filigree::notation
