// C text -> callable code, through the caches.
#pragma once

#include <string>

#include "jit/library.h"

namespace filigree::jit {

enum class Target {
  Jit,             // clang's libraries in this process: no compiler, shell or header on the machine
  SystemCompiler,  // $CC, else cc, as a child process
};

struct CompileOptions {
  Target target = Target::Jit;
  int optimization = 3;          // 0 to 3
  bool contract_floats = true;   // a * b + c may be one fused operation (Jit: only within one expression)
  int vector_width = 0;          // preferred vector width in bits; 0: what the compiler prefers for this processor
  bool sanitize = false;         // address and undefined behaviour; only with Target::SystemCompiler
  bool use_memory_cache = true;  // false: compile or load again even if this process has the code
  bool use_disk_cache = true;
};

enum class Origin { MemoryCache, DiskCache, Compiler };

/// How a library was obtained, for logs, tests and benchmarks.
struct CompileReport {
  Origin origin = Origin::MemoryCache;
  std::string key;        // hexadecimal
  double compile_ms = 0;  // compiler, without opening the plug-in
  double link_ms = 0;
  double total_ms = 0;
};

/// Compiles for this machine's processor and loads the result, or takes it from a cache.  Thread-safe.
///
/// The text must include nothing.  Functions of libm and memcpy, memmove, memset may be called.  Text the
/// compiler rejects is an InternalError with its diagnostics; a missing plug-in, a missing system
/// compiler, or no place for its temporary files is a UserError.
Library compile(const std::string& c_text, const CompileOptions& options = {}, CompileReport* report = nullptr);

/// Drops what `compile` keeps in memory; libraries someone holds stay loaded.
void forget_compiled_kernels();

}  // namespace filigree::jit
