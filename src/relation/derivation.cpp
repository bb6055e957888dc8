#include "relation/derivation.h"

namespace filigree::relation {

RangeFormulas from_zero(const Formula& extent) { return {Formula::number(0), extent}; }
RangeFormulas from_zero(std::int64_t extent) { return from_zero(Formula::number(extent)); }

RangeFormulas digits_range(const Formula& whole, std::int64_t divisor, std::int64_t modulus) {
  return modulus != 0 ? from_zero(modulus) : from_zero(Formula::rounded_up(whole, Formula::number(divisor)));
}

RangeFormulas difference_range(const Formula& plus, const Formula& minus) {
  Formula one = Formula::number(1);
  return {one - minus, Formula::max(plus + minus - one, Formula::number(0))};
}

Formula value(const Sum& sum) {
  Formula total = Formula::number(sum.offset);
  for (const auto& [var, factor] : sum.terms) {
    Formula value = Formula::value(var);
    total = factor < 0 ? total - Formula::number(-factor) * value : total + Formula::number(factor) * value;
  }
  return total;
}

Formula value(const DigitsOf<IndexVar>& digits) {
  Formula quotient = Formula::quotient(Formula::value(digits.whole), Formula::number(digits.divisor));
  return digits.modulus == 0 ? quotient : Formula::remainder(quotient, Formula::number(digits.modulus));
}

Formula value(const Entry& entry) { return Formula::entry(entry.list, value(entry.number)); }

Formula room_in(const Sum& sum, const IndexVar& var, const Formula& size) {
  Formula one = Formula::number(1), zero = Formula::number(0);
  std::int64_t factor = 1;
  for (const auto& term : sum.terms) {
    if (term.var == var) factor = term.factor;
  }
  bool grows = factor > 0;
  // The largest value that the other variables reach, or the smallest.
  Formula reach = Formula::number(sum.offset);
  for (const auto& term : sum.terms) {
    if (!(term.var == var) && grows == (term.factor > 0))
      reach = reach + Formula::number(term.factor) * (Formula::extent(term.var) - one);
  }
  // One more than the largest multiple that stays inside.
  Formula stride = Formula::number(grows ? factor : -factor), left = grows ? size - reach : reach + one;
  return Formula::quotient(Formula::max(left + (stride - one), zero), stride);
}

}  // namespace filigree::relation
