#ifndef FILIGREE_KERNEL_H
#define FILIGREE_KERNEL_H

/* What a generated kernel and its caller share.  Embedded in every generated C file.

   int NAME(const filigree_runtime *runtime, filigree_tensor *const *tensors);

   `tensors` are the result, then the operands, in the order of the comment above the kernel.  A
   tensor's arrays are its levels' arrays in order, then its values.  The kernel fills in the
   result's arrays with memory it gets from runtime->resize; the caller releases them with
   resize(context, data, 0).  Returns 0, or 1 when memory ran out; before, it tells `ran_out` for what.
   A kernel that fills in a result whose index is given, or is that of an operand, returns 2 when that index does not fit:
   for one, when the operand has a node with nothing below it, which the result would do without.
   A kernel returns 3 when a component that the result's format has no place for is not zero.  Whatever
   it returns but 0, nothing is left allocated. */
typedef struct filigree_array { void *data; int64_t count; } filigree_array;
typedef struct filigree_tensor { const int64_t *dimensions; filigree_array *arrays; } filigree_tensor;
typedef struct filigree_runtime {
  void *(*resize)(void *context, void *block, int64_t bytes); /* like realloc; 0 bytes releases */
  void *context;
  const struct filigree_functions *functions; /* only kernels made for a host use it; else NULL */
  int64_t threads; /* how many threads kernels made for several may use; 0: one */
  /* Calls body(closure, begin, end) for pieces of 0 .. count that together are all of it, perhaps at the same time, and
     returns when they are done.  Then `resize` is called from several threads, too.  NULL: one after the other. */
  void (*parallel_for)(void *context, int64_t count, void (*body)(void *closure, int64_t begin, int64_t end), void *closure);
  void *(*zeroed)(void *context, int64_t bytes); /* like calloc; NULL: kernels call `resize` and set every byte */
  /* There is no memory for `count` elements of `size` bytes: of this array or table of the kernel, or, without a name, to sort one.
     Perhaps called from several threads.  NULL: nobody wants to know. */
  void (*ran_out)(void *context, const char *array, int64_t count, int64_t size);
} filigree_runtime;

#endif
