#include "emit/helpers.h"

#include <fmt/format.h>

#include "emit/emit_c.h"
#include "emit/functions.h"
#include "support/text.h"

namespace filigree::emit {
namespace {

const char* const no_memory_text = R"(/* NULL, after the host was told what there is no memory for. */
static __attribute__((noinline, cold)) void *no_memory(const filigree_runtime *runtime, const char *array, int64_t count, int64_t size) {
  if (runtime->ran_out) runtime->ran_out(runtime->context, array, count, size);
  return NULL;
}
)";

const char* const allocate_text = R"(/* Memory for `count` elements of `size` bytes, or NULL. */
static __attribute__((noinline, malloc)) void *allocate(const filigree_runtime *runtime, const char *array, int64_t count, int64_t size) {
  void *block = count > INT64_MAX / size ? NULL : runtime->resize(runtime->context, NULL, count > 0 ? count * size : 1);
  return block ? block : no_memory(runtime, array, count, size);
}
#define ALLOC(array, count) \
  do { if (!((array) = allocate(runtime, #array, count, sizeof *(array)))) goto out_of_memory; } while (0)
)";

const char* const allocate_zero_text = R"(/* Memory for `count` elements of `size` bytes, all zero, or NULL. */
static __attribute__((noinline, malloc)) void *allocate_zero(const filigree_runtime *runtime, const char *array, int64_t count, int64_t size) {
  if (count > INT64_MAX / size) return no_memory(runtime, array, count, size);
  int64_t bytes = count > 0 ? count * size : 1;
  void *block = runtime->zeroed ? runtime->zeroed(runtime->context, bytes) : runtime->resize(runtime->context, NULL, bytes);
  if (!block) return no_memory(runtime, array, count, size);
  return runtime->zeroed ? block : __builtin_memset(block, 0, (uint64_t)bytes);
}
#define ALLOC_ZERO(array, count) \
  do { if (!((array) = allocate_zero(runtime, #array, count, sizeof *(array)))) goto out_of_memory; } while (0)
)";

const char* const resize_text =
    R"(/* `block` with room for `count` elements, perhaps elsewhere; NULL: no memory, and `block` stays. */
static __attribute__((noinline)) void *resize(const filigree_runtime *runtime, const char *array, void *block, int64_t count, int64_t size) {
  void *larger = count > INT64_MAX / size ? NULL : runtime->resize(runtime->context, block, count > 0 ? count * size : 1);
  return larger ? larger : no_memory(runtime, array, count, size);
}
#define GROW(array, count)                                                      \
  do {                                                                          \
    void *larger = resize(runtime, #array, array, count, sizeof *(array));      \
    if (!larger) goto out_of_memory;                                            \
    (array) = larger;                                                           \
  } while (0)
)";

const char* const release_text =
    R"(static __attribute__((noinline)) void *release(const filigree_runtime *runtime, void *block) {
  if (block) runtime->resize(runtime->context, block, 0);
  return NULL;
}
#define FREE(array) ((array) = release(runtime, array))
)";

const char* const parts_text =
    R"(/* Arrays that the pieces of a loop made, each in its place; one that was taken out, or never made, is NULL. */
typedef struct filigree_parts { int64_t count; void *arrays[]; } filigree_parts;
#define NEW_PARTS(parts, number)                                                                        \
  do {                                                                                                  \
    if (!((parts) = allocate_zero(runtime, #parts, (number) + 1, sizeof(void *)))) goto out_of_memory;  \
    (parts)->count = (number);                                                                          \
  } while (0)
#define KEEP(parts, place, array) ((parts)->arrays[place] = (array), (array) = NULL)
#define TAKE(array, parts, place) ((array) = (parts)->arrays[place], (parts)->arrays[place] = NULL)
static __attribute__((noinline)) void *release_parts(const filigree_runtime *runtime, filigree_parts *parts) {
  for (int64_t n = 0; parts && n < parts->count; n++) release(runtime, parts->arrays[n]);
  return release(runtime, parts);
}
#define FREE_PARTS(parts) ((parts) = release_parts(runtime, parts))
)";

const char* const atomic_update_text =
    R"(/* element = updated, in which `old` stands for the element, while other threads may do the same. */
#define ATOMIC_UPDATE(type, element, old, updated)                                                        \
  do {                                                                                                    \
    type old, next_, *place_ = &(element);                                                              \
    __atomic_load(place_, &old, __ATOMIC_RELAXED);                                                        \
    do next_ = (updated);                                                                               \
    while (!__atomic_compare_exchange(place_, &old, &next_, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));    \
  } while (0)
)";

const char* const loop_hints_text = R"(/* How the loop that follows is to be compiled. */
#define PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define VECTORIZE PRAGMA(clang loop vectorize(enable))
#define UNROLL(count) PRAGMA(clang loop unroll_count(count))
#elif defined(__GNUC__)
#define VECTORIZE
#define UNROLL(count) PRAGMA(GCC unroll count)
#else
#define VECTORIZE
#define UNROLL(count)
#endif
)";

const char* const parallel_for_opening =
    R"(/* Calls `body` for all of 0 .. count, in pieces that may run at the same time. */
static void parallel_for(const filigree_runtime *runtime, int64_t count, void (*body)(void *, int64_t, int64_t), void *closure) {
  if (count <= 0) return;
  if (runtime->parallel_for) {
    runtime->parallel_for(runtime->context, count, body, closure);
    return;
  }
)";

const char* const parallel_for_openmp = R"(#ifdef _OPENMP
  int64_t threads = runtime->threads > 1 ? runtime->threads : 1;
  int64_t pieces = count < 8 * threads ? count : 8 * threads;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
  for (int64_t n = 0; n < pieces; n++) body(closure, count * n / pieces, count * (n + 1) / pieces);
#else
  body(closure, 0, count);
#endif
}
)";

const char* const parallel_for_serial = R"(  body(closure, 0, count);
}
)";

const char* const sort_segment_text = R"(#define sort_segment(crd, vals, begin, end) \
  sort_elements(runtime, crd, sizeof *(crd), vals, sizeof *(vals), begin, end)
)";

