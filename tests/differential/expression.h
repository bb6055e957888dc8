// One expression with all formats of its tensors and all its data, packed once for every format.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/differential/check_kernel.h"
#include "tests/differential/data_sets.h"

namespace filigree::differential {

class Expression {
 public:
  /// `limit`: order-3 tensors take all their mode orders if that makes no more combinations than this.
  Expression(const std::string& text, unsigned seed, std::int64_t limit);
  /// With all named formats; with fewer where that makes more combinations than `limit`.
  static std::unique_ptr<Expression> with_named_formats(const std::string& text, unsigned seed, std::int64_t limit);

  const std::string& text() const { return text_; }
  std::int64_t combinations() const;
  size_t data_set_count() const { return data_.size(); }

  struct Failure {
    std::string message;
    std::string details;  // formats and data, to print in full
  };
  struct Outcome {
    int runs = 0;
    std::optional<Failure> failure;
  };
  notation::Statement statement(std::int64_t combination) const { return statement(choice(combination)); }
  /// Compiles one combination and runs it on every data set, up to the first failure.
  Outcome check(std::int64_t combination, const KernelOptions& options) const;

  /// "A:ds B:ss:1,0 c:d"
  std::string formats_text(std::int64_t combination) const;

 private:
  struct Packed {
    bool fits = true;  // the format is for tensors of this shape
    AnyTensor tensor;
    reference::Box box;
    std::string presence;  // equal for tensors that store the same components
  };
  Expression(const std::string& text, std::vector<DataSet> data)
      : text_(text), parsed_(notation::parse(text)), data_(std::move(data)) {}
  void pack_all(unsigned seed);
  struct TensorChoices {
    notation::TensorUse use;
    std::vector<Format> formats;
    std::vector<std::vector<Packed>> packed;  // per format and data set; empty for the result
  };

  std::vector<size_t> choice(std::int64_t combination) const;
  notation::Statement statement(const std::vector<size_t>& choice) const;
  const reference::Box& expected(const notation::Statement& statement, const std::vector<size_t>& choice,
                                 size_t data_set) const;

  std::string text_;
  notation::Parsed parsed_;
  std::vector<DataSet> data_;
  std::vector<TensorChoices> tensors_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, reference::Box> expected_;  // the oracle's answers, by what it was asked
};

}  // namespace filigree::differential
