#include <fmt/format.h>

#include "tensor/size.h"
#include "tensor/tensor.h"

namespace filigree {
namespace {

using level::ArrayDescription;

void check_array_type(const Array& array, const ArrayDescription& description, const std::string& where) {
  if (description.holds == ArrayDescription::Holds::Other) {
    if (array.type() == description.other_type) return;
    throw UserError(fmt::format("Array '{}' of {} holds {}, but must hold {}", description.name, where, to_string(array.type()),
                                to_string(description.other_type)));
  }
  if (array.type() == ElementType::Int32 || array.type() == ElementType::Int64) return;
  throw UserError(fmt::format("Array '{}' of {} holds {}, but must hold int32 or int64", description.name, where, to_string(array.type())));
}

}  // namespace

void Tensor::validate(const std::string& name) const {
  check_shape(dimensions_, format_, name);
  if (arrays_.size() != format_.levels().size()) {
    throw UserError(fmt::format("'{}' has arrays for {} levels, but its format {} has {}", name, arrays_.size(), to_string(format_),
                                format_.level_count()));
  }
  std::int64_t parents = 1;
  for (int k = 0; k < format_.level_count(); k++) {
    const Level& level = format_.levels()[k];
    std::string where = fmt::format("level {} of '{}'", k + 1, name);
    std::vector<ArrayDescription> descriptions = level.format->arrays();
    if (arrays_[k].size() != descriptions.size()) {
      throw UserError(fmt::format("{} ({}) has {} arrays, but needs {}", "L" + where.substr(1), level.format->name(),
                                  arrays_[k].size(), descriptions.size()));
    }
    for (size_t a = 0; a < descriptions.size(); a++) check_array_type(arrays_[k][a], descriptions[a], where);
    level::StoredLevel stored = stored_level(k, parents);
    const level::Storage& storage = *level.format->storage();
    if (storage.least_size(static_cast<double>(stored.extent), static_cast<double>(parents), 0) > most_positions) {
      throw UserError(fmt::format("'{}' ({}) has more components than 64 bits can count", name, describe_dimensions(dimensions_)));
    }
    parents = storage.validate(stored, where);
  }
  if (values_.count() != parents) {
    throw UserError(fmt::format("'{}' has {} values, but its levels have {} positions", name, values_.count(), parents));
  }
}

}  // namespace filigree
