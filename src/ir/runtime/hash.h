#ifndef FILIGREE_HASH_H
#define FILIGREE_HASH_H

#include <stdint.h>

/* Where the search for a coordinate begins in a table of `width` slots, a power of two. */
static inline __attribute__((unused)) int64_t hash_slot(int64_t coordinate, int64_t width) {
  return (int64_t)(((uint64_t)coordinate * 0x9E3779B97F4A7C15u) >> 32) & (width - 1);
}

/* FILIGREE_HASH_FIND(name, type) defines `name(const type *crd, int64_t begin, int64_t end, int64_t
   coordinate)`: the position of a coordinate, which is not negative, in slots begin..end of crd.  If it is
   not there: -1 - q, where q is the free slot it belongs into, or -1 where there are no slots.  Slots are a power of two and searched one after the other, around the end; free ones hold -1, and there
   is one unless there are no slots at all. */
#define FILIGREE_HASH_FIND(name, type)                                                     \
  static inline __attribute__((unused)) int64_t name(const type *crd, int64_t begin,       \
                                                     int64_t end, int64_t coordinate) {    \
    int64_t width = end - begin;                                                           \
    if (width == 0) return -1;                                                             \
    int64_t slot = hash_slot(coordinate, width);                                           \
    while (crd[begin + slot] != coordinate) {                                              \
      if (crd[begin + slot] < 0) return -1 - (begin + slot);                               \
      slot = (slot + 1) & (width - 1);                                                     \
    }                                                                                      \
    return begin + slot;                                                                   \
  }

#endif
