// Layouts as formats: what is proven of them, and that storage and generated code agree.
#include <chrono>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "polyhedral/solver.h"
#include "polyhedral/use_layout.h"
#include "tests/layouts/examples.h"

namespace filigree::polyhedral {
namespace {

TEST(UseLayout, MakesAFormatOfEveryExample) {
  for (const std::string& path : layouts::example_paths()) {
    auto begin = std::chrono::steady_clock::now();
    int before = questions_asked();
    UsedLayout used = use_layout(layouts::read_layout(path));
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("{}: {} ms, {} questions\n", used.name, ms, questions_asked() - before);
  }
}

}  // namespace
}  // namespace filigree::polyhedral
