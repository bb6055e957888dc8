// Levels of a result that are inserted into and have arrays, or no place for some coordinates.
#include "lower/result.h"

namespace filigree::lower {

using level::ArrayDescription;
using IndexedBy = ArrayDescription::IndexedBy;

ir::Stmt ResultAssembly::set_initially(int level, const ir::Expr& begin, const ir::Expr& end) const {
  ir::Var q = ir::int64_var("q");
  std::vector<ir::Stmt> code;
  std::vector<ArrayDescription> descriptions = format(level).arrays();
  for (size_t a = 0; a < descriptions.size(); a++) {
    const ir::Var& array = parameter_.levels[level].arrays[a];
    if (descriptions[a].indexed_by != IndexedBy::Position || !descriptions[a].initially || !writes(descriptions[a])) continue;
    ElementType type = array.type().element;
    code.push_back(ir::store(array, q, type == ElementType::Bool ? ir::boolean(*descriptions[a].initially != 0) : ir::integer(*descriptions[a].initially)));
  }
  return code.empty() ? ir::Stmt() : ir::Stmt(ir::For{q, begin, end, ir::block(code)});
}

ir::Stmt ResultAssembly::allocate_inserted() const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    if (!has_arrays(l) || !allocates()) continue;
    if (auto room = inserted_room_.find(l); room != inserted_room_.end()) {
      code.push_back(room->second.open(ir::integer(0)));
      continue;
    }
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    bool zero = true;
    for (size_t a = 0; a < descriptions.size(); a++) {
      if (descriptions[a].indexed_by != IndexedBy::Position || !writes(descriptions[a])) continue;
      code.push_back(ir::Alloc{parameter_.levels[l].arrays[a], ir::multiply(size(l), ir::integer(descriptions[a].per)), descriptions[a].initially == 0});
      zero = zero && descriptions[a].initially == 0;
    }
    if (!zero) code.push_back(set_initially(l, ir::integer(0), size(l)));
  }
  return ir::block(code);
}

ir::Stmt ResultAssembly::make_inserted(int level) const {
  std::vector<ir::Stmt> code;
  for (int l = level + 1; l < order() && !is_appended(l); l++) {
    auto room = inserted_room_.find(l);
    if (room == inserted_room_.end()) continue;
    ir::Expr block = block_size(level, l + 1);
    ir::Expr first = ir::multiply(append_[level]->counter, block), end = ir::add(first, block);
    code.push_back(room->second.reserve(end));
    code.push_back(set_initially(l, first, end));
  }
  return ir::block(code);
}

ir::Stmt ResultAssembly::insert_all(const std::vector<ir::Expr>& positions, const concrete::Access& lhs, const Scope& scope, const ir::Stmt& store,
                                    const ir::Expr& value) const {
  std::vector<IndexVar> vars = concrete::level_vars(lhs);
  std::vector<ir::Stmt> code = {store};
  ir::Expr fits = ir::boolean(true);
  for (int l = 0; l < order(); l++) {
    if (is_appended(l)) continue;
    const level::Insert& insert = *format(l).insert();
    const ir::Expr& coordinate = scope.coordinates.at(vars[l]);
    ir::Expr up = l == 0 ? ir::integer(0) : positions[l - 1];
    if (!insert.holds_all()) fits = ir::both(fits, insert.insert(parameter_.levels[l], up, coordinate, true, [](const ir::Expr&) { return ir::Stmt(); }).found);
    if (has_arrays(l)) code.push_back(insert.mark(parameter_.levels[l], positions[l], coordinate));
  }
  // What has no place is no loss if it equals the fill.
  ir::Stmt refuse = ir::if_then(ir::not_equal(value, ir::constant(tensor().fill().cast(value.type()))), ir::Return{ir::Status::DoesNotFit});
  return ir::is_true(fits) ? ir::block(code) : ir::if_then(fits, ir::block(code), refuse);
}

}  // namespace filigree::lower
