#ifndef FILIGREE_TABLE_H
#define FILIGREE_TABLE_H

/* A table: a set of (parent, coordinate) pairs, each with the position it was given when it came
   in: 0, 1, 2, ...  Pairs are found through a hash index; a table that is only appended to never
   builds one.  table_finish lines the pairs up by parent and, within a parent, by coordinate;
   cursors run over that order: the children of p are at cursors table_begin(t, p) up to
   table_begin(t, p + 1).  Functions that need memory return -1 (table_new: NULL) when there is none.

   Here is what inner loops call; table_functions.h has the rest. */
typedef struct filigree_pair { int64_t parent, coordinate; } filigree_pair;
typedef struct filigree_child { int64_t coordinate, position; } filigree_child;
typedef struct filigree_table {
  const filigree_runtime *runtime;
  const char *name;           /* for messages */
  filigree_pair *pairs;       /* by position */
  int64_t size, room;         /* pairs held, and pairs there is memory for */
  int64_t *slots;             /* the hash index: 1 + position, or 0 in a free slot */
  int64_t slot_count;         /* a power of two, or 0 before the first search */
  int64_t indexed;            /* pairs below this position are in the index */
  filigree_child *children;   /* by cursor */
  int64_t children_room;
  int64_t *begins;            /* by parent: its first cursor */
  int64_t begins_room;
} filigree_table;

#define FILIGREE_TABLE_FUNCTION static inline __attribute__((unused))

/* Room for one more pair; -1: no memory. */
FILIGREE_TABLE_FUNCTION int64_t table_make_room(filigree_table *t);

FILIGREE_TABLE_FUNCTION int64_t table_append(filigree_table *t, int64_t parent, int64_t coordinate) {
  if (t->size == t->room && table_make_room(t) < 0) return -1;
  t->pairs[t->size].parent = parent;
  t->pairs[t->size].coordinate = coordinate;
  return t->size++;
}

FILIGREE_TABLE_FUNCTION int64_t table_size(const filigree_table *t) { return t->size; }
FILIGREE_TABLE_FUNCTION int64_t table_begin(const filigree_table *t, int64_t parent) { return t->begins[parent]; }
FILIGREE_TABLE_FUNCTION int64_t table_coordinate(const filigree_table *t, int64_t cursor) { return t->children[cursor].coordinate; }
FILIGREE_TABLE_FUNCTION int64_t table_position(const filigree_table *t, int64_t cursor) { return t->children[cursor].position; }

#endif
