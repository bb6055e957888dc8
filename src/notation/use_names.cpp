#include "notation/use_names.h"

namespace filigree::notation {

void use_names(FreshNames& names, const Statement& statement) {
  names.use(statement.lhs.tensor.name());
  for (const Access& access : accesses(statement.rhs)) names.use(access.tensor.name());
  for (const IndexVar& var : index_vars(statement)) names.use(var.name());
}

}  // namespace filigree::notation
