// Emitted C, compiled and compared with the interpreter; shared by the tests of emit/.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "emit/emit_c.h"
#include "passes/eliminate_dead_code.h"
#include "ir/host_functions.h"
#include "passes/simplify.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::emit::testing {

using namespace ir;  // the tests of emit speak of nothing else
using namespace ir::testing;

/// C text made into a shared object by a system compiler, with warnings as errors.
class Compiled {
 public:
  Compiled(const std::string& text, const std::string& compiler = "cc", const char* level = "-O1") {
    static int number = 0;
    std::string base =
        (std::filesystem::temp_directory_path() / fmt::format("filigree_emit_{}_{}", getpid(), number++)).string();
    source_ = base + ".c";
    object_ = base + ".so";
    std::ofstream(source_) << text;
    std::string command =
        fmt::format("{} -std=c11 -Wall -Werror {} -fwrapv -ffp-contract=off -fPIC -shared {} -o {} 2>{}.log", compiler,
                    level, source_, object_, base);
    if (std::system(command.c_str()) != 0) {
      std::ifstream log(base + ".log");
      ADD_FAILURE() << command << "\n" << std::string(std::istreambuf_iterator<char>(log), {}) << text;
    }
    library_ = dlopen(object_.c_str(), RTLD_NOW | RTLD_LOCAL);
    for (const std::string& file : {source_, object_, base + ".log"}) std::filesystem::remove(file);
  }
  ~Compiled() {
    if (library_) dlclose(library_);
  }
  Compiled(const Compiled&) = delete;

  using Entry = int (*)(const filigree_runtime*, filigree_tensor* const*);
  Entry entry(const std::string& name) const {
    return library_ ? reinterpret_cast<Entry>(dlsym(library_, name.c_str())) : nullptr;
  }

 private:
  std::string source_, object_;
  void* library_ = nullptr;
};

struct Memory {
  std::int64_t blocks = 0, left = INT64_MAX;
  filigree_runtime runtime{&Memory::resize, this, nullptr, 0, nullptr, nullptr, nullptr};
  static void* resize(void* context, void* block, std::int64_t bytes) {
    auto* memory = static_cast<Memory*>(context);
    if (bytes == 0) {
      memory->blocks -= block != nullptr;
      std::free(block);
      return nullptr;
    }
    if (memory->left-- <= 0) return nullptr;
    memory->blocks += block == nullptr;
    return std::realloc(block, static_cast<std::size_t>(bytes));
  }
};

/// Runs compiled code on what the interpreter takes; `results` is how many arrays the result has.
inline int run(Compiled::Entry entry, std::vector<TensorView>& tensors, const std::vector<ElementType>& results,
               Memory& memory) {
  std::vector<std::vector<filigree_array>> arrays(tensors.size());
  std::vector<filigree_tensor> structs(tensors.size());
  std::vector<filigree_tensor*> pointers;
  for (std::size_t n = 0; n < tensors.size(); n++) {
    for (const ArrayView& array : tensors[n].arrays) arrays[n].push_back({array.data, array.count});
    if (n == 0) arrays[n].resize(results.size());
    structs[n] = {tensors[n].dimensions.data(), arrays[n].data()};
    pointers.push_back(&structs[n]);
  }
  int status = entry(&memory.runtime, pointers.data());
  if (status != 0) return status;
  tensors[0].arrays.clear();
  for (std::size_t n = 0; n < results.size(); n++)
    tensors[0].arrays.push_back({results[n], arrays[0][n].data, arrays[0][n].count});
  return 0;
}

inline void expect_same(const ArrayView& a, const ArrayView& b) {
  ASSERT_EQ(a.type, b.type);
  ASSERT_EQ(a.count, b.count);
  for (std::int64_t i = 0; i < a.count; i++) {
    std::int64_t at = i * size_in_bytes(a.type);
    EXPECT_EQ(Scalar::load(a.type, static_cast<char*>(a.data) + at),
              Scalar::load(b.type, static_cast<char*>(b.data) + at))
        << "element " << i;
  }
}

/// Interprets and compiles the function, as it is and simplified, and expects the same results, with every
/// possible failure of memory in between.
inline void expect_agreement(const FunctionDef& given, const std::vector<TensorView>& arguments,
                             const std::string& compiler = "cc",
                             std::size_t largest_function = EmitOptions{}.largest_function) {
  for (const FunctionDef& function : {given, passes::eliminate_dead_code(passes::simplify(given))}) {
    verify(function);
    std::vector<TensorView> expected = arguments;
    ASSERT_EQ(interpret(function, expected), Status::Ok);
    std::vector<ElementType> results;
    for (const ArrayView& array : expected[0].arrays) results.push_back(array.type);
    for (bool standalone : {true, false}) {
      Compiled compiled(emit_c({{function}}, {.standalone = standalone, .largest_function = largest_function}),
                        compiler);
      Compiled::Entry entry = compiled.entry(function.name);
      ASSERT_NE(entry, nullptr);
      for (std::int64_t left = 0;; left++) {
        Memory memory;
        memory.left = left;
        if (!standalone) memory.runtime.functions = &host_functions;
        std::vector<TensorView> actual = arguments;
        int status = run(entry, actual, results, memory);
        if (status != 0) {
          EXPECT_EQ(memory.blocks, 0) << "leak when allocation " << left << " fails";
          continue;
        }
        EXPECT_EQ(memory.blocks, static_cast<std::int64_t>(results.size()));
        for (std::size_t n = 0; n < results.size(); n++) expect_same(actual[0].arrays[n], expected[0].arrays[n]);
        release(actual[0]);
        break;
      }
    }
    release(expected[0]);
  }
}

}  // namespace filigree::emit::testing
