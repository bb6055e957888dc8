// A runnable test case as plain data; its text is that of tests/cases/case.h, so run_cases runs it again.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "notation/notation.h"
#include "schedule/schedule.h"
#include "tensor/any_tensor.h"

namespace filigree::fuzz {

using ProgramEntry = std::pair<std::vector<std::int64_t>, Scalar>;

struct ProgramTensor {
  std::string name;
  ElementType type = ElementType::Float64;
  Format format;
  std::int64_t fill = 0;
  bool is_result = false;  // without dimensions and entries unless it is read
  bool is_read = true;     // on the right, or where `op=` starts from
  std::vector<std::int64_t> dimensions = {};
  std::vector<ProgramEntry> entries = {};
  bool states_dimensions = false;  // because they do not follow from the extents of index variables
};

struct Program {
  std::string expression;
  std::vector<ProgramTensor> tensors;
  std::map<std::string, std::int64_t> extents;  // of index variables, all or those that no operand tells
  schedule::Schedule schedule = {};
};

/// Stand for infinity and NaN in types that have them; -infinite for minus infinity.
constexpr std::int64_t infinite = 99;
constexpr std::int64_t not_a_number = 98;
Scalar fill_of(ElementType type, std::int64_t number);
/// The number as a value of a type; complex numbers get an imaginary part, too.  What a type does not have is 1.
Scalar value_of(ElementType type, std::int64_t number);

/// Does an operand store NaN or an infinity?
bool holds_special(const Program& program);

/// A .case without sections.
std::string to_text(const Program& program);

/// The operand with its data; what is stored twice is summed or kept, as the format has it.
AnyTensor pack(const ProgramTensor& tensor);
/// The statement, parsed, bound and checked.  With a schedule, `op=` that starts from an old value has it as an
/// operand; without one that is left to the kernel.
notation::Statement statement_of(const Program& program);
/// The statement with indices as they are written, for an oracle (notation/parse.h).
notation::Statement written_of(const Program& program);

}  // namespace filigree::fuzz
