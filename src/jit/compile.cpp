#include "jit/compile.h"

#include <chrono>

#include "jit/cache.h"
#include "jit/clang.h"
#include "jit/processor.h"
#include "jit/sha256.h"
#include "jit/system_compiler.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/forked.h"

namespace filigree::jit {
namespace {

/// Enough for every kernel of a program and for an autoscheduler's candidates to come and go.
constexpr std::size_t libraries_in_memory = 512;

MemoryCache& memory_cache() {
  // Never destroyed: kernels may still run while static objects are destroyed.
  static MemoryCache* const cache = new MemoryCache(libraries_in_memory);
  return *cache;
}

/// Everything the machine code depends on.  Must not open LLVM.
Digest compile_key(const std::string& c_text, const CompileOptions& options) {
  Sha256 hash;
  hash.add_field("filigree kernel");
  switch (options.target) {
    case Target::Jit: hash.add_field("clang").add_field(clang_version()); break;
    case Target::SystemCompiler: hash.add_field("system compiler").add_field(system_compiler_identity(options)); break;
  }
  hash.add_field(std::to_string(options.optimization));
  hash.add_field(std::to_string(options.vector_width));
  hash.add_field(options.contract_floats ? "contract" : "exact");
  hash.add_field(options.sanitize ? "sanitize" : "plain");
  hash.add_field(processor_fingerprint());
  hash.add_field(c_text);
  return hash.finish();
}

std::string compile_to_elf(const std::string& c_text, const CompileOptions& options, CompileReport& report) {
  switch (options.target) {
    case Target::Jit: return compile_with_clang(c_text, options, report);
    case Target::SystemCompiler: return compile_with_system_compiler(c_text, options, report);
  }
  throw InternalError("jit", "unknown target");
}

Library compile_or_load(const std::string& c_text, const CompileOptions& options, const Digest& key,
                        CompileReport& report) {
  std::optional<DiskCache> disk;
  // Sanitized code is loaded with a file of its own, so it is not kept.
  if (options.use_disk_cache && !options.sanitize) disk = DiskCache::from_environment();
  if (disk) {
    report.origin = Origin::DiskCache;
    if (std::optional<Library> library = disk->load(key)) return *library;
  }
  report.origin = Origin::Compiler;
  const std::string elf = compile_to_elf(c_text, options, report);
  if (disk) disk->store(key, elf);
  if (options.sanitize) return load_with_symbols(elf);
  // The bytes that were made, not the file that was stored: somebody else might have put another one in its place.
  return load_bytes(elf, "filigree-kernel");
}

}  // namespace

Library compile(const std::string& c_text, const CompileOptions& options, CompileReport* report) {
  Inside inside;
  internal_check(options.optimization >= 0 && options.optimization <= 3, "jit", "optimization must be 0 to 3");
  internal_check(!options.sanitize || options.target == Target::SystemCompiler, "jit",
                 "sanitizers need Target::SystemCompiler");
  if (options.sanitize) require_sanitizer_runtime();

  const auto start = std::chrono::steady_clock::now();
  CompileReport made;
  const Digest key = compile_key(c_text, options);
  const auto make = [&] { return compile_or_load(c_text, options, key, made); };
  Library library = options.use_memory_cache ? memory_cache().find_or_make(key, make) : make();
  if (report != nullptr) {
    made.key = hex(key);
    made.total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    *report = made;
  }
  return library;
}

void forget_compiled_kernels() { memory_cache().clear(); }

}  // namespace filigree::jit
