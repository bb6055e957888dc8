// Each value of a tensor has dimensions of its own: that of the caller, and one for every assignment.  Statements are
// looked at again as long as one of them tells something about a value that another one uses, and only those that use
// it.
#include <algorithm>
#include <array>
#include <set>

#include "notation/assignment.h"
#include "notation/extents.h"
#include "notation/program.h"

namespace filigree::notation {

using Dimensions = std::vector<std::int64_t>;

class SizeInference::Finder {
 public:
  explicit Finder(KnownSizes known) : known_(std::move(known)) {}

  void add(const Statement& statement) {
    Use use{statement, {}, 0};
    for (const Access& access : accesses(statement.rhs)) {
      if (const TensorVar* tensor = access.tensor.read(); tensor && !current_.count(tensor->name()))
        current_[tensor->name()] = inputs_[tensor->name()] = add_value(*tensor, known_.inputs);
      if (!access.tensor.selection()) {
        use.operands[access.tensor] = current_[access.tensor.name()];
      } else if (!use.operands.count(access.tensor)) {
        use.operands[access.tensor] = add_value(access.tensor, {});
        if (access.tensor.read()) use.sources[access.tensor] = current_[access.tensor.read()->name()];
      }
    }
    use.result = add_value(statement.lhs.tensor, known_.results);
    current_[statement.lhs.tensor.name()] = use.result;
    for (const auto* values : {&use.operands, &use.sources}) {
      for (const auto& [tensor, value] : *values) users_[value].push_back(uses_.size());
    }
    users_[use.result].push_back(uses_.size());
    for (std::set<size_t>& waiting : waiting_) waiting.insert(uses_.size());
    uses_.push_back(std::move(use));
  }

  const std::map<IndexVar, std::int64_t>& last_extents() {
    learn();
    return uses_.back().extents;
  }
  ProgramSizes sizes() {
    learn();
    ProgramSizes sizes;
    for (const Use& use : uses_) sizes.extents.push_back(use.extents);
    for (const auto& [name, value] : inputs_) sizes.inputs[name] = values_[value];
    return sizes;
  }

 private:
  /// A statement and the values that its accesses stand for.
  struct Use {
    Statement statement;
    std::map<TensorVar, size_t> operands;
    size_t result;
    std::map<TensorVar, size_t> sources = {};  // of selections, which have their dimensions and one more
    std::map<IndexVar, std::int64_t> extents = {};
  };

  size_t add_value(const TensorVar& tensor, const std::map<std::string, Dimensions>& known) {
    auto found = known.find(tensor.name());
    values_.push_back(found == known.end() ? Dimensions(static_cast<size_t>(tensor.order()), -1) : found->second);
    users_.emplace_back();
    return values_.size() - 1;
  }

  /// Which indices tell a dimension: plain ones do.  Others, such as i+1, only say that it is not smaller, which counts
  /// where nothing else does; what is written does before what is read.
  enum class Tells { Plain, Written, Read };

  /// Looks at statements as long as one tells something: first all that plain indices tell, and then one more thing,
  /// which may tell more about others.  A statement is looked at again when something is known about a value that it
  /// uses.
  void learn() {
    for (size_t tells = 0; tells < waiting_.size();) {
      std::set<size_t>& waiting = waiting_[tells];
      if (waiting.empty()) {
        tells++;
        continue;
      }
      auto next = waiting.lower_bound(next_);  // in turn
      size_t use = next == waiting.end() ? *waiting.begin() : *next;
      waiting.erase(use);
      next_ = tells == 0 ? use + 1 : 0;
      if (infer(use, static_cast<Tells>(tells))) tells = 0;
    }
  }

  /// Something is known about a value now.
  void note_learned(size_t value) {
    for (size_t use : users_[value]) {
      for (std::set<size_t>& waiting : waiting_) waiting.insert(use);
    }
  }

