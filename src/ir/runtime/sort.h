#ifndef FILIGREE_SORT_H
#define FILIGREE_SORT_H

/* FILIGREE_SORT(name, type, key, most) defines `name(type *a, int64_t n)`, which sorts a[0..n) in place by
   key(element), increasing: quicksort that leaves what has at most `most` elements to `name_short` and turns to heapsort
   where its pivots are bad, so it takes O(n log n) time and O(log n) stack on every input.

   `name_short` is made by the others.  Insertion is for elements of all kinds.  By rank, every number is compared
   with all others, which tells where it goes: so many more comparisons, but no branch depends on them and eight are done at
   a time, so it takes less than half as long; for 64 numbers at most.  Two runs that increase, such as what two rows have,
   are merged from both ends at once, again without branches.  By digits, numbers are dealt to as many piles as a digit has
   values, for each digit of what they are above the least: a third of the time of quicksort or less, for 4096 at most. */
#define FILIGREE_SORT_BY_INSERTION(name, type, key)                                        \
  static void name##_short(type *a, int64_t n) {                                           \
    for (int64_t i = 1; i < n; i++) {                                                      \
      type x = a[i];                                                                       \
      int64_t j = i;                                                                       \
      for (; j > 0 && key(x) < key(a[j - 1]); j--) a[j] = a[j - 1];                        \
      a[j] = x;                                                                            \
    }                                                                                      \
  }

#define FILIGREE_SORT_BY_RANK(name, type, smallest, largest)                               \
  /* b[0..half) and b[half..n) into a[0..n); no number is less than b[-1] or more than b[n]. */\
  static void name##_merge(type *a, const type *b, int64_t half, int64_t n) {              \
    int64_t first = 0, second = half, first_end = half - 1, second_end = n - 1;            \
    for (int64_t i = 0; i < n / 2; i++) {                                                  \
      int low = (first == half) | (b[second] < b[first]);                                  \
      a[i] = low ? b[second] : b[first];                                                   \
      second += low, first += !low;                                                        \
      int high = (second_end < half) | (b[second_end] < b[first_end]);                     \
      a[n - 1 - i] = high ? b[first_end] : b[second_end];                                  \
      first_end -= high, second_end -= !high;                                              \
    }                                                                                      \
    if (n % 2) a[n / 2] = first <= first_end ? b[first] : b[second];                       \
  }                                                                                        \
                                                                                           \
  static void name##_by_rank(type *a, int64_t n) {                                         \
    int64_t run = 1;                                                                       \
    while (run < n && a[run - 1] <= a[run]) run++;                                         \
    if (run >= n) return;                                                                  \
    int64_t runs = run + 1;                                                                \
    while (runs < n && a[runs - 1] <= a[runs]) runs++;                                     \
    type copy[1 + 64 + 8], *b = copy + 1;                                                  \
    b[-1] = smallest;                                                                      \
    for (int64_t i = 0; i < n; i++) b[i] = a[i];                                           \
    for (int64_t i = 0; i < 8; i++) b[n + i] = largest;                                    \
    if (runs == n) {                                                                       \
      name##_merge(a, b, run, n);                                                          \
      return;                                                                              \
    }                                                                                      \
    uint64_t taken = 0;                                                                    \
    for (int64_t i = 0; i < n; i += 8) {                                                   \
      type rank[8] = {0};                                                                  \
      for (int64_t j = 0; j < n; j++) {                                                    \
        for (int k = 0; k < 8; k++) rank[k] += b[j] < b[i + k];                            \
      }                                                                                    \
      for (int64_t k = 0; k < 8 && i + k < n; k++) a[rank[k]] = b[i + k], taken |= (uint64_t)1 << rank[k];\
    }                                                                                      \
    /* Equal elements have one rank: they follow the first of them. */                     \
    if (taken == UINT64_MAX >> (64 - n)) return;                                           \
    for (int64_t i = 1; i < n; i++) {                                                      \
      if (!(taken >> i & 1)) a[i] = a[i - 1];                                              \
    }                                                                                      \
  }

