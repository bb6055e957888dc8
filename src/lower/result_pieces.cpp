// A result that the iterations of a parallel loop over its first level make together.
//
// Each iteration assembles a part, as if nothing were before it: with its own counters, and its own arrays where their
// size is not known beforehand.  Arrays with an element for every parent are shared if the parents' positions are known
// from their coordinates.  When all iterations are done, sums over them tell where each part goes, and one after the
// other is moved there by all threads together; what holds positions is shifted by what stands before.  The first part
// stays where it is and grows, so one part alone costs nothing.
//
// Where the pattern is given, each iteration goes to where that has its nodes, and checks that they are as many.
//
//   rows {0,1}, {} | {2}:   pos = 0 2 2 | 1,  crd = 0 1 | 2,  ends = 2 | 1      becomes      pos = 0 2 2 3,  crd = 0 1
//   2
#include "ir/rewrite.h"
#include "lower/result.h"

namespace filigree::lowering {

using level::ArrayDescription;
using IndexedBy = ArrayDescription::IndexedBy;
using Holds = ArrayDescription::Holds;

void ResultAssembly::cut_into(const ir::Var& pieces) {
  pieces_ = Pieces{pieces, {}, {}, {}, {}, {}};
  auto add = [&](const ir::Var& array, int level, const ir::Expr& each, int extra, std::optional<int> numbers) {
    ElementType type = array.type().element;
    pieces_->parts.push_back({array, ir::Var(array.name() + "_part", ir::array(type)),
                              ir::Var(array.name() + "_parts", ir::parts(type)), level, each, extra, numbers});
  };
  auto indices = [](const std::string& name) { return ir::Var(name, ir::array(ElementType::Int64)); };
  if (!allocates()) {
    pieces_->ends.insert({*last_append(), indices(parameter_.levels[*last_append()].name + "_ends")});
    return;
  }
  for (int l = 0; l < order(); l++) {
    const std::string& name = parameter_.levels[l].name;
    std::optional<int> above = append_above(l);
    if (auto room = inserted_room_.find(l); room != inserted_room_.end()) {
      for (const Room::Growing& g : room->second.arrays())
        add(g.array, *above, ir::multiply(block_size(*above, l + 1), ir::integer(g.per)), 0, std::nullopt);
    }
    if (!is_appended(l)) continue;
    pieces_->ends.insert({l, indices(name + "_ends")});
    for (const Room::Growing& g : append_[l]->nodes.arrays()) add(g.array, l, ir::integer(g.per), 0, std::nullopt);
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++) {
      if (descriptions[a].indexed_by != IndexedBy::Parent || !writes(descriptions[a])) continue;
      const ir::Var& array = parameter_.levels[l].arrays[a];
      bool numbers = descriptions[a].holds == Holds::Positions;
      if (above)
        add(array, *above, block_size(*above, l), descriptions[a].extra, numbers ? std::optional(l) : std::nullopt);
      if (above || l == 0 || !numbers) continue;  // of the root, edges are written in the end
      pieces_->shared.push_back({array, l, descriptions[a].extra});
      pieces_->parents.insert({l, ir::int64_var(name + "_parents")});
      pieces_->parent_ends.insert({l, indices(name + "_parent_ends")});
    }
  }
  if (values_room_) add(parameter_.values, *last_append(), block_size(*last_append(), order()), 0, std::nullopt);
}

ir::Stmt ResultAssembly::reach_parent(int level, const ir::Expr& parent) const {
  if (!pieces_ || !pieces_->parents.count(level)) return {};
  return ir::assign(pieces_->parents.at(level), ir::add(parent, ir::integer(1)));
}

