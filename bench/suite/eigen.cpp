// Eigen as a contender.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <optional>

#include "libraries.h"

namespace suite {

namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using SparseFloat = Eigen::SparseMatrix<float, Eigen::RowMajor, int>;
using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ByRowsFloat = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseVector = Eigen::SparseVector<double>;

Sparse copy(const Matrix& a) {
  return Eigen::Map<const Sparse>(a.rows, a.columns, a.entries(), a.start.data(), a.column.data(), a.value.data());
}

Answer answer_of_sparse(const Sparse& a) {
  return answer_of_rows(a.rows(), a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr());
}

SparseVector vector_of(const Matrix& row) {
  SparseVector made(row.columns);
  made.reserve(row.entries());
  for (std::size_t n = 0; n < row.column.size(); n++) made.insertBack(row.column[n]) = row.value[n];
  return made;
}

struct State {
  std::vector<Sparse> operand;
  std::vector<SparseVector> sparse_vector;
  SparseFloat single;
  ByRows dense, dense_result;
  ByRowsFloat dense_float, float_result;
  Eigen::VectorXd vector, vector_result;
  std::optional<Sparse> result;
  std::optional<Eigen::SparseMatrix<double, Eigen::ColMajor, int>> by_columns;
  std::optional<SparseVector> vector_sum;
  std::vector<Eigen::Triplet<double, int>> triplets;
  double number = 0;
};

using Shared = std::shared_ptr<State>;

void enter(Race& race, Shared state, std::function<void(State&)> run, std::function<Answer(State&)> answer) {
  int threads = race.threads;
  Contender contender;
  contender.name = "Eigen";
  contender.run = [state, run, threads] {
    Eigen::setNbThreads(threads);
    run(*state);
  };
  contender.before = [state] {
    state->result.reset();
    state->by_columns.reset();
    state->vector_sum.reset();
  };
  contender.answer = [state, answer] { return answer(*state); };
  race.peer(std::move(contender));
}

void enter_sparse(Race& race, Shared state, std::function<void(State&)> run) {
  enter(race, state, run, [](State& s) { return answer_of_sparse(*s.result); });
}

void enter_dense(Race& race, const Task& task, Shared state) {
  const Vector<double>& x = *task.dense[0];
  std::int64_t rows = task.matrices[0]->columns;
  if (task.operation == Operation::Spmv) {
    state->vector = Eigen::Map<const Eigen::VectorXd>(x.data(), rows);
    state->vector_result.resize(task.matrices[0]->rows);
    enter(
        race, state, [](State& s) { s.vector_result.noalias() = s.operand[0] * s.vector; },
        [](State& s) {
          return answer_of(std::span(s.vector_result.data(), static_cast<std::size_t>(s.vector_result.size())));
        });
  } else if (task.operation == Operation::SpmvTransposed) {
    state->vector = Eigen::Map<const Eigen::VectorXd>(x.data(), task.matrices[0]->rows);
    state->vector_result.resize(rows);
    enter(
        race, state, [](State& s) { s.vector_result.noalias() = s.operand[0].transpose() * s.vector; },
        [](State& s) {
          return answer_of(std::span(s.vector_result.data(), static_cast<std::size_t>(s.vector_result.size())));
        });
  } else if (task.operation == Operation::Spmm) {
    state->dense = Eigen::Map<const ByRows>(x.data(), rows, task.columns);
    state->dense_result.resize(task.matrices[0]->rows, task.columns);
    enter(
        race, state, [](State& s) { s.dense_result.noalias() = s.operand[0] * s.dense; },
        [](State& s) {
          return answer_of(std::span(s.dense_result.data(), static_cast<std::size_t>(s.dense_result.size())),
                           s.dense_result.cols());
        });
  } else {
    state->single = state->operand[0].cast<float>();
    state->dense_float = Eigen::Map<const ByRows>(x.data(), rows, task.columns).cast<float>();
    state->float_result.resize(task.matrices[0]->rows, task.columns);
    enter(
        race, state, [](State& s) { s.float_result.noalias() = s.single * s.dense_float; },
        [](State& s) {
          ByRows wide = s.float_result.cast<double>();
          return answer_of(std::span(wide.data(), static_cast<std::size_t>(wide.size())), wide.cols());
        });
  }
}

void enter_entries(Race& race, const Task& task, Shared state) {
  const Entries& entries = *task.entries;
  for (std::size_t n = 0; n < entries.value.size(); n++)
    state->triplets.emplace_back(entries.coordinate[0][n], entries.coordinate[1][n], entries.value[n]);
  std::vector<std::int64_t> dimensions = entries.dimensions;
  enter_sparse(race, state, [dimensions](State& s) {
    s.result.emplace(dimensions[0], dimensions[1]);
    s.result->setFromTriplets(s.triplets.begin(), s.triplets.end());
  });
}

}  // namespace

void enter_eigen(Race& race, const Task& task) {
  auto state = std::make_shared<State>();
  for (const auto& matrix : task.matrices) state->operand.push_back(copy(*matrix));
  switch (task.operation) {
    case Operation::Spmv:
    case Operation::SpmvTransposed:
    case Operation::Spmm:
    case Operation::SpmmFloat: return enter_dense(race, task, state);
    case Operation::SpgemmSorted:
    case Operation::SpgemmAsMade:
      return enter_sparse(race, state, [](State& s) { s.result = s.operand[0] * s.operand[1]; });
    case Operation::Add: return enter_sparse(race, state, [](State& s) { s.result = s.operand[0] + s.operand[1]; });
    case Operation::Add3:
      return enter_sparse(race, state, [](State& s) { s.result = s.operand[0] + s.operand[1] + s.operand[2]; });
    case Operation::AddTransposed:
      return enter_sparse(race, state, [](State& s) { s.result = s.operand[0] + Sparse(s.operand[0].transpose()); });
    case Operation::Multiply3:
      return enter_sparse(
          race, state, [](State& s) { s.result = s.operand[0].cwiseProduct(s.operand[1]).cwiseProduct(s.operand[2]); });
    case Operation::InnerProduct:
      return enter(
          race, state, [](State& s) { s.number = s.operand[0].cwiseProduct(s.operand[1]).sum(); },
          [](State& s) { return answer_of(std::span(&s.number, 1)); });
    case Operation::Transpose:
      return enter(
          race, state, [](State& s) { s.by_columns.emplace(s.operand[0]); },
          [](State& s) {
            Sparse back = *s.by_columns;
            return answer_of_sparse(back);
          });
    case Operation::FromEntries:
    case Operation::FromSorted: return enter_entries(race, task, state);
    case Operation::AddVectors:
      for (const auto& matrix : task.matrices) state->sparse_vector.push_back(vector_of(*matrix));
      return enter(
          race, state, [](State& s) { s.vector_sum = s.sparse_vector[0] + s.sparse_vector[1]; },
          [](State& s) {
            Answer answer;
            for (SparseVector::InnerIterator it(*s.vector_sum); it; ++it) answer.add(it.index(), it.value());
            return answer;
          });
    case Operation::Dot:
      for (const auto& matrix : task.matrices) state->sparse_vector.push_back(vector_of(*matrix));
      return enter(
          race, state, [](State& s) { s.number = s.sparse_vector[0].dot(s.sparse_vector[1]); },
          [](State& s) { return answer_of(std::span(&s.number, 1)); });
    default: return;
  }
}

}  // namespace suite
