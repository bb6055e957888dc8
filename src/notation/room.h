// Variables that no dimension tells run as far as all indices with them allow: u of I(x+u) may wait for x.
#pragma once

#include <optional>

#include "notation/variables.h"

namespace filigree::notation {

/// As far as indices with a variable allow; a T is a number of coordinates.
template <class T>
struct RoomLeft {
  std::optional<T> least;
  bool is_final = true;  // no index waits for another variable
};

/// Those variables come first that wait for no other: their room is settled.  Where each waits for another, the first
/// one of which something is known does not wait.
///
///   is_known(var)    has it been settled, or was it known before?
///   room_of(var)     its RoomLeft, by what is known now
///   settle(var, n)   it is known from here on
template <class Vars, class IsKnown, class RoomOf, class Settle>
void settle_room(const Vars& vars, const IsKnown& is_known, const RoomOf& room_of, const Settle& settle) {
  for (bool may_wait = false, more = true; more;) {
    more = false;
    for (const IndexVar& var : vars) {
      if (is_known(var)) continue;
      auto room = room_of(var);
      if (!room.least || !(room.is_final || may_wait)) continue;
      settle(var, *room.least);
      more = true;
      if (may_wait) break;
    }
    bool stuck = !more && !may_wait;
    more = more || stuck;
    may_wait = stuck;
  }
}

}  // namespace filigree::notation
