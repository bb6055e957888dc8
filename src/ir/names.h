// C names for variables: the name people gave, made distinct where two are visible at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace filigree::ir {

/// Names are handed out as scopes open and close, so two loops one after the other may both use `i`,
/// but a variable inside the scope of another `i` becomes `i_1`.
class Names {
 public:
  /// `keep`: identifiers of the text around that must stay visible.
  explicit Names(const std::vector<std::string>& keep = {});

  void open_scope();
  void close_scope();
  /// A name for a variable that comes into scope here; the name it has if it is in scope already.
  const std::string& declare(const Var& var);
  /// From here on the variable is written like this, which is no identifier: a field of a struct.
  void place(const Var& var, const std::string& text) { names_.insert_or_assign(var.id().value, text); }
  /// An identifier for the printer's own use, close to `wanted`.
  std::string reserve(const std::string& wanted);
  /// The name of a variable in scope; one that was never declared is declared here.
  const std::string& of(const Var& var);

 private:
  std::unordered_map<std::uint64_t, std::string> names_;
  std::unordered_map<std::string, int> taken_;
  struct Entry {
    std::uint64_t id;
    std::string name;
  };
  std::vector<Entry> visible_;       // in the order they came into scope; id 0: reserved
  std::vector<std::size_t> scopes_;  // where each open scope starts in visible_
};

/// Does C, the runtime or the emitter use this identifier?
bool is_reserved_in_c(std::string_view name);

}  // namespace filigree::ir
