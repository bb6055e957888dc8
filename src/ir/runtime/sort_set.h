#ifndef FILIGREE_SORT_SET_H
#define FILIGREE_SORT_SET_H

/* sort_i32_set(a, n, set, extent) sorts a[0..n): all numbers from 0 on and below `extent` whose element of `set` is 1; the
   others are 0.  Where they are many, they are listed again, going through the set eight elements at a time, unless they
   are sorted already: that takes less than half the time of a sort. */
#define FILIGREE_LIST_SET(name, type)                                                      \
  static __attribute__((noinline)) void name(type *a, int64_t n, const uint8_t *set, int64_t extent) {\
    int64_t run = 1, count = 0, i = 0;                                                     \
    while (run < n && a[run - 1] < a[run]) run++;                                          \
    if (run >= n) return;                                                                  \
    for (; i + 8 <= extent; i += 8) {                                                      \
      uint64_t eight;                                                                      \
      __builtin_memcpy(&eight, set + i, 8);                                                \
      for (; eight != 0; eight &= eight - 1) a[count++] = (type)(i + (__builtin_ctzll(eight) >> 3));\
    }                                                                                      \
    for (; i < extent; i++) {                                                              \
      if (set[i]) a[count++] = (type)i;                                                    \
    }                                                                                      \
  }
#define sort_i32_set(a, n, set, extent) \
  do { if (32 * (n) < (extent)) sort_i32(a, n); else list_set_i32(a, n, set, extent); } while (0)
#define sort_i64_set(a, n, set, extent) \
  do { if (32 * (n) < (extent)) sort_i64(a, n); else list_set_i64(a, n, set, extent); } while (0)

#endif