// What a kernel made for a host has in place of sort.h, sort_segment.h and table_functions.h.
const char* const host_sort_text = R"(#define sort_i32(array, count) runtime->functions->sort_i32(array, count)
#define sort_i64(array, count) runtime->functions->sort_i64(array, count)
)";

const char* const host_sort_elements_text = R"(#define sort_elements runtime->functions->sort_elements
)";

const char* const host_table_text =
    R"(FILIGREE_TABLE_FUNCTION filigree_table *table_new(const filigree_runtime *runtime, const char *name) { return runtime->functions->table_new(runtime, name); }
FILIGREE_TABLE_FUNCTION int64_t table_make_room(filigree_table *t) { return t->runtime->functions->table_make_room(t); }
FILIGREE_TABLE_FUNCTION int64_t table_insert(filigree_table *t, int64_t parent, int64_t coordinate) {
  return t->runtime->functions->table_insert(t, parent, coordinate);
}
FILIGREE_TABLE_FUNCTION int64_t table_find(filigree_table *t, int64_t parent, int64_t coordinate) {
  return t->runtime->functions->table_find(t, parent, coordinate);
}
FILIGREE_TABLE_FUNCTION int64_t table_finish(filigree_table *t, int64_t parents) { return t->runtime->functions->table_finish(t, parents); }
FILIGREE_TABLE_FUNCTION void table_clear(filigree_table *t) { t->runtime->functions->table_clear(t); }
FILIGREE_TABLE_FUNCTION void table_free(filigree_table *t) {
  if (t) t->runtime->functions->table_free(t);
}
)";

const char* const fetch_text = R"(#define fetch(array, index) __builtin_prefetch((array) + (index), 1)
)";

const char* const table_macros = R"(#define NEW_TABLE(table) \
  do { if (!((table) = table_new(runtime, #table))) goto out_of_memory; } while (0)
#define FREE_TABLE(table) (table_free(table), (table) = NULL)
)";

/// Sorts and tables, as this file's own functions or as calls of the host's.
std::string sort_and_table_text(const std::set<std::string>& helpers, bool standalone) {
  bool table = helpers.contains("table"), sort_32 = helpers.contains("sort_i32"),
       sort_64 = helpers.contains("sort_i64");
  bool segment = helpers.contains("sort_segment"), sort = sort_32 || sort_64;
  if (!table && !sort && !segment) return "";
  if (!standalone) {
    std::string out = runtime_section("functions");
    if (sort) out += host_sort_text;
    if (segment) out += std::string(host_sort_elements_text) + sort_segment_text;
    if (table) out += "\n" + runtime_section("table") + "\n" + host_table_text;
    return out;
  }
  std::string out = sort || table ? runtime_section("sort") : "";
  if (sort_32) out += "FILIGREE_SORT_I32\n";
  if (sort_64) out += "FILIGREE_SORT_I64\n";
  if (segment) out += (out.empty() ? "" : "\n") + runtime_section("sort_segment") + "\n" + sort_segment_text;
  if (table) out += "\n" + runtime_section("table") + "\n" + runtime_section("table_functions");
  return out;
}

