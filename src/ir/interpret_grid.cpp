#include "ir/interpret_grid.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ir/print.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::ir {

void Grid::run() {
  std::int64_t blocks = extent(code_.block, "blocks");
  std::int64_t warps = code_.warp.slot < 0 ? 1 : extent(code_.warp, "warps"), threads = extent(code_.thread, "threads");
  if (warps > most_threads_in_block || threads > most_threads_in_block || warps * threads > most_threads_in_block) {
    machine_.fail(
        fmt::format("launch of {} threads in a block, the most is {}", warps * threads, most_threads_in_block));
  }
  threads_per_block_ = static_cast<std::size_t>(warps * threads);
  machine_.begin_concurrent(code_.watched, true);
  for (std::int64_t block = 0; block < blocks; block++) run_block(static_cast<std::int32_t>(block));
  machine_.end_concurrent();
}

std::int64_t Grid::extent(const GridAxis& axis, const char* what) const {
  std::int64_t end = std::max<std::int64_t>(0, machine_.integer(axis.end));
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (end > most) machine_.fail(fmt::format("launch of {} {}, the most is {}", end, what, most));
  return end;
}

/// Not through the allocator: a block's memory is there, and cannot run out.
void Grid::make_shared_arrays() {
  shared_.clear();
  for (const SharedArray& shared : code_.shared) {
    ArrayState& array = machine_.arrays_[static_cast<std::size_t>(shared.slot)];
    auto count = static_cast<std::size_t>(shared.count);
    array.count = shared.count;
    array.data = shared_.emplace_back(count * static_cast<std::size_t>(size_in_bytes(array.type))).data();
    array.written = shared_.emplace_back(count, static_cast<unsigned char>(0)).data();
    machine_.races_.forget(shared.slot);
  }
}

void Grid::run_block(std::int32_t block) {
  block_ = block;
  block_phase_ = 0;
  warp_phases_.assign(threads_per_block_ / warp_size + 1, 0);
  make_shared_arrays();
  threads_.assign(threads_per_block_, Thread{machine_.scalars_});
  for (std::size_t n = 0; n < threads_per_block_; n++) {
    Thread& thread = threads_[n];
    auto index = static_cast<std::int64_t>(n);
    bool in_warps = code_.warp.slot >= 0;
    thread.scalars[static_cast<std::size_t>(code_.block.slot)].integer = block;
    if (in_warps) thread.scalars[static_cast<std::size_t>(code_.warp.slot)].integer = index / warp_size;
    thread.scalars[static_cast<std::size_t>(code_.thread.slot)].integer = in_warps ? index % warp_size : index;
    thread.frames.push_back(frame(code_.body));
  }
  bool goes_on = true;
  while (goes_on) {
    for (std::size_t n = 0; n < threads_per_block_; n++) run_thread(n);
    machine_.report_not_written();
    goes_on = false;
    for (std::size_t warp = 0; warp * warp_size < threads_per_block_; warp++) goes_on = pass_warp(warp) || goes_on;
    goes_on = goes_on || pass_block();
  }
  for (const SharedArray& shared : code_.shared) {
    ArrayState& array = machine_.arrays_[static_cast<std::size_t>(shared.slot)];
    ElementType type = array.type;
    array = ArrayState();
    array.type = type;
  }
}

// --- One thread ---------------------------------------------------------------------------------------

Agent Grid::agent_of(std::size_t thread) const {
  return {block_, static_cast<std::int32_t>(thread), block_phase_, warp_phases_[thread / warp_size]};
}

void Grid::become(std::size_t thread) { machine_.races_.agent = agent_of(thread); }

Grid::Frame Grid::frame(StmtList list) const {
  const StmtCode* begin = machine_.program_.statements.data() + list.first;
  return {begin, begin, begin + list.count};
}

/// Until it waits or ends.
void Grid::run_thread(std::size_t number) {
  Thread& thread = threads_[number];
  if (thread.waits || thread.frames.empty()) return;
  become(number);
  std::swap(machine_.scalars_, thread.scalars);
  while (!thread.waits && !thread.frames.empty()) step(thread);
  std::swap(machine_.scalars_, thread.scalars);
}

void Grid::step(Thread& thread) {
  Frame& frame = thread.frames.back();
  if (frame.next == frame.end) {
    if (!next_turn(frame)) thread.frames.pop_back();
    return;
  }
  const StmtCode& code = *frame.next++;
  if (code.waits) return open(thread, code);
  if (Flow flow = machine_.statement(code); flow != Flow::Next) jump(thread, flow);
}

