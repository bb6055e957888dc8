// How a loop reaches the coordinates of an operand it meets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace filigree::concrete {

/// `Step` drives a loop; operands that all step are merged with two fingers.  The others follow the loop.
enum class Protocol {
  Step,     // walk the operand's own coordinates, in order
  Locate,   // random access into a level that can
  SeqIter,  // advance a saved cursor one by one
  Gallop,   // advance a saved cursor by exponential and binary search
  Binary,   // binary search in the whole segment, no cursor
  Hash,     // build a map of the segment once, then look up
  Scan,     // a plain loop over the segment: always valid, the last resort
};

/// "step", "locate", "seqiter", "gallop", "binary", "hash", "scan".
std::string to_string(Protocol protocol);
std::vector<std::string> protocol_names();
/// By name; "merge" is another word for "step".
std::optional<Protocol> parse_protocol(const std::string& name);

/// protocol(tensor, variable, strategy): the level of `tensor` that a loop over `variable` reaches.
struct ProtocolRequest {
  std::string tensor;
  std::string variable;
  Protocol protocol;
  Source source = nullptr;  // where it was written, for messages; may be none
  Span span = {};
};

}  // namespace filigree::concrete
