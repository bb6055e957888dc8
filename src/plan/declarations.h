// What a plan's text says before its loops: tensors, variables, and what is known about them.  Internal to parsing.
#pragma once

#include <map>

#include "plan/plan.h"
#include "plan/reader.h"

namespace filigree::plan {

class Declarations {
 public:
  explicit Declarations(Reader& in) : in_(in) {}

  /// Reads all of them: everything of the program but its statement.
  void read();

  const std::vector<TensorVar>& results() const { return results_; }
  const std::vector<TensorVar>& operands() const { return operands_; }
  const std::optional<Format>& made() const { return made_; }
  const concrete::Environment& environment() const { return environment_; }
  Mode mode() const { return mode_; }
  const std::optional<std::int64_t>& thread_pieces() const { return thread_pieces_; }
  const policy::Lookups& lookups() const { return lookups_; }
  const policy::Memory& memory() const { return memory_; }
  const policy::Cases& cases() const { return cases_; }
  const Fillings& fillings() const { return fillings_; }
  const std::map<TensorVar, Stored>& stored() const { return stored_; }

  /// Where it is declared.
  Span place(const TensorVar& tensor) const;
  Span place(const IndexVar& var) const;

  // What stands at the reader's place.
  TensorVar tensor_name();
  IndexVar index_name();
  std::vector<IndexVar> index_names();
  concrete::Access access(const TensorVar& tensor);
  concrete::Derivation derivation();
  Scalar number();
  /// B.2(i,k); without a path, the only one of `known` that it can be.
  lattice::Operand operand_level(const std::vector<lattice::Operand>& known = {});
  /// cpu, atomics, as stored], up to the bracket.
  concrete::LoopTag tag(bool& as_stored);

 private:
  std::vector<std::pair<std::string, Span>> names();
  std::vector<TensorVar> find(const std::vector<std::pair<std::string, Span>>& names) const;
  std::vector<std::int64_t> integers(const char* open, const char* close);
  template <class Words>
  int word(const Words& words);
  template <class Numbers>
  void read_numbers(Numbers& numbers);
  Scalar scalar(ElementType type, const std::string& real, const std::string& imaginary);
  Format format(const std::string& text, int order) const;
  void check_range(std::int64_t number, std::int64_t most) const;
  void read_tensor();
  IndexVar read_index();
  concrete::Extent read_extent();
  bool read_fact();
  Filling read_filling();
  void read_stored();
  int read_copies();
  relation::Sum sum();
  std::int64_t at_least(std::int64_t least);
  concrete::Implication implication();
  // parse_formula.cpp
  relation::Formula formula();
  relation::Formula product();
  relation::Formula factor();

  Reader& in_;
  std::map<std::string, TensorVar> tensors_;
  std::map<std::string, IndexVar> indices_;
  std::map<TensorVar, Span> tensor_places_;
  std::map<IndexVar, Span> index_places_;
  std::vector<TensorVar> results_, operands_;
  std::optional<Format> made_;
  concrete::Environment environment_;
  Mode mode_ = Mode::Grow;
  std::optional<std::int64_t> thread_pieces_;
  policy::Lookups lookups_;
  policy::Memory memory_;
  policy::Cases cases_;
  Fillings fillings_;
  std::map<TensorVar, Stored> stored_;
};

}  // namespace filigree::plan
