#include "lattice/requested.h"

#include <fmt/format.h>

namespace filigree::lattice {

std::string level_name(const Operand& operand) {
  return fmt::format("level {} of '{}' ({})", operand.level + 1, operand.tensor.name(),
                     operand.tensor.format().levels()[operand.level].format->name());
}

std::string capitalized(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

bool is_about(const ProtocolRequest& request, const Operand& operand, const IndexVar& var) {
  return request.variable == var.name() && request.tensor == operand.tensor.name();
}

UserError at_request(UserError error, const ProtocolRequest& request) {
  if (request.source) std::move(error).at(request.source, request.span);
  return error;
}

}  // namespace filigree::lattice
