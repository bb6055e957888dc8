#ifndef FILIGREE_FUNCTIONS_H
#define FILIGREE_FUNCTIONS_H

/* The functions of sort.h, sort_segment.h and table_functions.h, as a host compiled them.  A kernel for a host calls
   them through runtime->functions and so need not compile them again. */
struct filigree_table;
typedef struct filigree_functions {
  void (*sort_i32)(int32_t *a, int64_t n);
  void (*sort_i64)(int64_t *a, int64_t n);
  int64_t (*sort_elements)(const filigree_runtime *runtime, void *crd, int64_t crd_bytes, void *vals, int64_t vals_bytes,
                           int64_t begin, int64_t end);
  struct filigree_table *(*table_new)(const filigree_runtime *runtime, const char *name);
  int64_t (*table_make_room)(struct filigree_table *t);
  int64_t (*table_insert)(struct filigree_table *t, int64_t parent, int64_t coordinate);
  int64_t (*table_find)(struct filigree_table *t, int64_t parent, int64_t coordinate);
  int64_t (*table_finish)(struct filigree_table *t, int64_t parents);
  void (*table_clear)(struct filigree_table *t);
  void (*table_free)(struct filigree_table *t);
} filigree_functions;

#endif
