#include "compiler/check_operand.h"

#include <fmt/format.h>

#include "level/check_in_parallel.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::compiler {

void check_operand(const TensorVar& declared, const AnyTensor& tensor, Validate validate, int threads) {
  if (tensor.type() != declared.type()) {
    throw UserError(fmt::format("'{}' holds {} values, but the kernel was compiled for {}", declared.name(),
                                to_string(tensor.type()), to_string(declared.type())));
  }
  if (tensor.order() != declared.order()) {
    throw UserError(fmt::format("'{}' has {}, but the kernel was compiled for {}", declared.name(),
                                counted(tensor.order(), "dimension"), declared.order()));
  }
  if (!(tensor.format() == declared.format())) {
    throw UserError(fmt::format("'{}' is stored as {}, but the kernel was compiled for {}", declared.name(),
                                to_string(tensor.format()), to_string(declared.format())));
  }
  if (!(tensor.fill() == declared.fill())) {
    throw UserError(fmt::format("'{}' has the fill {}, but the kernel was compiled for {}", declared.name(),
                                to_string(tensor.fill()), to_string(declared.fill())));
  }
  check_structure(declared.name(), tensor, validate, threads);
}

void check_structure(const std::string& name, const AnyTensor& tensor, Validate validate, int threads) {
  bool again = validate == Validate::Always || (validate == Validate::Once && tensor.validation() == Validate::Always);
  if (!again) return;
  level::CheckingThreads checking(threads);
  try {
    tensor.validate(name);
  } catch (UserError& error) {
    throw std::move(error).note("its arrays were changed since they were checked, or were not checked");
  }
}

}  // namespace filigree::compiler
