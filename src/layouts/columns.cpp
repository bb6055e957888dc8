#include "layouts/columns.h"

#include <algorithm>
#include <memory>

namespace filigree::layouts {
namespace {

using Code = Evaluator::Code;
using Test = Evaluator::Test;
using Kind = Expr::Kind;

/// So many points at a time that a few columns of them fit in the first cache.
constexpr size_t block_size = 512;

/// Some points that follow each other.  Where one of them overflows, divides by no positive number or reads outside of
/// an array, `failed` is set and the values mean nothing: then points are to be looked at one by one.
class Block {
 public:
  Block(const Evaluator& evaluator, const Columns& columns) : evaluator_(evaluator), columns_(columns) {}

  void set(size_t first, size_t count) { first_ = first, count_ = count, failed_ = false; }
  bool failed() const { return failed_; }

  void values(const Code& code, std::int64_t* out) {
    switch (code.kind) {
      case Kind::Number: std::fill_n(out, count_, code.value); return;
      case Kind::Name: std::copy_n(columns_[static_cast<size_t>(code.value)].data() + first_, count_, out); return;
      case Kind::Read: return read(code, out);
      case Kind::Add:
      case Kind::Subtract:
      case Kind::Multiply:
      case Kind::Quotient:
      case Kind::Remainder: break;
    }
    values(code.parts[0], out);
    if (code.parts[1].kind == Kind::Number) return by_number(code.kind, out, code.parts[1].value);
    Scratch other(*this);
    values(code.parts[1], other.data());
    by_column(code.kind, out, other.data());
  }

  void elements(const Code& code, std::int64_t* out) {
    const std::vector<std::int64_t>& extents = evaluator_.extents(code.array);
    for (size_t n = 0; n < code.parts.size(); n++) {
      Scratch place(*this);
      std::int64_t* at = n == 0 ? out : place.data();
      values(code.parts[n], at);
      const std::uint64_t extent = extents[n] > 0 ? static_cast<std::uint64_t>(extents[n]) : 0;
      bool outside = false;
      for (size_t p = 0; p < count_; p++) outside |= static_cast<std::uint64_t>(at[p]) >= extent;
      failed_ = failed_ || outside;
      if (failed_) return;
      for (size_t p = 0; n > 0 && p < count_; p++) out[p] = out[p] * extents[n] + at[p];
    }
    if (code.parts.empty()) std::fill_n(out, count_, 0);
  }

  void holds(const Test& test, char* out) {
    switch (test.kind) {
      case Formula::Kind::And:
      case Formula::Kind::Or: return several(test, out);
      case Formula::Kind::Implies: {
        std::vector<char> premise(count_);
        holds(test.parts[0], premise.data());
        holds(test.parts[1], out);
        for (size_t p = 0; p < count_; p++) out[p] = premise[p] ? out[p] : 1;
        return;
      }
      default: break;
    }
    Scratch a(*this), b(*this);
    values(test.sides[0], a.data());
    values(test.sides[1], b.data());
    const std::int64_t *x = a.data(), *y = b.data();
    for (size_t p = 0; p < count_; p++) {
      out[p] = test.kind == Formula::Kind::Less        ? x[p] < y[p]
               : test.kind == Formula::Kind::LessEqual ? x[p] <= y[p]
               : test.kind == Formula::Kind::Equal     ? x[p] == y[p]
                                                       : x[p] != y[p];
    }
  }

 private:
  /// A column for what comes between, taken back in the end.
  class Scratch {
   public:
    explicit Scratch(Block& block) : block_(block), number_(block.used_++) {
      if (block.scratch_.size() <= number_) block.scratch_.push_back(std::make_unique<std::int64_t[]>(block_size));
    }
    ~Scratch() { block_.used_--; }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::int64_t* data() { return block_.scratch_[number_].get(); }

   private:
    Block& block_;
    size_t number_;
  };

  void several(const Test& test, char* out) {
    const bool all = test.kind == Formula::Kind::And;
    std::fill_n(out, count_, all);
    std::vector<char> own(count_);
    for (const Test& part : test.parts) {
      holds(part, own.data());
      for (size_t p = 0; p < count_; p++) out[p] = all ? out[p] & own[p] : out[p] | own[p];
    }
  }

  void read(const Code& code, std::int64_t* out) {
    elements(code, out);
    if (failed_) return;
    const Array& array = *evaluator_.array(code.array);
    if (array.type() == ElementType::Int32) {
      const std::int32_t* from = static_cast<const std::int32_t*>(array.data());
      for (size_t p = 0; p < count_; p++) out[p] = from[out[p]];
    } else {
      const std::int64_t* from = static_cast<const std::int64_t*>(array.data());
      for (size_t p = 0; p < count_; p++) out[p] = from[out[p]];
    }
  }

