// Layouts put together in C++, in the words of their language (docs/layouts.md):
//
//   using namespace filigree::layouts::build;
//   Value rows("rows"), columns("columns"), entries("entries"), r("r"), p("p"), i("i"), j("j"), a("a");
//   ArrayName pos("pos", {rows + 1}), crd("crd", {entries}), vals("vals", {entries});
//   Layout csr = Description("my_csr", {rows, columns})
//                    .arrays({pos, crd, vals})
//                    .relation({r, p}, {i, j}, 0 <= r && r < rows && pos(r) <= p && p < pos(r + 1) && i == r &&
//                              j == crd(p), vals(p))
//                    .where(implies(a < a.other(), pos(a) <= pos(a.other())))
//                    .layout();
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "layouts/layout.h"

namespace filigree::layouts {

inline Formula operator&&(const Formula& a, const Formula& b) { return Formula::all({a, b}); }
inline Formula operator||(const Formula& a, const Formula& b) { return Formula::any({a, b}); }

namespace build {

/// A variable, a size, a number, or what is computed of these.
class Value {
 public:
  explicit Value(const std::string& name) : expr_(Expr::name(name)) {}
  explicit Value(Expr expr) : expr_(std::move(expr)) {}
  template <std::integral Number>
  Value(Number number) : expr_(Expr::number(static_cast<std::int64_t>(number))) {}

  const Expr& expr() const { return expr_; }
  /// Of a variable: that of the second of two points or places.
  Value other() const { return Value(Expr::name(expr_.text(), true)); }

  friend Value operator+(const Value& a, const Value& b) { return Value(a.expr_ + b.expr_); }
  friend Value operator-(const Value& a, const Value& b) { return Value(a.expr_ - b.expr_); }
  friend Value operator*(const Value& a, const Value& b) { return Value(a.expr_ * b.expr_); }
  /// Rounded down.
  friend Value operator/(const Value& a, const Value& b) {
    return Value(Expr::binary(Expr::Kind::Quotient, a.expr_, b.expr_));
  }
  friend Value operator%(const Value& a, const Value& b) {
    return Value(Expr::binary(Expr::Kind::Remainder, a.expr_, b.expr_));
  }

  friend Formula operator<(const Value& a, const Value& b) {
    return Formula::compare(Formula::Kind::Less, a.expr_, b.expr_);
  }
  friend Formula operator<=(const Value& a, const Value& b) {
    return Formula::compare(Formula::Kind::LessEqual, a.expr_, b.expr_);
  }
  friend Formula operator>(const Value& a, const Value& b) { return b < a; }
  friend Formula operator>=(const Value& a, const Value& b) { return b <= a; }
  friend Formula operator==(const Value& a, const Value& b) {
    return Formula::compare(Formula::Kind::Equal, a.expr_, b.expr_);
  }
  friend Formula operator!=(const Value& a, const Value& b) {
    return Formula::compare(Formula::Kind::NotEqual, a.expr_, b.expr_);
  }

 private:
  Expr expr_;
};

inline Formula implies(const Formula& premise, const Formula& conclusion) {
  return Formula::implies(premise, conclusion);
}

class ArrayName {
 public:
  ArrayName(std::string name, const std::vector<Value>& extents);
  /// The element at these places.
  template <class... Places>
  Value operator()(const Places&... places) const {
    return Value(Expr::read(shape_.name, {Value(places).expr()...}));
  }
  const ArrayShape& shape() const { return shape_; }

 private:
  ArrayShape shape_;
};

class Description {
 public:
  Description(std::string name, const std::vector<Value>& dimensions);
  Description& arrays(const std::vector<ArrayName>& arrays);
  Description& relation(const std::vector<Value>& physical, const std::vector<Value>& logical, const Formula& condition,
                        const Value& value);
  Description& where(const Formula& property);
  /// Checked; throws UserError.
  Layout layout() const;

 private:
  Layout layout_;
};

}  // namespace build
}  // namespace filigree::layouts