/// A statement that waits, or that holds one.
void Grid::open(Thread& thread, const StmtCode& code) {
  machine_.current_ = &code;
  machine_.take_step();
  switch (code.opcode) {
    case StmtOpcode::BlockBarrier:
    case StmtOpcode::WarpBarrier:
    case StmtOpcode::LaneReduce: return arrive(thread, code);
    case StmtOpcode::If: thread.frames.push_back(frame(machine_.integer(code.a) ? code.body : code.otherwise)); return;
    case StmtOpcode::For:
    case StmtOpcode::While: {
      Frame body = frame(code.body);
      body.next = body.end;  // the first turn comes like the others
      body.loop = &code;
      if (code.opcode == StmtOpcode::For) {
        body.turn = machine_.integer(code.a) - 1;
        body.turns_end = machine_.integer(code.b);
      }
      thread.frames.push_back(body);
      return;
    }
    default: throw InternalError("interpreter", "a statement that cannot hold a barrier");
  }
}

bool Grid::next_turn(Frame& frame) {
  if (!frame.loop) return false;
  machine_.current_ = frame.loop;
  if (frame.loop->opcode == StmtOpcode::While) {
    if (!machine_.integer(frame.loop->a)) return false;
  } else {
    if (++frame.turn >= frame.turns_end) return false;
    machine_.scalars_[static_cast<std::size_t>(frame.loop->slot)].integer = frame.turn;
  }
  machine_.take_step();
  frame.next = frame.begin;
  return true;
}

/// Out of the branches around, then out of the loop or to its next turn.  What is around all of them is the thread's
/// loop.
void Grid::jump(Thread& thread, Flow flow) {
  while (!thread.frames.empty() && !thread.frames.back().loop) thread.frames.pop_back();
  if (thread.frames.empty()) return;
  if (flow == Flow::Break) thread.frames.pop_back();
  else thread.frames.back().next = thread.frames.back().end;
}

void Grid::arrive(Thread& thread, const StmtCode& code) {
  thread.waits = &code;
  if (code.opcode != StmtOpcode::LaneReduce) return;
  thread.value = machine_.value(code.a);
  if (code.b >= 0) thread.key = machine_.integer(code.b);
}

// --- Where threads meet -------------------------------------------------------------------------------

void Grid::require_together(std::size_t begin, std::size_t end) {
  std::size_t waiting = begin;
  while (!threads_[waiting].waits) waiting++;
  const StmtCode* place = threads_[waiting].waits;
  for (std::size_t n = begin; n < end; n++) {
    if (threads_[n].waits == place) continue;
    become(waiting);
    machine_.current_ = place;
    const StmtCode* elsewhere = threads_[n].waits;
    std::string does = elsewhere ? fmt::format("waits at '{}'", trim(print(*elsewhere->origin))) : "has ended";
    machine_.fail(fmt::format("divergence: {} {} and does not come here", machine_.name_of(agent_of(n)), does));
  }
}

bool Grid::pass_warp(std::size_t warp) {
  std::size_t begin = warp * warp_size, end = std::min(begin + warp_size, threads_per_block_);
  auto waits = [](const Thread& thread) { return thread.waits && thread.waits->opcode != StmtOpcode::BlockBarrier; };
  auto first = threads_.begin() + static_cast<std::ptrdiff_t>(begin),
       last = threads_.begin() + static_cast<std::ptrdiff_t>(end);
  auto meeting = std::find_if(first, last, waits);
  if (meeting == last) return false;
  require_together(begin, end);
  if (meeting->waits->opcode == StmtOpcode::LaneReduce) combine(begin, end);
  else warp_phases_[warp]++;
  for (auto thread = first; thread != last; ++thread) thread->waits = nullptr;
  return true;
}

bool Grid::pass_block() {
  bool waits = std::any_of(threads_.begin(), threads_.end(), [](const Thread& thread) { return thread.waits; });
  if (!waits) return false;
  require_together(0, threads_per_block_);
  block_phase_++;
  for (Thread& thread : threads_) thread.waits = nullptr;
  return true;
}

void Grid::set(Thread& thread, std::int32_t slot, const Scalar& value) const {
  Slot& target = thread.scalars[static_cast<std::size_t>(slot)];
  switch (value_class(value.type())) {
    case ValueClass::Int: target.integer = value.as_int(); return;
    case ValueClass::Float: target.number = value.as_double(); return;
    case ValueClass::Complex:
      target.number = value.as_complex().real();
      target.imaginary = value.as_complex().imag();
      return;
  }
}

/// From the last lane to the first, so that each segment is complete when its first lane comes.
void Grid::combine(std::size_t begin, std::size_t end) {
  const StmtCode& code = *threads_[begin].waits;
  bool in_segments = code.second_slot >= 0;
  Scalar all = threads_[end - 1].value;
  for (std::size_t n = end; n-- > begin;) {
    Thread& thread = threads_[n];
    bool last = n + 1 == end || (in_segments && threads_[n + 1].key != thread.key);
    bool first = n == begin || threads_[n - 1].key != thread.key;
    all = last ? thread.value : evaluate(code.op, {thread.value, all}).cast(all.type());
    if (!in_segments) continue;
    if (first) set(thread, code.slot, all);
    set(thread, code.second_slot, Scalar::boolean(first));
  }
  for (std::size_t n = begin; !in_segments && n < end; n++) set(threads_[n], code.slot, all);
}

}  // namespace filigree::ir
