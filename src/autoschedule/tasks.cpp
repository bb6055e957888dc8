#include "autoschedule/tasks.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::autoschedule {
namespace {

constexpr std::uint8_t unnamed = 255;
constexpr std::uint16_t unmapped = 0xFFFF;
constexpr std::uint16_t first_fresh = 256;  // what variables may be mapped to beside those of the other query

/// Searches for a homomorphism from one query to another, atom by atom.
class Search {
 public:
  Search(const Query& from, const Query& to, const Universe& universe) : from_(from), to_(to), universe_(universe) {
    map_.fill(unmapped);
    assume();
  }

  /// With every variable of the target's head reached by a variable of the head, in a dimension of the same size.
  bool covering() { return (std::popcount(to_.head) <= std::popcount(from_.head)) && cover(to_.head, from_.head); }
  /// With the head left as it is, and without the target's atom number `without`.
  bool onto_less(size_t without) {
    without_ = without;
    for (std::uint32_t left = from_.head; left != 0; left &= left - 1) {
      int var = std::countr_zero(left);
      map_[var] = static_cast<std::uint16_t>(var);
    }
    return atoms(0);
  }

 private:
  /// What is assumed not to be empty has a component somewhere.
  void assume() {
    std::uint32_t there = 0;
    for (const Atom& atom : to_.atoms) there |= 1u << atom.tensor;
    std::uint32_t asked = 0;
    for (const Atom& atom : from_.atoms) asked |= 1u << atom.tensor;
    assumed_ = universe_.nonempty & asked & ~there;
    if (&from_ == &to_) assumed_ = universe_.nonempty & asked;
  }

  bool cover(std::uint32_t targets, std::uint32_t free) {
    if (targets == 0) return atoms(0);
    int target = std::countr_zero(targets);
    for (std::uint32_t left = free; left != 0; left &= left - 1) {
      int var = std::countr_zero(left);
      if (universe_.dimensions[var] != universe_.dimensions[target]) continue;
      map_[var] = static_cast<std::uint16_t>(target);
      if (cover(targets & (targets - 1), free & ~(1u << var))) return true;
      map_[var] = unmapped;
    }
    return false;
  }

  bool atoms(size_t n) {
    if (n == from_.atoms.size()) return true;
    const Atom& atom = from_.atoms[n];
    for (size_t k = 0; k < to_.atoms.size(); k++) {
      if (k == without_ || to_.atoms[k].tensor != atom.tensor) continue;
      if (unify(atom, [&](int d) { return std::uint16_t{to_.atoms[k].vars[d]}; }, n)) return true;
    }
    if (!(assumed_ >> atom.tensor & 1)) return false;
    return unify(
        atom, [&](int d) { return static_cast<std::uint16_t>(first_fresh + atom.tensor * most_modes + d); }, n);
  }

  template <class Onto>
  bool unify(const Atom& atom, const Onto& onto, size_t n) {
    std::array<std::uint8_t, most_modes> bound;
    int count = 0;
    bool fits = true;
    for (int d = 0; d < atom.order && fits; d++) {
      std::uint16_t& image = map_[atom.vars[d]];
      if (image == unmapped) {
        image = onto(d);
        bound[count++] = atom.vars[d];
      } else {
        fits = image == onto(d);
      }
    }
    if (fits && atoms(n + 1)) return true;
    for (int k = 0; k < count; k++) map_[bound[k]] = unmapped;
    return false;
  }

  const Query &from_, &to_;
  const Universe& universe_;
  std::uint32_t assumed_ = 0;
  size_t without_ = static_cast<size_t>(-1);
  std::array<std::uint16_t, 256> map_;
};

/// Variables that are no coordinates of tasks are numbered in the order of their use, from most_variables on.
void renumber(Query& query) {
  auto is_head = [&](std::uint8_t var) { return var < most_variables && (query.head >> var & 1); };
  for (int round = 0; round < 2; round++) {
    auto key = [&](const Atom& atom) {
      Atom shape = atom;
      if (round == 0) {
        for (int d = 0; d < atom.order; d++) shape.vars[d] = is_head(atom.vars[d]) ? atom.vars[d] : unnamed;
      }
      return shape;
    };
    std::sort(query.atoms.begin(), query.atoms.end(), [&](const Atom& a, const Atom& b) { return key(a) < key(b); });
    std::array<std::uint8_t, 256> names;
    names.fill(unnamed);
    std::uint8_t next = most_variables;
    for (Atom& atom : query.atoms) {
      for (int d = 0; d < atom.order; d++) {
        std::uint8_t& var = atom.vars[d];
        if (is_head(var)) continue;
        if (names[var] == unnamed) names[var] = next++;
        var = names[var];
      }
    }
  }
}

}  // namespace

bool contains(const Query& q, const Query& p, const Universe& universe) { return Search(q, p, universe).covering(); }

bool contains(const TaskSet& q, const TaskSet& p, const Universe& universe) {
  return std::all_of(p.begin(), p.end(), [&](const Query& one) {
    return std::any_of(q.begin(), q.end(), [&](const Query& other) { return other == one; }) ||
           std::any_of(q.begin(), q.end(), [&](const Query& other) { return contains(other, one, universe); });
  });
}

Query minimized(Query query, const Universe& universe) {
  std::sort(query.atoms.begin(), query.atoms.end());
  query.atoms.erase(std::unique(query.atoms.begin(), query.atoms.end()), query.atoms.end());
  for (size_t n = query.atoms.size(); n-- > 0;) {
    if (Search(query, query, universe).onto_less(n))
      query.atoms.erase(query.atoms.begin() + static_cast<std::ptrdiff_t>(n));
  }
  renumber(query);
  return query;
}

TaskSet minimized(const TaskSet& tasks, const Universe& universe) {
  TaskSet small;
  for (const Query& query : tasks) small.push_back(minimized(query, universe));
  std::sort(small.begin(), small.end());
  small.erase(std::unique(small.begin(), small.end()), small.end());
  std::vector<bool> gone(small.size(), false);
  for (size_t n = 0; n < small.size(); n++) {
    for (size_t k = 0; k < small.size() && !gone[n]; k++)
      gone[n] = k != n && !gone[k] && contains(small[k], small[n], universe);
  }
  TaskSet out;
  for (size_t n = 0; n < small.size(); n++) {
    if (!gone[n]) out.push_back(std::move(small[n]));
  }
  return out;
}

std::string to_string(const Query& query, const Universe& universe) {
  std::vector<std::string> head, atoms;
  auto name = [&](std::uint8_t var) {
    bool is_head = var < most_variables && (query.head >> var & 1);
    return is_head ? universe.indices[var] : fmt::format("_{}", var < most_variables ? var : var - most_variables + 1);
  };
  for (std::uint8_t var = 0; var < most_variables; var++) {
    if (query.head >> var & 1) head.push_back(universe.indices[var]);
  }
  for (const Atom& atom : query.atoms) {
    std::vector<std::string> vars;
    for (int d = 0; d < atom.order; d++) vars.push_back(name(atom.vars[d]));
    atoms.push_back(universe.tensors[atom.tensor] + (vars.empty() ? "" : "(" + join(vars, ",") + ")"));
  }
  return "{[" + join(head, ",") + "]" + (atoms.empty() ? "" : " | " + join(atoms, " and ")) + "}";
}

std::string to_string(const TaskSet& tasks, const Universe& universe) {
  std::vector<std::string> parts;
  for (const Query& query : tasks) parts.push_back(to_string(query, universe));
  return parts.empty() ? "{}" : join(parts, " + ");
}

}  // namespace filigree::autoschedule
