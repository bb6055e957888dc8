// Formats: what is parsed prints as text that reads back.
#include "fuzz/check_texts.h"
#include "fuzz/targets/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace filigree::fuzz;
  return report(check_format_text(text_of(data, size)));
}