void ResultAssembly::read_given_positions() {
  int number = 0;
  for (int l = 0; l < order(); l++) {
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++, number++) {
      if (!append_[l] || descriptions[a].indexed_by != IndexedBy::Parent || descriptions[a].holds != Holds::Positions)
        continue;
      const ir::Var& array = parameter_.levels[l].arrays[a];
      parameters_.push_back(Parameters::array(parameter_, number, array, ir::Direction::In));
      ir::Var limit = ir::int64_var(array.name() + "_count");
      parameters_.push_back(
          {limit, {parameter_.number, ir::Binding::Part::Count, number}, ir::Direction::In, std::nullopt});
      parent_limits_.insert({l, limit});
    }
  }
}

ir::Stmt ResultAssembly::go_to_given(int level, const ir::Expr& parent) const {
  if (!goes_to_given()) return {};
  ir::Expr begin = format(level).position_iteration()->bounds(parameter_.levels[level], parent).begin;
  return ir::block({check_given_parent(level, parent, 1), ir::assign(append_[level]->counter, begin)});
}

ir::Stmt ResultAssembly::check_given(int level, const ir::Expr& parent) const {
  if (!goes_to_given()) return {};
  const AppendState& state = *append_[level];
  ir::Stmt count = level == *last_append()
                       ? ir::assign(written_, ir::add(written_, ir::subtract(state.counter, state.begin)))
                       : ir::Stmt();
  if (format(level).properties().branchless) return count;
  ir::Expr end = format(level).position_iteration()->bounds(parameter_.levels[level], parent).end;
  ir::Stmt check = ir::block({check_given_parent(level, parent, 2),
                              ir::if_then(ir::not_equal(state.counter, end), ir::Return{ir::Status::PatternMismatch})});
  // A parent that is appended is there only if something is below it; otherwise this is where the next one will be.
  return ir::block({append_above(level) ? ir::if_then(ir::less(state.begin, state.counter), check) : check, count});
}

ir::Stmt ResultAssembly::check_given_parent(int level, const ir::Expr& parent, int elements) const {
  auto limit = parent_limits_.find(level);
  if (!append_above(level) || limit == parent_limits_.end()) return {};
  return check_limit(limit->second, ir::add(parent, ir::integer(elements)));
}

ir::Stmt ResultAssembly::open_parts() const {
  std::vector<ir::Stmt> code;
  for (const Part& part : pieces_->parts) code.push_back(ir::Alloc{part.parts, pieces_->number});
  for (const auto* ends : {&pieces_->ends, &pieces_->parent_ends}) {
    for (const auto& [l, array] : *ends) {
      code.push_back(ir::Alloc{array, ir::add(pieces_->number, ir::integer(1))});
      code.push_back(ir::store(array, ir::integer(0), ir::integer(0)));
    }
  }
  return ir::block(code);
}

ir::Stmt ResultAssembly::make_part(const ir::Var& piece, const ir::Stmt& body) const {
  std::vector<ir::Stmt> code = {open(Memory::Growing, ir::quotient(expected_, pieces_->number))};
  for (const auto& [l, parents] : pieces_->parents) code.push_back(ir::declare(parents, ir::integer(0)));
  if (!allocates()) code.push_back(ir::declare(written_, ir::integer(0)));
  code.push_back(body);
  ir::Expr next = ir::add(piece, ir::integer(1));
  for (const auto& [l, ends] : pieces_->ends)
    code.push_back(ir::store(ends, next, allocates() ? append_[l]->counter : written_));
  for (const auto& [l, ends] : pieces_->parent_ends) code.push_back(ir::store(ends, next, pieces_->parents.at(l)));
  ir::Substitution own;
  for (const Part& part : pieces_->parts) {
    code.push_back(ir::Keep{part.parts, piece, part.whole,
                            ir::add(ir::multiply(append_[part.level]->counter, part.each), ir::integer(part.extra))});
    own.set(part.whole, part.own);
  }
  return ir::substitute(ir::block(code), own);
}