/// Behind the sorts that it turns to where elements are few.
std::string sort_set_text(const std::set<std::string>& helpers) {
  std::string out;
  if (helpers.contains("sort_i32_set")) out += "FILIGREE_LIST_SET(list_set_i32, int32_t)\n";
  if (helpers.contains("sort_i64_set")) out += "FILIGREE_LIST_SET(list_set_i64, int64_t)\n";
  return out.empty() ? out : runtime_section("sort_set") + out;
}

/// Searches of hashed levels, which are in inner loops: in every kernel itself, to be inlined there.
std::string hash_text(const std::set<std::string>& helpers) {
  bool find_32 = helpers.contains("hash_find_i32"), find_64 = helpers.contains("hash_find_i64");
  if (!find_32 && !find_64) return "";
  std::string out = runtime_section("hash");
  if (find_32) out += "FILIGREE_HASH_FIND(hash_find_i32, int32_t)\n";
  if (find_64) out += "FILIGREE_HASH_FIND(hash_find_i64, int64_t)\n";
  return out;
}

std::string scattered_text(const std::set<std::string>& helpers) {
  std::string out;
  if (helpers.contains("scattered_i32")) out += "FILIGREE_SCATTERED(scattered_i32, int32_t)\n";
  if (helpers.contains("scattered_i64")) out += "FILIGREE_SCATTERED(scattered_i64, int64_t)\n";
  return out.empty() ? out : runtime_section("scattered") + out;
}

std::string search_text(const std::set<std::string>& helpers) {
  std::string out;
  for (const char* suffix : {"i32", "i64"}) {
    const char* type = suffix == std::string("i32") ? "int32_t" : "int64_t";
    for (const auto& [name, macro] : {std::pair("search", "SEARCH"), std::pair("search_down", "SEARCH_DOWN"),
                                      std::pair("search_path", "SEARCH_PATH"), std::pair("gallop", "GALLOP")}) {
      std::string function = fmt::format("{}_{}", name, suffix);
      if (helpers.contains(function)) out += fmt::format("FILIGREE_{}({}, {})\n", macro, function, type);
    }
  }
  return out.empty() ? out : runtime_section("search") + out;
}

}  // namespace

std::string runtime_section(std::string_view name) {
  std::string out;
  bool started = false;
  for (const std::string& line : split(runtime_text(name), '\n')) {
    bool guard = line.starts_with("#ifndef FILIGREE_") || line.starts_with("#endif") || line.starts_with("#include") ||
                 (line.starts_with("#define FILIGREE_") && line.ends_with("_H"));
    started = started || (!guard && !line.empty());
    if (started && !guard) out += line + "\n";
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string helper_text(const std::set<std::string>& helpers, bool standalone) {
  std::string out;
  auto section = [&](const std::string& text) {
    if (!text.empty()) out += "\n" + text;
  };
  section(function_text(helpers));
  section(hash_text(helpers));
  section(search_text(helpers));
  section(scattered_text(helpers));
  if (helpers.contains("fetch")) section(fetch_text);
  section(sort_and_table_text(helpers, standalone));
  section(sort_set_text(helpers));
  if (helpers.contains("allocate") || helpers.contains("allocate_zero") || helpers.contains("resize"))
    section(no_memory_text);
  if (helpers.contains("allocate")) section(allocate_text);
  if (helpers.contains("allocate_zero")) section(allocate_zero_text);
  if (helpers.contains("resize")) section(resize_text);
  if (helpers.contains("release")) section(release_text);
  if (helpers.contains("parts")) section(parts_text);
  if (helpers.contains("table")) section(table_macros);
  if (helpers.contains("atomic_update")) section(atomic_update_text);
  if (helpers.contains("loop_hints")) section(loop_hints_text);
  if (helpers.contains("parallel_for"))
    section(std::string(parallel_for_opening) + (standalone ? parallel_for_openmp : parallel_for_serial));
  return out;
}

}  // namespace filigree::emit
