#include "ir/names.h"

#include <unordered_set>

namespace filigree::ir {

bool is_reserved_in_c(std::string_view name) {
  static const std::unordered_set<std::string_view> reserved = {
      // C11's keywords and those that gcc and clang add
      "auto",
      "break",
      "case",
      "char",
      "const",
      "continue",
      "default",
      "do",
      "double",
      "else",
      "enum",
      "extern",
      "float",
      "for",
      "goto",
      "if",
      "inline",
      "int",
      "long",
      "register",
      "restrict",
      "return",
      "short",
      "signed",
      "sizeof",
      "static",
      "struct",
      "switch",
      "typedef",
      "union",
      "unsigned",
      "void",
      "volatile",
      "while",
      "asm",
      "typeof",
      "bool",
      "true",
      "false",
      "nullptr",
      "constexpr",
      "alignas",
      "alignof",
      "static_assert",
      "thread_local",
      // types and macros of the prelude and of the headers it may include
      "int8_t",
      "int16_t",
      "int32_t",
      "int64_t",
      "uint8_t",
      "uint16_t",
      "uint32_t",
      "uint64_t",
      "size_t",
      "ptrdiff_t",
      "wchar_t",
      "NULL",
      "INT64_MAX",
      "INT64_MIN",
      "UINT64_MAX",
      "INT32_MAX",
      "INT32_MIN",
      "UINT32_MAX",
      "INT8_MAX",
      "INT16_MAX",
      "UINT8_MAX",
      "UINT16_MAX",
      "INT8_MIN",
      "INT16_MIN",
      "SIZE_MAX",
      "offsetof",
      "EXIT_SUCCESS",
      "EXIT_FAILURE",
      "RAND_MAX",
      "EOF",
      "BUFSIZ",
      "stdin",
      "stdout",
      "stderr",
      "errno",
      "unix",
      "linux",
      "i386",
      // what the emitter writes
      "main",
      "runtime",
      "tensors",
      "out_of_memory",
      "pattern_mismatch",
      "does_not_fit",
      "done",
      "larger",
      "ALLOC",
      "ALLOC_ZERO",
      "GROW",
      "FREE",
      "NEW_TABLE",
      "FREE_TABLE",
      "NEW_PARTS",
      "FREE_PARTS",
      "KEEP",
      "TAKE",
      "FILIGREE_SORT",
      "FILIGREE_SORT_BY_INSERTION",
      "FILIGREE_SORT_BY_RANK",
      "FILIGREE_SORT_BY_DIGITS",
      "FILIGREE_SORT_I32",
      "FILIGREE_SORT_I64",
      "FILIGREE_SORT_VALUE",
      "FILIGREE_TABLE_FUNCTION",
      "FILIGREE_CHILD_KEY",
      "FILIGREE_SEGMENT_RUN",
      "FILIGREE_SEGMENT_FUNCTION",
      "FILIGREE_HASH_FIND",
      "hash_slot",
      "hash_find_i32",
      "hash_find_i64",
      "FILIGREE_SEARCH",
      "FILIGREE_SEARCH_DOWN",
      "FILIGREE_SEARCH_PATH",
      "FILIGREE_GALLOP",
      "FILIGREE_SCATTERED",
      "FILIGREE_LIST_SET",
      "list_set_i32",
      "list_set_i64",
      "fetch",
  };
  if (reserved.contains(name)) return true;
  for (std::string_view prefix : {"table_", "sort_", "search_down_", "search_path_", "search_", "gallop_", "scattered_",
                                  "min_", "max_", "multiply_", "divide_", "filigree_", "_"}) {
    if (!name.starts_with(prefix)) continue;
    if (prefix == "_") return name.size() > 1 && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
    if (prefix == "filigree_") return true;
    // min_f64, sort_i32, table_insert: only the names that exist, so that a tensor may be called max_x.
    static const std::unordered_set<std::string_view> suffixes = {
        "i8",    "i16",        "i32",         "i64",   "u8",      "u16",     "u32",     "u64",       "f32",
        "f64",   "c64",        "c128",        "new",   "insert",  "append",  "find",    "size",      "finish",
        "begin", "coordinate", "position",    "clear", "free",    "release", "reserve", "make_room", "resize",
        "hash",  "index_pair", "build_index", "sort",  "segment", "elements"};
    return suffixes.contains(name.substr(prefix.size())) || name.starts_with("sort_i") ||
           name.starts_with("table_sort");
  }
  return name == "allocate" || name == "allocate_zero" || name == "resize" || name == "release" ||
         name == "release_parts" || name == "no_memory" || name == "parallel_for";
}

Names::Names(const std::vector<std::string>& keep) {
  for (const std::string& name : keep) taken_[name]++;
  scopes_.push_back(0);
}

void Names::open_scope() { scopes_.push_back(visible_.size()); }

void Names::close_scope() {
  while (visible_.size() > scopes_.back()) {
    taken_[visible_.back().name]--;
    if (visible_.back().id != 0) names_.erase(visible_.back().id);
    visible_.pop_back();
  }
  scopes_.pop_back();
}

std::string Names::reserve(const std::string& wanted) {
  std::string base = is_reserved_in_c(wanted) ? wanted + "_" : wanted;
  if (is_reserved_in_c(base)) base = "v_" + wanted;  // it is by how it begins
  std::string name = base;
  for (int n = 1; taken_[name] > 0; n++) name = base + "_" + std::to_string(n);
  taken_[name]++;
  visible_.push_back({0, name});
  return name;
}

const std::string& Names::declare(const Var& var) {
  if (auto found = names_.find(var.id().value); found != names_.end()) return found->second;
  std::string name = reserve(var.name());
  visible_.back().id = var.id().value;
  return names_.emplace(var.id().value, std::move(name)).first->second;
}

const std::string& Names::of(const Var& var) { return declare(var); }

}  // namespace filigree::ir
