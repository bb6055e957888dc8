#include "lower/given_in_pieces.h"

namespace filigree::lowering {

using IndexedBy = level::ArrayDescription::IndexedBy;
using Holds = level::ArrayDescription::Holds;

GivenInPieces::GivenInPieces(const plan::GivenInPieces& how, const ResultOf& of)
    : AppendedResult({}, of),
      loop_(how.loop),
      ends_(instance(last_append()).name + "_ends", ir::array(ElementType::Int64)) {
  read_positions();
}

void GivenInPieces::read_positions() {
  int number = 0;
  for (int l = 0; l < order(); l++) {
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++, number++) {
      if (!is_appended(l) || descriptions[a].indexed_by != IndexedBy::Parent ||
          descriptions[a].holds != Holds::Positions)
        continue;
      const ir::Var& array = instance(l).arrays[a];
      parameters_.push_back(Parameters::array(parameter_, number, array, ir::Direction::In));
      ir::Var limit = ir::int64_var(array.name() + "_count");
      parameters_.push_back(
          {limit, {parameter_.number, ir::Binding::Part::Count, number}, ir::Direction::In, std::nullopt});
      limits_of_parents_.insert({l, limit});
    }
  }
}

ir::Stmt GivenInPieces::check_parent(int level, const ir::Expr& parent, int elements) const {
  auto limit = limits_of_parents_.find(level);
  if (!append_above(level) || limit == limits_of_parents_.end()) return {};
  return check_limit(limit->second, ir::add(parent, ir::integer(elements)));
}

/// Nodes go where the pattern has some below this parent.
ir::Stmt GivenInPieces::begin_level(int level, const ir::Expr& parent) const {
  ir::Expr begin = format(level).position_iteration()->bounds(instance(level), parent).begin;
  return ir::block({check_parent(level, parent, 1), ir::assign(appending(level).counter, begin),
                    AppendedResult::begin_level(level, parent)});
}

/// All of these are there now.
ir::Stmt GivenInPieces::end_level(int level, const ir::Expr& parent) const {
  const Appending& own = appending(level);
  ir::Stmt count;
  if (level == last_append()) count = ir::assign(written_, ir::add(written_, ir::subtract(own.counter, own.begin)));
  if (format(level).properties().branchless) return count;
  ir::Expr end = format(level).position_iteration()->bounds(instance(level), parent).end;
  ir::Stmt check = ir::block({check_parent(level, parent, 2),
                              ir::if_then(ir::not_equal(own.counter, end), ir::Return{ir::Status::PatternMismatch})});
  // A parent that is appended is there only if something is below it; otherwise this is where the next one will be.
  return ir::block({append_above(level) ? ir::if_then(ir::less(own.begin, own.counter), check) : check, count});
}

ir::Stmt GivenInPieces::make_part(const PieceOfLoop& piece, const ir::Stmt& body) const {
  return ir::block({open(Memory::Growing, expected_), ir::declare(written_, ir::integer(0)), body,
                    ir::store(ends_, ir::add(piece.number, ir::integer(1)), written_)});
}

/// How many nodes there are is counted from what the pieces have.
Surrounding GivenInPieces::around_parts(const ir::Var& pieces) const {
  ir::Var t = ir::int64_var("t");
  ir::Expr zero = ir::integer(0), next = ir::add(t, ir::integer(1));
  ir::Stmt sum = ir::store(ends_, next, ir::add(ir::load_index(ends_, next), ir::load_index(ends_, t)));
  return {ir::block({ir::Alloc{ends_, ir::add(pieces, ir::integer(1))}, ir::store(ends_, zero, zero)}),
          ir::block({ir::For{t, zero, pieces, sum},
                     ir::declare(appending(last_append()).counter, ir::load_index(ends_, pieces)), ir::Free{ends_}})};
}

}  // namespace filigree::lowering
