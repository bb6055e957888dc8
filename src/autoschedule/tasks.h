// Costs as sets of tasks: unions of conjunctive queries over the patterns of tensors (P4, sections 5 and 6).
//
//   {[i,j] | B(i,k) and C(k,j)}     a task for every i and j such that there is a k with B(i,k) and C(k,j) stored
//
// A query stands for its tasks and for all that leave out some of their coordinates.  One query is contained in another
// if there is a homomorphism from the other to it: a map of variables under which every atom of the other becomes one
// of its own, and under which the head of the other reaches its whole head, in dimensions of the same size.  A union is
// contained in another if each of its queries is contained in one of the other's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace filigree::autoschedule {

constexpr int most_variables = 16;  // index variables of a statement: the first variables of every query
constexpr int most_modes = 6;       // dimensions of a tensor

/// A component of a tensor is there.
struct Atom {
  std::uint8_t tensor = 0;
  std::uint8_t order = 0;
  std::array<std::uint8_t, most_modes> vars = {};
  auto operator<=>(const Atom&) const = default;
};

/// Variables below most_variables are index variables.  They are the task's coordinates if they are in `head`; all
/// others, "there is one".
struct Query {
  std::uint32_t head = 0;  // a bit for each
  std::vector<Atom> atoms;
  auto operator<=>(const Query&) const = default;
};

using TaskSet = std::vector<Query>;

/// What queries are about.
struct Universe {
  std::vector<std::string> indices;  // by variable
  std::vector<int> dimensions;       // by variable: equal numbers are equal sizes
  std::vector<std::string> tensors;  // by number
  /// Assumptions: these tensors are not empty.
  std::uint32_t nonempty = 0;
  /// What has been paid for already: reading each sparse operand, and going through each dimension.
  TaskSet sunk = {};
};

/// Is every task of `p` one of `q`, whatever the tensors hold?
bool contains(const Query& q, const Query& p, const Universe& universe);
bool contains(const TaskSet& q, const TaskSet& p, const Universe& universe);

/// The same query with as few atoms as possible; variables are renumbered and atoms sorted, so that most queries that
/// are equal up to names are equal.
Query minimized(Query query, const Universe& universe);
/// The same set of tasks with as few queries as possible, each minimized, in order.
TaskSet minimized(const TaskSet& tasks, const Universe& universe);

/// "{[i,j] | B(i,k1) and C(k1,j)}"
std::string to_string(const Query& query, const Universe& universe);
std::string to_string(const TaskSet& tasks, const Universe& universe);

}  // namespace filigree::autoschedule
