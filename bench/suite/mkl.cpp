// MKL as a contender: loaded while the suite runs, as its package for Python has no headers.  What is declared here is
// what MKL documents of its interface with 32-bit indices.
#include <dlfcn.h>

#include <cstdlib>

#include "libraries.h"

namespace suite {

namespace {

using Handle = void*;
struct Description {
  int type = 20;  // general
  int mode = 0, diagonal = 0;
};
constexpr int zero_based = 0, plain = 10, transpose = 11, row_major = 101;

/// The functions that are used.
struct Functions {
  int (*create)(Handle*, int, int, int, int*, int*, int*, double*);
  int (*create_float)(Handle*, int, int, int, int*, int*, int*, float*);
  int (*create_coo)(Handle*, int, int, int, int, int*, int*, double*);
  int (*export_rows)(Handle, int*, int*, int*, int**, int**, int**, double**);
  int (*destroy)(Handle);
  int (*mv)(int, double, Handle, Description, const double*, double, double*);
  int (*mm)(int, double, Handle, Description, int, const double*, int, int, double, double*, int);
  int (*mm_float)(int, float, Handle, Description, int, const float*, int, int, float, float*, int);
  int (*spmm)(int, Handle, Handle, Handle*);
  int (*order)(Handle);
  int (*add)(int, Handle, double, Handle, Handle*);
  int (*convert)(Handle, int, Handle*);
  int (*optimize)(Handle);
  int (*hint_mv)(Handle, int, Description, int);
  int (*hint_mm)(Handle, int, Description, int, int, int);
  void (*threads)(int);
};

const Functions* load() {
  const char* path = std::getenv("FILIGREE_BENCH_MKL");
  if (path == nullptr || *path == 0) return nullptr;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static Functions made;
  bool all = true;
  auto find = [&](auto& function, const char* name) {
    void* found = dlsym(library, name);
    all = all && found != nullptr;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find(made.create, "mkl_sparse_d_create_csr");
  find(made.create_float, "mkl_sparse_s_create_csr");
  find(made.create_coo, "mkl_sparse_d_create_coo");
  find(made.export_rows, "mkl_sparse_d_export_csr");
  find(made.destroy, "mkl_sparse_destroy");
  find(made.mv, "mkl_sparse_d_mv");
  find(made.mm, "mkl_sparse_d_mm");
  find(made.mm_float, "mkl_sparse_s_mm");
  find(made.spmm, "mkl_sparse_spmm");
  find(made.order, "mkl_sparse_order");
  find(made.add, "mkl_sparse_d_add");
  find(made.convert, "mkl_sparse_convert_csr");
  find(made.optimize, "mkl_sparse_optimize");
  find(made.hint_mv, "mkl_sparse_set_mv_hint");
  find(made.hint_mm, "mkl_sparse_set_mm_hint");
  find(made.threads, "MKL_Set_Num_Threads");
  return all ? &made : nullptr;
}

const Functions* mkl() {
  static const Functions* found = load();
  return found;
}

struct State {
  ~State() {
    for (Handle handle : operand) mkl()->destroy(handle);
    release();
  }
  void release() {
    if (result != nullptr) mkl()->destroy(result);
    result = nullptr;
  }
  std::vector<Handle> operand;
  std::vector<std::shared_ptr<const Matrix>> kept;
  std::shared_ptr<const Vector<double>> dense;
  std::shared_ptr<const Entries> entries;
  Vector<float> values, dense_float, float_result;
  Vector<double> dense_result;
  Handle result = nullptr;
  std::int64_t rows = 0;
  int columns = 0;
};
using Shared = std::shared_ptr<State>;

template <class T>
T* writable(const Vector<T>& list) {  // the interface takes pointers to what it does not write
  return const_cast<T*>(list.data());
}

void add_operand(State& state, const std::shared_ptr<const Matrix>& a) {
  Handle made = nullptr;
  mkl()->create(&made, zero_based, static_cast<int>(a->rows), static_cast<int>(a->columns), writable(a->start),
                writable(a->start) + 1, writable(a->column), writable(a->value));
  state.operand.push_back(made);
  state.kept.push_back(a);
  state.rows = state.kept[0]->rows;
}

void enter(Race& race, Shared state, std::function<void(State&)> run, std::function<Answer(State&)> answer,
           const std::string& name = "MKL") {
  int threads = race.threads;
  Contender contender;
  contender.name = name;
  contender.run = [state, run, threads] {
    mkl()->threads(threads);
    run(*state);
  };
  contender.before = [state] { state->release(); };
  contender.answer = [state, answer] { return answer(*state); };
  race.peer(std::move(contender));
}

Answer answer_of_result(State& s) {
  int base = 0, rows = 0, columns = 0, *start = nullptr, *end = nullptr, *column = nullptr;
  double* value = nullptr;
  mkl()->export_rows(s.result, &base, &rows, &columns, &start, &end, &column, &value);
  Answer answer;
  for (int i = 0; i < rows; i++)
    for (int p = start[i]; p < end[i]; p++) answer.add(i, column[p - base], value[p]);
  return answer;
}

Answer answer_of_dense(State& s) { return answer_of(s.dense_result, s.columns); }

void enter_dense(Race& race, const Task& task) {
  for (bool inspected : {false, true}) {
    auto state = std::make_shared<State>();
    add_operand(*state, task.matrices[0]);
    state->dense = task.dense[0];
    state->columns = task.columns;
    std::int64_t length = task.operation == Operation::SpmvTransposed ? task.matrices[0]->columns : state->rows;
    state->dense_result.resize(static_cast<std::size_t>(length * std::max(1, task.columns)));
    std::string name = inspected ? "MKL inspected" : "MKL";
    if (task.operation != Operation::Spmm) {
      int operation = task.operation == Operation::Spmv ? plain : transpose;
      if (inspected) mkl()->hint_mv(state->operand[0], operation, Description(), 1000);
      enter(
          race, state,
          [operation](State& s) {
            mkl()->mv(operation, 1, s.operand[0], Description(), s.dense->data(), 0, s.dense_result.data());
          },
          answer_of_dense, name);
    } else {
      if (inspected) mkl()->hint_mm(state->operand[0], plain, Description(), row_major, task.columns, 1000);
      enter(
          race, state,
          [](State& s) {
            mkl()->mm(plain, 1, s.operand[0], Description(), row_major, s.dense->data(), s.columns, s.columns, 0,
                      s.dense_result.data(), s.columns);
          },
          answer_of_dense, name);
    }
    if (inspected) mkl()->threads(race.threads), mkl()->optimize(state->operand[0]);
  }
}

void enter_float(Race& race, const Task& task) {
  auto state = std::make_shared<State>();
  const Matrix& a = *task.matrices[0];
  state->kept.push_back(task.matrices[0]);
  state->values.assign(a.value.begin(), a.value.end());
  state->dense_float.assign(task.dense[0]->begin(), task.dense[0]->end());
  state->columns = task.columns;
  state->float_result.resize(static_cast<std::size_t>(a.rows * task.columns));
  state->operand.resize(1);
  mkl()->create_float(&state->operand[0], zero_based, static_cast<int>(a.rows), static_cast<int>(a.columns),
                      writable(a.start), writable(a.start) + 1, writable(a.column), state->values.data());
  enter(
      race, state,
      [](State& s) {
        mkl()->mm_float(plain, 1, s.operand[0], Description(), row_major, s.dense_float.data(), s.columns, s.columns, 0,
                        s.float_result.data(), s.columns);
      },
      [](State& s) {
        Vector<double> wide(s.float_result.begin(), s.float_result.end());
        return answer_of(wide, s.columns);
      });
}

void enter_entries(Race& race, const Task& task) {
  auto state = std::make_shared<State>();
  state->entries = task.entries;
  const Entries& e = *task.entries;
  state->operand.resize(1);
  mkl()->create_coo(&state->operand[0], zero_based, static_cast<int>(e.dimensions[0]),
                    static_cast<int>(e.dimensions[1]), static_cast<int>(e.count()), writable(e.coordinate[0]),
                    writable(e.coordinate[1]), writable(e.value));
  enter(
      race, state,
      [](State& s) {
        mkl()->convert(s.operand[0], plain, &s.result);
        mkl()->order(s.result);
      },
      answer_of_result);
}

}  // namespace

void enter_mkl(Race& race, const Task& task) {
  if (mkl() == nullptr) return;
  switch (task.operation) {
    case Operation::Spmv:
    case Operation::SpmvTransposed:
    case Operation::Spmm: return enter_dense(race, task);
    case Operation::SpmmFloat: return enter_float(race, task);
    case Operation::FromEntries: return enter_entries(race, task);
    default: break;
  }
  auto state = std::make_shared<State>();
  auto operands = [&] {
    for (const auto& matrix : task.matrices) add_operand(*state, matrix);
  };
  switch (task.operation) {
    case Operation::SpgemmSorted:
      operands();
      return enter(
          race, state,
          [](State& s) {
            mkl()->spmm(plain, s.operand[0], s.operand[1], &s.result);
            mkl()->order(s.result);
          },
          answer_of_result);
    case Operation::SpgemmAsMade:
      operands();
      return enter(
          race, state, [](State& s) { mkl()->spmm(plain, s.operand[0], s.operand[1], &s.result); }, answer_of_result);
    case Operation::Add:
      operands();
      return enter(
          race, state, [](State& s) { mkl()->add(plain, s.operand[0], 1, s.operand[1], &s.result); }, answer_of_result);
    case Operation::AddTransposed:
      operands();
      return enter(
          race, state, [](State& s) { mkl()->add(transpose, s.operand[0], 1, s.operand[0], &s.result); },
          answer_of_result);
    case Operation::Transpose: {
      operands();
      return enter(
          race, state, [](State& s) { mkl()->convert(s.operand[0], transpose, &s.result); },
          [](State& s) {
            int base = 0, rows = 0, columns = 0, *start = nullptr, *end = nullptr, *column = nullptr;
            double* value = nullptr;
            mkl()->export_rows(s.result, &base, &rows, &columns, &start, &end, &column, &value);
            Answer answer;
            for (int i = 0; i < rows; i++)
              for (int p = start[i]; p < end[i]; p++) answer.add(column[p], i, value[p]);
            return answer;
          });
    }
    default: return;
  }
}

}  // namespace suite
