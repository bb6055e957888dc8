#include "passes/offload.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "ir/rewrite.h"
#include "passes/device_code.h"
#include "support/check.h"

namespace filigree::passes {
namespace {

using ir::LoopKind;
using ir::MemorySpace;

/// Host code, with device code in place of nests of units.
class Offload {
 public:
  Offload(ir::FunctionDef& function, const AskedLoops& asked) : function_(function), asked_(asked) {
    for (const ir::Parameter& parameter : function.parameters) {
      if (parameter.direction != ir::Direction::Out) filled_.insert(parameter.var);
    }
  }

  ir::Stmt host(const ir::Stmt& stmt) {
    const ir::For* loop = stmt.as<ir::For>();
    if (loop && loop->units) return launch(*loop);
    if (loop || stmt.as<ir::While>()) {
      loops_++;
      ir::Stmt done = inside(stmt);
      loops_--;
      return done;
    }
    if (const ir::Alloc* alloc = stmt.as<ir::Alloc>()) return allocate(*alloc);
    if (const ir::Block* list = stmt.as<ir::Block>()) {
      std::vector<ir::Stmt> all;
      for (const ir::Stmt& child : list->statements) all.push_back(host(child));
      return ir::block(all);
    }
    return inside(stmt);
  }

  /// Copies are of whole arrays: no element of these may have nothing in it.
  ir::Stmt with_zeros(const ir::Stmt& stmt) const {
    const ir::Alloc* alloc = stmt.as<ir::Alloc>();
    if (alloc && copied_.contains(alloc->array)) return ir::Alloc{alloc->array, alloc->count, true};
    return ir::map_children(
        stmt, [&](const ir::Stmt& child) { return with_zeros(child); }, [](const ir::Expr& expr) { return expr; });
  }

 private:
  ir::Stmt inside(const ir::Stmt& stmt) {
    ir::Stmt done = ir::map_children(
        stmt, [&](const ir::Stmt& child) { return host(child); }, [](const ir::Expr& expr) { return expr; });
    filled_.insert_all(ir::variables_written(stmt));
    return done;
  }

  /// How much room an array has is known from here on.
  ir::Stmt allocate(const ir::Alloc& alloc) {
    alloc.zeroed ? void(filled_.insert(alloc.array)) : filled_.erase(alloc.array);
    if (alloc.array.type().kind != ir::Type::Kind::Array) return alloc;
    if (alloc.count.as<ir::Literal>()) {
      room_.insert_or_assign(alloc.array.id().value, alloc.count);
      return alloc;
    }
    ir::Var room = ir::int64_var(alloc.array.name() + "_room");
    room_.insert_or_assign(alloc.array.id().value, room);
    return ir::block({ir::declare(room, alloc.count), ir::Alloc{alloc.array, room, alloc.zeroed}});
  }

  /// How many elements an array has.
  ir::Expr count_of(const ir::Var& array) {
    auto known = room_.find(array.id().value);
    if (known != room_.end()) return known->second;
    std::vector<ir::Parameter>& parameters = function_.parameters;
    auto own = std::find_if(parameters.begin(), parameters.end(),
                            [&](const ir::Parameter& parameter) { return parameter.var == array; });
    internal_check(own != parameters.end(), "offload",
                   "an array that is neither a parameter nor allocated before the launch", array.name());
    ir::Binding binding = own->binding;
    binding.part = ir::Binding::Part::Count;
    auto count = std::find_if(parameters.begin(), parameters.end(),
                              [&](const ir::Parameter& parameter) { return parameter.binding == binding; });
    if (count != parameters.end()) return count->var;
    ir::Var var = ir::int64_var(array.name() + "_count");
    parameters.push_back({var, binding, ir::Direction::In, std::nullopt});
    return var;
  }

  /// Around a launch: its arrays on the device.
  ir::Stmt launch(const ir::For& outermost) {
    auto [grid, own] = make_grid(outermost, asked_);
    ir::Var blocks = ir::int64_var("blocks");
    ir::Stmt count_blocks;
    if (!grid.end.as<ir::VarRef>() && !grid.end.as<ir::Literal>()) {  // of what is on the host
      count_blocks = ir::declare(blocks, grid.end);
      grid.end = blocks;
    }
    ir::VarSet written = ir::variables_written(grid);
    ir::Substitution on_device;
    std::vector<ir::Stmt> before, after, freed;
    for (const OwnArray& array : own) {
      ir::Var all(array.array.name() + "_gpu", ir::array(array.array.type().element, MemorySpace::Device));
      on_device.set(array.array, all);
      before.push_back(ir::Alloc{all, ir::multiply(grid.end, ir::integer(array.count)), array.zeroed});
      freed.push_back(ir::Free{all});
    }
    for (const ir::Var& array : ir::free_variables(grid)) {
      if (array.type().kind != ir::Type::Kind::Array || array.type().space != MemorySpace::Host ||
          on_device.find(array))
        continue;
      ir::Var copy(array.name() + "_gpu", ir::array(array.type().element, MemorySpace::Device));
      on_device.set(array, copy);
      ir::Expr count = count_of(array);
      // The launches of earlier iterations have filled a part of it.
      bool is_filled = filled_.contains(array) || (loops_ > 0 && written.contains(array));
      before.push_back(ir::Alloc{copy, count, !is_filled});
      if (is_filled) before.push_back(ir::Copy{copy, array, count});
      if (is_filled) copied_.insert(array);
      if (written.contains(array)) {
        after.push_back(ir::Copy{array, copy, count});
        filled_.insert(array);
      }
      freed.push_back(ir::Free{copy});
    }
    return ir::block(
        {count_blocks, ir::block(before), ir::substitute(grid, on_device), ir::block(after), ir::block(freed)});
  }

  ir::FunctionDef& function_;
  const AskedLoops& asked_;
  std::map<std::uint64_t, ir::Expr> room_;  // of arrays that were allocated, by variable
  int loops_ = 0;                           // on the host, around the place
  ir::VarSet filled_;                       // arrays that have something in them
  ir::VarSet copied_;                       // to the device
};

}  // namespace

bool is_for_units(const ir::FunctionDef& function) {
  std::function<bool(const ir::Stmt&)> has_units = [&](const ir::Stmt& stmt) {
    const ir::For* loop = stmt.as<ir::For>();
    bool found = loop && loop->units;
    ir::for_each_child(stmt, [&](const ir::Stmt& child) { found = found || has_units(child); }, [](const ir::Expr&) {});
    return found;
  };
  return has_units(function.body);
}

ir::FunctionDef offload(const ir::FunctionDef& function, const AskedLoops& asked) {
  ir::FunctionDef done = function;
  Offload offload(done, asked);
  done.body = offload.with_zeros(offload.host(function.body));
  return done;
}

}  // namespace filigree::passes
