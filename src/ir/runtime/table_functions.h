#ifndef FILIGREE_TABLE_FUNCTIONS_H
#define FILIGREE_TABLE_FUNCTIONS_H

/* What tables do, but for the small functions of table.h. */
#define FILIGREE_CHILD_KEY(child) ((child).coordinate)
FILIGREE_SORT_BY_INSERTION(table_sort, filigree_child, FILIGREE_CHILD_KEY)
FILIGREE_SORT(table_sort, filigree_child, FILIGREE_CHILD_KEY, 24)

/* A block of `count` elements in place of `block`, which stays if there is none: NULL. */
FILIGREE_TABLE_FUNCTION void *table_resize(const filigree_runtime *runtime, const char *name, void *block, int64_t count, int64_t bytes) {
  void *larger = count > INT64_MAX / bytes ? NULL : runtime->resize(runtime->context, block, count * bytes);
  if (!larger && runtime->ran_out) runtime->ran_out(runtime->context, name, count, bytes);
  return larger;
}

FILIGREE_TABLE_FUNCTION filigree_table *table_new(const filigree_runtime *runtime, const char *name) {
  filigree_table *t = (filigree_table *)table_resize(runtime, name, NULL, 1, (int64_t)sizeof *t);
  if (!t) return NULL;
  __builtin_memset(t, 0, sizeof *t);
  t->runtime = runtime;
  t->name = name;
  return t;
}

FILIGREE_TABLE_FUNCTION void table_release(const filigree_runtime *runtime, void *block) {
  if (block) runtime->resize(runtime->context, block, 0);
}

FILIGREE_TABLE_FUNCTION void table_free(filigree_table *t) {
  if (!t) return;
  table_release(t->runtime, t->pairs);
  table_release(t->runtime, t->slots);
  table_release(t->runtime, t->children);
  table_release(t->runtime, t->begins);
  table_release(t->runtime, t);
}

/* A block of at least `count` elements in place of `block`, which has *room; NULL: no memory, and
   `block` is as it was.  Room at least doubles, so growing one by one takes linear time in all. */
FILIGREE_TABLE_FUNCTION void *table_reserve(filigree_table *t, void *block, int64_t *room, int64_t count, int64_t bytes) {
  if (count <= *room && block) return block;
  int64_t most = INT64_MAX / bytes;
  int64_t wanted = *room > most / 2 ? most : 2 * *room;
  if (wanted < 8) wanted = 8;
  if (wanted < count) wanted = count;
  void *larger = table_resize(t->runtime, t->name, block, wanted, bytes);
  if (larger) *room = wanted;
  return larger;
}

FILIGREE_TABLE_FUNCTION int64_t table_make_room(filigree_table *t) {
  void *pairs = table_reserve(t, t->pairs, &t->room, t->size + 1, (int64_t)sizeof *t->pairs);
  if (!pairs) return -1;
  t->pairs = (filigree_pair *)pairs;
  return 0;
}

FILIGREE_TABLE_FUNCTION uint64_t table_hash(int64_t parent, int64_t coordinate) {
  uint64_t h = (uint64_t)parent * 0x9E3779B97F4A7C15u + (uint64_t)coordinate;
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
  return h ^ (h >> 32);
}

FILIGREE_TABLE_FUNCTION void table_index_pair(filigree_table *t, int64_t position) {
  uint64_t mask = (uint64_t)t->slot_count - 1;
  uint64_t at = table_hash(t->pairs[position].parent, t->pairs[position].coordinate) & mask;
  while (t->slots[at]) at = (at + 1) & mask;
  t->slots[at] = position + 1;
}

/* Brings every pair into the index, with room for one more at load 1/2. */
FILIGREE_TABLE_FUNCTION int64_t table_build_index(filigree_table *t) {
  if (2 * (t->size + 1) > t->slot_count) {
    int64_t count = t->slot_count ? t->slot_count : 16;
    while (count < 2 * (t->size + 1)) count *= 2;
    int64_t *slots = (int64_t *)table_resize(t->runtime, t->name, NULL, count, (int64_t)sizeof *slots);
    if (!slots) return -1;
    __builtin_memset(slots, 0, (uint64_t)count * sizeof *slots);
    table_release(t->runtime, t->slots);
    t->slots = slots;
    t->slot_count = count;
    t->indexed = 0;
  }
  for (; t->indexed < t->size; t->indexed++) table_index_pair(t, t->indexed);
  return 0;
}

