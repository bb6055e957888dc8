#include "ir/verify_device.h"

#include <fmt/format.h>

#include "ir/print.h"
#include "ir/rewrite.h"
#include "support/check.h"

namespace filigree::ir {
namespace {

class DeviceVerifier {
 public:
  /// Host code, outside of all launches.
  void host(const Stmt& stmt, bool in_parallel_loop);

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    std::string text = print(*current_);
    throw InternalError("ir verify", what, text.substr(0, text.find('\n')));
  }
  void require(bool condition, const char* what) const {
    if (!condition) refuse(what);
  }
  void require(bool condition, const char* what, const Var& var) const {
    if (!condition) refuse(fmt::format("{}: '{}'", what, var.name()));
  }

  void host_touches(const Var& array) const;
  void host_reads(const Expr& expr) const;
  void host_allocates(const Alloc& node) const;
  void host_loop(const For& node, bool in_parallel_loop);

  void grid(const For& loop, const For* around);
  void grid_extent(const For& loop, const For* around) const;
  void grid_body(const Stmt& body, const For& loop);
  void shared_array(const Alloc& node, const For& loop);

  void device(const Stmt& stmt);
  void device_touches(const Var& array) const;
  void device_reads(const Expr& expr) const;

  const Stmt* current_ = nullptr;
  VarSet of_launch_;               // grid variables and scalars declared between the loops of the grid
  std::int64_t shared_bytes_ = 0;  // of the launch
  bool has_next_ = false;          // was the next loop of the grid seen?
};

// --- Host code ----------------------------------------------------------------------------------------

void DeviceVerifier::host_touches(const Var& array) const {
  MemorySpace space = array.type().space;
  require(space != MemorySpace::Device, "device array touched by host code", array);
  require(space != MemorySpace::Shared, "shared array touched outside of its block", array);
}

void DeviceVerifier::host_reads(const Expr& expr) const {
  for_each_read(expr, [&](const Var& var) { host_touches(var); });
}

void DeviceVerifier::host_allocates(const Alloc& node) const {
  require(node.array.type().space != MemorySpace::Shared, "shared array allocated outside of a block loop", node.array);
  host_reads(node.count);
}

void DeviceVerifier::host_loop(const For& node, bool in_parallel_loop) {
  require(node.loop != LoopKind::GpuWarp, "warp loop outside of a block loop");
  require(node.loop != LoopKind::GpuThread, "thread loop outside of a block loop");
  host_reads(node.begin);
  host_reads(node.end);
  if (node.loop != LoopKind::GpuBlock) return host(node.body, in_parallel_loop || node.loop == LoopKind::Parallel);
  require(!in_parallel_loop, "launch inside of a parallel loop");
  of_launch_ = VarSet();
  shared_bytes_ = 0;
  grid(node, nullptr);
  verify_barriers(node);
}

void DeviceVerifier::host(const Stmt& stmt, bool in_parallel_loop) {
  const Stmt* outside = current_;
  if (!stmt.as<Block>()) current_ = &stmt;
  auto reads = [&] {
    for_each_child(
        stmt, [&](const Stmt& child) { host(child, in_parallel_loop); }, [&](const Expr& expr) { host_reads(expr); });
  };
  match(
      stmt, [&](const For& n) { host_loop(n, in_parallel_loop); }, [&](const Alloc& n) { host_allocates(n); },
      [&](const Store& n) { host_touches(n.array), reads(); }, [&](const Grow& n) { host_touches(n.array), reads(); },
      [&](const Copy& n) {
        for (const Var& array : {n.to, n.from})
          require(array.type().space != MemorySpace::Shared, "copy to or from a shared array", array);
        reads();
      },
      [&](const Barrier&) { refuse("barrier outside of device code"); },
      [&](const LaneReduce&) { refuse("lane reduction outside of device code"); }, [&](const Block&) { reads(); },
      [&](const Declare&) { reads(); }, [&](const Assign&) { reads(); }, [&](const While&) { reads(); },
      [&](const If&) { reads(); }, [&](const Keep&) { reads(); }, [&](const Take&) { reads(); },
      [&](const Evaluate&) { reads(); }, [](const Free&) {}, [](const Break&) {}, [](const Continue&) {},
      [](const Return&) {}, [](const Comment&) {});
  current_ = outside;
}

// --- The grid -----------------------------------------------------------------------------------------

/// Can the host evaluate it before the launch?  Its scalars from outside do not change then.
void DeviceVerifier::grid_extent(const For& loop, const For* around) const {
  require(is_literal(loop.begin, 0), "loop of a grid that does not begin at 0", loop.var);
  bool lanes = around && around->loop == LoopKind::GpuWarp;
  require(!lanes || is_literal(loop.end, warp_size), "thread loop in a warp loop that is not '0 .. 32'", loop.var);
  if (around) {
    for_each_read(loop.end, [&](const Var& var) {
      bool known = var.type().kind == Type::Kind::Scalar && !of_launch_.contains(var);
      require(known, "extent of a grid that is not known at launch", loop.var);
    });
  }
}

void DeviceVerifier::grid(const For& loop, const For* around) {
  grid_extent(loop, around);
  of_launch_.insert(loop.var);
  if (loop.loop == LoopKind::GpuThread) return device(loop.body);
  has_next_ = false;
  grid_body(loop.body, loop);
  require(has_next_, "grid without a thread loop", loop.var);
}

void DeviceVerifier::shared_array(const Alloc& node, const For& loop) {
  require(node.array.type().space == MemorySpace::Shared, "allocation in device code", node.array);
  require(loop.loop == LoopKind::GpuBlock, "shared array allocated outside of a block loop", node.array);
  const Literal* count = node.count.as<Literal>();
  require(count && count->value.as_int() > 0, "shared array whose size is no positive constant", node.array);
  require(!node.zeroed, "shared array that begins as zeros", node.array);
  std::int64_t elements = count->value.as_int();
  require(elements <= most_shared_bytes, "shared arrays of more than 48 KiB", node.array);
  shared_bytes_ += elements * size_in_bytes(node.array.type().element);
  require(shared_bytes_ <= most_shared_bytes, "shared arrays of more than 48 KiB", node.array);
}

/// Declarations, then the next loop.
void DeviceVerifier::grid_body(const Stmt& body, const For& loop) {
  if (const Block* list = body.as<Block>()) {
    for (const Stmt& child : list->statements) grid_body(child, loop);
    return;
  }
  const Stmt* outside = current_;
  current_ = &body;
  const For* next = body.as<For>();
  bool deeper = next && (next->loop == LoopKind::GpuThread ||
                         (next->loop == LoopKind::GpuWarp && loop.loop == LoopKind::GpuBlock));
  const Declare* declaration = body.as<Declare>();
  if (!body.as<Comment>()) require(!has_next_, "statement of a grid behind its thread loop");
  if (deeper) {
    grid(*next, &loop);
    has_next_ = true;
  } else if (const Alloc* alloc = body.as<Alloc>()) {
    shared_array(*alloc, loop);
  } else if (declaration && declaration->value) {
    device(body);
    of_launch_.insert(declaration->var);
  } else {
    require(!next || !is_grid(next->loop), "loop of a grid in the wrong place");
    require(body.as<Comment>() != nullptr, "statement between the loops of a grid");
  }
  current_ = outside;
}

// --- Device code --------------------------------------------------------------------------------------

void DeviceVerifier::device_touches(const Var& array) const {
  bool host_memory = array.type().kind != Type::Kind::Scalar && array.type().space == MemorySpace::Host;
  require(!host_memory, "host array touched by device code", array);
}

void DeviceVerifier::device_reads(const Expr& expr) const {
  if (const Call* call = expr.as<Call>(); call && !runs_on_device(call->function)) {
    refuse(fmt::format("'{}' in device code, which only the host can call", function_name(call->function)));
  }
  if (const VarRef* ref = expr.as<VarRef>()) device_touches(ref->var);
  if (const Load* load = expr.as<Load>()) device_touches(load->array);
  for_each_child(expr, [&](const Expr& child) { device_reads(child); });
}

void DeviceVerifier::device(const Stmt& stmt) {
  const Stmt* outside = current_;
  if (!stmt.as<Block>()) current_ = &stmt;
  auto inside = [&] {
    for_each_child(stmt, [&](const Stmt& child) { device(child); }, [&](const Expr& expr) { device_reads(expr); });
  };
  match(
      stmt, [&](const Block&) { inside(); },
      [&](const Declare& n) {
        require(n.value.has_value(), "table in device code", n.var);
        inside();
      },
      [&](const Assign&) { inside(); },
      [&](const Store& n) {
        device_touches(n.array);
        inside();
      },
      [&](const For& n) {
        require(n.loop != LoopKind::GpuBlock, "launch inside of a launch");
        require(!is_grid(n.loop), "loop of a grid in the wrong place");
        require(n.loop != LoopKind::Parallel, "parallel loop in device code");
        inside();
      },
      [&](const While&) { inside(); }, [&](const If&) { inside(); },
      [&](const Alloc& n) { require(false, "allocation in device code", n.array); },
      [&](const Grow& n) { require(false, "growth in device code", n.array); },
      [&](const Free& n) { require(false, "free in device code", n.var); },
      [&](const Keep& n) { require(false, "array kept in device code", n.array); },
      [&](const Take& n) { require(false, "array taken in device code", n.array); },
      [&](const Copy& n) { require(false, "copy in device code", n.to); }, [](const Barrier&) {},
      [&](const LaneReduce&) { inside(); }, [&](const Evaluate&) { inside(); }, [](const Break&) {},
      [](const Continue&) {}, [&](const Return&) { refuse("return in device code"); }, [](const Comment&) {});
  current_ = outside;
}

// --- Most functions are of the host alone ---------------------------------------------------------------

bool in_other_memory(const Var& var) { return var.type().space != MemorySpace::Host; }

/// Is there a statement that only device code and what is around it has?
bool mentions_device(const Stmt& stmt) {
  const For* loop = stmt.as<For>();
  const Alloc* alloc = stmt.as<Alloc>();
  bool found = (loop && is_grid(loop->loop)) || (alloc && in_other_memory(alloc->array)) || stmt.as<Copy>() ||
               stmt.as<Barrier>() || stmt.as<LaneReduce>();
  for_each_child(stmt, [&](const Stmt& child) { found = found || mentions_device(child); }, [](const Expr&) {});
  return found;
}

}  // namespace

void verify_device(const FunctionDef& function) {
  bool needed = mentions_device(function.body);
  for (const Parameter& parameter : function.parameters) {
    needed = needed || in_other_memory(parameter.var);
    if (parameter.var.type().space != MemorySpace::Shared) continue;
    throw InternalError("ir verify", fmt::format("parameter that is a shared array: '{}'", parameter.var.name()),
                        function.name);
  }
  if (needed) DeviceVerifier().host(function.body, false);
}

}  // namespace filigree::ir
