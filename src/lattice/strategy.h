// How the loops of a lattice run: which operands drive them, and how the others are found.
//
// Each operand has a protocol (concrete/protocol.h).  Operands that step drive: a point's loop runs while those of them
// it holds have coordinates left.  So every point needs one, unless the loop runs over the universe, or the lattice is
// an intersection in which all gallop: then whoever is behind catches up.  The loop of a point below which there is no
// other is an intersection, whatever the points beside it are: its operands step or gallop, by their lengths when it
// begins.
//
//   {b, c}: b step, c step        two fingers
//   {b, c}: b step, c gallop      a loop over b that searches c from where the last search ended
//   {b, c}: b gallop, c gallop    whoever is behind gallops to the other
//
// Which are valid follows from properties and capabilities of the levels; which is taken, from the schedule, or
// from sizes at run time.
#pragma once

#include <string>
#include <vector>

#include "lattice/lattice.h"
#include "policy/policy.h"

namespace filigree::lattice {

using concrete::Protocol;
using concrete::ProtocolRequest;

struct Strategy {
  std::vector<Protocol> protocols;  // by operand of the lattice
  Mask used = 0;                    // operands that some point holds; the protocols of others mean nothing
  bool over_universe = false;       // the loop runs over the whole dimension, whether there is work everywhere or not
  std::vector<bool> by_length;  // by point: an intersection whose operands step, unless their lengths are so unequal
                                // that the longer gallop

  Mask by_distance = 0;  // operands that a cursor follows, unless they are so long that each coordinate is searched for

  /// Of two that meet by length: has the same coordinates each time that the loop around comes by.  Once the other has
  /// had as many as it has itself, that one steps alone, and this one is looked up in a map that is kept until its
  /// coordinates change.
  Mask remembered = 0;

  /// The used operands with this protocol.
  Mask with(Protocol protocol) const;
  /// At least two, and each catches up with the others.
  bool all_gallop() const;
};

/// The strategy for one lattice.  Throws UserError for a request that cannot be met, with the reason and what can.
Strategy choose_strategy(const Lattice& lattice, const std::vector<ProtocolRequest>& requests);
/// The same for what is left of a loop where operands of loops around it are absent.  A request that can be met with
/// all operands present may not make sense there (who is alone has to step); then it is left out.
Strategy choose_strategy_of_part(const Lattice& lattice, const std::vector<ProtocolRequest>& requests);

/// Notes what is worth remembering in the loop of a lattice inside of one over `around`: among `operands`, which are
/// not written meanwhile.
void remember_unchanged(const Lattice& lattice, const IndexVar& around, const std::vector<TensorVar>& operands,
                        Strategy& strategy);

/// Why the lattice's loops cannot run so; nothing if they can.
std::optional<std::string> find_problem(const Lattice& lattice, const Strategy& strategy);

/// Chooses strategies for all loops of a program; throws UserError for a request that cannot be met or has no
/// loop to be about.  Returns sentences for `--explain`: what was requested, and what is decided at run time.
std::vector<std::string> check_strategies(const concrete::Program& program,
                                          const policy::Policy& policy = policy::usual());

}  // namespace filigree::lattice
