#include "lower/room.h"

namespace filigree::lower {
namespace {

constexpr std::int64_t first_capacity = 256;

}  // namespace

ir::Stmt Room::open() const {
  if (arrays_.empty()) return {};
  std::vector<ir::Stmt> code = {ir::declare(capacity_, ir::integer(first_capacity))};
  for (const ir::Var& array : arrays_) code.push_back(ir::Alloc{array, capacity_});
  return ir::block(code);
}

ir::Stmt Room::reserve(const ir::Expr& count) const {
  if (arrays_.empty()) return {};
  std::vector<ir::Stmt> code = {ir::assign(capacity_, ir::max(ir::multiply(ir::integer(2), capacity_), count))};
  for (const ir::Var& array : arrays_) code.push_back(ir::Grow{array, capacity_});
  return ir::if_then(ir::less(capacity_, count), ir::block(code));
}

}  // namespace filigree::lower
