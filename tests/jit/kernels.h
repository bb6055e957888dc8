// Kernels written by hand in the shape the emitter generates, and what their callers need.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace filigree::jit::testing {

struct Array {
  void* data;
  std::int64_t count;
};
struct TensorArguments {
  const std::int64_t* dimensions;
  Array* arrays;
};
struct Runtime {
  void* (*resize)(void* context, void* block, std::int64_t bytes);
  void* context;
};
using Kernel = int(const Runtime*, TensorArguments* const*);

inline void* resize(void*, void* block, std::int64_t bytes) {
  if (bytes == 0) {
    std::free(block);
    return nullptr;
  }
  return std::realloc(block, static_cast<std::size_t>(bytes));
}

inline const std::string prelude = R"(
typedef signed int int32_t;
typedef signed long int64_t;
typedef unsigned char uint8_t;
typedef struct filigree_array { void *data; int64_t count; } filigree_array;
typedef struct filigree_tensor { const int64_t *dimensions; filigree_array *arrays; } filigree_tensor;
typedef struct filigree_runtime {
  void *(*resize)(void *context, void *block, int64_t bytes);
  void *context;
} filigree_runtime;
)";

/// y(i) = A(i,j) * x(j) with A in CSR.
inline const std::string spmv_text = prelude + R"(
static void body(int64_t rows, double *restrict y, const int32_t *restrict pos, const int32_t *restrict crd,
                 const double *restrict vals, const double *restrict x) {
  for (int64_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) sum += vals[p] * x[crd[p]];
    y[i] = sum;
  }
}
int kernel(const filigree_runtime *runtime, filigree_tensor *const *tensors) {
  filigree_tensor *y = tensors[0], *a = tensors[1], *x = tensors[2];
  int64_t rows = y->dimensions[0];
  double *result = (double *)runtime->resize(runtime->context, 0, rows * 8);
  if (!result) return 1;
  body(rows, result, (const int32_t *)a->arrays[0].data, (const int32_t *)a->arrays[1].data,
       (const double *)a->arrays[2].data, (const double *)x->arrays[0].data);
  y->arrays[0].data = result;
  y->arrays[0].count = rows;
  return 0;
}
)";

/// Runs a compiled `spmv_text` on [[2,0,1],[0,0,0],[0,3,0]] * [1,10,100].
inline std::vector<double> run_spmv(Kernel* kernel) {
  std::int32_t pos[] = {0, 2, 2, 3}, crd[] = {0, 2, 1};
  double vals[] = {2, 1, 3}, x[] = {1, 10, 100};
  const std::int64_t rows_columns[] = {3, 3};
  Array y_arrays[] = {{nullptr, 0}}, a_arrays[] = {{pos, 4}, {crd, 3}, {vals, 3}}, x_arrays[] = {{x, 3}};
  TensorArguments y{rows_columns, y_arrays}, a{rows_columns, a_arrays}, x_arguments{rows_columns, x_arrays};
  TensorArguments* tensors[] = {&y, &a, &x_arguments};
  const Runtime runtime{resize, nullptr};
  if (kernel(&runtime, tensors) != 0) return {};
  const double* begin = static_cast<const double*>(y_arrays[0].data);
  std::vector<double> result(begin, begin + y_arrays[0].count);
  std::free(y_arrays[0].data);
  return result;
}

/// Sets or removes (no value) an environment variable until the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, std::optional<std::string> value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    assign(value);
  }
  ~ScopedVariable() { assign(before_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void assign(const std::optional<std::string>& value) {
    if (value) setenv(name_.c_str(), value->c_str(), 1);
    else unsetenv(name_.c_str());
  }
  std::string name_;
  std::optional<std::string> before_;
};

/// A directory that a test shares with the fresh processes it starts: death tests of style "threadsafe" run
/// the test again from its beginning.  Only the first process makes the directory and removes it.
class SharedDirectory {
 public:
  SharedDirectory() {
    if (const char* known = std::getenv(variable)) {
      path_ = known;
      return;
    }
    path_ = (std::filesystem::temp_directory_path() / "filigree-test-XXXXXX").string();
    is_owner_ = mkdtemp(path_.data()) != nullptr;
    setenv(variable, path_.c_str(), 1);
  }
  ~SharedDirectory() {
    if (!is_owner_) return;
    std::filesystem::remove_all(path_);
    unsetenv(variable);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  static constexpr const char* variable = "FILIGREE_TEST_DIRECTORY";
  std::string path_;
  bool is_owner_ = false;
};

inline std::vector<std::filesystem::path> files_in(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& item : std::filesystem::directory_iterator(directory, missing)) files.push_back(item.path());
  return files;
}

}  // namespace filigree::jit::testing
