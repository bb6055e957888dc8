#include "tensor/slice_level.h"

namespace filigree {
namespace {

using level::Bounds;
using level::Instance;
using level::Node;

class SliceIteration : public level::PositionIteration {
 public:
  SliceIteration(const level::Format& inside, std::int64_t offset) : inside_(inside), offset_(offset) {}

  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    Bounds all = inside_.position_iteration()->bounds(level, parent);
    ir::Var sorted = inside_.search()->coordinates(level);
    auto first_from = [&](const ir::Expr& coordinate) {
      return ir::call(ir::Function::Search, {sorted, all.begin, all.end, coordinate});
    };
    return {offset_ > 0 ? first_from(ir::integer(offset_)) : all.begin, first_from(shifted(level.extent, offset_))};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>& ancestors) const override {
    Node node = inside_.position_iteration()->access(level, cursor, ancestors);
    node.coordinate = shifted(node.coordinate, -offset_);
    return node;
  }

 private:
  static ir::Expr shifted(const ir::Expr& value, std::int64_t by) {
    return by < 0 ? ir::subtract(value, ir::integer(-by)) : ir::add(value, ir::integer(by));
  }

  const level::Format& inside_;
  std::int64_t offset_;
};

class SlicedLevel : public level::Format {
 public:
  SlicedLevel(level::FormatPtr inside, std::int64_t offset)
      : inside_(std::move(inside)), offset_(offset), iteration_(*inside_, offset) {}

  std::string name() const override { return "slice"; }
  std::optional<std::string> argument() const override {
    return level::to_string(*inside_) + " from " + std::to_string(offset_);
  }
  level::Properties properties() const override {
    level::Properties properties = inside_->properties();
    properties.full = properties.branchless = false;
    return properties;
  }
  std::vector<level::ArrayDescription> arrays() const override { return inside_->arrays(); }
  const level::PositionIteration* position_iteration() const override { return &iteration_; }
  const level::Search* search() const override { return offset_ == 0 ? inside_->search() : nullptr; }

 private:
  level::FormatPtr inside_;
  std::int64_t offset_;
  SliceIteration iteration_;
};

}  // namespace

bool can_be_sliced(const level::Format& format) {
  level::Properties properties = format.properties();
  return format.position_iteration() && format.search() && properties.ordered == level::Ordered::Increasing &&
         !properties.padded && !properties.branchless;
}

level::FormatPtr sliced_level(level::FormatPtr format, std::int64_t offset) {
  return std::make_shared<SlicedLevel>(std::move(format), offset);
}

}  // namespace filigree
