#include "jit/clang.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "jit/clang_plugin.h"
#include "jit/shortage.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/plugin_paths.h"
#include "support/text.h"

namespace filigree::jit {
namespace {

constexpr const char* plugin_file = "libfiligree_clang.so";

/// The interface of the plug-in at `path`, or null and why.
const filigree_clang_interface* try_open(const std::string& path, std::string& reason) {
  if (path.find('/') != std::string::npos && access(path.c_str(), F_OK) != 0) {
    reason = "no such file";
    return nullptr;
  }
  // Never closed: LLVM's static destructors must not run while other threads compile.
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* error = dlerror();
    reason = error != nullptr ? error : "cannot be opened";
    return nullptr;
  }
  auto entry = reinterpret_cast<decltype(&filigree_clang)>(dlsym(handle, "filigree_clang"));
  if (entry == nullptr) {
    reason = "is no plug-in of Filigree";
    return nullptr;
  }
  const filigree_clang_interface* interface = entry();
  if (interface->abi != FILIGREE_CLANG_ABI || interface->version != clang_version()) {
    reason = "belongs to another version of Filigree";
    return nullptr;
  }
  return interface;
}

/// A failure is not remembered, so that a corrected FILIGREE_PLUGIN works without a new process.
const filigree_clang_interface& open_plugin() {
  static std::mutex mutex;
  static const filigree_clang_interface* opened = nullptr;
  std::lock_guard lock(mutex);
  if (opened != nullptr) return *opened;
  UserError error("Cannot open the plug-in that compiles kernels, '" + std::string(plugin_file) + "'");
  if (clang_version().empty())
    throw std::move(error)
        .note("Filigree was built without clang's libraries")
        .hint(
            "compile with the system's compiler, as Target::Cc of the options does, or build Filigree with LLVM and "
            "clang 19 installed",
            "compile with the system's compiler, --target cc, or build Filigree with LLVM and clang 19 installed");
  for (const std::string& path : plugin_paths(plugin_file, "FILIGREE_PLUGIN", FILIGREE_PLUGIN_INSTALL_DIR)) {
    std::string reason;
    opened = try_open(path, reason);
    if (opened != nullptr) return *opened;
    if (names_a_shortage(reason)) throw compiler_ran_out("while the compiler of kernels was opened", reason);
    std::move(error).note(path.find('/') == std::string::npos ? reason : path + ": " + reason);
  }
  throw std::move(error).hint(
      "set FILIGREE_PLUGIN to its path, or compile with the system's compiler, as Target::Cc of the options does",
      "set FILIGREE_PLUGIN to its path, or compile with the system's compiler, --target cc");
}

/// The file of a library in this process, such as /lib/x86_64-linux-gnu/libm.so.6; empty if unknown.
std::string loaded_library_path(const char* soname) {
  void* handle = dlopen(soname, RTLD_LAZY);
  if (handle == nullptr) return "";
  link_map* map = nullptr;
  std::string path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name != nullptr) path = map->l_name;
  dlclose(handle);
  return path;
}

/// LLVM does not survive every place in which memory can run out.  So it starts only if there is as much as it usually
/// takes.
void check_memory(std::size_t text_bytes) {
  const std::size_t needed = (std::size_t{16} << 20) + 256 * text_bytes;
  void* block = mmap(nullptr, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED)
    throw compiler_ran_out(
        "before a kernel was compiled",
        "it takes about " + human_bytes(static_cast<double>(needed)) + ": " + lower_case(std::strerror(ENOMEM)));
  munmap(block, needed);
}

}  // namespace

std::string clang_version() { return FILIGREE_PLUGIN_VERSION; }

std::string compile_with_clang(const std::string& c_text, const CompileOptions& options, CompileReport& report) {
  const filigree_clang_interface& plugin = open_plugin();
  check_memory(c_text.size());
  static const std::string libm = loaded_library_path("libm.so.6"), libc = loaded_library_path("libc.so.6");

  filigree_clang_request request = {};
  request.text = c_text.data();
  request.text_size = c_text.size();
  request.optimization = options.optimization;
  request.contract_floats = options.contract_floats ? 1 : 0;
  request.vector_width = options.vector_width;
  request.libm_path = libm.empty() ? nullptr : libm.c_str();
  request.libc_path = libc.empty() ? nullptr : libc.c_str();

  filigree_clang_result result = {};
  plugin.compile(&request, &result);
  const std::string diagnostics = result.diagnostics != nullptr ? result.diagnostics : "";
  std::string elf;
  if (result.bytes != nullptr) elf.assign(result.bytes, result.size);
  report.compile_ms = result.compile_ms;
  report.link_ms = result.link_ms;
  const filigree_clang_status status = result.status;
  plugin.release(&result);

  // LLVM and LLD say in words what ran out, as other compilers do.
  if (status != filigree_clang_ok && names_a_shortage(diagnostics))
    throw compiler_ran_out("while a kernel was compiled", diagnostics);
  switch (status) {
    case filigree_clang_ok: return elf;
    case filigree_clang_rejected_text: throw InternalError("jit", "clang rejects the generated C:\n" + diagnostics);
    case filigree_clang_ran_out: throw compiler_ran_out("while a kernel was compiled", diagnostics);
    case filigree_clang_failed_to_link:
      throw InternalError("jit", "LLD cannot link the generated code:\n" + diagnostics);
  }
  throw InternalError("jit", "the plug-in returned an unknown status");
}

}  // namespace filigree::jit
