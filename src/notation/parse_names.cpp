#include "notation/parse_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/check.h"
#include "notation/syntax.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

std::string with_indices(int count) {
  if (count == 0) return "without indices";
  return "with " + counted(count, "index", "indices");
}

/// Goes through the statements in order and remembers how names were used before.
class Collector {
 public:
  explicit Collector(const Source& source) : source_(source) {}

  Parsed operator()(std::shared_ptr<const SyntaxTree> syntax) {
    parsed_ = {source_, std::move(syntax), {}, {}};
    const SyntaxTree& tree = *parsed_.tree;
    add_indices(tree.lhs);
    for (const SyntaxNode& node : tree.nodes) add_indices(node);
    add_tensor(tree.lhs, true);
    add_gathered(tree.lhs);
    for (const SyntaxNode& node : tree.nodes) {
      if (node.kind == SyntaxNode::Kind::Access) add_tensor(node, false);
      add_gathered(node);
      if (node.kind == SyntaxNode::Kind::Reduce) check_reduction(node);
    }
    return std::move(parsed_);
  }

 private:
  [[noreturn]] void fail(UserError error, Span span) const { throw std::move(error).at(source_, span); }

  void add_indices(const SyntaxNode& node) {
    for (const NameUse& use : node.vars) add_index(use);
    for (const IndexUse& index : node.indices) add_indices(index);
  }

  void add_indices(const IndexUse& index) {
    for (const IndexUse::Term& term : index.terms) add_index(term.var);
    for (const GatherUse& gathered : index.gathered) {
      for (const IndexUse& inner : gathered.indices) add_indices(inner);
    }
  }

  /// Tensors that are read in indices, and in the indices of these.
  void add_gathered(const SyntaxNode& node) {
    for (const IndexUse& index : node.indices) {
      for (const GatherUse& gathered : index.gathered) {
        SyntaxNode access{.kind = SyntaxNode::Kind::Access,
                          .span = gathered.span,
                          .tensor = gathered.tensor,
                          .indices = gathered.indices};
        add_tensor(access, false);
        add_gathered(access);
        find_named(parsed_.tensors, gathered.tensor.name)->is_index = true;
        find_named(parsed_.tensors, node.tensor.name)->is_gathered = true;
      }
    }
  }

  void add_index(const NameUse& use) {
    if (const TensorUse* tensor = find_named(all_tensors_, use.name)) fail_two_ways(use, "a tensor", tensor->span);
    if (is_index_here(use.name)) return;
    parsed_.index_names.push_back(use.name);
    if (!find_named(all_indices_, use.name)) all_indices_.push_back(use);
  }

  bool is_index_here(const std::string& name) const {
    return std::find(parsed_.index_names.begin(), parsed_.index_names.end(), name) != parsed_.index_names.end();
  }

  template <class Use>
  static Use* find_named(std::vector<Use>& uses, const std::string& name) {
    auto found = std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return use.name == name; });
    return found == uses.end() ? nullptr : &*found;
  }

  [[noreturn]] void fail_two_ways(const NameUse& here, const std::string& elsewhere, Span there) const {
    fail(UserError(fmt::format("'{}' is used both as a tensor and as an index variable", here.name))
             .note(fmt::format("'{}' is {} at {}", here.name, elsewhere, describe_place(source_, there.begin)))
             .hint("rename one of them"),
         here.span);
  }

  void add_tensor(const SyntaxNode& node, bool is_result) {
    const std::string& name = node.tensor.name;
    if (node.bare && !is_result && is_index_here(name)) return;  // its value
    if (const NameUse* index = find_named(all_indices_, name))
      fail_two_ways(node.tensor, "an index variable", index->span);
    int order = static_cast<int>(node.indices.size());
    if (const TensorUse* known = find_named(all_tensors_, name); known && known->order != order) {
      fail(UserError(fmt::format("'{}' is used {} here but {} at {}", name, with_indices(order),
                                 with_indices(known->order), describe_place(source_, known->span.begin))),
           node.span);
    }
    TensorUse use{name, order, node.tensor.span, is_result, !is_result, is_result ? Span{} : node.tensor.span};
    if (!find_named(all_tensors_, name)) all_tensors_.push_back(use);
    TensorUse* known = find_named(parsed_.tensors, name);
    if (!known) parsed_.tensors.push_back(use);
    if (!known || known->is_operand) return;
    known->is_operand = true;
    known->read_span = use.read_span;
  }

  void check_reduction(const SyntaxNode& node) const {
    for (const NameUse& var : node.vars) {
      for (const IndexUse& left : parsed_.tree->lhs.indices) {
        for (const IndexUse::Term& term : left.terms) {
          if (term.var.name == var.name) fail(reduced_and_on_the_left(var.name), var.span);
        }
      }
    }
  }

  const Source& source_;
  Parsed parsed_;                       // the statement at hand
  std::vector<TensorUse> all_tensors_;  // first uses, in this statement and those before
  std::vector<NameUse> all_indices_;
};

}  // namespace

std::vector<Parsed> collect_names(const Source& source, const std::vector<std::shared_ptr<const SyntaxTree>>& trees) {
  Collector collect(source);
  std::vector<Parsed> statements;
  for (const std::shared_ptr<const SyntaxTree>& tree : trees) statements.push_back(collect(tree));
  return statements;
}

}  // namespace filigree::notation
