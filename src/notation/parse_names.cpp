#include "notation/parse_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/check.h"
#include "notation/syntax.h"

namespace filigree::notation {
namespace {

std::string with_indices(int count) {
  if (count == 0) return "without indices";
  return fmt::format("with {} {}", count, count == 1 ? "index" : "indices");
}

class Collector {
 public:
  Collector(const Source& source, std::shared_ptr<const SyntaxTree> tree) : parsed_{source, std::move(tree), {}, {}} {}

  Parsed operator()() {
    const SyntaxTree& tree = *parsed_.tree;
    add_indices(tree.lhs);
    for (const SyntaxNode& node : tree.nodes) add_indices(node);
    add_tensor(tree.lhs, true);
    for (const SyntaxNode& node : tree.nodes) {
      if (node.kind == SyntaxNode::Kind::Access) add_tensor(node, false);
      if (node.kind == SyntaxNode::Kind::Reduce) check_reduction(node);
    }
    return std::move(parsed_);
  }

 private:
  [[noreturn]] void fail(UserError error, Span span) const { throw std::move(error).at(parsed_.source, span); }

  void add_indices(const SyntaxNode& node) {
    for (const NameUse& use : node.vars) add_index(use);
    for (const IndexUse& index : node.indices) {
      for (const IndexUse::Term& term : index.terms) add_index(term.var);
    }
  }

  void add_index(const NameUse& use) {
    if (find_index(use.name)) return;
    parsed_.index_names.push_back(use.name);
    first_indices_.push_back(use);
  }

  const NameUse* find_index(const std::string& name) const {
    auto found = std::find_if(first_indices_.begin(), first_indices_.end(), [&](const NameUse& use) { return use.name == name; });
    return found == first_indices_.end() ? nullptr : &*found;
  }

  void add_tensor(const SyntaxNode& node, bool is_result) {
    const auto& [name, span] = node.tensor;
    if (const NameUse* index = find_index(name)) {
      if (node.bare && !is_result) return;  // its value
      fail(UserError(fmt::format("'{}' is used both as a tensor and as an index variable", name))
               .note(fmt::format("'{}' is an index variable at column {}", name, index->span.begin + 1))
               .hint("rename one of them"), span);
    }
    int order = static_cast<int>(node.indices.size());
    auto known = std::find_if(parsed_.tensors.begin(), parsed_.tensors.end(), [&](const TensorUse& t) { return t.name == name; });
    if (known == parsed_.tensors.end()) {
      parsed_.tensors.push_back(TensorUse{name, order, span, is_result, !is_result});
      return;
    }
    if (known->order != order) {
      fail(UserError(fmt::format("'{}' is used {} here but {} at column {}", name, with_indices(order),
                                 with_indices(known->order), known->span.begin + 1)), node.span);
    }
    known->is_operand = true;
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

  Parsed parsed_;
  std::vector<NameUse> first_indices_;
};

}  // namespace

Parsed collect_names(const Source& source, std::shared_ptr<const SyntaxTree> tree) { return Collector(source, std::move(tree))(); }

}  // namespace filigree::notation
