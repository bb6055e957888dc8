// Orders of the loops over parts of the same points (concrete/parts.h).
//
//   split(i, i0, i1, 4)                 forall(i0, forall(i, s))      i0 cuts i into pieces, i1 is the loop over i
//   split(i, i0, i1, 4), reorder(i1, i0)   forall(i1, forall(i, s))   i0 is the loop over i, which visits what is
//   number i1 in its piece
#include <algorithm>

#include "concrete/derivations.h"
#include "schedule/nest.h"

namespace filigree::schedule {
namespace {

using concrete::Assign;
using concrete::Forall;
using concrete::PointPart;
using concrete::PointParts;
using concrete::Stmt;

std::optional<size_t> part_of(const PointParts& parts, const IndexVar& loop) {
  for (size_t n = 0; n < parts.parts.size(); n++) {
    if (contains(parts.parts[n].loops, loop)) return n;
  }
  return std::nullopt;
}

/// The orders in which loops over the parts stand around each other.
void collect_orders(const Stmt& stmt, const PointParts& parts, std::vector<size_t> order,
                    std::vector<std::vector<size_t>>& out) {
  if (const Forall* forall = stmt.as<Forall>()) {
    std::optional<size_t> part = part_of(parts, forall->var);
    if (part && (order.empty() || order.back() != *part)) order.push_back(*part);
  }
  if (stmt.as<Assign>()) {
    bool is_cut = order.size() > 1 || (order.size() == 1 && order[0] != parts.visiting);
    if (is_cut && std::find(out.begin(), out.end(), order) == out.end()) out.push_back(order);
    return;
  }
  concrete::map_children(stmt, [&](const Stmt& child) {
    collect_orders(child, parts, order, out);
    return child;
  });
}

bool has_loop(const Stmt& stmt, const IndexVar& var) {
  bool found = false;
  concrete::for_each(stmt, [&](const Stmt& s) { found = found || (s.as<Forall>() && s.as<Forall>()->var == var); });
  return found;
}

}  // namespace

void Nest::settle_parts(const Refuse& refuse) {
  for (const PointParts& parts : concrete::all_parts(program_.environment)) settle(parts, refuse);
}

void Nest::settle(const PointParts& parts, const Refuse& refuse) {
  std::vector<std::vector<size_t>> orders;
  collect_orders(program_.statement, parts, {}, orders);
  bool in_order = std::all_of(orders.begin(), orders.end(),
                              [](const auto& order) { return std::is_sorted(order.begin(), order.end()); });
  if (in_order && !parts.numbering.by_number) return;
  auto loop = [&](size_t part) { return parts.parts[part].loops.front(); };
  for (const std::vector<size_t>& order : orders) {
    if (order.size() == 1) {  // nothing there visits the points
      auto turned = std::find_if(orders.begin(), orders.end(),
                                 [](const auto& other) { return !std::is_sorted(other.begin(), other.end()); });
      const std::vector<size_t>& other = turned == orders.end() ? orders.back() : *turned;
      auto after = std::is_sorted_until(other.begin(), other.end());
      if (after == other.end()) after--;
      if (after != other.begin())
        refuse(loop(*(after - 1)), loop(*after), "a workspace is filled for pieces of them, in loops of its own");
    }
    size_t first = 0;
    while (first + 1 < order.size() && order[first] < order[first + 1]) first++;
    if (first + 1 == order.size()) first = 0;
    const IndexVar &outer = loop(order[first]), &inner = loop(order[std::min(first + 1, order.size() - 1)]);
    bool is_whole = order.size() == parts.parts.size() &&
                    std::is_permutation(order.begin(), order.end(),
                                        [&] {
                                          std::vector<size_t> all(parts.parts.size());
                                          for (size_t n = 0; n < all.size(); n++) all[n] = n;
                                          return all;
                                        }()
                                            .begin());
    if (!is_whole) refuse(outer, inner, "it visits a piece at a time");
    if (order != orders.front()) refuse(outer, inner, "there are other loops over them, which stand in another order");
  }
  for (concrete::PieceLoop& cut : program_.environment.piece_loops) {
    if (concrete::makes(parts, cut)) cut.by_number = !in_order;
  }
  if (orders.empty() || orders.front().back() == parts.visiting) return;
  PointParts now = parts;
  now.numbering.by_number = !in_order;
  turn(now, orders.front().back(), refuse);
}

void Nest::turn(const PointParts& parts, size_t visiting, const Refuse& refuse) {
  concrete::Environment& environment = program_.environment;
  const std::vector<IndexVar>& loops = parts.numbering.loops;
  const size_t smallest = parts.parts.size() - 1;
  const PointPart &before = parts.parts[parts.visiting], &after = parts.parts[visiting];
  const IndexVar innermost = after.loops.front();
  auto space_of = [&](const std::vector<IndexVar>& vars) {
    return std::find_if(spaces_.begin(), spaces_.end(), [&](const auto& named) { return named.second.loops == vars; });
  };
  auto outer = space_of(loops), inner = space_of({innermost});
  bool are_free = outer != spaces_.end() && inner != spaces_.end();
  for (const PointParts& other : concrete::all_parts(environment)) {
    if (is_same_numbering(other.numbering, parts.numbering)) continue;
    for (const PointPart& part : other.parts) {
      // The same loops, numbered in another way before, and from large parts to small ones.
      bool are_same = part.loops == loops && parts_with(environment, loops)->numbering.var == parts.numbering.var &&
                      !other.numbering.by_number;
      bool meets = contains(part.loops, innermost) || std::any_of(loops.begin(), loops.end(), [&](const IndexVar& var) {
                     return contains(part.loops, var);
                   });
      are_free = are_free && (are_same || !meets);
    }
  }
  if (!are_free) refuse(loops.front(), innermost, "it visits a piece at a time");

  const IndexVar outside = parts.visiting == smallest ? IndexVar(outer->first) : before.var;
  std::function<Stmt(const Stmt&)> change = [&](const Stmt& stmt) -> Stmt {
    const Forall* forall = stmt.as<Forall>();
    if (forall && forall->var == innermost) {
      if (loops.size() > 1 && !forall->tag.is_plain())
        refuse(loops.front(), innermost,
               "it runs in another way than one iteration after the other, and stands for several loops");
      Stmt body = forall->body;
      for (size_t n = loops.size(); n-- > 0;) body = Forall{loops[n], body, false, forall->tag};
      return body;
    }
    if (!forall || forall->var != loops.front() || !has_loop(forall->body, innermost))
      return concrete::map_children(stmt, change);
    const Forall* last = forall;
    for (size_t n = 1; n < loops.size(); n++) {
      last = last->body.as<Forall>();
      if (!last || last->var != loops[n])
        refuse(loops.front(), innermost, "other loops stand between those that were collapsed");
      if (!last->tag.is_plain())
        refuse(loops.front(), innermost, "one of the loops that were collapsed runs in a way of its own");
    }
    return Forall{outside, change(last->body), false, forall->tag};
  };
  program_.statement = change(program_.statement);

  const IndexVar inside = parts.visiting == smallest ? outside : parts.parts[smallest].loops.front();
  std::erase_if(environment.piece_loops, [&](const concrete::PieceLoop& cut) {
    return cut.given == concrete::PieceLoop::Given::Inside && cut.var == inside;
  });
  if (visiting == smallest) {
    environment.extents.erase(inside);
    std::erase_if(environment.implications, [&](const concrete::Implication& i) { return i.var == inside; });
  } else {
    concrete::PieceLoop cut = parts.numbering;
    cut.var = inside;
    cut.given = concrete::PieceLoop::Given::Inside;
    cut.amount = 0;
    cut.over = after.var;
    environment.piece_loops.push_back(cut);
    if (environment.extents.insert({inside, concrete::OfPieces{}}).second) imply(cut);
  }
  Space visited{loops, parts.numbering.positions};
  outer->second = Space{{outside}};
  inner->second = visited;
}

}  // namespace filigree::schedule
