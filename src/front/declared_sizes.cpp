#include "front/declared_sizes.h"

#include <algorithm>

namespace filigree::front {
namespace {

using notation::Access;

/// The variable that an index is, also as one of several in an access, as in B(i,i).
std::string variable_of(const IndexVar& index) {
  const IndexMap* map = index.map();
  bool is_variable = map && *map == IndexMap{.terms = {{map->terms.empty() ? index : map->terms[0].var, 1}}};
  return is_variable ? map->terms[0].var.name() : index.name();
}

/// Every value of a tensor, of the inputs and of each assignment, has dimensions; those that share an index variable in
/// a statement grow to the largest of them until none grows any more.
class Widening {
 public:
  explicit Widening(DeclaredProgram& program) : program_(program) {}

  void operator()() {
    auto is_implied = [](const DeclaredTensor& tensor) {
      return tensor.contents && tensor.contents->dimensions_implied();
    };
    if (std::none_of(program_.tensors.begin(), program_.tensors.end(), is_implied)) return;
    number_values();
    for (bool more = true; more;) {
      more = false;
      for (const Use& use : uses_) more |= spread(use);
    }
    for (DeclaredTensor& tensor : program_.tensors) {
      if (is_implied(tensor)) widen(tensor);
    }
  }

 private:
  /// A statement's accesses, each with the value of a tensor that it stands for.
  using Use = std::vector<std::pair<Access, size_t>>;

  void number_values() {
    std::map<std::string, size_t> current;
    for (const DeclaredTensor& tensor : program_.tensors) {
      if (!tensor.is_input || current.count(tensor.use.name)) continue;
      current[tensor.use.name] = inputs_[tensor.use.name] = values_.size();
      values_.push_back(
          tensor.dimensions.value_or(std::vector<std::int64_t>(static_cast<size_t>(tensor.use.order), 0)));
    }
    for (const notation::Statement& statement : program_.statements) {
      Use use;
      for (Access access : notation::accesses(statement.rhs)) {
        const TensorVar* read = access.tensor.read();
        if (!read) continue;
        if (access.tensor.selection()) access.indices.pop_back();  // what it selects is no dimension of what is read
        use.push_back({access, current.at(read->name())});
      }
      current[statement.lhs.tensor.name()] = values_.size();
      use.push_back({statement.lhs, values_.size()});
      values_.push_back(result_dimensions(statement.lhs));
      uses_.push_back(std::move(use));
    }
  }

  std::vector<std::int64_t> result_dimensions(const Access& result) const {
    for (const DeclaredTensor& tensor : program_.tensors) {
      if (tensor.use.name == result.tensor.name() && !tensor.is_input && tensor.dimensions) return *tensor.dimensions;
    }
    return std::vector<std::int64_t>(result.indices.size(), 0);
  }

  /// The largest extent of each index variable to all dimensions that have it.  Was one larger than a dimension?
  bool spread(const Use& use) {
    std::map<std::string, std::int64_t> largest;
    for (const auto& [access, value] : use) {
      for (const IndexVar& var : access.indices) {
        if (auto given = program_.extents.find(var.name()); var.is_named() && given != program_.extents.end())
          largest.insert(*given);
      }
    }
    for (const auto& [access, value] : use) {
      for (size_t d = 0; d < access.indices.size(); d++) {
        std::int64_t& extent = largest[variable_of(access.indices[d])];
        extent = std::max(extent, values_[value][d]);
      }
    }
    bool grew = false;
    for (const auto& [access, value] : use) {
      for (size_t d = 0; d < access.indices.size(); d++) {
        std::int64_t extent = largest[variable_of(access.indices[d])];
        grew |= values_[value][d] < extent;
        values_[value][d] = std::max(values_[value][d], extent);  // a tensor may be there twice
      }
    }
    return grew;
  }

  void widen(DeclaredTensor& tensor) const {
    const std::vector<std::int64_t>& dimensions = values_[inputs_.at(tensor.use.name)];
    if (dimensions == *tensor.dimensions) return;
    tensor.dimensions = dimensions;
    // Another tensor may have the same file and stay as it is.
    if (tensor.contents.use_count() > 1) tensor.contents = std::make_shared<Contents>(*tensor.contents);
    tensor.contents->widen(dimensions);
  }

  DeclaredProgram& program_;
  std::map<std::string, size_t> inputs_;
  std::vector<std::vector<std::int64_t>> values_;  // dimensions of the inputs and of every assignment
  std::vector<Use> uses_;
};

}  // namespace

Sizes given_sizes(const DeclaredProgram& program) {
  Sizes sizes{program.extents};
  for (const DeclaredTensor& tensor : program.tensors) {
    if (!tensor.is_input && tensor.dimensions) sizes.dimensions[tensor.use.name] = *tensor.dimensions;
  }
  return sizes;
}

notation::KnownSizes told_sizes(const DeclaredProgram& program) {
  Sizes given = given_sizes(program);
  notation::KnownSizes known{{}, given.dimensions, given.extents};
  for (const DeclaredTensor& tensor : program.tensors) {
    if (tensor.is_input && tensor.dimensions) known.inputs[tensor.use.name] = *tensor.dimensions;
  }
  return known;
}

notation::ProgramSizes known_sizes(const DeclaredProgram& program) {
  return notation::infer_sizes(program.statements, told_sizes(program));
}

void widen_implied_dimensions(DeclaredProgram& program) { Widening{program}(); }

}  // namespace filigree::front