  /// Was something learned about a value?
  bool infer(size_t number, Tells tells) {
    Use& use = uses_[number];
    bool learned = false;
    auto note = [&](size_t value, bool is_new) {
      if (is_new) note_learned(value);
      learned |= is_new;
    };
    for (const auto& [tensor, source] : use.sources)
      note(source, share(values_[use.operands.at(tensor)], values_[source]));
    std::map<TensorVar, Dimensions> dimensions;
    for (const auto& [tensor, value] : use.operands) dimensions[tensor] = values_[value];
    // A tensor that is updated keeps its shape; what the old value has is told by its dimensions already.
    if (!dimensions.count(use.statement.lhs.tensor)) dimensions[use.statement.lhs.tensor] = values_[use.result];
    std::map<IndexVar, std::int64_t> given;
    for (const IndexVar& var : index_vars(use.statement)) {
      if (auto extent = known_.extents.find(var.name()); var.is_named() && extent != known_.extents.end())
        given[var] = extent->second;
    }
    use.extents = infer_extents(use.statement, dimensions, given, tells == Tells::Plain ? Around::Waits : Around::Once);
    note(use.result, learn(use.statement.lhs, values_[use.result], use.extents, tells != Tells::Plain));
    for (const Access& access : accesses(use.statement.rhs)) {
      size_t value = use.operands.at(access.tensor);
      note(value, learn(access, values_[value], use.extents, tells == Tells::Read));
    }
    return learned;
  }

  /// What one tells about the other; whether the second learned something.
  static bool share(Dimensions& selection, Dimensions& source) {
    bool learned = false;
    for (size_t d = 0; d < source.size(); d++) {
      learned |= source[d] < 0 && selection[d] >= 0;
      std::int64_t& unknown = source[d] < 0 ? source[d] : selection[d];
      unknown = std::max(source[d], selection[d]);
    }
    return learned;
  }

  static bool learn(const Access& access, Dimensions& dimensions, const std::map<IndexVar, std::int64_t>& extents,
                    bool with_maps) {
    bool learned = false;
    for (size_t d = 0; d < access.indices.size(); d++) {
      auto extent = extents.find(access.indices[d]);
      if (dimensions[d] >= 0 || extent == extents.end() || (access.indices[d].map() && !with_maps)) continue;
      dimensions[d] = extent->second;
      learned = true;
    }
    return learned;
  }

  KnownSizes known_;
  std::vector<Dimensions> values_;
  std::vector<std::vector<size_t>> users_;   // of each value, by number
  std::array<std::set<size_t>, 3> waiting_;  // statements that may tell something, for each of Tells
  size_t next_ = 0;
  std::map<std::string, size_t> current_, inputs_;
  std::vector<Use> uses_;
};

SizeInference::SizeInference(KnownSizes known) : finder_(std::make_unique<Finder>(std::move(known))) {}
SizeInference::~SizeInference() = default;
void SizeInference::add(const Statement& statement) { finder_->add(as_assignment(statement)); }
const std::map<IndexVar, std::int64_t>& SizeInference::last_extents() { return finder_->last_extents(); }
ProgramSizes SizeInference::sizes() { return finder_->sizes(); }

ProgramSizes infer_sizes(const std::vector<Statement>& statements, const KnownSizes& known) {
  SizeInference inference(known);
  for (const Statement& statement : statements) inference.add(statement);
  return inference.sizes();
}

std::map<std::string, std::int64_t> by_name(const Statement& statement,
                                            const std::map<IndexVar, std::int64_t>& extents) {
  std::map<std::string, std::int64_t> named;
  std::set<std::string>
      ambiguous;  // of variables that have nothing but the name in common: their dimensions tell them apart
  for (const auto& [var, extent] : extents) {
    auto [known, is_new] = named.try_emplace(var.name(), extent);
    if (!is_new && known->second != extent) ambiguous.insert(var.name());
  }
  for (const std::string& name : ambiguous) named.erase(name);
  const Access& left = statement.lhs;
  for (size_t d = 0; d < left.indices.size(); d++) {
    if (auto extent = extents.find(left.indices[d]); extent != extents.end())
      named[dimension_name(left.tensor, d)] = extent->second;
  }
  return named;
}

}  // namespace filigree::notation
