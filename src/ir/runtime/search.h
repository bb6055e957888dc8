#ifndef FILIGREE_SEARCH_H
#define FILIGREE_SEARCH_H

/* Searches in a[from..end), which increases: the first position whose element is not less than x, or
   `end`.  FILIGREE_SEARCH(name, type) defines a binary search: it halves the range without a branch
   to mispredict, and the last elements it looks at are neighbours.  FILIGREE_GALLOP(name, type, search)
   looks 1, 2, 4, ... elements ahead first, so it takes time logarithmic in how far the answer is. */
#define FILIGREE_SEARCH(name, type)                                                                   \
  static inline __attribute__((unused)) int64_t name(const type *a, int64_t from, int64_t end, int64_t x) { \
    int64_t count = end - from;                                                                       \
    while (count > 1) {                                                                               \
      int64_t half = count / 2;                                                                       \
      from += a[from + half - 1] < x ? half : 0;                                                      \
      count -= half;                                                                                  \
    }                                                                                                 \
    return from + (count == 1 && a[from] < x);                                                        \
  }
#define FILIGREE_GALLOP(name, type, search)                                                           \
  static inline __attribute__((unused)) int64_t name(const type *a, int64_t from, int64_t end, int64_t x) { \
    int64_t step = 1;                                                                                 \
    while (step <= end - from && a[from + step - 1] < x) {                                            \
      from += step;                                                                                   \
      step *= 2;                                                                                      \
    }                                                                                                 \
    return step == 1 ? from : search(a, from, step <= end - from ? from + step - 1 : end, x);         \
  }

/* The same where a[from..end) decreases: the first position whose element is not greater than x. */
#define FILIGREE_SEARCH_DOWN(name, type)                                                              \
  static inline __attribute__((unused)) int64_t name(const type *a, int64_t from, int64_t end, int64_t x) { \
    int64_t count = end - from;                                                                       \
    while (count > 1) {                                                                               \
      int64_t half = count / 2;                                                                       \
      from += a[from + half - 1] > x ? half : 0;                                                      \
      count -= half;                                                                                  \
    }                                                                                                 \
    return from + (count == 1 && a[from] > x);                                                        \
  }

#endif
