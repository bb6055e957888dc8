// Memory that runs out: the place that notices knows how much was asked for, those around it know what for.
#pragma once

#include <new>

#include "support/diagnostic.h"

namespace filigree {

/// There is no block of so many bytes.  A UserError, so that it ends well even where nobody says what it was for.
class OutOfMemory : public UserError {
 public:
  OutOfMemory(const std::string& message, double bytes);
  double bytes() const { return bytes_; }

 private:
  double bytes_;
};

/// "Memory ran out while {activity}: {amount}", with a hint.
UserError memory_ran_out(const std::string& activity, const std::string& amount);
/// The same with what it takes in all: "it takes about 3.2 GiB".
UserError memory_ran_out(const std::string& activity, double about_bytes);

/// "a block of 3.2 GiB was asked for"
std::string block_asked_for(double bytes);

/// What `action` returns.  If memory runs out in it, the error says in what: `activity` is as in "packing 'A' (3 x 4)".
/// It takes `about_bytes` in all, which are told where memory ran out in a place that does not know how much it asked
/// for.
template <class Action>
auto naming_memory(const std::string& activity, double about_bytes, const Action& action) -> decltype(action()) {
  std::string amount;
  try {
    return action();
  } catch (const OutOfMemory& error) {
    amount = block_asked_for(error.bytes());
  } catch (const std::bad_alloc&) {
    amount = "";
  }
  throw amount.empty() ? memory_ran_out(activity, about_bytes) : memory_ran_out(activity, amount);
}

}  // namespace filigree
