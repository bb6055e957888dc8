// What a result needs at the ends of a function: memory for its arrays, and what is in them before loops and after.
#include "lower/result.h"

namespace filigree::lowering {
namespace {

using level::ArrayDescription;
using IndexedBy = ArrayDescription::IndexedBy;

}  // namespace

ir::Stmt ResultAssembly::check_limit_is_met(const ir::Var& limit, const ir::Expr& count) const {
  return ir::if_then(ir::not_equal(limit, count), ir::Return{ir::Status::PatternMismatch});
}

ir::Stmt ResultAssembly::prologue() const {
  if (placement_) return placement_->init();
  if (counted_) return ir::Alloc{counted_->counts, counted_->extent, true};
  return open(pieces_ ? Memory::Fixed : Memory::All, expected_);
}

ir::Stmt ResultAssembly::open(Memory memory, const ir::Expr& expected) const {
  bool fixed = memory != Memory::Growing, growing = memory != Memory::Fixed;
  std::vector<ir::Stmt> code = {copy_index()};
  for (int l = 0; l < order(); l++) {
    if (!is_appended(l)) continue;
    const AppendState& state = *append_[l];
    const level::Instance& instance = parameter_.levels[l];
    bool has_parents = state.parents.is_empty() ? fixed : growing;
    if (allocates()) {
      if (state.parents.is_empty() && fixed) {
        std::vector<ArrayDescription> descriptions = format(l).arrays();
        for (size_t a = 0; a < descriptions.size(); a++) {
          if (descriptions[a].indexed_by != IndexedBy::Parent || !writes(descriptions[a])) continue;
          code.push_back(ir::Alloc{instance.arrays[a], ir::add(parent_count(l), ir::integer(descriptions[a].extra)),
                                   !state.complete});
        }
      }
      if (growing) code.push_back(state.parents.open(ir::integer(0)));
      if (growing) code.push_back(state.nodes.open(append_below(l) ? ir::integer(0) : expected));
    }
    if (writes_positions() && has_parents) code.push_back(format(l).append()->init(instance));
    if (growing) code.push_back(ir::declare(state.counter, ir::integer(0)));
  }
  code.push_back(allocate_inserted(memory));
  if (growing) code.push_back(open_values(expected));
  return ir::block(code);
}

ir::Stmt ResultAssembly::open_values(const ir::Expr& expected) const {
  if (!writes_values()) return {};
  if (values_room_) return allocates() ? values_room_->open(expected) : ir::Stmt();
  if (last_append()) return {};  // what is filled after the index gets its memory then
  bool zero = tensor().fill().is_zero();
  bool overwritten = cleared_in_loop_ ||
                     (order() > 0 && is_shared(order() - 1) && !accumulates_);  // at every position
  std::vector<ir::Stmt> code = {check_limit(values_limit_, value_count())};
  if (allocates()) code.push_back(ir::Alloc{parameter_.values, value_count(), zero && !overwritten});
  if (!overwritten && mode_ != Mode::Update && (!allocates() || !zero))
    code.push_back(initialize_values(ir::integer(0), value_count()));
  return ir::block(code);
}

ir::Stmt ResultAssembly::clear_below(const ir::Var& coordinate) const {
  ir::Expr row = block_size(0, order());
  return initialize_values(ir::multiply(coordinate, row), ir::multiply(ir::add(coordinate, ir::integer(1)), row));
}

ir::Expr ResultAssembly::element_count(int level, const ArrayDescription& array) const {
  ir::Expr nodes = array.indexed_by == IndexedBy::Parent     ? parent_count(level)
                   : array.indexed_by == IndexedBy::Position ? ir::multiply(size(level), ir::integer(array.per))
                                                             : ir::integer(0);
  return ir::add(nodes, ir::integer(array.extra));
}

ir::Stmt ResultAssembly::epilogue() const {
  std::vector<ir::Stmt> code = {check_notes()};
  for (int l = 0; l < order(); l++) {
    if (!is_appended(l) || !writes_positions()) continue;
    bool gaps = append_above(l) ? *append_above(l) < l - 1 : !append_[l]->complete;
    if (gaps) code.push_back(format(l).append()->finalize(parameter_.levels[l], parent_count(l)));
  }
  if (values_limit_) code.push_back(check_limit_is_met(*values_limit_, value_count()));
  for (const ir::Parameter& parameter : parameters_) {
    if (!parameter.count) continue;
    int number = 0;
    ir::Expr count = value_count();
    for (int l = 0; l < order(); l++) {
      for (const ArrayDescription& array : format(l).arrays()) {
        if (parameter.binding.index == number++) count = element_count(l, array);
      }
    }
    code.push_back(ir::declare(*parameter.count, count));
  }
  return ir::block(code);
}

}  // namespace filigree::lowering
