// Statements: the text is parsed, lowered with formats that follow from it, and run.
#include <functional>

#include "fuzz/check_texts.h"
#include "fuzz/targets/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace filigree::fuzz;
  std::string text = text_of(data, size);
  return report(check_program_texts({text, {}, {}, {}, {}, std::hash<std::string>()(text)}).wrong);
}
