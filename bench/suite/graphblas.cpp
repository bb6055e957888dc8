// SuiteSparse:GraphBLAS as a contender.
extern "C" {
#include <GraphBLAS.h>
}

#include "libraries.h"

namespace suite {

namespace {

using Index = GrB_Index;

GrB_Matrix build(const std::vector<Index>& rows, const std::vector<Index>& columns, const double* values,
                 std::int64_t height, std::int64_t width) {
  GrB_Matrix made = nullptr;
  GrB_Matrix_new(&made, GrB_FP64, static_cast<Index>(height), static_cast<Index>(width));
  GrB_Matrix_build_FP64(made, rows.data(), columns.data(), values, rows.size(), GrB_PLUS_FP64);
  GrB_Matrix_wait(made, GrB_MATERIALIZE);
  return made;
}

GrB_Matrix copy(const Matrix& a) {
  Entries entries = entries_of(a);
  std::vector<Index> rows(entries.coordinate[0].begin(), entries.coordinate[0].end());
  std::vector<Index> columns(entries.coordinate[1].begin(), entries.coordinate[1].end());
  return build(rows, columns, a.value.data(), a.rows, a.columns);
}

GrB_Matrix copy_dense(const Vector<double>& values, std::int64_t columns) {
  std::vector<Index> row, column;
  for (std::size_t n = 0; n < values.size(); n++) {
    row.push_back(n / static_cast<std::size_t>(columns));
    column.push_back(n % static_cast<std::size_t>(columns));
  }
  return build(row, column, values.data(), static_cast<std::int64_t>(values.size()) / columns, columns);
}

GrB_Vector build_vector(const std::vector<Index>& at, const double* values, std::int64_t extent) {
  GrB_Vector made = nullptr;
  GrB_Vector_new(&made, GrB_FP64, static_cast<Index>(extent));
  GrB_Vector_build_FP64(made, at.data(), values, at.size(), GrB_PLUS_FP64);
  GrB_Vector_wait(made, GrB_MATERIALIZE);
  return made;
}

GrB_Vector copy_row(const Matrix& row) {
  return build_vector({row.column.begin(), row.column.end()}, row.value.data(), row.columns);
}

GrB_Vector copy_vector(const Vector<double>& values) {
  std::vector<Index> at(values.size());
  for (std::size_t n = 0; n < at.size(); n++) at[n] = n;
  return build_vector(at, values.data(), static_cast<std::int64_t>(values.size()));
}

struct State {
  ~State() {
    for (GrB_Matrix& m : matrix) GrB_Matrix_free(&m);
    for (GrB_Vector& v : vector) GrB_Vector_free(&v);
    release();
  }
  void release() {
    GrB_Matrix_free(&result);
    GrB_Matrix_free(&other);
    GrB_Vector_free(&vector_result);
  }
  void new_result(GrB_Matrix& like) {
    Index rows = 0, columns = 0;
    GrB_Matrix_nrows(&rows, like);
    GrB_Matrix_ncols(&columns, like);
    GrB_Matrix_new(&result, GrB_FP64, rows, columns);
  }
  std::vector<GrB_Matrix> matrix;
  std::vector<GrB_Vector> vector;
  std::vector<Index> row, column;
  std::shared_ptr<const Entries> entries;
  GrB_Matrix result = nullptr, other = nullptr;
  GrB_Vector vector_result = nullptr;
  double number = 0;
};
using Shared = std::shared_ptr<State>;
using Run = std::function<void(State&)>;

void enter(Race& race, Shared state, Run run, std::function<Answer(State&)> answer) {
  int threads = race.threads;
  Contender contender;
  contender.name = "GraphBLAS";
  contender.run = [state, run, threads] {
    GxB_Global_Option_set_INT32(GxB_GLOBAL_NTHREADS, threads);
    run(*state);
  };
  contender.before = [state] { state->release(); };
  contender.answer = [state, answer] { return answer(*state); };
  race.peer(std::move(contender));
}

Answer answer_of_matrix(State& s) {
  Index count = 0;
  GrB_Matrix_nvals(&count, s.result);
  std::vector<Index> row(count), column(count);
  std::vector<double> value(count);
  GrB_Matrix_extractTuples_FP64(row.data(), column.data(), value.data(), &count, s.result);
  Answer answer;
  for (std::size_t n = 0; n < count; n++)
    answer.add(static_cast<std::int64_t>(row[n]), static_cast<std::int64_t>(column[n]), value[n]);
  return answer;
}

Answer answer_of_vector(State& s) {
  Index count = 0;
  GrB_Vector_nvals(&count, s.vector_result);
  std::vector<Index> at(count);
  std::vector<double> value(count);
  GrB_Vector_extractTuples_FP64(at.data(), value.data(), &count, s.vector_result);
  Answer answer;
  for (std::size_t n = 0; n < count; n++) answer.add(static_cast<std::int64_t>(at[n]), value[n]);
  return answer;
}

Answer answer_of_number(State& s) { return answer_of(std::span(&s.number, 1)); }

void enter_matrix(Race& race, Shared state, Run run) { enter(race, state, std::move(run), answer_of_matrix); }

/// The product of two matrices, and then, if there is a mask, times its values.
void enter_product(Race& race, Shared state, GrB_Semiring semiring, bool is_masked, bool is_sorted,
                   GrB_Descriptor descriptor) {
  enter_matrix(race, state, [semiring, is_masked, is_sorted, descriptor](State& s) {
    GrB_Matrix mask = is_masked ? s.matrix[0] : nullptr;
    GrB_Matrix b = s.matrix[is_masked ? 1 : 0], c = s.matrix[is_masked ? 2 : 1];
    Index rows = 0, columns = 0;
    GrB_Matrix_nrows(&rows, b);
    descriptor == GrB_DESC_ST1 ? GrB_Matrix_nrows(&columns, c) : GrB_Matrix_ncols(&columns, c);
    GrB_Matrix_new(&s.result, GrB_FP64, rows, columns);
    GrB_mxm(s.result, mask, nullptr, semiring, b, c, descriptor);
    if (is_masked) GrB_Matrix_eWiseMult_BinaryOp(s.result, nullptr, nullptr, GrB_TIMES_FP64, s.result, mask, nullptr);
    if (is_sorted) GrB_Matrix_wait(s.result, GrB_MATERIALIZE);
  });
}

void enter_number(Race& race, Shared state, Run run) { enter(race, state, std::move(run), answer_of_number); }

void enter_times_vector(Race& race, Shared state, GrB_Descriptor descriptor) {
  enter(
      race, state,
      [descriptor](State& s) {
        Index rows = 0;
        descriptor == GrB_DESC_T0 ? GrB_Matrix_ncols(&rows, s.matrix[0]) : GrB_Matrix_nrows(&rows, s.matrix[0]);
        GrB_Vector_new(&s.vector_result, GrB_FP64, rows);
        GrB_mxv(s.vector_result, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, s.matrix[0], s.vector[0], descriptor);
        GrB_Vector_wait(s.vector_result, GrB_MATERIALIZE);
      },
      answer_of_vector);
}

void enter_entries(Race& race, const Task& task, Shared state) {
  state->row.assign(task.entries->coordinate[0].begin(), task.entries->coordinate[0].end());
  state->column.assign(task.entries->coordinate[1].begin(), task.entries->coordinate[1].end());
  state->entries = task.entries;
  enter_matrix(race, state, [](State& s) {
    s.result = build(s.row, s.column, s.entries->value.data(), s.entries->dimensions[0], s.entries->dimensions[1]);
  });
}

/// Sums and componentwise products.
void enter_componentwise(Race& race, const Task& task, Shared state) {
  bool is_sum = task.operation == Operation::Add || task.operation == Operation::Add3;
  enter_matrix(race, state, [is_sum](State& s) {
    s.new_result(s.matrix[0]);
    for (std::size_t n = 1; n < s.matrix.size(); n++) {
      GrB_Matrix left = n == 1 ? s.matrix[0] : s.result;
      if (is_sum) GrB_Matrix_eWiseAdd_BinaryOp(s.result, nullptr, nullptr, GrB_PLUS_FP64, left, s.matrix[n], nullptr);
      else GrB_Matrix_eWiseMult_BinaryOp(s.result, nullptr, nullptr, GrB_TIMES_FP64, left, s.matrix[n], nullptr);
    }
    GrB_Matrix_wait(s.result, GrB_MATERIALIZE);
  });
}

void enter_vectors(Race& race, const Task& task, Shared state) {
  if (task.operation == Operation::AddVectors) {
    return enter(
        race, state,
        [](State& s) {
          Index extent = 0;
          GrB_Vector_size(&extent, s.vector[0]);
          GrB_Vector_new(&s.vector_result, GrB_FP64, extent);
          GrB_Vector_eWiseAdd_BinaryOp(s.vector_result, nullptr, nullptr, GrB_PLUS_FP64, s.vector[0], s.vector[1],
                                       nullptr);
          GrB_Vector_wait(s.vector_result, GrB_MATERIALIZE);
        },
        answer_of_vector);
  }
  enter_number(race, state, [](State& s) {
    Index extent = 0;
    GrB_Vector_size(&extent, s.vector[0]);
    GrB_Vector_new(&s.vector_result, GrB_FP64, extent);
    GrB_Vector_eWiseMult_BinaryOp(s.vector_result, nullptr, nullptr, GrB_TIMES_FP64, s.vector[0], s.vector[1], nullptr);
    GrB_Vector_reduce_FP64(&s.number, nullptr, GrB_PLUS_MONOID_FP64, s.vector_result, nullptr);
  });
}

/// The sum of all components of M .* (B C), or of B .* C.
void enter_sum(Race& race, const Task& task, Shared state) {
  bool is_product = task.operation == Operation::Triangles;
  enter_number(race, state, [is_product](State& s) {
    s.new_result(s.matrix[0]);
    if (is_product) {
      GrB_mxm(s.result, s.matrix[0], nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, s.matrix[0], s.matrix[0], GrB_DESC_S);
      GrB_Matrix_eWiseMult_BinaryOp(s.result, nullptr, nullptr, GrB_TIMES_FP64, s.result, s.matrix[0], nullptr);
    } else {
      GrB_Matrix_eWiseMult_BinaryOp(s.result, nullptr, nullptr, GrB_TIMES_FP64, s.matrix[0], s.matrix[1], nullptr);
    }
    GrB_Matrix_reduce_FP64(&s.number, nullptr, GrB_PLUS_MONOID_FP64, s.result, nullptr);
  });
}

}  // namespace

void enter_graphblas(Race& race, const Task& task) {
  static bool begun = GrB_init(GrB_NONBLOCKING) == GrB_SUCCESS;
  if (!begun) return;
  auto state = std::make_shared<State>();
  bool are_vectors = task.operation == Operation::AddVectors || task.operation == Operation::Dot;
  bool has_sparse_vector = task.operation == Operation::SpmspvSparse || task.operation == Operation::SpmspvDense;
  for (std::size_t n = 0; n < task.matrices.size(); n++) {
    if (are_vectors || (has_sparse_vector && n == 1)) state->vector.push_back(copy_row(*task.matrices[n]));
    else state->matrix.push_back(copy(*task.matrices[n]));
  }
  for (const auto& dense : task.dense)
    if (task.operation == Operation::Spmv || task.operation == Operation::SpmvTransposed)
      state->vector.push_back(copy_vector(*dense));
    else state->matrix.push_back(copy_dense(*dense, task.columns));
  GrB_Semiring times = GrB_PLUS_TIMES_SEMIRING_FP64;
  switch (task.operation) {
    case Operation::Spmv:
    case Operation::SpmspvSparse:
    case Operation::SpmspvDense: return enter_times_vector(race, state, nullptr);
    case Operation::SpmvTransposed: return enter_times_vector(race, state, GrB_DESC_T0);
    case Operation::Spmm:
    case Operation::SpgemmSorted: return enter_product(race, state, times, false, true, nullptr);
    case Operation::SpgemmAsMade: return enter_product(race, state, times, false, false, nullptr);
    case Operation::MinPlus: return enter_product(race, state, GrB_MIN_PLUS_SEMIRING_FP64, false, true, nullptr);
    case Operation::MaskedSpgemm: return enter_product(race, state, times, true, true, GrB_DESC_S);
    case Operation::Sddmm: return enter_product(race, state, times, true, true, GrB_DESC_ST1);
    case Operation::Add:
    case Operation::Add3:
    case Operation::Multiply3: return enter_componentwise(race, task, state);
    case Operation::AddTransposed:
      return enter_matrix(race, state, [](State& s) {
        s.new_result(s.matrix[0]);
        GrB_Matrix_eWiseAdd_BinaryOp(s.result, nullptr, nullptr, GrB_PLUS_FP64, s.matrix[0], s.matrix[0], GrB_DESC_T1);
        GrB_Matrix_wait(s.result, GrB_MATERIALIZE);
      });
    case Operation::InnerProduct:
    case Operation::Triangles: return enter_sum(race, task, state);
    case Operation::Transpose:
      return enter(
          race, state,
          [](State& s) {
            Index rows = 0, columns = 0;
            GrB_Matrix_nrows(&rows, s.matrix[0]);
            GrB_Matrix_ncols(&columns, s.matrix[0]);
            GrB_Matrix_new(&s.result, GrB_FP64, columns, rows);
            GrB_transpose(s.result, nullptr, nullptr, s.matrix[0], nullptr);
            GrB_Matrix_wait(s.result, GrB_MATERIALIZE);
          },
          [](State& s) {
            std::swap(s.result, s.other);
            GrB_Matrix_dup(&s.result, s.matrix[0]);
            GrB_transpose(s.result, nullptr, nullptr, s.other, nullptr);
            return answer_of_matrix(s);
          });
    case Operation::FromEntries:
    case Operation::FromSorted: return enter_entries(race, task, state);
    case Operation::AddVectors:
    case Operation::Dot: return enter_vectors(race, task, state);
    case Operation::SpmmFloat:
    case Operation::ToBlocks:
    case Operation::ToDiagonals:
    case Operation::ReadFile: return;
  }
}

}  // namespace suite
