#include "lower/array_source.h"

#include <algorithm>

namespace filigree::lowering {
namespace {

class MadeArrays : public ArraySource {
 public:
  std::vector<ir::Parameter> parameters(const TensorParameter& tensor, int number, const ir::Var& array) override {
    ir::Parameter parameter = Parameters::array(tensor, number, array, ir::Direction::Out);
    parameter.count = ir::int64_var(array.name() + "_count");
    return {parameter};
  }

  ir::Stmt allocate(const ir::Var& array, const ir::Expr& count, bool zero) const override {
    return ir::Alloc{array, count, zero};
  }
  ir::Stmt open(const Room& room, const ir::Expr& count) const override { return room.open(count); }
  ir::Stmt reserve(const Room& room, const ir::Expr& count) const override { return room.reserve(count); }
  ir::Stmt check(const ir::Var&, const ir::Expr&) const override { return {}; }
  ir::Stmt check_all(const ir::Var&, const ir::Expr&) const override { return {}; }

  ir::Stmt begin_index(const ir::Stmt& content) const override { return content; }
  ir::Stmt begin_values(const ir::Stmt& content, bool is_zero) const override { return is_zero ? ir::Stmt() : content; }
};

class GivenArrays : public ArraySource {
 public:
  std::vector<ir::Parameter> parameters(const TensorParameter& tensor, int number, const ir::Var& array) override {
    ir::Var count = ir::int64_var(array.name() + "_count");
    limits_.push_back({array, count});
    return {Parameters::array(tensor, number, array, ir::Direction::Update),
            {count, {tensor.number, ir::Binding::Part::Count, number}, ir::Direction::In, std::nullopt}};
  }

  ir::Stmt allocate(const ir::Var&, const ir::Expr&, bool) const override { return {}; }
  ir::Stmt open(const Room&, const ir::Expr&) const override { return {}; }
  ir::Stmt reserve(const Room&, const ir::Expr&) const override { return {}; }
  ir::Stmt check(const ir::Var& array, const ir::Expr& count) const override {
    const ir::Var* limit = limit_of(array);
    return limit ? check_limit(*limit, count) : ir::Stmt();
  }
  ir::Stmt check_all(const ir::Var& array, const ir::Expr& count) const override {
    const ir::Var* limit = limit_of(array);
    return limit ? ir::if_then(ir::not_equal(*limit, count), ir::Return{ir::Status::PatternMismatch}) : ir::Stmt();
  }

  ir::Stmt begin_index(const ir::Stmt&) const override { return {}; }
  ir::Stmt begin_values(const ir::Stmt& content, bool) const override { return content; }

 private:
  /// How many elements the array has; null if it is not written.
  const ir::Var* limit_of(const ir::Var& array) const {
    auto found = std::find_if(limits_.begin(), limits_.end(), [&](const auto& known) { return known.first == array; });
    return found == limits_.end() ? nullptr : &found->second;
  }

  std::vector<std::pair<ir::Var, ir::Var>> limits_;
};

class UpdatedArrays : public GivenArrays {
 public:
  ir::Stmt begin_values(const ir::Stmt&, bool) const override { return {}; }
};

}  // namespace

std::unique_ptr<ArraySource> array_source(plan::Mode mode) {
  if (plan::allocates(mode)) return std::make_unique<MadeArrays>();
  if (mode == plan::Mode::Update) return std::make_unique<UpdatedArrays>();
  return std::make_unique<GivenArrays>();
}

ir::Stmt check_limit(const ir::Var& limit, const ir::Expr& count) {
  return ir::if_then(ir::less(limit, count), ir::Return{ir::Status::PatternMismatch});
}

}  // namespace filigree::lowering
