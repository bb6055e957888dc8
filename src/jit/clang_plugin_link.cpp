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
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "support/temporary.h"

LLD_HAS_DRIVER(elf)

/// LLD resets every option of LLVM before it links, while other threads compile and read them.  The linker
/// of the plug-in turns that call into this one (--wrap, cmake/clang_plugin.cmake).
extern "C" void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv() {}

/// LLD ends the process when it cannot go on.  This one goes on, with an error.
extern "C" [[noreturn]] void __wrap__ZN4llvm3sys7Process4ExitEib(int, bool) {
  throw std::runtime_error("the linker gave up");
}

namespace filigree::jit {
namespace {

/// LLD reads and writes paths; these have paths under /proc, so no directory need be writable.
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

void read_to_end(int descriptor, std::string& bytes) {
  std::string block(65536, '\0');  // not on the stack, which may be as small as that
  for (;;) {
    const ssize_t count = read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.append(block, 0, static_cast<std::size_t>(count));
  }
}

/// What LLD writes.  It puts a temporary file beside any regular output file, which cannot work under /proc; a pipe it
/// simply writes to.  So this is a pipe that a thread reads, or where no thread can be started, a file in a folder of
/// its own.
class Output {
 public:
  Output() {
    if (pipe2(ends_, O_CLOEXEC) != 0) return;
    try {
      reader_ = std::thread([this] { read_to_end(ends_[0], bytes_); });
      ok_ = true;
    } catch (const std::system_error&) {
      close_end(0);
      close_end(1);
      const char* directory = std::getenv("TMPDIR");
      folder_.emplace(PathKind::Folder, directory != nullptr && *directory != '\0' ? directory : "/tmp", 0700);
      ok_ = folder_->is_open();
      if (!ok_) errno = folder_->error();
    }
  }
  ~Output() { finish(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool ok() const { return ok_; }
  std::string path() const { return folder_ ? folder_->path() + "/kernel.so" : descriptor_path(ends_[1]); }

  /// All that was written.
  std::string finish() {
    close_end(1);
    if (reader_.joinable()) reader_.join();
    close_end(0);
    if (folder_) {
      const int file = open(path().c_str(), O_RDONLY | O_CLOEXEC);
      if (file >= 0) read_to_end(file, bytes_);
      if (file >= 0) close(file);
      folder_.reset();
    }
    return std::move(bytes_);
  }

 private:
  void close_end(int end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }

  int ends_[2] = {-1, -1};
  bool ok_ = false;
  std::string bytes_;
  std::optional<Temporary> folder_;
  std::thread reader_;
};

}  // namespace

LinkResult link_shared_object(const std::string& object, const std::vector<std::string>& libraries) {
  LinkResult result;
  const MemoryFile input(object);
  Output output;
  if (!input.ok() || !output.ok()) {
    result.diagnostics = std::string("cannot make a file in memory: ") + std::strerror(errno);
    result.ran_out = true;
    return result;
  }
  const std::string input_path = input.path(), output_path = output.path();
  // One thread: starting LLD's pool costs more than linking a kernel.  No build id: nobody reads it.
  std::vector<const char*> arguments = {
      "ld.lld",          "-shared",     "--threads=1", "--build-id=none",   "--hash-style=gnu", "-z", "now", "-z",
      "noseparate-code", "--as-needed", "-o",          output_path.c_str(), input_path.c_str()};
  for (const std::string& library : libraries) arguments.push_back(library.c_str());

  bool linked = false;
  {
    static std::mutex lld_is_global_state;
    std::lock_guard lock(lld_is_global_state);
    llvm::raw_string_ostream messages(result.diagnostics);
    try {
      linked = lld::elf::link(arguments, messages, messages, /*exitEarly=*/false, /*disableOutput=*/false);
      lld::CommonLinkerContext::destroy();
    } catch (const std::runtime_error& gave_up) {
      messages << gave_up.what();  // what it holds is given up, too: it is in no state to be destroyed
    }
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
