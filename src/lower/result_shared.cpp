// A result with the pattern of an operand (concrete/shared_pattern.h): its index is copied before anything is computed,
// and values go where the operand has its own.
//
//   A csr, with the pattern of B:    A2_size = B2_pos[i_size],  A2_pos = B2_pos,  A2_crd = B2_crd,  and then
//   A_vals[pB2] = ... in any order
#include <algorithm>

#include "lower/result.h"

namespace filigree::lowering {

using level::ArrayDescription;

namespace {

/// Arrays that are equally long.
struct Copies {
  ir::Expr count;
  std::vector<std::pair<ir::Var, ir::Var>> arrays;  // from, to
};

ir::Stmt copy_at(const Copies& copies, const ir::Expr& at) {
  std::vector<ir::Stmt> code;
  for (const auto& [from, to] : copies.arrays)
    code.push_back(ir::store(to, at, ir::convert(ir::Load{from, at}, to.type().element)));
  return ir::block(code);
}

/// If there are `threads`, each copies its share of every array.
ir::Stmt copy_all(const std::vector<Copies>& all, const std::optional<ir::Var>& threads) {
  ir::Var q = ir::int64_var("q"), share = ir::int64_var("share");
  std::vector<ir::Stmt> code, loops;
  for (const Copies& copies : all) {
    if (ir::is_literal(copies.count, 2)) {  // where the children of the root begin and end
      code.push_back(ir::block({copy_at(copies, ir::integer(0)), copy_at(copies, ir::integer(1))}));
      continue;
    }
    auto part = [&](const ir::Expr& number) { return ir::quotient(ir::multiply(copies.count, number), *threads); };
    level::Bounds bounds{ir::integer(0), copies.count};
    if (threads) bounds = {part(share), part(ir::add(share, ir::integer(1)))};
    loops.push_back(ir::For{q, bounds.begin, bounds.end, copy_at(copies, q)});
  }
  bool together = threads && !loops.empty();
  code.push_back(together ? ir::Stmt(ir::For{share, ir::integer(0), *threads, ir::block(loops), ir::LoopKind::Parallel})
                          : ir::block(loops));
  return ir::block(code);
}

}  // namespace

bool ResultAssembly::has_blocks_below(const IndexVar& var) const {
  return source_ && !notes_nodes() && source_->pattern.levels < order() &&
         vars_[static_cast<size_t>(source_->pattern.levels) - 1] == var;
}

ir::Stmt ResultAssembly::copy_index() const {
  if (!source_) return {};
  std::vector<ir::Stmt> code;
  std::vector<Copies> all;
  for (int l = 0; l < source_->pattern.levels; l++) {
    const level::Instance &from = source_->tensor.levels[static_cast<size_t>(l)],
                          &to = parameter_.levels[static_cast<size_t>(l)];
    if (auto size = shared_sizes_.find(l); size != shared_sizes_.end()) {
      ir::Expr last = ir::subtract(parent_count(l), ir::integer(1));
      code.push_back(ir::declare(size->second, format(l).position_iteration()->bounds(from, last).end));
    }
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++) {
      if (!writes(descriptions[a])) continue;
      ir::Expr count = element_count(l, descriptions[a]);
      auto limit = std::find_if(copy_limits_.begin(), copy_limits_.end(),
                                [&](const auto& known) { return known.first == to.arrays[a]; });
      code.push_back(limit == copy_limits_.end() ? ir::Stmt(ir::Alloc{to.arrays[a], count})
                                                 : check_limit(limit->second, count));
      auto copies = std::find_if(all.begin(), all.end(), [&](const Copies& known) { return known.count == count; });
      if (copies == all.end()) copies = all.insert(all.end(), {count, {}});
      copies->arrays.push_back({from.arrays[a], to.arrays[a]});
    }
  }
  code.push_back(copy_all(all, source_->threads));
  if (notes_nodes()) code.push_back(ir::Alloc{noted_, size(source_->pattern.levels - 1), true});
  return ir::block(code);
}

ir::Stmt ResultAssembly::note_node(const Scope& scope) const {
  if (!notes_nodes()) return {};
  return ir::store(noted_, scope.result_positions.at({tensor(), source_->pattern.levels - 1}), ir::boolean(true));
}

ir::Stmt ResultAssembly::check_notes() const {
  if (!notes_nodes()) return {};
  ir::Var q = ir::int64_var("q");
  ir::Stmt check = ir::if_then(ir::negate(ir::Load{noted_, q}), ir::Return{ir::Status::PatternMismatch});
  return ir::block({ir::For{q, ir::integer(0), size(source_->pattern.levels - 1), check}, ir::Free{noted_}});
}

}  // namespace filigree::lowering
