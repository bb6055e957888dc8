#ifndef FILIGREE_SORT_SEGMENT_H
#define FILIGREE_SORT_SEGMENT_H

/* sort_elements sorts the coordinates crd[begin..end) increasingly and moves vals[begin..end) along with
   them; values of equal coordinates keep their order.  Coordinates are signed integers of crd_bytes 4 or
   8, values anything of vals_bytes 1, 2, 4, 8 or 16.  Merges runs that are sorted by rank or by insertion, in O(n log n)
   time; a segment in order already, and a short one, needs no memory.  Returns 0, or -1: no memory, and
   the segment is as it was. */
#define FILIGREE_SEGMENT_RUN 32
#define FILIGREE_SEGMENT_FUNCTION static inline __attribute__((always_inline))

typedef struct filigree_segment { char *crd, *vals; } filigree_segment;

FILIGREE_SEGMENT_FUNCTION int64_t segment_coordinate(filigree_segment s, int64_t at, int64_t crd_bytes) {
  int32_t narrow;
  int64_t wide;
  if (crd_bytes == 8) {
    __builtin_memcpy(&wide, s.crd + at * 8, 8);
    return wide;
  }
  __builtin_memcpy(&narrow, s.crd + at * 4, 4);
  return narrow;
}

/* One move each when `count` is 1: all of this is compiled for constant sizes. */
FILIGREE_SEGMENT_FUNCTION void segment_copy(filigree_segment to, int64_t at, filigree_segment from, int64_t source, int64_t count,
                                            int64_t crd_bytes, int64_t vals_bytes) {
  __builtin_memcpy(to.crd + at * crd_bytes, from.crd + source * crd_bytes, (uint64_t)(count * crd_bytes));
  __builtin_memcpy(to.vals + at * vals_bytes, from.vals + source * vals_bytes, (uint64_t)(count * vals_bytes));
}

FILIGREE_SEGMENT_FUNCTION void segment_insertion(filigree_segment s, int64_t begin, int64_t end, int64_t crd_bytes, int64_t vals_bytes) {
  char crd[8], vals[16];
  filigree_segment held = {crd, vals};
  for (int64_t i = begin + 1; i < end; i++) {
    int64_t coordinate = segment_coordinate(s, i, crd_bytes), j = i;
    segment_copy(held, 0, s, i, 1, crd_bytes, vals_bytes);
    for (; j > begin && coordinate < segment_coordinate(s, j - 1, crd_bytes); j--) segment_copy(s, j, s, j - 1, 1, crd_bytes, vals_bytes);
    segment_copy(s, j, held, 0, 1, crd_bytes, vals_bytes);
  }
}

typedef int32_t filigree_four __attribute__((vector_size(16)));

/* Where each of s.crd[begin..end), at most FILIGREE_SEGMENT_RUN coordinates of 4 bytes, goes.  Each is compared with all
   others: so many more comparisons than by insertion, but no branch depends on them and eight are done at a time, so it
   takes a third of the time.  Equal ones have one rank: they follow the first of them. */
static __attribute__((noinline)) void segment_ranks(filigree_segment s, int64_t begin, int64_t end, uint8_t *ranks) {
  int64_t count = end - begin;
  int32_t all[FILIGREE_SEGMENT_RUN + 8];
  __builtin_memcpy(all, s.crd + 4 * begin, (uint64_t)(4 * count));
  for (int64_t i = 0; i < 8; i++) all[count + i] = INT32_MAX;
  uint64_t taken = 0;
  for (int64_t i = 0; i < count; i += 8) {
    filigree_four first, second, less = {0, 0, 0, 0}, also_less = less;
    __builtin_memcpy(&first, all + i, 16);
    __builtin_memcpy(&second, all + i + 4, 16);
    for (int64_t j = 0; j < count; j++) {
      filigree_four one = {all[j], all[j], all[j], all[j]};
      less -= one < first;
      also_less -= one < second;
    }
    for (int64_t k = 0; k < 8 && i + k < count; k++) {
      int64_t rank = k < 4 ? less[k] : also_less[k - 4];
      while (taken >> rank & 1) rank++;
      taken |= (uint64_t)1 << rank;
      ranks[i + k] = (uint8_t)rank;
    }
  }
}

