// Compiled kernels by the content they were compiled from: in this process and on disk.
//
// On disk an entry is `<directory>/<key>.so`: the shared object, then a trailer with a magic word, the
// length and a SHA-256 over key and object.  What is loaded is the bytes that were checked, never the file
// by its name.  Entries appear by rename and vanish by unlink, never change, and are private to their owner;
// so processes share a directory without locks.  Short texts are kept beside them as `<key>.txt`, in the same way.  A
// directory that others own or can write is not used. Nothing that goes wrong with the disk is an error: an entry is
// then not found or not kept.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "jit/library.h"
#include "jit/sha256.h"

namespace filigree::jit {

class DiskCache {
 public:
  /// Keeps about `byte_limit` bytes of disk blocks in `directory`, which is created when first needed.
  DiskCache(std::string directory, std::uint64_t byte_limit)
      : directory_(std::move(directory)), byte_limit_(byte_limit) {}

  /// The cache the environment asks for: $FILIGREE_CACHE, else $XDG_CACHE_HOME/filigree, else
  /// ~/.cache/filigree; none if there is no such directory or FILIGREE_CACHE_SIZE (in MB, default 256)
  /// is 0.  A FILIGREE_CACHE_SIZE that is no number is a UserError.
  static std::optional<DiskCache> from_environment();

  const std::string& directory() const { return directory_; }
  std::string path(const Digest& key) const { return directory_ + "/" + hex(key) + ".so"; }

  /// The code stored under `key`, loaded.  A damaged entry is removed; one that others may have written is not looked
  /// at.
  std::optional<Library> load(const Digest& key) const;

  /// Stores a shared object; the least recently used entries make room.  False if it was not kept.
  bool store(const Digest& key, const std::string& elf) const;

  /// A text that was stored under `key`, with the same care; texts and code do not meet, whatever their keys.
  std::optional<std::string> load_text(const Digest& key) const;
  bool store_text(const Digest& key, const std::string& text) const;

  /// Removes the least recently used entries until a quarter of the limit is free, if it is exceeded,
  /// and temporary files that a killed process left.  `store` does this once in 16 times, so the
  /// directory can outgrow the limit by a few entries.
  void trim() const;

 private:
  /// A descriptor of the directory if it is there, this user's own, and for nobody else to write; else negative, with a
  /// warning.
  int open_directory() const;
  /// The bytes of an entry that is intact.
  std::optional<std::string> read_entry(const Digest& key, const std::string& name) const;
  bool write_entry(const Digest& key, const std::string& name, const std::string& content) const;

  std::string directory_;
  std::uint64_t byte_limit_;
};

/// The libraries of this process, the least recently used dropped first (they stay mapped while
/// someone holds their handle).  Threads that want the same key wait for one of them to make it.
class MemoryCache {
 public:
  explicit MemoryCache(std::size_t capacity) : capacity_(capacity) {}

  /// The library under `key`, or the one `make` returns.  What `make` throws reaches every waiting thread.
  Library find_or_make(const Digest& key, const std::function<Library()>& make);
  void clear();

 private:
  struct Entry {
    std::shared_future<Library> library;
    std::list<Digest>::iterator use;
  };
  void forget(const Digest& key);

  std::size_t capacity_;
  std::mutex mutex_;
  std::map<Digest, Entry> entries_;
  std::list<Digest> uses_;  // most recent first
};

}  // namespace filigree::jit
