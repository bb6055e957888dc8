#include "lower/joined_workspace.h"

#include <utility>

#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

/// Stores one value at a position, or combines it with what is there, where that holds.
class Mover : public Writer {
 public:
  Mover(ir::Var values, ir::Expr to, std::optional<ir::Expr> combines)
      : values_(std::move(values)), to_(std::move(to)), combines_(std::move(combines)) {}

  ir::Stmt write(const Write& component) const override {
    if (!combines_) return ir::store(values_, to_, component.own);
    ir::Expr current = ir::Load{values_, to_};
    ir::Expr combined = ir::convert(component.value(current), values_.type().element);
    return ir::store(
        values_, to_,
        ir::is_true(*combines_) ? combined : ir::Expr(ir::Apply{Operator::Select, {*combines_, combined, current}}));
  }

 private:
  ir::Var values_;
  ir::Expr to_;
  std::optional<ir::Expr> combines_;
};

}  // namespace

JoinedWorkspace::JoinedWorkspace(const concrete::Access& lhs, const std::vector<Range>& ranges,
                                 const std::vector<level::Instance>& joining, const policy::Memory& memory)
    : Workspace(lhs, ranges),
      size_(ir::int64_var(tensor().name() + "_slots")),
      count_(ir::int64_var(tensor().name() + "_count")),
      aside_(tensor().name() + "_aside", ir::array(ElementType::Int64)),
      room_(tensor().name(), own_arrays(joining), memory.first_capacity) {}

std::vector<Room::Growing> JoinedWorkspace::own_arrays(const std::vector<level::Instance>& joining) {
  std::vector<Room::Growing> growing = {{values_}, {aside_}};
  std::vector<level::ArrayDescription> arrays = format(0).arrays();
  for (size_t a = 0; a < arrays.size(); a++) {
    if (arrays[a].indexed_by != level::ArrayDescription::IndexedBy::Position) continue;
    ir::Var& own = levels_[0].arrays[a];
    for (const level::Instance& other : joining) {
      if (other.arrays[a].type().element == ElementType::Int64)
        own = ir::Var(own.name(), ir::array(ElementType::Int64));
    }
    growing.push_back({own, arrays[a].per});
  }
  return growing;
}

level::Join::Siblings JoinedWorkspace::siblings(bool none) const {
  return {level(0),
          size_,
          count_,
          {values_, ir::constant(tensor().fill())},
          aside_,
          none,
          [this](const ir::Expr& positions) { return room_.reserve(positions); }};
}

ir::Stmt JoinedWorkspace::fill(Lowerer& lowerer, const plan::Where& where, const Scope& scope) {
  is_empty_ = true;
  ir::Stmt none = ir::block({ir::assign(size_, ir::integer(0)), ir::assign(count_, ir::integer(0))});
  return ir::block({none, lowerer.lower_side(where.producer, scope)});
}

ir::Stmt JoinedWorkspace::write(const Write&) const {
  throw InternalError("lower", "a component alone joins those of a workspace", tensor().name());
}

ir::Stmt JoinedWorkspace::join(const level::Instance& level, const level::Bounds& children,
                               const std::function<ir::Stmt(const ir::Expr&, const Writer&)>& write) const {
  level::Join::Moves moves;
  moves.store = [&](const ir::Expr& from, const ir::Expr& to) { return write(from, Mover(values_, to, std::nullopt)); };
  moves.combine = [&](const ir::Expr& from, const ir::Expr& to, const ir::Expr& condition) {
    return write(from, Mover(values_, to, condition));
  };
  return level::join_of(format(0))->join(siblings(std::exchange(is_empty_, false)), level, children, moves);
}

ir::Stmt JoinedWorkspace::prologue() const {
  return ir::block(
      {room_.open(ir::integer(0)), ir::declare(size_, ir::integer(0)), ir::declare(count_, ir::integer(0))});
}

ir::Stmt JoinedWorkspace::epilogue() const {
  std::vector<ir::Stmt> code;
  for (const Room::Growing& g : room_.arrays()) code.push_back(ir::Free{g.array});
  return ir::block(code);
}

std::optional<ir::Stmt> Lowerer::lower_siblings(const concrete::Forall& forall, const plan::Loop& loop,
                                                const Scope& scope) {
  const concrete::Assign* assign = forall.body.as<concrete::Assign>();
  if (!assign) return std::nullopt;
  auto joined = [&](const TensorVar& tensor) {
    auto workspace = workspaces_.find(tensor);
    return workspace == workspaces_.end() ? nullptr : workspace->second->joined();
  };
  if (const concrete::Access* source = assign->rhs.as<concrete::Access>()) {
    if (const JoinedWorkspace* from = joined(source->tensor))
      return result(assign->lhs.tensor)->take_siblings(forall.var, scope, from->siblings());
  }
  const JoinedWorkspace* into = joined(assign->lhs.tensor);
  if (!into) return std::nullopt;
  const lattice::Operand& operand = loop.lattice.operands.at(0);
  const level::Format& format = *operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format;
  ir::Expr parent =
      operand.level == 0
          ? ir::Expr(ir::integer(0))
          : scope.positions.at({operand.tensor, operand.level - 1, {operand.path.begin(), operand.path.end() - 1}});
  const level::Instance& own = instance(operand.tensor, operand.level);
  return into->join(own, format.position_iteration()->bounds(own, parent),
                    [&](const ir::Expr& position, const Writer& writer) {
                      Scope inner = scope;
                      inner.in_loop = true;
                      inner.bound.push_back(forall.var);
                      inner.positions.insert_or_assign(operand, position);
                      inner.writers.insert_or_assign(into->tensor(), &writer);
                      return lower(loop.bodies.at(0).stmt, inner);
                    });
}

}  // namespace filigree::lowering
