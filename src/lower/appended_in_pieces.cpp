#include "lower/appended_in_pieces.h"

#include "ir/rewrite.h"

namespace filigree::lowering {

using IndexedBy = level::ArrayDescription::IndexedBy;
using Holds = level::ArrayDescription::Holds;

namespace {

ir::Var indices(const std::string& name) { return ir::Var(name, ir::array(ElementType::Int64)); }

}  // namespace

AppendedInPieces::AppendedInPieces(const plan::AppendedInPieces& how, const ResultOf& of)
    : AppendedResult({how.gaps}, of), loop_(how.loop) {
  find_parts();
}

void AppendedInPieces::enter_pieces(Scope& around) const {
  if (appends_first()) around.opened.insert({tensor(), 0});
}

// --- What is made in parts -------------------------------------------------------------------------

void AppendedInPieces::add_part(const ir::Var& array, int level, const ir::Expr& each, int extra,
                                std::optional<int> numbers) {
  ElementType type = array.type().element;
  parts_.push_back({array, ir::Var(array.name() + "_part", ir::array(type)),
                    ir::Var(array.name() + "_parts", ir::parts(type)), level, each, extra, numbers});
}

void AppendedInPieces::find_parts() {
  for (int l = 0; l < order(); l++) {
    const std::string& name = instance(l).name;
    std::optional<int> above = append_above(l);
    if (auto room = inserted_rooms_.find(l); room != inserted_rooms_.end()) {
      for (const Room::Growing& g : room->second.arrays())
        add_part(g.array, *above, ir::multiply(block_size(*above, l + 1), ir::integer(g.per)));
    }
    if (!is_appended(l)) continue;
    ends_.insert({l, indices(name + "_ends")});
    for (const Room::Growing& g : appending(l).nodes.arrays()) add_part(g.array, l, ir::integer(g.per));
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++) {
      if (descriptions[a].indexed_by != IndexedBy::Parent || !writes(descriptions[a])) continue;
      const ir::Var& array = instance(l).arrays[a];
      bool numbers = descriptions[a].holds == Holds::Positions;
      std::optional<int> numbered = numbers ? std::optional(l) : std::nullopt;
      if (above) add_part(array, *above, block_size(*above, l), descriptions[a].extra, numbered);
      if (above || l == 0 || !numbers) continue;  // of the root, edges are written in the end
      shared_.push_back({array, l, descriptions[a].extra});
      parents_.insert({l, ir::int64_var(name + "_parents")});
      parent_ends_.insert({l, indices(name + "_parent_ends")});
    }
  }
  if (values_room_) add_part(values(), last_append(), block_size(last_append(), order()));
}

ir::Stmt AppendedInPieces::end_level(int level, const ir::Expr& parent) const {
  auto reached = parents_.find(level);
  return ir::block(
      {AppendedResult::end_level(level, parent),
       reached == parents_.end() ? ir::Stmt() : ir::assign(reached->second, ir::add(parent, ir::integer(1)))});
}

/// Of the loop that is cut, each piece makes room for its own.
ir::Stmt AppendedInPieces::go_on(int level, const Scope& scope, const ir::Expr& iterations) const {
  return scope.is_outermost() ? ir::Stmt() : AppendedResult::go_on(level, scope, iterations);
}

// --- Around pieces -----------------------------------------------------------------------------------

ir::Stmt AppendedInPieces::open_parts(const ir::Var& pieces) const {
  std::vector<ir::Stmt> code;
  for (const Part& part : parts_) code.push_back(ir::Alloc{part.parts, pieces});
  for (const auto* ends : {&ends_, &parent_ends_}) {
    for (const auto& [l, array] : *ends) {
      code.push_back(ir::Alloc{array, ir::add(pieces, ir::integer(1))});
      code.push_back(ir::store(array, ir::integer(0), ir::integer(0)));
    }
  }
  return ir::block(code);
}

ir::Stmt AppendedInPieces::make_part(const PieceOfLoop& piece, const ir::Stmt& body) const {
  std::vector<ir::Stmt> code = {open(Memory::Growing, ir::quotient(expected_, piece.pieces))};
  for (const auto& [l, parents] : parents_) code.push_back(ir::declare(parents, ir::integer(0)));
  if (piece.iterations && appends_first()) code.push_back(reserve(0, *piece.iterations));
  code.push_back(body);
  ir::Expr next = ir::add(piece.number, ir::integer(1));
  for (const auto& [l, ends] : ends_) code.push_back(ir::store(ends, next, appending(l).counter));
  for (const auto& [l, ends] : parent_ends_) code.push_back(ir::store(ends, next, parents_.at(l)));
  ir::Substitution own;
  for (const Part& part : parts_) {
    code.push_back(ir::Keep{part.parts, piece.number, part.whole,
                            ir::add(ir::multiply(appending(part.level).counter, part.each), ir::integer(part.extra))});
    own.set(part.whole, part.own);
  }
  return ir::substitute(ir::block(code), own);
}