FILIGREE_TABLE_FUNCTION int64_t table_insert(filigree_table *t, int64_t parent, int64_t coordinate) {
  if (t->indexed < t->size || 2 * (t->size + 1) > t->slot_count) {
    if (table_build_index(t) < 0) return -1;
  }
  uint64_t mask = (uint64_t)t->slot_count - 1;
  uint64_t at = table_hash(parent, coordinate) & mask;
  for (; t->slots[at]; at = (at + 1) & mask) {
    filigree_pair *pair = &t->pairs[t->slots[at] - 1];
    if (pair->coordinate == coordinate && pair->parent == parent) return t->slots[at] - 1;
  }
  int64_t position = table_append(t, parent, coordinate);
  if (position < 0) return -1;
  t->slots[at] = position + 1;
  t->indexed = t->size;
  return position;
}

/* The position of a pair, or -1.  Pairs that were appended since the last insertion are not in the
   index yet: the first search brings them there, so it must be over before threads search at the same time.  If there is no
   memory for that, pairs are searched one by one. */
FILIGREE_TABLE_FUNCTION int64_t table_find(filigree_table *t, int64_t parent, int64_t coordinate) {
  if (t->indexed < t->size && table_build_index(t) < 0) {
    for (int64_t position = t->size - 1; position >= 0; position--) {
      if (t->pairs[position].coordinate == coordinate && t->pairs[position].parent == parent) return position;
    }
    return -1;
  }
  if (t->size == 0) return -1;
  uint64_t mask = (uint64_t)t->slot_count - 1;
  for (uint64_t at = table_hash(parent, coordinate) & mask; t->slots[at]; at = (at + 1) & mask) {
    filigree_pair *pair = &t->pairs[t->slots[at] - 1];
    if (pair->coordinate == coordinate && pair->parent == parent) return t->slots[at] - 1;
  }
  return -1;
}

/* Counting sort by parent, which keeps the order of coming in, then each parent's children by
   coordinate unless they came in order. */
FILIGREE_TABLE_FUNCTION int64_t table_finish(filigree_table *t, int64_t parents) {
  void *begins = table_reserve(t, t->begins, &t->begins_room, parents + 1, (int64_t)sizeof *t->begins);
  if (!begins) return -1;
  t->begins = (int64_t *)begins;
  void *children = table_reserve(t, t->children, &t->children_room, t->size, (int64_t)sizeof *t->children);
  if (!children) return -1;
  t->children = (filigree_child *)children;

  for (int64_t p = 0; p <= parents; p++) t->begins[p] = 0;
  for (int64_t n = 0; n < t->size; n++) t->begins[t->pairs[n].parent]++;
  int64_t end = 0;
  for (int64_t p = 0; p <= parents; p++) {
    end += t->begins[p];
    t->begins[p] = end;  /* one past the children of p; they are filled in from the back */
  }
  for (int64_t n = t->size - 1; n >= 0; n--) {
    filigree_child *child = &t->children[--t->begins[t->pairs[n].parent]];
    child->coordinate = t->pairs[n].coordinate;
    child->position = n;
  }
  for (int64_t p = 0; p < parents; p++) {
    filigree_child *first = t->children + t->begins[p];
    int64_t count = t->begins[p + 1] - t->begins[p], ordered = 1;
    while (ordered < count && first[ordered - 1].coordinate <= first[ordered].coordinate) ordered++;
    if (ordered < count) table_sort(first, count);
  }
  return 0;
}

/* Forgets all pairs in time proportional to their number and keeps the memory. */
FILIGREE_TABLE_FUNCTION void table_clear(filigree_table *t) {
  uint64_t mask = (uint64_t)t->slot_count - 1;
  if (t->indexed > t->slot_count / 8) {
    __builtin_memset(t->slots, 0, (uint64_t)t->slot_count * sizeof *t->slots);
    t->indexed = 0;
  }
  for (int64_t position = 0; position < t->indexed; position++) {
    uint64_t at = table_hash(t->pairs[position].parent, t->pairs[position].coordinate) & mask;
    while (t->slots[at] != position + 1) at = (at + 1) & mask;  /* free slots on the way were other pairs' */
    t->slots[at] = 0;
  }
  t->indexed = 0;
  t->size = 0;
}

#endif
