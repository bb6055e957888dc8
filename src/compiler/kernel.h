// The public object: a statement compiled once and run many times, on new data and new sizes.
//
//   Kernel spmv = Kernel::compile((y(i) = A(i,j) * x(j)));
//   AnyTensor result = spmv.run({{"A", matrix}, {"x", vector}});
//
// A kernel is a family keyed by what it does with the result, by the width of each index array, by whether
// temporaries fit in arrays, by whether there is work for several threads and by sizes that are worth constants, never
// by other sizes: `run` picks the member or compiles it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "compiler/pipeline.h"
#include "tensor/any_tensor.h"

namespace filigree {

namespace concrete {
class Written;
}

/// An operand by name, or by the variable it is an operand for.  The tensor must outlive the call.
struct Argument {
  Argument(std::string name, const AnyTensor& tensor) : name(std::move(name)), tensor(&tensor) {}
  Argument(const TensorVar& var, const AnyTensor& tensor) : Argument(var.name(), tensor) {}
  std::string name;
  const AnyTensor* tensor;
};
using Arguments = std::vector<Argument>;
/// Extents of index variables that no operand has, by name, and of dimensions of the result: "A.1" is the first one of
/// 'A', which a result with an index such as i+1 may have larger than it must be.
using Extents = std::map<std::string, std::int64_t>;

struct KernelOptions : compiler::ExecutableOptions {
  /// With several threads: operands that store fewer components than this together are left to one.
  std::int64_t worth_threads = std::int64_t{1} << 15;
  /// The same bits for any number of threads, whatever the schedule; one that cannot give that is refused.
  bool deterministic = false;
  /// Without a schedule, sums are added up in the order of the loops, and not in the lanes of vectors.
  bool strict = false;
  bool force = false;           // make results out of all proportion to their entries too
  schedule::Schedule schedule;  // how to run; what it leaves open is decided by formats and sizes
  bool automatic = true;  // without a schedule, one is made for the operands of each run (compiler/default_schedule.h)
  /// Once: operands are checked when they are made of arrays, and those made with Validate::Always before each run;
  /// Always: all of them before each run, in time linear in their index arrays; Never: none before a run.
  Validate validate = Validate::Once;
  /// What is cheaper, and when, where neither the statement nor its schedule says it.
  std::shared_ptr<const policy::Policy> policy = policy::shared_usual();
  compiler::Observer observer;     // told about every stage of every member that is compiled
  compiler::MakeLoops make_loops;  // where loops come from, if not from the statement alone
};

class Kernel {
 public:
  /// Plans the loops; machine code follows with the first run.  Throws UserError for a statement that
  /// passes no check.
  static Kernel compile(const notation::Statement& statement, const KernelOptions& options = {});
  /// Of loops that a person wrote, as text or as a tree (concrete/written.h), over these tensors: a variable for the
  /// result and for each operand, by name.
  static Kernel compile(const concrete::Written& loops, const std::map<std::string, TensorVar>& tensors,
                        const KernelOptions& options = {});

  /// The result, index and values.  Where `op=` is given the left tensor among the operands, it starts from that.
  AnyTensor run(const Arguments& operands, const Extents& extents = {}) const;
  /// The result with its index made and every value at the fill.
  AnyTensor assemble(const Arguments& operands, const Extents& extents = {}) const;
  /// Fills in the values of a result made by `assemble` from operands with the same patterns.
  void compute(AnyTensor& result, const Arguments& operands) const;
  /// For a statement with `op=`: combines into `result`, which holds the old value.  Where the format has a place for
  /// every component and the terms that are not stored change nothing, that is done in place and costs what the terms
  /// cost, whatever the size of the result; elsewhere the result is made anew.  Returns whether it was done in place.
  bool update(AnyTensor& result, const Arguments& operands) const;

  const concrete::Program& program() const;
  const notation::Statement& statement() const;
  /// The lowered function for one way of assembling; index arrays are int32 unless operands are given.
  ir::FunctionDef function(lowering::Mode mode, const std::string& name, const Arguments& operands = {},
                           const Extents& extents = {}) const;
  /// The generated C for one way of assembling; index arrays are int32 unless operands are given.
  std::string c_text(lowering::Mode mode, const emit::EmitOptions& options, const Arguments& operands = {},
                     const Extents& extents = {}) const;

 private:
  struct Family;
  friend class Program;
  explicit Kernel(std::shared_ptr<Family> family) : family_(std::move(family)) {}
  /// Of a statement that was checked when a person wrote it.  What it has become since may read an old 'A' to make a
  /// new one.
  static Kernel of_checked(const notation::Statement& statement, const KernelOptions& options);
  std::shared_ptr<Family> family_;
};

}  // namespace filigree
