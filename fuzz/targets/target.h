// What every target of a coverage-guided fuzzer does: one check, whose finding ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace filigree::fuzz {

inline int report(const std::optional<std::string>& wrong) {
  if (!wrong) return 0;
  std::fprintf(stderr, "FAILED %s\n", wrong->c_str());
  std::abort();
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace filigree::fuzz

/// libFuzzer's entry; replay.cpp calls it without libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
