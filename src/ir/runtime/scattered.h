#ifndef FILIGREE_SCATTERED_H
#define FILIGREE_SCATTERED_H

/* FILIGREE_SCATTERED(name, type) defines a guess: are writes to a place for each coordinate in a[begin..end), in this order,
   mostly far from those before them, and so many that they go past the cache?  Bands, stencils and rows that resemble
   their neighbours come back to where they were within 64 entries; of 128 that are looked at, less than a quarter may.
   It takes about a microsecond.  Inlined, it takes registers from the loop that follows. */
#define FILIGREE_SCATTERED(name, type)                                                     \
  static __attribute__((noinline)) int64_t name(const type *a, int64_t begin, int64_t end) {\
    enum { least = 1 << 19, stretches = 4, looked_at = 32, before = 64, close_by = 8 };    \
    if (end - begin < least) return 0;                                                     \
    int64_t returns = 0;                                                                   \
    for (int64_t s = 0; s < stretches; s++) {                                              \
      int64_t first = begin + before + (end - begin - before - looked_at) / stretches * s; \
      for (int64_t p = first; p < first + looked_at; p++) {                                \
        int near = 0;                                                                      \
        for (int64_t q = p - before; q < p; q++) {                                         \
          near |= (uint64_t)((int64_t)a[p] - a[q] + close_by) <= 2 * close_by;             \
        }                                                                                  \
        returns += near;                                                                   \
      }                                                                                    \
    }                                                                                      \
    return returns < stretches * looked_at / 4;                                            \
  }

#endif
