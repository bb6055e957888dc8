// The generated C as text: to read, or to compile into another program.
#include <cstdio>

#include "filigree.h"

using namespace filigree;

int main() {
  // Expressions can also be text, with the tensors declared beside it.
  notation::Parsed parsed = notation::parse("A(i,j) = B(i,j) + C(i,j)");
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors) {
    tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, parse_format("csr", use.order)));
  }
  Kernel add = Kernel::compile(notation::resolve(parsed, tensors));
  std::string text = add.c_text(lowering::Mode::Grow, {.standalone = true, .with_main = false});
  std::printf("%s", text.c_str());
  return text.find("while (") != std::string::npos ? 0 : 1;
}
