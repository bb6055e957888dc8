// Generated code that walks one level, run by the interpreter: what lowering relies on, without lowering.
#pragma once

#include <cstdlib>
#include <tuple>
#include <vector>

#include "ir/interpret.h"
#include "ir/verify.h"
#include "level/level_format.h"

namespace filigree::level {

/// (parent, coordinate, position), in the order visited.
using Visits = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

/// A function whose results are three int64 arrays with one element per call of `visit`.
class VisitRecorder {
 public:
  explicit VisitRecorder(std::int64_t room) : room_(room) {}

  ir::Stmt begin() const {
    std::vector<ir::Stmt> statements = {ir::declare(count_, ir::integer(0))};
    for (const ir::Var& array : arrays_) statements.push_back(ir::Alloc{array, ir::integer(room_)});
    return ir::block(statements);
  }
  ir::Stmt visit(const ir::Expr& parent, const ir::Expr& coordinate, const ir::Expr& position) const {
    return ir::block({ir::store(arrays_[0], count_, parent), ir::store(arrays_[1], count_, coordinate),
                      ir::store(arrays_[2], count_, position), ir::increment(count_)});
  }

  /// Runs `body` between begin and the end; `level_arrays` are what the instance's arrays stand for.
  Visits run(const std::vector<ir::Var>& vars, const std::vector<Array>& level_arrays, const ir::Stmt& body) const {
    ir::FunctionDef function{"walk", {"visits", "level"}, {}, ir::block({begin(), body}), {}};
    ir::TensorView visits{{}, std::vector<ir::ArrayView>(3)}, level{{}, {}};
    for (int k = 0; k < 3; k++) {
      function.parameters.push_back({arrays_[k], {0, ir::Binding::Part::Array, k}, ir::Direction::Out, count_});
    }
    for (size_t k = 0; k < level_arrays.size(); k++) {
      function.parameters.push_back(
          {vars[k], {1, ir::Binding::Part::Array, static_cast<int>(k)}, ir::Direction::In, {}});
      level.arrays.push_back(
          {level_arrays[k].type(), const_cast<void*>(level_arrays[k].data()), level_arrays[k].count()});
    }
    ir::verify(function);
    std::vector<ir::TensorView> tensors = {visits, level};
    ir::interpret(function, tensors);
    Visits out;
    std::vector<Array> made;
    for (const ir::ArrayView& array : tensors[0].arrays)
      made.push_back(Array::adopt(array.type, array.data, array.count));
    for (std::int64_t n = 0; n < made[0].count(); n++)
      out.emplace_back(made[0].index_at(n), made[1].index_at(n), made[2].index_at(n));
    return out;
  }

 private:
  std::int64_t room_;
  ir::Var count_{"count", ir::scalar(ElementType::Int64)};
  ir::Var arrays_[3] = {{"parents", ir::array(ElementType::Int64)},
                        {"coordinates", ir::array(ElementType::Int64)},
                        {"positions", ir::array(ElementType::Int64)}};
};

inline Instance instance_of(const Format& format, std::int64_t extent, std::int64_t origin = 0,
                            ElementType index = ElementType::Int32) {
  Instance level{"T1", {}, {}, {}, ir::integer(extent), ir::integer(origin)};
  for (const ArrayDescription& array : format.arrays()) {
    ElementType type = array.holds == ArrayDescription::Holds::Other ? array.other_type : index;
    level.arrays.emplace_back("T1_" + array.name, ir::array(type));
  }
  if (format.uses_table()) level.table = ir::Var("T1_table", ir::table());
  if (format.uses_count()) level.count = ir::Var("T1_count", ir::scalar(ElementType::Int64));
  if (std::optional<ir::Expr> stored = format.stored_extent(level)) level.extent = *stored;
  return level;
}

/// A loop over the children of `parent`, by positions if the format can, else by coordinates.  The level above is dense
/// and the only one, so that the parent's coordinate is its position.
inline ir::Stmt walk_children(const Format& format, const Instance& level, const ir::Expr& parent,
                              const VisitRecorder& recorder) {
  ir::Var cursor("cursor", ir::scalar(ElementType::Int64));
  bool by_position = format.position_iteration() != nullptr;
  Bounds bounds = by_position ? format.position_iteration()->bounds(level, parent)
                              : format.value_iteration()->bounds(level, {parent});
  Node node = by_position ? format.position_iteration()->access(level, cursor, {parent})
                          : format.value_iteration()->access(level, parent, {parent, cursor});
  std::vector<ir::Stmt> body = node.setup;
  body.push_back(ir::if_then(node.found, recorder.visit(parent, node.coordinate, node.position)));
  return ir::For{cursor, bounds.begin, bounds.end, ir::block(body)};
}

}  // namespace filigree::level