ir::Stmt ResultAssembly::join_parts() const {
  ir::Var t = ir::int64_var("t"), piece = ir::int64_var("piece"), share = ir::int64_var("share"),
          q = ir::int64_var("q");
  std::vector<ir::Stmt> code, sums, take, moves, release, tidy;
  ir::Expr next = ir::add(t, ir::integer(1)), behind = ir::add(piece, ir::integer(1));
  for (const auto& [l, ends] : pieces_->ends) {
    sums.push_back(ir::store(ends, next, ir::add(ir::load_index(ends, next), ir::load_index(ends, t))));
    tidy.push_back(ir::Free{ends});
  }
  for (const auto& [l, ends] : pieces_->parent_ends) {
    sums.push_back(ir::store(ends, next, ir::max(ir::load_index(ends, next), ir::load_index(ends, t))));
    tidy.push_back(ir::Free{ends});
  }
  code.push_back(ir::For{t, ir::integer(0), pieces_->number, ir::block(sums)});
  // Each thread has its share of every move.
  auto move = [&](const ir::Expr& begin, const ir::Expr& end, const ir::Stmt& one) {
    ir::Expr all = ir::subtract(end, begin);
    auto cut = [&](const ir::Expr& number) {
      return ir::add(begin, ir::quotient(ir::multiply(all, number), pieces_->number));
    };
    moves.push_back(ir::For{q, cut(share), cut(ir::add(share, ir::integer(1))), one});
  };
  std::map<int, ir::Var> first, count;  // of the nodes of one piece
  for (const auto& [l, ends] : pieces_->ends) {
    code.push_back(ir::declare(append_[l]->counter, ir::load_index(ends, pieces_->number)));
    const std::string& name = parameter_.levels[l].name;
    first.insert({l, ir::int64_var(name + "_first")});
    count.insert({l, ir::int64_var(name + "_count")});
    take.push_back(ir::block({ir::declare(first.at(l), ir::load_index(ends, piece)),
                              ir::declare(count.at(l), ir::subtract(ir::load_index(ends, behind), first.at(l)))}));
  }
  for (const Part& part : pieces_->parts) {
    ir::Expr extra = ir::integer(part.extra);
    code.push_back(ir::Take{part.whole, part.parts, ir::integer(0)});
    code.push_back(ir::Grow{part.whole, ir::add(ir::multiply(append_[part.level]->counter, part.each), extra)});
    tidy.push_back(ir::Free{part.parts});
    ir::Var own(part.own.name(), part.own.type());  // now the caller's, not a piece's
    ir::Expr element = ir::Load{own, ir::add(q, extra)};
    if (part.numbers) element = ir::add(ir::convert(element, ElementType::Int64), first.at(*part.numbers));
    ir::Expr to = ir::add(ir::add(ir::multiply(first.at(part.level), part.each), q), extra);
    take.push_back(ir::Take{own, part.parts, piece});
    move(ir::integer(0), ir::multiply(count.at(part.level), part.each), ir::store(part.whole, to, element));
    release.push_back(ir::Free{own});
  }
  for (const Shared& shared : pieces_->shared) {
    const ir::Var& ends = pieces_->parent_ends.at(shared.level);
    ir::Expr at = ir::add(q, ir::integer(shared.extra));
    ir::Expr shifted = ir::add(ir::load_index(shared.array, at), first.at(shared.level));
    move(ir::load_index(ends, piece), ir::load_index(ends, behind), ir::store(shared.array, at, shifted));
  }
  if (allocates()) {
    ir::Stmt together = ir::For{share, ir::integer(0), pieces_->number, ir::block(moves), ir::LoopKind::Parallel};
    code.push_back(
        ir::For{piece, ir::integer(1), pieces_->number, ir::block({ir::block(take), together, ir::block(release)})});
  }
  if (appends_first() && writes_positions())
    code.push_back(
        format(0).append()->edges(parameter_.levels[0], ir::integer(0), ir::integer(0), append_[0]->counter));
  code.insert(code.end(), tidy.begin(), tidy.end());
  return ir::block(code);
}

}  // namespace filigree::lowering