#define FILIGREE_SORT_BY_DIGITS(name, most)                                                \
  static void name##_by_digits(int32_t *a, int64_t n) {                                    \
    int64_t run = 1;                                                                       \
    while (run < n && a[run - 1] <= a[run]) run++;                                         \
    if (run >= n) return;                                                                  \
    int32_t low = a[0], high = a[0];                                                       \
    for (int64_t i = 1; i < n; i++) {                                                      \
      low = a[i] < low ? a[i] : low;                                                       \
      high = a[i] > high ? a[i] : high;                                                    \
    }                                                                                      \
    uint32_t range = (uint32_t)high - (uint32_t)low;                                       \
    int bits = 32 - __builtin_clz(range), digits = (bits + 7) / 8, width = (bits + digits - 1) / digits;\
    uint32_t mask = ((uint32_t)1 << width) - 1;                                            \
    uint16_t piles[4][256];                                                                \
    for (int d = 0; d < digits; d++) {                                                     \
      for (uint32_t p = 0; p <= mask; p++) piles[d][p] = 0;                                \
    }                                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                      \
      uint32_t number = (uint32_t)a[i] - (uint32_t)low;                                    \
      for (int d = 0; d < digits; d++) piles[d][number >> d * width & mask]++;             \
    }                                                                                      \
    int32_t copy[most], *from = a, *to = copy;                                             \
    for (int d = 0; d < digits; d++) {                                                     \
      uint16_t begin = 0;                                                                  \
      for (uint32_t p = 0; p <= mask; p++) {                                               \
        uint16_t size = piles[d][p];                                                       \
        piles[d][p] = begin;                                                               \
        begin = (uint16_t)(begin + size);                                                  \
      }                                                                                    \
      for (int64_t i = 0; i < n; i++) {                                                    \
        to[piles[d][((uint32_t)from[i] - (uint32_t)low) >> d * width & mask]++] = from[i]; \
      }                                                                                    \
      int32_t *dealt = to;                                                                 \
      to = from, from = dealt;                                                             \
    }                                                                                      \
    if (from == a) return;                                                                 \
    for (int64_t i = 0; i < n; i++) a[i] = from[i];                                        \
  }                                                                                        \
                                                                                           \
  static void name##_short(int32_t *a, int64_t n) {                                        \
    if (n <= 64) name##_by_rank(a, n);                                                     \
    else name##_by_digits(a, n);                                                           \
  }

#define FILIGREE_SORT(name, type, key, most)                                               \
  static void name##_sift(type *a, int64_t root, int64_t n) {                              \
    type x = a[root];                                                                      \
    for (int64_t child = 2 * root + 1; child < n; child = 2 * root + 1) {                  \
      if (child + 1 < n && key(a[child]) < key(a[child + 1])) child++;                     \
      if (!(key(x) < key(a[child]))) break;                                                \
      a[root] = a[child];                                                                  \
      root = child;                                                                        \
    }                                                                                      \
    a[root] = x;                                                                           \
  }                                                                                        \
                                                                                           \
  static void name##_heap(type *a, int64_t n) {                                            \
    for (int64_t root = n / 2 - 1; root >= 0; root--) name##_sift(a, root, n);             \
    for (int64_t last = n - 1; last > 0; last--) {                                         \
      type x = a[0];                                                                       \
      a[0] = a[last];                                                                      \
      a[last] = x;                                                                         \
      name##_sift(a, 0, last);                                                             \
    }                                                                                      \
  }                                                                                        \
                                                                                           \
  static void name##_quick(type *a, int64_t n, int depth) {                                \
    while (n > most) {                                                                     \
      if (depth-- == 0) {                                                                  \
        name##_heap(a, n);                                                                 \
        return;                                                                            \
      }                                                                                    \
      /* The median of three goes to the middle and is the pivot. */                       \
      type first = a[0], middle = a[n / 2], last = a[n - 1], swap;                         \
      if (key(middle) < key(first)) swap = first, first = middle, middle = swap;           \
      if (key(last) < key(middle)) swap = middle, middle = last, last = swap;              \
      if (key(middle) < key(first)) swap = first, first = middle, middle = swap;           \
      a[0] = first, a[n / 2] = middle, a[n - 1] = last;                                    \
      int64_t i = -1, j = n;                                                               \
      for (;;) {                                                                           \
        do i++; while (key(a[i]) < key(middle));                                           \
        do j--; while (key(middle) < key(a[j]));                                           \
        if (i >= j) break;                                                                 \
        swap = a[i], a[i] = a[j], a[j] = swap;                                             \
      }                                                                                    \
      /* a[0..j] <= pivot <= a[j+1..n): recurse into the shorter part only. */             \
      if (j + 1 < n - j - 1) {                                                             \
        name##_quick(a, j + 1, depth);                                                     \
        a += j + 1, n -= j + 1;                                                            \
      } else {                                                                             \
        name##_quick(a + j + 1, n - j - 1, depth);                                         \
        n = j + 1;                                                                         \
      }                                                                                    \
    }                                                                                      \
    name##_short(a, n);                                                                    \
  }                                                                                        \
                                                                                           \
  static void name(type *a, int64_t n) {                                                   \
    int depth = 0;                                                                         \
    for (int64_t rest = n; rest > 1; rest /= 2) depth += 2;                                \
    name##_quick(a, n, depth);                                                             \
  }

#define FILIGREE_SORT_VALUE(element) (element)
#define FILIGREE_SORT_I32                            \
  FILIGREE_SORT_BY_RANK(sort_i32, int32_t, INT32_MIN, INT32_MAX) \
  FILIGREE_SORT_BY_DIGITS(sort_i32, 4096)            \
  FILIGREE_SORT(sort_i32, int32_t, FILIGREE_SORT_VALUE, 4096)
#define FILIGREE_SORT_I64                                            \
  FILIGREE_SORT_BY_INSERTION(sort_i64, int64_t, FILIGREE_SORT_VALUE) \
  FILIGREE_SORT(sort_i64, int64_t, FILIGREE_SORT_VALUE, 24)

#endif
