#include "jit/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "jit/file.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "support/warning.h"

namespace filigree::jit {
namespace {

constexpr std::string_view entry_suffix = ".so", text_suffix = ".txt";
constexpr std::string_view temporary_prefix = ".new-";
constexpr std::string_view magic{"FILIGRE1", 8};
constexpr std::size_t trailer_size = 8 + 8 + 32;

std::string make_trailer(const Digest& key, std::string_view elf) {
  const std::uint64_t size = elf.size();
  const std::string_view key_bytes(reinterpret_cast<const char*>(key.data()), key.size());
  const Digest checksum = Sha256().add(key_bytes).add(elf).finish();
  std::string trailer(magic);
  trailer.append(reinterpret_cast<const char*>(&size), sizeof size);
  trailer.append(reinterpret_cast<const char*>(checksum.data()), checksum.size());
  return trailer;
}

bool is_intact(const Digest& key, std::string_view entry) {
  if (entry.size() <= trailer_size) return false;
  const std::string_view elf = entry.substr(0, entry.size() - trailer_size);
  return entry.substr(elf.size()) == make_trailer(key, elf);
}

/// What will run as code must have been written by this user, or root, and by nobody else.
bool is_trusted(const struct stat& status) {
  return (status.st_uid == geteuid() || status.st_uid == 0) && (status.st_mode & 022) == 0;
}

/// The last use is the modification time, since access times are usually off.  Uses within a minute count as one.
void mark_used(int descriptor, const struct stat& status) {
  if (std::time(nullptr) - status.st_mtime > 60) futimens(descriptor, nullptr);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string temporary_name() {
  static std::atomic<unsigned> counter{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  // Process numbers repeat across containers that share a directory; the clock tells those apart.
  return std::string(temporary_prefix) + std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) + "." +
         std::to_string(now.tv_nsec) + "-" + std::to_string(counter.fetch_add(1));
}

/// Writes a file that has no name until it is whole, so that nothing is left of a process that is killed.  Nothing
/// where the file system has no such files.
std::optional<bool> store_unnamed(int folder, const std::string& name, const std::string& entry) {
  const OpenFile file(openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600));
  if (!file.is_open()) return std::nullopt;
  if (!write_all(file.descriptor(), entry)) return false;
  const std::string source = "/proc/self/fd/" + std::to_string(file.descriptor());
  auto give_name = [&] { return linkat(AT_FDCWD, source.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0; };
  if (give_name()) return true;
  if (errno != EEXIST) return std::nullopt;
  // What has the name was not fit to be loaded, or another process was faster.
  unlinkat(folder, name.c_str(), 0);
  return give_name();
}

bool store_renamed(int folder, const std::string& name, const std::string& entry) {
  const std::string temporary = temporary_name();
  OpenFile file(openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return false;
  bool kept = write_all(file.descriptor(), entry);
  kept = file.close_now() && kept;
  kept = kept && renameat(folder, temporary.c_str(), folder, name.c_str()) == 0;
  if (!kept) unlinkat(folder, temporary.c_str(), 0);
  return kept;
}

std::optional<std::string> absolute_directory(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value != '/') return std::nullopt;
  return value;
}

void create_directories(const std::string& directory) {
  if (access(directory.c_str(), F_OK) == 0) return;
  std::error_code ignored;
  const std::filesystem::path path(directory);
  std::filesystem::create_directories(path.parent_path(), ignored);
  mkdir(directory.c_str(), 0700);
}

constexpr const char* is_of_another_user = "belongs to another user";

/// Why kernels must not be loaded from a directory, or kept there; empty if they may.
std::string distrust(const struct stat& status) {
  if (status.st_uid != geteuid()) return is_of_another_user;
  if ((status.st_mode & 022) != 0) return "can be written by other users";
  return "";
}

void warn_once(const std::string& directory, const std::string& reason) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  const char* also = reason == is_of_another_user ? "" : ", or take the permission of others away: chmod go-w";
  const Warning warning(UserError("Compiled kernels are not kept: the folder '" + directory + "' " + reason)
                            .hint(std::string("set FILIGREE_CACHE to a folder of your own") + also));
  std::fputs(warning.text().c_str(), stderr);
}

}  // namespace

std::optional<DiskCache> DiskCache::from_environment() {
  std::uint64_t megabytes = 256;
  if (const char* text = std::getenv("FILIGREE_CACHE_SIZE"); text != nullptr && *text != '\0') {
    long long value = 0;
    if (!parse_int64(text, value) || value < 0 || value > (1ll << 40))
      throw UserError("FILIGREE_CACHE_SIZE is '" + std::string(text) + "', not a whole number of megabytes")
          .hint("unset it, or set it to a number such as 256; 0 turns the disk cache off");
    megabytes = static_cast<std::uint64_t>(value);
  }
  if (megabytes == 0) return std::nullopt;

  const std::uint64_t bytes = megabytes << 20;
  if (const char* directory = std::getenv("FILIGREE_CACHE"); directory != nullptr && *directory != '\0') {
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(directory, failed);
    if (failed) return std::nullopt;
    return DiskCache(absolute.string(), bytes);
  }
  if (auto directory = absolute_directory("XDG_CACHE_HOME")) return DiskCache(*directory + "/filigree", bytes);
  if (auto directory = absolute_directory("HOME")) return DiskCache(*directory + "/.cache/filigree", bytes);
  return std::nullopt;
}

int DiskCache::open_directory() const {
  OpenFile directory(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (!directory.is_open() || fstat(directory.descriptor(), &status) != 0) return -1;
  if (const std::string reason = distrust(status); !reason.empty()) {
    warn_once(directory_, reason);
    return -1;
  }
  return directory.release();
}

// From the checked directory a descriptor of the entry, from that the bytes, and these are checked and loaded: a name
// is never looked up twice, so that nothing can be swapped in between.  Links are not followed, and pipes and devices
// are not waited for.
std::optional<std::string> DiskCache::read_entry(const Digest& key, const std::string& name) const {
  const OpenFile directory(open_directory());
  if (!directory.is_open()) return std::nullopt;
  const OpenFile file(openat(directory.descriptor(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) return std::nullopt;
  struct stat status;
  if (fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode) || !is_trusted(status)) return std::nullopt;
  std::optional<std::string> entry = read_all(file.descriptor());
  if (!entry) return std::nullopt;
  if (!is_intact(key, *entry)) {
    unlinkat(directory.descriptor(), name.c_str(), 0);
    return std::nullopt;
  }
  mark_used(file.descriptor(), status);
  return entry;
}

std::optional<Library> DiskCache::load(const Digest& key) const {
  const std::optional<std::string> entry = read_entry(key, hex(key) + std::string(entry_suffix));
  std::string ignored;
  return entry ? try_load_bytes(*entry, "filigree-kernel", ignored) : std::nullopt;
}

std::optional<std::string> DiskCache::load_text(const Digest& key) const {
  std::optional<std::string> entry = read_entry(key, hex(key) + std::string(text_suffix));
  if (entry) entry->resize(entry->size() - trailer_size);
  return entry;
}

bool DiskCache::store(const Digest& key, const std::string& elf) const {
  return write_entry(key, hex(key) + std::string(entry_suffix), elf);
}

bool DiskCache::store_text(const Digest& key, const std::string& text) const {
  return write_entry(key, hex(key) + std::string(text_suffix), text);
}

bool DiskCache::write_entry(const Digest& key, const std::string& name, const std::string& content) const {
  if (content.size() > byte_limit_ / 4) return false;
  create_directories(directory_);
  const OpenFile directory(open_directory());
  if (!directory.is_open()) return false;
  const int folder = directory.descriptor();
  const std::string entry = content + make_trailer(key, content);
  const bool kept = store_unnamed(folder, name, entry).value_or(false) || store_renamed(folder, name, entry);
  // A full directory takes milliseconds to look through; keys are random, so this is one store in 16.
  if (key[0] < 16 && kept) trim();
  return kept;
}

void DiskCache::trim() const {
  struct Found {
    std::string path;
    timespec last_use;
    std::uint64_t bytes;
  };
  std::vector<Found> entries;
  std::uint64_t total = 0;
  const std::time_t now = std::time(nullptr);
  std::error_code failed;
  for (std::filesystem::directory_iterator item(directory_, failed), end; !failed && item != end;
       item.increment(failed)) {
    const std::string name = item->path().filename().string(), item_path = item->path().string();
    const bool is_temporary = name.rfind(temporary_prefix, 0) == 0;
    if (!is_temporary && !ends_with(name, entry_suffix) && !ends_with(name, text_suffix)) continue;
    struct stat status;
    if (lstat(item_path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (is_temporary) {
      if (now - status.st_mtime > 3600) unlink(item_path.c_str());
      continue;
    }
    const std::uint64_t bytes = std::max<std::uint64_t>(static_cast<std::uint64_t>(status.st_blocks) * 512,
                                                        static_cast<std::uint64_t>(status.st_size));
    entries.push_back({item_path, status.st_mtim, bytes});
    total += bytes;
  }
  if (total <= byte_limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Found& a, const Found& b) {
    return std::tie(a.last_use.tv_sec, a.last_use.tv_nsec, a.path) <
           std::tie(b.last_use.tv_sec, b.last_use.tv_nsec, b.path);
  });
  for (const Found& entry : entries) {
    if (total <= byte_limit_ / 4 * 3) return;
    unlink(entry.path.c_str());
    total -= entry.bytes;
  }
}

Library MemoryCache::find_or_make(const Digest& key, const std::function<Library()>& make) {
  std::promise<Library> promise;
  std::shared_future<Library> known;
  {
    std::lock_guard lock(mutex_);
    if (const auto entry = entries_.find(key); entry != entries_.end()) {
      uses_.splice(uses_.begin(), uses_, entry->second.use);
      known = entry->second.library;
    } else {
      uses_.push_front(key);
      entries_.emplace(key, Entry{promise.get_future().share(), uses_.begin()});
      if (entries_.size() > capacity_) forget(uses_.back());
    }
  }
  if (known.valid()) return known.get();
  try {
    Library library = make();
    promise.set_value(library);
    return library;
  } catch (...) {
    promise.set_exception(std::current_exception());
    std::lock_guard lock(mutex_);
    forget(key);
    throw;
  }
}

void MemoryCache::clear() {
  std::lock_guard lock(mutex_);
  entries_.clear();
  uses_.clear();
}

void MemoryCache::forget(const Digest& key) {
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return;
  const auto use = entry->second.use;
  entries_.erase(entry);
  uses_.erase(use);
}

}  // namespace filigree::jit
