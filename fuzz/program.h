// A runnable test case as plain data; its text is that of tests/cases/case.h, so run_cases runs it again.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "notation/notation.h"
#include "schedule/schedule.h"
#include "tensor/tensor.h"

namespace filigree::fuzz {

using ProgramEntry = std::pair<std::vector<std::int64_t>, Scalar>;

struct ProgramTensor {
  std::string name;
  ElementType type = ElementType::Float64;
  Format format;
  std::int64_t fill = 0;
  bool is_result = false;  // then without dimensions and entries
  std::vector<std::int64_t> dimensions = {};
  std::vector<ProgramEntry> entries = {};
};

struct Program {
  std::string expression;
  std::vector<ProgramTensor> tensors;
  std::map<std::string, std::int64_t> extents;  // of all index variables
  schedule::Schedule schedule = {};
};

/// The number as a value of a type; complex numbers get an imaginary part, too.
Scalar value_of(ElementType type, std::int64_t number);

/// A .case without sections.
std::string to_text(const Program& program);

/// The operand with its data; what is stored twice is summed or kept, as the format has it.
Tensor pack(const ProgramTensor& tensor);
/// The statement, parsed, bound and checked.
notation::Statement statement_of(const Program& program);

}  // namespace filigree::fuzz