FILIGREE_SEGMENT_FUNCTION void segment_run(filigree_segment s, int64_t begin, int64_t end, int64_t crd_bytes, int64_t vals_bytes) {
  if (crd_bytes != 4 || end - begin < 4) {
    segment_insertion(s, begin, end, crd_bytes, vals_bytes);
    return;
  }
  uint8_t ranks[FILIGREE_SEGMENT_RUN + 8];
  char crd[4 * FILIGREE_SEGMENT_RUN], vals[16 * FILIGREE_SEGMENT_RUN];
  filigree_segment held = {crd, vals};
  segment_ranks(s, begin, end, ranks);
  segment_copy(held, 0, s, begin, end - begin, crd_bytes, vals_bytes);
  for (int64_t i = 0; i < end - begin; i++) segment_copy(s, begin + ranks[i], held, i, 1, crd_bytes, vals_bytes);
}

/* from[begin..middle) and from[middle..end), each in order, to to[begin..end). */
FILIGREE_SEGMENT_FUNCTION void segment_merge(filigree_segment from, filigree_segment to, int64_t begin, int64_t middle, int64_t end,
                                             int64_t crd_bytes, int64_t vals_bytes) {
  int64_t left = begin, right = middle, at = begin;
  while (left < middle && right < end) {
    int from_left = segment_coordinate(from, left, crd_bytes) <= segment_coordinate(from, right, crd_bytes);
    segment_copy(to, at++, from, from_left ? left : right, 1, crd_bytes, vals_bytes);
    left += from_left, right += !from_left;
  }
  segment_copy(to, at, from, left, middle - left, crd_bytes, vals_bytes);
  segment_copy(to, at + middle - left, from, right, end - right, crd_bytes, vals_bytes);
}

FILIGREE_SEGMENT_FUNCTION int64_t segment_sort(const filigree_runtime *runtime, filigree_segment s, int64_t count, int64_t crd_bytes,
                                               int64_t vals_bytes) {
  int64_t sorted = 1;
  while (sorted < count && segment_coordinate(s, sorted - 1, crd_bytes) <= segment_coordinate(s, sorted, crd_bytes)) sorted++;
  if (sorted >= count) return 0;
  char *scratch = NULL;
  if (count > FILIGREE_SEGMENT_RUN) {
    scratch = (char *)runtime->resize(runtime->context, NULL, count * (crd_bytes + vals_bytes));
    if (!scratch && runtime->ran_out) runtime->ran_out(runtime->context, NULL, count, crd_bytes + vals_bytes);
    if (!scratch) return -1;
  }
  for (int64_t begin = 0; begin < count; begin += FILIGREE_SEGMENT_RUN) {
    int64_t end = count - begin < FILIGREE_SEGMENT_RUN ? count : begin + FILIGREE_SEGMENT_RUN;
    segment_run(s, begin, end, crd_bytes, vals_bytes);
  }
  if (!scratch) return 0;
  filigree_segment from = s, to = {scratch, scratch + count * crd_bytes};
  for (int64_t width = FILIGREE_SEGMENT_RUN; width < count; width *= 2) {
    for (int64_t begin = 0; begin < count; begin += 2 * width) {
      int64_t middle = count - begin < width ? count : begin + width;
      int64_t end = count - middle < width ? count : middle + width;
      segment_merge(from, to, begin, middle, end, crd_bytes, vals_bytes);
    }
    filigree_segment swap = from;
    from = to;
    to = swap;
  }
  if (from.crd != s.crd) segment_copy(s, 0, from, 0, count, crd_bytes, vals_bytes);
  runtime->resize(runtime->context, scratch, 0);
  return 0;
}

FILIGREE_SEGMENT_FUNCTION int64_t segment_sort_values(const filigree_runtime *runtime, filigree_segment s, int64_t count,
                                                      int64_t crd_bytes, int64_t vals_bytes) {
  switch (vals_bytes) {
    case 1: return segment_sort(runtime, s, count, crd_bytes, 1);
    case 2: return segment_sort(runtime, s, count, crd_bytes, 2);
    case 4: return segment_sort(runtime, s, count, crd_bytes, 4);
    case 8: return segment_sort(runtime, s, count, crd_bytes, 8);
    default: return segment_sort(runtime, s, count, crd_bytes, 16);
  }
}

static __attribute__((noinline)) int64_t sort_elements(const filigree_runtime *runtime, void *crd, int64_t crd_bytes, void *vals,
                                                       int64_t vals_bytes, int64_t begin, int64_t end) {
  filigree_segment s = {(char *)crd + begin * crd_bytes, (char *)vals + begin * vals_bytes};
  if (crd_bytes == 4) return segment_sort_values(runtime, s, end - begin, 4, vals_bytes);
  return segment_sort_values(runtime, s, end - begin, 8, vals_bytes);
}

#endif
