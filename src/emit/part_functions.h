// The parts of a divided function as functions.  Internal to the C back end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emit/divide.h"
#include "emit/function_body.h"
#include "emit/needs.h"
#include "emit/outline.h"

namespace filigree::emit {

/// Each part is a function.  What it only reads is in its parameters, so that arrays are `restrict` as in every kernel;
/// what it changes is in a struct, the frame, from which it takes a copy and to which it brings that back whichever way
/// it ends. Memory belongs to the main function, the one that is divided, which releases what is in the frame when a
/// part fails.
class PartFunctions {
 public:
  /// `names` are those of the main function, its parameters among them.  The shared variables get their places in the
  /// frame.
  PartFunctions(const FunctionBody& main, FileScope& scope, ir::Names& names);

  const Division& division() const { return division_; }
  /// The struct and the functions.
  std::string text();
  /// What the main function declares.
  std::string declarations() const;
  /// The lines that call a part, which begin in `column`; nothing for a statement that is not the place of one.
  std::optional<std::vector<std::string>> call(const ir::Stmt& stmt, int column);
  /// The end of the main function.
  std::string ending();

 private:
  struct Function {
    std::string name;
    Needs needs;
  };
  std::string frame_text();
  std::string function_text(const Part& part, const Function& function);

  const FunctionBody& main_;
  Division division_;
  FileScope& scope_;
  ir::Names& names_;
  std::string frame_type_, frame_, status_;
  ir::Names fields_;
  std::vector<Function> functions_;  // by part
  Needs left_;                       // of what is in no part
  bool can_end_;                     // can a statement, in a part or not, end the kernel?
};

}  // namespace filigree::emit