ir::Stmt AppendedInPieces::sum_ends(const ir::Var& pieces) const {
  ir::Var t = ir::int64_var("t");
  std::vector<ir::Stmt> sums;
  ir::Expr next = ir::add(t, ir::integer(1));
  for (const auto& [l, ends] : ends_)
    sums.push_back(ir::store(ends, next, ir::add(ir::load_index(ends, next), ir::load_index(ends, t))));
  for (const auto& [l, ends] : parent_ends_)
    sums.push_back(ir::store(ends, next, ir::max(ir::load_index(ends, next), ir::load_index(ends, t))));
  return ir::For{t, ir::integer(0), pieces, ir::block(sums)};
}

/// What becomes of the parts that all pieces but the first have made, one piece after the other.
struct AppendedInPieces::Moves {
  ir::Var piece = ir::int64_var("piece"), share = ir::int64_var("share"), q = ir::int64_var("q");
  ir::Expr pieces;
  std::vector<ir::Stmt> whole = {};  // before: the first piece's part becomes the whole
  std::vector<ir::Stmt> take = {}, moves = {}, release = {};
  std::map<int, ir::Var> first = {}, count = {};  // of the nodes of one piece

  ir::Expr behind() const { return ir::add(piece, ir::integer(1)); }
  /// Each thread has its share of every move.
  void move(const ir::Expr& begin, const ir::Expr& end, const ir::Stmt& one) {
    ir::Expr all = ir::subtract(end, begin);
    auto cut = [&](const ir::Expr& number) { return ir::add(begin, ir::quotient(ir::multiply(all, number), pieces)); };
    moves.push_back(ir::For{q, cut(share), cut(ir::add(share, ir::integer(1))), one});
  }
};

void AppendedInPieces::move_parts(Moves& moves) const {
  for (const Part& part : parts_) {
    ir::Expr extra = ir::integer(part.extra);
    moves.whole.push_back(ir::Take{part.whole, part.parts, ir::integer(0)});
    moves.whole.push_back(ir::Grow{part.whole, ir::add(ir::multiply(appending(part.level).counter, part.each), extra)});
    ir::Var own(part.own.name(), part.own.type());  // now the caller's, not a piece's
    ir::Expr element = ir::Load{own, ir::add(moves.q, extra)};
    if (part.numbers) element = ir::add(ir::convert(element, ElementType::Int64), moves.first.at(*part.numbers));
    ir::Expr to = ir::add(ir::add(ir::multiply(moves.first.at(part.level), part.each), moves.q), extra);
    moves.take.push_back(ir::Take{own, part.parts, moves.piece});
    moves.move(ir::integer(0), ir::multiply(moves.count.at(part.level), part.each), ir::store(part.whole, to, element));
    moves.release.push_back(ir::Free{own});
  }
  for (const Shared& shared : shared_) {
    const ir::Var& ends = parent_ends_.at(shared.level);
    ir::Expr at = ir::add(moves.q, ir::integer(shared.extra));
    ir::Expr shifted = ir::add(ir::load_index(shared.array, at), moves.first.at(shared.level));
    moves.move(ir::load_index(ends, moves.piece), ir::load_index(ends, moves.behind()),
               ir::store(shared.array, at, shifted));
  }
}

ir::Stmt AppendedInPieces::join_parts(const ir::Var& pieces) const {
  Moves moves{.pieces = pieces};
  std::vector<ir::Stmt> code = {sum_ends(pieces)}, tidy;
  for (const auto& [l, ends] : ends_) {
    code.push_back(ir::declare(appending(l).counter, ir::load_index(ends, pieces)));
    ir::Var first = ir::int64_var(instance(l).name + "_first"), count = ir::int64_var(instance(l).name + "_count");
    moves.take.push_back(ir::block({ir::declare(first, ir::load_index(ends, moves.piece)),
                                    ir::declare(count, ir::subtract(ir::load_index(ends, moves.behind()), first))}));
    moves.first.insert({l, first});
    moves.count.insert({l, count});
    tidy.push_back(ir::Free{ends});
  }
  for (const auto& [l, ends] : parent_ends_) tidy.push_back(ir::Free{ends});
  for (const Part& part : parts_) tidy.push_back(ir::Free{part.parts});
  move_parts(moves);
  code.push_back(ir::block(moves.whole));
  ir::Stmt together = ir::For{moves.share, ir::integer(0), pieces, ir::block(moves.moves), ir::LoopKind::Parallel};
  code.push_back(ir::For{moves.piece, ir::integer(1), pieces,
                         ir::block({ir::block(moves.take), together, ir::block(moves.release)})});
  if (appends_first())
    code.push_back(format(0).append()->edges(instance(0), ir::integer(0), ir::integer(0), appending(0).counter));
  code.insert(code.end(), tidy.begin(), tidy.end());
  return ir::block(code);
}

}  // namespace filigree::lowering
