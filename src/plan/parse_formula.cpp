// How many coordinates a variable has, as relation::to_string writes it: rounded_up(extent(i), 4).
#include "plan/declarations.h"

namespace filigree::plan {

using relation::Formula;

Formula Declarations::formula() {
  Formula sum = product();
  for (;;) {
    if (in_.accept("+")) sum = sum + product();
    else if (in_.accept("-")) sum = sum - product();
    else return sum;
  }
}

Formula Declarations::product() {
  Formula all = factor();
  auto divisor = [&] { return Formula::number(at_least(1)); };
  for (;;) {
    if (in_.accept("*")) all = all * factor();
    else if (in_.accept("/")) all = Formula::quotient(all, divisor());
    else if (in_.accept("%")) all = Formula::remainder(all, divisor());
    else return all;
  }
}

Formula Declarations::factor() {
  if (in_.accept("(")) {
    Formula inside = formula();
    in_.expect(")");
    return inside;
  }
  if (in_.accept("extent")) {
    in_.expect("(");
    IndexVar var = index_name();
    in_.expect(")");
    return Formula::extent(var);
  }
  bool rounds = in_.accept("rounded_up"), is_max = !rounds && in_.accept("max");
  if (!rounds && !is_max && !in_.accept("min")) return Formula::number(in_.integer());
  in_.expect("(");
  Formula first = formula();
  in_.expect(",");
  Formula second = rounds ? Formula::number(at_least(1)) : formula();
  in_.expect(")");
  return rounds   ? Formula::rounded_up(first, second)
         : is_max ? Formula::max(first, second)
                  : Formula::min(first, second);
}

}  // namespace filigree::plan
