// The plug-in's linker: a relocatable object becomes a shared object, by LLD in this process.
#pragma once

#include <string>
#include <vector>

namespace filigree::jit {

struct LinkResult {
  bool ok = false;
  bool ran_out = false;  // not ok, because the machine had no room for the files that it takes
  std::string bytes;
  std::string diagnostics;
};

/// Links `object` into a shared object.  `libraries` are shared libraries to bind undefined symbols to;
/// a library nothing refers to leaves no trace in the result.
LinkResult link_shared_object(const std::string& object, const std::vector<std::string>& libraries);

/// Whether the ELF object refers to a symbol it does not define.
bool has_undefined_symbols(const std::string& object);

}  // namespace filigree::jit
