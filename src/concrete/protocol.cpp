#include "concrete/protocol.h"

#include "support/check.h"

namespace filigree::concrete {
namespace {

constexpr Protocol all[] = {Protocol::Step,   Protocol::Locate, Protocol::SeqIter, Protocol::Gallop,
                            Protocol::Binary, Protocol::Hash,   Protocol::Scan};

}  // namespace

std::string to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::Step: return "step";
    case Protocol::Locate: return "locate";
    case Protocol::SeqIter: return "seqiter";
    case Protocol::Gallop: return "gallop";
    case Protocol::Binary: return "binary";
    case Protocol::Hash: return "hash";
    case Protocol::Scan: return "scan";
  }
  throw InternalError("concrete", "unknown protocol");
}

std::vector<std::string> protocol_names() {
  std::vector<std::string> names;
  for (Protocol protocol : all) names.push_back(to_string(protocol));
  return names;
}

std::optional<Protocol> parse_protocol(const std::string& name) {
  if (name == "merge") return Protocol::Step;
  for (Protocol protocol : all) {
    if (to_string(protocol) == name) return protocol;
  }
  return std::nullopt;
}

}  // namespace filigree::concrete
