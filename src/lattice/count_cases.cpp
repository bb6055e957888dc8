#include "lattice/count_cases.h"

#include "concrete/derivations.h"
#include "lattice/lattice.h"

namespace filigree::lattice {
namespace {

class Counter {
 public:
  Counter(const concrete::Environment& environment, std::int64_t enough) : environment_(environment), enough_(enough) {}

  std::int64_t count(const Stmt& stmt, std::vector<IndexVar> bound) {
    for (const concrete::Derivation& derivation : concrete::derived(environment_, bound, stmt))
      bound.push_back(derivation.var);
    return match(
        stmt, [&](const concrete::Forall& n) { return loops(n, bound); },
        [&](const concrete::Where& n) { return count(n.producer, bound) + count(n.consumer, bound); },
        [&](const concrete::Sequence& n) { return count_all(n.statements, bound); },
        [&](const concrete::Multi& n) { return count_all(n.statements, bound); },
        [&](const concrete::Assign&) { return std::int64_t{1}; });
  }

 private:
  std::int64_t count_all(const std::vector<Stmt>& statements, const std::vector<IndexVar>& bound) {
    std::int64_t all = 0;
    for (const Stmt& stmt : statements) all += count(stmt, bound);
    return all;
  }

  std::int64_t loops(const concrete::Forall& forall, std::vector<IndexVar> bound) {
    Lattice lattice = build_lattice(forall, bound, environment_);
    bound.push_back(forall.var);
    std::int64_t all = 0;
    for (const Point& point : lattice.points) {
      // The point is a case in the loops of all points that hold it; over the universe there is one loop.
      std::int64_t times = 0;
      for (const Point& loop : lattice.points) times += (point.present & ~loop.present) == 0;
      all += (lattice.has_universe() ? 1 : times) * count(point.body, bound);
      if (all > enough_) return all;
    }
    return all;
  }

  const concrete::Environment& environment_;
  std::int64_t enough_;
};

}  // namespace

std::int64_t count_cases(const concrete::Program& program, std::int64_t enough) {
  return Counter(program.environment, enough).count(program.statement, {});
}

}  // namespace filigree::lattice
