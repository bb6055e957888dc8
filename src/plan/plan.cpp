#include "plan/plan.h"

#include <algorithm>

namespace filigree::plan {

const concrete::Stmt& Stmt::what() const { return node_->what; }
const StmtKind& Stmt::kind() const { return node_->kind; }

void for_each(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  visit(stmt);
  auto all = [&](const std::vector<Stmt>& statements) {
    for (const Stmt& inside : statements) for_each(inside, visit);
  };
  match(
      stmt,
      [&](const Loop& n) {
        for (const Body& body : n.bodies) for_each(body.stmt, visit);
      },
      [&](const Pieces& n) { for_each(n.body.stmt, visit); },
      [&](const Where& n) {
        for_each(n.producer.stmt, visit);
        for_each(n.consumer.stmt, visit);
      },
      [&](const Sequence& n) { all(n.statements); }, [&](const Multi& n) { all(n.statements); }, [](const Assign&) {});
}

namespace {

bool steps_through(const Loop& loop, const TensorVar& tensor) {
  for (size_t k = 0; k < loop.lattice.operands.size(); k++) {
    bool is_used = loop.strategy.used >> k & 1;
    if (is_used && loop.lattice.operands[k].tensor == tensor &&
        loop.strategy.protocols[k] != concrete::Protocol::Locate)
      return true;
  }
  auto steps = [&](const Body& body) { return plan::steps_through(body.stmt, tensor); };
  return (loop.if_empty && steps_through(*loop.if_empty, tensor)) ||
         std::any_of(loop.bodies.begin(), loop.bodies.end(), steps);
}

}  // namespace

bool steps_through(const Stmt& stmt, const TensorVar& tensor) {
  auto any = [&](const std::vector<Stmt>& all) {
    return std::any_of(all.begin(), all.end(), [&](const Stmt& inside) { return steps_through(inside, tensor); });
  };
  return match(
      stmt, [&](const Loop& n) { return steps_through(n, tensor); },
      [&](const Pieces& n) { return steps_through(n.body.stmt, tensor); },
      [&](const Where& n) { return steps_through(n.producer.stmt, tensor) || steps_through(n.consumer.stmt, tensor); },
      [&](const Sequence& n) { return any(n.statements); }, [&](const Multi& n) { return any(n.statements); },
      [](const Assign&) { return false; });
}

const std::vector<SharedResult>& shared_by(const Stmt& loop) {
  const Pieces* pieces = loop.as<Pieces>();
  return pieces ? pieces->shared : loop.as<Loop>()->shared;
}

bool shares(const Stmt& loop, const TensorVar& tensor) {
  const std::vector<SharedResult>& shared = shared_by(loop);
  return std::any_of(shared.begin(), shared.end(), [&](const SharedResult& one) { return one.tensor == tensor; });
}

bool uses_threads(const Plan& plan) {
  const std::vector<concrete::PieceLoop>& cuts = plan.program.environment.piece_loops;
  bool uses = !plan.thread_pieces && std::any_of(cuts.begin(), cuts.end(), [](const concrete::PieceLoop& cut) {
    return cut.given == concrete::PieceLoop::Given::Threads;
  });
  for (const auto& [tensor, filling] : plan.fillings) {
    const PatternOf* shared = std::get_if<PatternOf>(&filling);
    uses = uses || (shared && shared->on_threads);
  }
  for_each(plan.root.stmt, [&](const Stmt& stmt) {
    const Loop* loop = stmt.as<Loop>();
    const Pieces* pieces = stmt.as<Pieces>();
    const std::optional<Division> division = loop     ? loop->division
                                             : pieces ? pieces->division
                                                      : std::optional<Division>();
    uses = uses || (division && !division->pieces);
  });
  return uses;
}

}  // namespace filigree::plan
