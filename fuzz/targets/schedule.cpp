// Schedules, applied to a few kernels.
#include "fuzz/check_texts.h"
#include "fuzz/targets/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace filigree::fuzz;
  return report(check_schedule_text(text_of(data, size)));
}
