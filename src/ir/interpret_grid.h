// A launch, interpreted: a simulated grid.  Internal.
//
// Blocks run one after the other.  In a block, each thread runs until it waits at a barrier or a lane reduction, or
// ends; then the next one does.  When none can go on, warps whose lanes wait at the same place pass it, and if there is
// no such warp, the block passes the barrier at which all its threads wait.  Where some wait and others never come,
// that is an error.
//
// A thread stops in the middle of its statements and goes on there, so it does not use the interpreter's own stack: its
// place is a list of frames.  Only statements that hold a barrier get one; the others run as they do on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/interpreter_machine.h"

namespace filigree::ir {

class Grid {
 public:
  Grid(Machine& machine, const LaunchCode& code) : machine_(machine), code_(code) {}
  void run();

 private:
  /// A list of statements that a thread is in.
  struct Frame {
    const StmtCode* begin;
    const StmtCode* next;
    const StmtCode* end;
    const StmtCode* loop = nullptr;        // whose body it is; null: a branch, or all of device code
    std::int64_t turn = 0, turns_end = 0;  // of a For
  };
  struct Thread {
    std::vector<Slot> scalars;
    std::vector<Frame> frames = {};   // none: it has ended
    const StmtCode* waits = nullptr;  // for others, at this statement
    Scalar value = {};                // what it brings to a lane reduction
    std::int64_t key = 0;
  };

  std::int64_t extent(const GridAxis& axis, const char* what) const;
  void make_shared_arrays();
  void run_block(std::int32_t block);
  Agent agent_of(std::size_t thread) const;
  void become(std::size_t thread);
  void run_thread(std::size_t thread);
  void step(Thread& thread);
  void open(Thread& thread, const StmtCode& code);
  bool next_turn(Frame& frame);
  void jump(Thread& thread, Flow flow);
  void arrive(Thread& thread, const StmtCode& code);
  /// Do lanes of this warp go on?
  bool pass_warp(std::size_t warp);
  /// Does the block?  It does not when it has ended.
  bool pass_block();
  /// Requires: one of these threads waits at a statement where all of them must meet.
  void require_together(std::size_t begin, std::size_t end);
  void combine(std::size_t begin, std::size_t end);
  void set(Thread& thread, std::int32_t slot, const Scalar& value) const;
  Frame frame(StmtList list) const;

  Machine& machine_;
  const LaunchCode& code_;
  std::size_t threads_per_block_ = 0;
  std::int32_t block_ = 0, block_phase_ = 0;
  std::vector<std::int32_t> warp_phases_;
  std::vector<Thread> threads_;                     // of the block
  std::vector<std::vector<unsigned char>> shared_;  // elements, then which of them were written, of each shared array
};

}  // namespace filigree::ir
