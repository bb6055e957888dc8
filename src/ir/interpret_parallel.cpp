// The interpreter's parallel loops, and what they have in common with launches: each access is compared with those of
// the others.
#include <fmt/format.h>

#include "ir/interpreter_machine.h"

namespace filigree::ir {

std::string Machine::name_of(const Agent& agent) const {
  if (!launched_) return fmt::format("iteration {}", agent.block + first_iteration_);
  return fmt::format("block {}, warp {}, lane {}", agent.block, agent.thread / warp_size, agent.thread % warp_size);
}

void Machine::begin_concurrent(const std::vector<std::int32_t>& watched, bool launch) {
  races_.begin(watched, arrays_.size());
  concurrent_ = true;
  launched_ = launch;
}

void Machine::check_race(std::int32_t slot, std::int64_t index, Access access) {
  if (!races_.watches(slot)) return;
  std::optional<Earlier> earlier = races_.touch(slot, index, arrays_[slot].count, access);
  if (!earlier) return;
  auto name = [](Access kind) {
    return kind == Access::Load ? "a load" : kind == Access::AtomicStore ? "an atomic store" : "a store";
  };
  std::string what = fmt::format("race: {} of '{}' at {} beside {} by {}", name(access), array_name(slot), index,
                                 name(earlier->access), name_of(earlier->agent));
  throw RaceError(with_place(what));
}

/// One iteration after the other, watched for what two of them would do at once.
Flow Machine::parallel_for(const StmtCode& code) {
  std::vector<Work> done;
  std::int64_t begin = integer(code.a), end = integer(code.b);
  first_iteration_ = begin;
  begin_concurrent(program_.watched[static_cast<std::size_t>(code.second_slot)], false);
  for (std::int64_t i = begin; i < end; i++) {
    races_.agent.block = static_cast<std::int32_t>(i - begin);
    std::int64_t steps_before = steps_, points_before = points_;
    take_step();
    scalars_[code.slot].integer = i;
    if (list(code.body) == Flow::Return) return Flow::Return;
    done.push_back({points_ - points_before, steps_before - steps_});
  }
  end_concurrent();
  if (observe_parallel_) observe_parallel_(done);
  return Flow::Next;
}

}  // namespace filigree::ir
