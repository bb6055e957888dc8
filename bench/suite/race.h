// A race: contenders that compute the same from the same data, in turns; and the list of all kernels of the suite.
//
// To add a kernel, write a function that takes a Race and names its contenders, and add it to the list in one of the
// files kernels_*.cpp, with the data it is for.  Everything else (turns, threads, checks, tables) is done for it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer.h"
#include "data.h"
#include "filigree.h"

namespace suite {

struct Contender {
  std::string name;
  std::function<void()> run;
  std::function<Answer()> answer;
  std::function<void()> before = {};  // not timed: releases the last result
  /// Instead of `run`: another process says the milliseconds, on the wall or of its processor.
  std::function<double(bool of_processor)> self_timed = {};
  bool is_peer = true;  // does it count as a peer? A second way of Filigree does not.
};

/// A statement of Filigree's and what it is run on.
struct Statement {
  std::string text;
  filigree::Declarations declared;
  std::vector<std::pair<std::string, std::shared_ptr<const filigree::AnyTensor>>> operands;
  std::optional<double> fill = {};  // of all tensors, which are by rows then
  /// Is the result written into a tensor that is there already, as the peers do it?
  bool in_place = false;
  filigree::Extents extents = {};
  filigree::KernelOptions options = {};
};

struct Race {
  std::string data;  // its name
  double size = 1;   // how large it is to be
  int threads = 1;
  bool alone = false;  // only Filigree, to see how its time grows
  double entries = 0, bytes = 0;
  double tolerance = 1e-9;
  std::vector<Contender> contenders;

  Matrix matrix(double relative = 1, int number = 0) const { return make_matrix(data, size * relative, number); }
  /// The first contender must be Filigree.  Counts the bytes of operands and result.
  void filigree(const Statement& statement, const std::string& name = "filigree");
  void peer(Contender contender) {
    if (!alone) contenders.push_back(std::move(contender));
  }
};

/// The same matrix in one of Filigree's formats.
std::shared_ptr<const filigree::AnyTensor> stored(const Matrix& matrix, const std::string& format);
std::shared_ptr<const filigree::AnyTensor> stored(const Entries& entries, const std::string& format);
/// A list in the order that it has, as coo(unordered).
std::shared_ptr<const filigree::AnyTensor> as_listed(const Entries& entries);
std::shared_ptr<const filigree::AnyTensor> dense(const Vector<double>& values, std::vector<std::int64_t> dimensions);
std::shared_ptr<const filigree::AnyTensor> dense_float(const Vector<double>& values,
                                                       std::vector<std::int64_t> dimensions);
Answer answer_of(const filigree::AnyTensor& tensor);
Answer answer_of(const Matrix& matrix);
/// Of an array, row by row.
Answer answer_of(std::span<const double> values, std::int64_t columns = 0);

Answer answer_of(double number);
Answer answer_of(const Tree& tree);
/// Of a matrix of one row, as a vector.
Answer answer_of_row(const Matrix& row);

/// By hand: a result that is made anew by each run.
template <class Make>
void by_hand(Race& race, Make make) {
  if (race.alone) return;
  using Result = decltype(make());
  auto result = std::make_shared<std::optional<Result>>();
  race.peer({.name = "by hand",
             .run = [result, make] { result->emplace(make()); },
             .answer = [result] { return answer_of(**result); },
             .before = [result] { result->reset(); }});
}
/// By hand: into an array that is there, row by row.
template <class Run>
void by_hand_into(Race& race, std::int64_t count, std::int64_t columns, Run run, const std::string& name = "by hand") {
  if (race.alone) return;
  auto result = std::make_shared<Vector<double>>(static_cast<std::size_t>(count));
  race.peer({.name = name,
             .run = [result, run] { run(result->data()); },
             .answer = [result, columns] { return answer_of(*result, columns); }});
}

struct Kernel {
  std::string name;
  std::vector<std::string> data;
  std::function<void(Race&)> enter;
  double size = 1;  // of the data, relative to what the command line says
};
using Kernels = std::vector<Kernel>;

void add_vector_kernels(Kernels& list);   // matrix times vector, sparse vectors
void add_dense_kernels(Kernels& list);    // matrix times dense matrix, SDDMM
void add_product_kernels(Kernels& list);  // products of sparse matrices
void add_union_kernels(Kernels& list);    // sums and componentwise products
void add_copy_kernels(Kernels& list);     // conversions, transposes, packing, files
void add_tensor_kernels(Kernels& list);

}  // namespace suite
