#include "tests/differential/check_kernel.h"

#include <fmt/format.h>

#include "support/check.h"
#include "tensor/size.h"

namespace filigree::differential {
namespace {

std::optional<std::string> check_tensor(const std::string& how, const AnyTensor& tensor, const reference::Box& expected,
                                        double tolerance) {
  tensor.validate("result");
  std::optional<std::string> difference = reference::compare(expected, tensor, tolerance);
  return difference ? std::optional(how + ": " + *difference) : std::nullopt;
}

/// The same statement, interpreted as it runs on several threads, however little there is to do.
Kernel on_threads(const Kernel& kernel) {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.threads = 3;
  options.worth_threads = 0;
  options.force = true;
  return Kernel::compile(kernel.statement(), options);
}

}  // namespace

std::optional<std::string> check_kernel(const Kernel& kernel, const Arguments& operands, const Extents& extents,
                                        const reference::Box& expected, double tolerance) {
  std::string how = "run";
  try {
    AnyTensor result = kernel.run(operands, extents);
    if (auto difference = check_tensor(how, result, expected, tolerance)) return difference;
    const concrete::Environment& environment = kernel.program().environment;
    if (!environment.two_passes.empty() || !environment.shared_patterns.empty()) {
      how = "run on threads";
      if (auto difference = check_tensor(how, on_threads(kernel).run(operands, extents), expected, tolerance))
        return difference;
    }
    how = "assemble";
    AnyTensor assembled = kernel.assemble(operands, extents);
    assembled.validate("result");
    for (const char* time : {"compute", "second compute"}) {
      how = time;
      kernel.compute(assembled, operands);
      if (auto difference = check_tensor(how, assembled, expected, tolerance)) return difference;
    }
  } catch (...) {
    return how + ": " + describe_exception();
  }
  return std::nullopt;
}

std::string describe_exception() {
  try {
    throw;
  } catch (const UserError& error) {
    return std::string("UserError: ") + error.what();
  } catch (const InternalError& error) {
    return std::string("InternalError: ") + error.what();
  } catch (const ir::InterpreterError& error) {
    return std::string("InterpreterError: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
}

std::string describe(const std::string& name, const AnyTensor& tensor) {
  std::string text = fmt::format("  {} {} ({}) {}", name, describe_dimensions(tensor.dimensions()),
                                 to_string(tensor.format()), to_string(tensor.type()));
  if (!tensor.fill().is_zero()) text += " fill " + to_string(tensor.fill());
  text += ":\n";
  tensor.for_each([&](const std::vector<std::int64_t>& coordinates, std::int64_t position) {
    text += "   ";
    for (std::int64_t coordinate : coordinates) text += fmt::format(" {}", coordinate + 1);
    text += " " + to_string(tensor.values().get(position)) + "\n";
  });
  return text;
}

}  // namespace filigree::differential
