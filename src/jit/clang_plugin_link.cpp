#include "jit/clang_plugin_link.h"

#include <fcntl.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>

LLD_HAS_DRIVER(elf)

/// LLD resets every option of LLVM before it links, while other threads compile and read them.  The linker
/// of the plug-in turns that call into this one (--wrap, cmake/clang_plugin.cmake).
extern "C" void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv() {}

namespace filigree::jit {
namespace {

/// LLD reads and writes paths; these two have paths under /proc, so no directory need be writable.
std::string descriptor_path(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(memfd_create("filigree-object", MFD_CLOEXEC)) {
    ok_ = descriptor_ >= 0;
    for (std::size_t done = 0; ok_ && done < bytes.size();) {
      const ssize_t count = write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      ok_ = count > 0;
      done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool ok() const { return ok_; }
  std::string path() const { return descriptor_path(descriptor_); }

 private:
  int descriptor_;
  bool ok_ = false;
};

/// A pipe whose contents are collected while they are written.  LLD puts a temporary file beside any
/// regular output file, which cannot work under /proc; a pipe it simply writes to.
class Collector {
 public:
  Collector() {
    if (pipe2(ends_, O_CLOEXEC) != 0) return;
    ok_ = true;
    reader_ = std::thread([this] {
      char block[65536];
      for (;;) {
        const ssize_t count = read(ends_[0], block, sizeof block);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        bytes_.append(block, static_cast<std::size_t>(count));
      }
    });
  }
  ~Collector() {
    if (ok_) finish();
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  bool ok() const { return ok_; }
  std::string path() const { return descriptor_path(ends_[1]); }

  std::string finish() {
    close(ends_[1]);
    reader_.join();
    close(ends_[0]);
    ok_ = false;
    return std::move(bytes_);
  }

 private:
  int ends_[2] = {-1, -1};
  bool ok_ = false;
  std::string bytes_;
  std::thread reader_;
};

}  // namespace

LinkResult link_shared_object(const std::string& object, const std::vector<std::string>& libraries) {
  LinkResult result;
  const MemoryFile input(object);
  Collector output;
  if (!input.ok() || !output.ok()) {
    result.diagnostics = std::string("cannot create a memory file: ") + std::strerror(errno);
    return result;
  }
  const std::string input_path = input.path(), output_path = output.path();
  // One thread: starting LLD's pool costs more than linking a kernel.  No build id: nobody reads it.
  std::vector<const char*> arguments = {"ld.lld",       "-shared",   "--threads=1",
                                        "--build-id=none", "--hash-style=gnu", "-z", "now", "-z", "noseparate-code",
                                        "--as-needed",  "-o",        output_path.c_str(), input_path.c_str()};
  for (const std::string& library : libraries) arguments.push_back(library.c_str());

  bool linked = false;
  {
    static std::mutex lld_is_global_state;
    std::lock_guard lock(lld_is_global_state);
    llvm::raw_string_ostream messages(result.diagnostics);
    linked = lld::elf::link(arguments, messages, messages, /*exitEarly=*/false, /*disableOutput=*/false);
    lld::CommonLinkerContext::destroy();
  }
  result.bytes = output.finish();
  result.ok = linked && !result.bytes.empty();
  return result;
}

bool has_undefined_symbols(const std::string& object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "kernel.o"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return true;
  }
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags) {
      llvm::consumeError(flags.takeError());
      return true;
    }
    auto name = symbol.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      return true;
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty()) return true;
  }
  return false;
}

}  // namespace filigree::jit
