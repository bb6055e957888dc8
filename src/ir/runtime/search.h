#ifndef FILIGREE_SEARCH_H
#define FILIGREE_SEARCH_H

/* Searches in a[from..end), which increases: the first position whose element is not less than x, or
   `end`.  FILIGREE_SEARCH(name, type) defines a binary search.  FILIGREE_GALLOP(name, type) looks
   16, 32, 64, ... elements ahead first, so it takes time logarithmic in how far the answer is.  What
   is near is counted, not searched: processors compare 16 elements faster than they mispredict. */
#define FILIGREE_SEARCH(name, type)                                                             \
  static inline int64_t name(const type *a, int64_t from, int64_t end, int64_t x) {             \
    int64_t count = end - from;                                                                 \
    while (count > 1) {                                                                         \
      int64_t half = count / 2;                                                                 \
      from += a[from + half - 1] < x ? half : 0;                                                \
      count -= half;                                                                            \
    }                                                                                           \
    return from + (count == 1 && a[from] < x);                                                  \
  }
#define FILIGREE_GALLOP(name, type)                                                             \
  static inline int64_t name(const type *a, int64_t from, int64_t end, int64_t x) {             \
    if (from == end || a[from] >= x) return from;                                               \
    if (x != (type)x) return end;                                                               \
    int64_t step = 16;                                                                          \
    while (step <= end - from && a[from + step - 1] < x) {                                      \
      from += step;                                                                             \
      step *= 2;                                                                                \
    }                                                                                           \
    int64_t count = step <= end - from ? step : end - from;                                     \
    while (count > 16) {                                                                        \
      int64_t half = count / 2;                                                                 \
      from += a[from + half - 1] < x ? half : 0;                                                \
      count -= half;                                                                            \
    }                                                                                           \
    if (end - from >= 16) {                                                                     \
      int less = 0;                                                                             \
      for (int k = 0; k < 16; k++) less += a[from + k] < (type)x;                               \
      return from + less;                                                                       \
    }                                                                                           \
    while (from < end && a[from] < x) from++;                                                   \
    return from;                                                                                \
  }

/* Binary search where a[from..end) decreases: the first position whose element is not greater than x. */
#define FILIGREE_SEARCH_DOWN(name, type)                                                        \
  static inline int64_t name(const type *a, int64_t from, int64_t end, int64_t x) {             \
    int64_t count = end - from;                                                                 \
    while (count > 1) {                                                                         \
      int64_t half = count / 2;                                                                 \
      from += a[from + half - 1] > x ? half : 0;                                                \
      count -= half;                                                                            \
    }                                                                                           \
    return from + (count == 1 && a[from] > x);                                                  \
  }

/* Binary search for a[p] + p in place of a[p]. */
#define FILIGREE_SEARCH_PATH(name, type)                                                        \
  static inline int64_t name(const type *a, int64_t from, int64_t end, int64_t x) {             \
    while (from < end) {                                                                        \
      int64_t middle = from + (end - from) / 2;                                                 \
      if (a[middle] + middle < x) from = middle + 1;                                            \
      else end = middle;                                                                        \
    }                                                                                           \
    return from;                                                                                \
  }

#endif