  void by_number(Kind kind, std::int64_t* out, std::int64_t b) {
    const bool divides = kind == Kind::Quotient || kind == Kind::Remainder;
    if (divides && b > 0 && (b & (b - 1)) == 0) {
      const int shift = __builtin_ctzll(static_cast<std::uint64_t>(b));
      for (size_t p = 0; p < count_; p++) out[p] = kind == Kind::Quotient ? out[p] >> shift : out[p] & (b - 1);
    } else {
      combine(kind, out, [b](size_t) { return b; });
    }
  }
  void by_column(Kind kind, std::int64_t* out, const std::int64_t* b) {
    combine(kind, out, [b](size_t p) { return b[p]; });
  }

  template <class Other>
  void combine(Kind kind, std::int64_t* out, const Other& b) {
    bool wrong = false;
    switch (kind) {
      case Kind::Add:
        for (size_t p = 0; p < count_; p++) wrong |= __builtin_add_overflow(out[p], b(p), &out[p]);
        break;
      case Kind::Subtract:
        for (size_t p = 0; p < count_; p++) wrong |= __builtin_sub_overflow(out[p], b(p), &out[p]);
        break;
      case Kind::Multiply:
        for (size_t p = 0; p < count_; p++) wrong |= __builtin_mul_overflow(out[p], b(p), &out[p]);
        break;
      default:
        for (size_t p = 0; p < count_; p++) {
          if (b(p) <= 0) {
            wrong = true;
            break;
          }
          out[p] = kind == Kind::Quotient ? floor_quotient(out[p], b(p)) : floor_remainder(out[p], b(p));
        }
    }
    failed_ = failed_ || wrong;
  }

  const Evaluator& evaluator_;
  const Columns& columns_;
  size_t first_ = 0, count_ = 0, used_ = 0;
  bool failed_ = false;
  std::vector<std::unique_ptr<std::int64_t[]>> scratch_;
};

/// Block by block; where one fails, point by point.
template <class Out, class InBlock, class AtPoint>
std::vector<Out> evaluate(const Evaluator& evaluator, const Columns& columns, size_t count, const InBlock& in_block,
                          const AtPoint& at_point) {
  std::vector<Out> out(count);
  Block block(evaluator, columns);
  for (size_t first = 0; first < count; first += block_size) {
    const size_t end = std::min(count, first + block_size);
    block.set(first, end - first);
    in_block(block, out.data() + first);
    for (size_t p = first; block.failed() && p < end; p++) {
      Evaluator::Values values;
      for (const Column& column : columns) values.push_back(column.empty() ? 0 : column[p]);
      out[p] = static_cast<Out>(at_point(values));
    }
  }
  return out;
}

}  // namespace

Column values_at(const Evaluator& evaluator, const Code& code, const Columns& columns, size_t count) {
  return evaluate<std::int64_t>(
      evaluator, columns, count, [&](Block& block, std::int64_t* out) { block.values(code, out); },
      [&](const Evaluator::Values& values) { return evaluator.value(code, values); });
}

Column elements_at(const Evaluator& evaluator, const Code& read, const Columns& columns, size_t count) {
  return evaluate<std::int64_t>(
      evaluator, columns, count, [&](Block& block, std::int64_t* out) { block.elements(read, out); },
      [&](const Evaluator::Values& values) { return evaluator.element(read, values); });
}

Column elements_or_none(const Evaluator& evaluator, const Code& read, const Columns& columns, size_t count) {
  return evaluate<std::int64_t>(
      evaluator, columns, count, [&](Block& block, std::int64_t* out) { block.elements(read, out); },
      [&](const Evaluator::Values& values) -> std::int64_t {
        try {
          return evaluator.element(read, values);
        } catch (const UserError&) {
          return -1;
        }
      });
}

std::vector<char> holds_at(const Evaluator& evaluator, const Test& test, const Columns& columns, size_t count) {
  return evaluate<char>(
      evaluator, columns, count, [&](Block& block, char* out) { block.holds(test, out); },
      [&](const Evaluator::Values& values) { return evaluator.holds(test, values); });
}

size_t keep(Columns& columns, const std::vector<char>& kept) {
  size_t count = static_cast<size_t>(std::count(kept.begin(), kept.end(), 1));
  if (count == kept.size()) return count;
  for (Column& column : columns) {
    if (column.empty()) continue;
    size_t to = 0;
    for (size_t p = 0; p < kept.size(); p++) {
      if (kept[p]) column[to++] = column[p];
    }
    column.resize(count);
  }
  return count;
}

}  // namespace filigree::layouts
