#include "ir/host_functions.h"

#include <cstddef>

#include "ir/runtime/sort.h"
#include "ir/runtime/sort_segment.h"
#include "ir/runtime/table.h"
#include "ir/runtime/table_functions.h"

namespace filigree::ir {
namespace {

FILIGREE_SORT_I32
FILIGREE_SORT_I64

}  // namespace

const filigree_functions host_functions = {
    .sort_i32 = sort_i32,
    .sort_i64 = sort_i64,
    .sort_elements = sort_elements,
    .table_new = table_new,
    .table_make_room = table_make_room,
    .table_insert = table_insert,
    .table_find = table_find,
    .table_finish = table_finish,
    .table_clear = table_clear,
    .table_free = table_free,
};

}  // namespace filigree::ir
