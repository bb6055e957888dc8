#include "jit/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "jit/file.h"
#include "jit/shortage.h"
#include "support/check.h"
#include "support/diagnostic.h"

namespace filigree::jit {
namespace {

std::shared_ptr<void> open_library(const std::string& path, std::string& reason) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* error = dlerror();
    reason = error != nullptr ? error : "unknown reason";
    return nullptr;
  }
  return {handle, [](void* opened) { dlclose(opened); }};
}

/// A path of an open descriptor that was never used before in this process.  The loader takes a path
/// it has seen for the library it loaded then, although descriptors are reused; so the bits of a
/// counter are spelled as "./" and ".//", which change the text but not the file.
std::string unique_descriptor_path(int descriptor) {
  static std::atomic<std::uint64_t> counter{1};
  std::string path = "/proc/self/fd/";
  for (std::uint64_t bits = counter.fetch_add(1); bits != 0; bits >>= 1) path += (bits & 1) != 0 ? ".//" : "./";
  return path + std::to_string(descriptor);
}

/// Where the system has no memory files, a file that exists only while it is loaded.
std::shared_ptr<void> open_through_temporary_file(const std::string& elf, std::string& reason) {
  std::string path = temporary_directory() + "/filigree-XXXXXX";
  const OpenFile file(mkostemp(path.data(), O_CLOEXEC));
  if (!file.is_open() && names_a_shortage(std::strerror(errno)))
    throw compiler_ran_out("while a kernel was loaded", std::strerror(errno));
  if (!file.is_open())
    throw UserError("Cannot create a file in '" + temporary_directory() + "': " + std::strerror(errno))
        .hint("set TMPDIR to a directory that can be written");
  unlink(path.c_str());  // it is loaded by its descriptor, and gone with that whatever happens
  std::shared_ptr<void> handle;
  if (write_all(file.descriptor(), elf)) handle = open_library(unique_descriptor_path(file.descriptor()), reason);
  else reason = "cannot write '" + path + "': " + std::strerror(errno);
  return handle;
}

/// In a folder that lives as long as the process.  A child of fork() has another than its parent, which would make
/// files of the same names.
std::string fresh_path() {
  static std::mutex mutex;
  static std::unique_ptr<const TemporaryDirectory> directory;
  static unsigned counter = 0;
  std::lock_guard lock(mutex);
  if (!directory || !directory->is_own()) directory = std::make_unique<const TemporaryDirectory>();
  return directory->path() + "/kernel-" + std::to_string(counter++) + ".so";
}

}  // namespace

void* Library::symbol(const std::string& name) const {
  void* address = dlsym(handle_.get(), name.c_str());
  internal_check(address != nullptr, "jit", "the compiled code does not define the symbol", name);
  return address;
}

std::optional<Library> try_load_bytes(const std::string& elf, const std::string& name, std::string& reason) {
  std::shared_ptr<void> handle;
  // Sealed: what was written cannot be changed any more, not even by those who may open /proc/PID/fd.
  constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  const OpenFile file(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.is_open() && write_all(file.descriptor(), elf) && fcntl(file.descriptor(), F_ADD_SEALS, seals) == 0)
    handle = open_library(unique_descriptor_path(file.descriptor()), reason);
  else handle = open_through_temporary_file(elf, reason);
  if (handle == nullptr) return std::nullopt;
  return Library(std::move(handle));
}

Library load_with_symbols(const std::string& elf) {
  const std::string path = fresh_path();
  const OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  std::string reason;
  std::shared_ptr<void> handle;
  if (file.is_open() && write_all(file.descriptor(), elf)) handle = open_library(path, reason);
  else reason = "cannot write '" + path + "': " + std::strerror(errno);
  if (handle == nullptr && names_a_shortage(reason)) throw compiler_ran_out("while a kernel was loaded", reason);
  internal_check(handle != nullptr, "jit", "cannot load the compiled code", reason);
  return Library(std::move(handle));
}

Library load_bytes(const std::string& elf, const std::string& name) {
  std::string reason;
  if (std::optional<Library> library = try_load_bytes(elf, name, reason)) return *library;
  if (names_a_shortage(reason)) throw compiler_ran_out("while a kernel was loaded", reason);
  throw InternalError("jit", "cannot load the compiled code: " + reason);
}

}  // namespace filigree::jit
