#include "concrete/parse.h"

#include "concrete/syntax.h"
#include "support/check.h"

namespace filigree::concrete {
namespace {

/// Names become tensors and index variables; one name is one index variable throughout.
class Reader {
 public:
  Reader(const Source& source, const std::map<std::string, TensorVar>& tensors,
         std::map<std::string, IndexVar>& indices)
      : source_(source), tensors_(tensors), indices_(indices) {}

  Stmt operator()(const Syntax& syntax) {
    switch (syntax.kind) {
      case Syntax::Kind::Forall: return Forall{variable(syntax.var), (*this)(syntax.parts[0]), false, syntax.tag};
      case Syntax::Kind::Where: {
        Stmt consumer = (*this)(syntax.parts[0]);
        return Where{consumer, (*this)(syntax.parts[1])};
      }
      case Syntax::Kind::Sequence: return Sequence{all(syntax.parts)};
      case Syntax::Kind::Multi: return Multi{all(syntax.parts)};
      case Syntax::Kind::Assign: return assignment(syntax);
    }
    throw InternalError("concrete", "a statement of no kind", syntax.text);
  }

 private:
  std::vector<Stmt> all(const std::vector<Syntax>& parts) {
    std::vector<Stmt> out;
    for (const Syntax& part : parts) out.push_back((*this)(part));
    return out;
  }

  Stmt assignment(const Syntax& syntax) {
    for (const notation::TensorUse& use : syntax.parsed->tensors) {
      if (indices_.count(use.name)) continue;  // its value
      auto known = tensors_.find(use.name);
      if (known == tensors_.end()) fail("Unknown tensor '" + use.name + "'", syntax.span);
      if (known->second.order() != use.order)
        fail("Tensor '" + use.name + "' has the wrong number of indices", syntax.span);
    }
    for (const std::string& name : syntax.parsed->index_names) variable(name);
    notation::Statement s = notation::resolve_as_written(*syntax.parsed, tensors_, indices_);
    std::optional<std::pair<IndexVar, IndexVar>> unless_equal;
    if (syntax.unless_equal)
      unless_equal = {variable(syntax.unless_equal->first), variable(syntax.unless_equal->second)};
    return Assign{.lhs = s.lhs,
                  .op = s.op,
                  .rhs = s.rhs,
                  .drops_fill = syntax.drops_fill,
                  .unless_equal = unless_equal,
                  .prunes = s.prunes};
  }

  IndexVar variable(const std::string& name) { return indices_.try_emplace(name, IndexVar(name)).first->second; }

  [[noreturn]] void fail(const std::string& message, Span span) const {
    throw UserError(message).at(source_, {span.begin, span.begin + 1});
  }

  Source source_;
  const std::map<std::string, TensorVar>& tensors_;
  std::map<std::string, IndexVar>& indices_;
};

}  // namespace

Stmt parse(const std::string& text, const std::map<std::string, TensorVar>& tensors,
           std::map<std::string, IndexVar>& indices) {
  Source source = make_source("statement", text);
  return Reader(source, tensors, indices)(parse_syntax(source).statement);
}

}  // namespace filigree::concrete
