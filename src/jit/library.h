// Loaded machine code.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace filigree::jit {

/// A shared handle of one loaded shared object: its code stays mapped while any copy of the handle lives.
class Library {
 public:
  /// The address of a function or object the library defines.  A name it does not define is an InternalError.
  void* symbol(const std::string& name) const;

  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

  /// Two handles of the same loaded code.
  bool operator==(const Library&) const = default;

 private:
  explicit Library(std::shared_ptr<void> handle) : handle_(std::move(handle)) {}
  friend Library load_with_symbols(const std::string& elf);
  friend std::optional<Library> try_load_bytes(const std::string& elf, const std::string& name, std::string& reason);

  std::shared_ptr<void> handle_;
};

/// Loads a shared object that is in no file, or says why the loader refuses it.  `name` is what debuggers
/// and profilers show.  No memory file and no temporary file to load it from is a UserError.
std::optional<Library> try_load_bytes(const std::string& elf, const std::string& name, std::string& reason);

/// Loads a shared object from a file in a private folder that stays until the process ends: sanitizers look for line
/// numbers there.
Library load_with_symbols(const std::string& elf);

/// As try_load_bytes, where an object the loader refuses is an InternalError.
Library load_bytes(const std::string& elf, const std::string& name);

}  // namespace filigree::jit
