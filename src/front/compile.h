// Statements as text: compiled with formats by name, or as einsum on tensors that hold data.
#pragma once

#include <map>
#include <string>

#include "compiler/kernel.h"
#include "compiler/program.h"
#include "front/promote.h"
#include "front/tensor.h"

namespace filigree {

/// How a tensor of a text is stored, and its element type.
struct Declaration {
  Declaration(ChosenFormat format, ElementType type = ElementType::Float64) : format(std::move(format)), type(type) {}
  Declaration(const formats::Word& format, ElementType type = ElementType::Float64)
      : Declaration(ChosenFormat(format), type) {}
  Declaration(Format format, ElementType type = ElementType::Float64)
      : Declaration(ChosenFormat(std::move(format)), type) {}
  Declaration(const char* format, ElementType type = ElementType::Float64) : Declaration(ChosenFormat(format), type) {}
  ChosenFormat format;
  ElementType type;
};
using Declarations = std::map<std::string, Declaration>;

/// compile("A(i,j) = B(i,k)*C(k,j)", {{"B", formats::csr}, {"C", formats::csr}}).  Operands that are not declared are
/// dense, the result has a format that suits the operands; elements are float64.  Throws UserError that points into the
/// text, or names a tensor that is not in it.
Kernel compile(const std::string& text, const Declarations& declared = {}, const KernelOptions& options = {});
/// The same for statements separated by ';'.
Program compile_program(const std::string& text, const Declarations& declared = {}, const ProgramOptions& options = {});

namespace front {

/// The result of an einsum on these operands, with elements of this type.
AnyTensor einsum(const std::string& subscripts, const std::vector<StatePtr>& operands, ElementType type);

}  // namespace front

/// einsum("ik,kj->ij", B, C), as in NumPy.  The result has a format that suits the operands.
template <Element First, Element... Rest>
auto einsum(const std::string& subscripts, const Tensor<First>& first, const Tensor<Rest>&... rest) {
  using Result = typename front::Promoted<First, Rest...>::type;
  return Tensor<Result>(front::einsum(subscripts, {first.state(), rest.state()...}, element_type_of<Result>()));
}

}  // namespace filigree
