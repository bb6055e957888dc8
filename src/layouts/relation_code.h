// Expressions of layouts as imperative code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "layouts/layout.h"

namespace filigree::layouts {

/// Names of a layout as code: variables and sizes by value, arrays by their variables.
class Code {
 public:
  explicit Code(const Layout& layout) : layout_(&layout) {}
  void set(const std::string& name, const ir::Expr& value) { values_.insert_or_assign(name, value); }
  void set_array(const std::string& name, const ir::Var& array) { arrays_.insert_or_assign(name, array); }
  /// 1 where reads are allowed, else 0: then places are 0.
  void guard(const ir::Expr& guard) { guard_ = guard; }
  /// Never negative, whatever it looks like.
  void know_natural(const std::vector<Expr>& natural) { natural_ = natural; }

  ir::Expr operator()(const Expr& expr) const;
  ir::Expr operator()(const Formula& formula) const;
  ir::Expr all(const std::vector<Formula>& formulas) const;
  /// The number of the element that is read.
  ir::Expr element(const Expr& read) const;

 private:
  bool is_natural(const Expr& expr) const;
  ir::Expr floored(const ir::Expr& a, const ir::Expr& b) const;

  const Layout* layout_;
  std::map<std::string, ir::Expr> values_;
  std::map<std::string, ir::Var> arrays_;
  std::optional<ir::Expr> guard_;
  std::vector<Expr> natural_;
};

}  // namespace filigree::layouts
