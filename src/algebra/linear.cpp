#include "algebra/linear.h"

namespace filigree {

bool is_linear_in(Operator op, int position) {
  if (op == Operator::Divide) return position == 0;
  return op == Operator::Multiply || op == Operator::Negate || op == Operator::Conjugate || op == Operator::Real ||
         op == Operator::Imag;
}

}  // namespace filigree
