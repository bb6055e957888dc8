// Levels of an appended result whose siblings have another order than that in which they come (level::Arrange).
//
// The last level's are arranged when the loop over them ends.  Others are arranged before anything hangs from them:
// first their coordinates are appended, then they are visited in their new order.
#include "lower/appended_result.h"

namespace filigree::lowering {

class AppendedResult::Arranged : public ArrangedFirst {
 public:
  Arranged(const AppendedResult& result, int level) : result_(result), level_(level), own_(result.instance(level)) {}

  ir::Stmt collect(const ir::Expr& coordinate) const override {
    const ir::Var& counter = result_.appending(level_).counter;
    return ir::block(
        {result_.format(level_).append()->coordinate(own_, counter, coordinate), ir::increment(counter)});
  }

  ir::Stmt visit(const ir::Var& coordinate, const ir::Stmt& body) const override {
    const Appending& all = result_.appending(level_);
    ir::Var end = ir::int64_var(own_.name + "_end");
    level::Node node = result_.format(level_).position_iteration()->access(own_, all.counter, {});
    ir::Stmt visit = ir::if_then(node.found, ir::block({ir::declare(coordinate, node.coordinate), body}), leave_free());
    ir::Stmt step = ir::block({open(), visit, ir::increment(all.counter)});
    return ir::block({result_.arrange(level_), ir::declare(end, all.counter), ir::assign(all.counter, all.begin),
                      ir::While{ir::less(all.counter, end), step}});
  }

 private:
  /// A position that holds nothing has no children, or components with the fill.
  ir::Stmt open() const {
    if (result_.append_below(level_)) return result_.open_node(level_, false);
    return ir::block({result_.make_inserted(level_), result_.make_block(false),
                      ir::declare(result_.appending(level_).stored, ir::boolean(true))});
  }
  ir::Stmt leave_free() const {
    std::optional<int> below = result_.append_below(level_);
    if (!below || *below != level_ + 1) return {};
    const ir::Var& parent = result_.appending(level_).counter;
    const Appending& child = result_.appending(*below);
    ir::Expr count = ir::add(parent, ir::integer(1 + result_.parent_extra(*below)));
    ir::Stmt none = result_.format(*below).append()->edges(result_.instance(*below), parent, child.counter,
                                                           child.counter);
    return ir::block({child.parents.reserve(count), none});
  }

  const AppendedResult& result_;
  int level_;
  const level::Instance& own_;
};

std::unique_ptr<ArrangedFirst> AppendedResult::arranged_at(int level) const {
  return is_arranged_first(level) ? std::make_unique<Arranged>(*this, level) : nullptr;
}

const ArrangedFirst* AppendedResult::arranged_first(const IndexVar& var, const Scope& scope) const {
  std::optional<int> level = append_level(var, scope);
  return level ? arranged_[static_cast<size_t>(*level)].get() : nullptr;
}

ir::Stmt AppendedResult::arrange(int level) const {
  const level::Arrange* arrange = format(level).arrange();
  if (!arrange) return {};
  const Appending& own = appending(level);
  const std::string& name = instance(level).name;
  ir::Var count = ir::int64_var(name + "_siblings"), size = ir::int64_var(name + "_slots");
  std::optional<level::Arrange::Values> moved;
  if (level == order() - 1) moved = {values(), ir::constant(tensor().fill())};
  std::optional<ir::Expr> room = arrange->room(size, count);
  return ir::block({ir::declare(count, ir::subtract(own.counter, own.begin)), arrange->measure(size, count),
                    room ? own.nodes.reserve(ir::add(own.begin, *room)) : ir::Stmt(),
                    arrange->arrange(instance(level), moved, own.begin, count, size),
                    ir::assign(own.counter, ir::add(own.begin, size))});
}

}  // namespace filigree::lowering
