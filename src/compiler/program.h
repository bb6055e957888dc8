// Several statements compiled once and run many times.
//
//   Program program = Program::compile({(T(i,j) = B(i,k)*C(k,j)), (y(i) = T(i,j)*x(j))});
//   std::map<std::string, AnyTensor> results = program.run({{"B", b}, {"C", c}, {"x", x}});
//
// Statements run in order, each on what those before it left.  Temporaries are freed when the last statement that reads
// them is through; one that need not be stored as a whole becomes a part of the statement that reads it
// (notation/inline.h), and neighbours that walk the same operands share their loops (concrete/share_loops.h).  Where it
// is less work for the operands of a run, temporaries stay as they are, or what several statements have is computed
// once (common_parts.h).
#pragma once

#include <variant>

#include "compiler/shared_kernel.h"
#include "notation/program.h"
#include "support/warning.h"

namespace filigree {

struct ProgramOptions : KernelOptions {
  /// The tensors that `run` returns; if there are none, those results that no later statement reads.
  std::vector<std::string> outputs = {};
  /// Temporaries that are to be stored as they are declared; others may become a part of the statement that reads them.
  std::vector<std::string> stored = {};
  bool fuse = true;  // may temporaries become parts of other statements, and statements share loops?
};

/// What no operand tells: extents of index variables, in every statement that has one of that name, and dimensions of
/// results.
struct Sizes {
  Sizes(Extents extents = {}, std::map<std::string, std::vector<std::int64_t>> dimensions = {})
      : extents(std::move(extents)), dimensions(std::move(dimensions)) {}
  Extents extents;
  std::map<std::string, std::vector<std::int64_t>> dimensions;
};

class Program {
 public:
  /// One kernel.
  struct Step {
    std::vector<notation::Statement> statements;  // operands as they are when it runs; several share their loops
    std::vector<size_t> origins;                  // the written statements it does, counted from 0
    std::vector<std::string> remarks;             // how it came about, for people
    std::variant<Kernel, compiler::SharedKernel> kernel;

    const concrete::Program& program() const;
    bool reads(const std::string& tensor) const;
  };

  /// Throws UserError for statements that pass no check or do not fit each other.
  static Program compile(const std::vector<notation::Statement>& statements, const ProgramOptions& options = {});

  /// The outputs by name.  Where the first statement with a tensor is `op=`, it starts from the operand of that name if
  /// there is one. With `milliseconds`, also how long each step took.
  std::map<std::string, AnyTensor> run(const Arguments& operands, const Sizes& sizes = {},
                                       std::vector<double>* milliseconds = nullptr) const;

  /// The kernels in the order in which they run, for these operands.
  const std::vector<Step>& steps(const Arguments& operands = {}, const Sizes& sizes = {}) const;
  const std::vector<std::string>& outputs() const;
  /// What is done as it is written, but was probably not meant so: values that are replaced before anything reads them.
  /// `extents` are those of each written statement, as far as they are known, for hints.
  std::vector<Warning> warnings(const std::vector<std::map<IndexVar, std::int64_t>>& extents = {}) const;
  /// The lowered function of each step: kernel_1, kernel_2, ... with int32 for all index arrays, so that one takes what
  /// another made. If there is only one it is called kernel, and operands tell how wide its arrays are.
  std::vector<ir::FunctionDef> functions(const Arguments& operands = {}, const Sizes& sizes = {}) const;

 private:
  struct Plans;
  explicit Program(std::shared_ptr<Plans> plans) : plans_(std::move(plans)) {}
  std::shared_ptr<Plans> plans_;
};

}  // namespace filigree
