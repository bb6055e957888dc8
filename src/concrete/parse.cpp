#include "concrete/parse.h"

#include "notation/parse.h"
#include "support/text.h"

namespace filigree::concrete {
namespace {

class Parser {
 public:
  Parser(const std::string& text, const std::map<std::string, TensorVar>& tensors,
         std::map<std::string, IndexVar>& indices)
      : source_(make_source("statement", text)), text_(source_->text), tensors_(tensors), indices_(indices) {}

  Stmt parse_all() {
    Stmt stmt = statement();
    skip_blanks();
    if (at_ < text_.size()) fail("Something is left over after the statement");
    return stmt;
  }

 private:
  Stmt statement() {
    skip_blanks();
    if (accept("forall(")) {
      IndexVar var = index_variable();
      skip_blanks();
      LoopTag tag = accept("[") ? loop_tag() : LoopTag();
      expect(',');
      Stmt body = statement();
      expect(')');
      return Forall{var, body, false, tag};
    }
    if (accept("where(")) {
      Stmt consumer = statement();
      expect(',');
      Stmt producer = statement();
      expect(')');
      return Where{consumer, producer};
    }
    if (accept("sequence(")) return Sequence{statements()};
    if (accept("multi(")) return Multi{statements()};
    return assignment();
  }

  /// cpu, atomics, unroll 4]
  LoopTag loop_tag() {
    LoopTag tag;
    do {
      skip_blanks();
      if (accept("cpu")) tag.parallel = true;
      else if (accept("gpu_block")) tag.gpu = GpuUnit::Block;
      else if (accept("gpu_warp")) tag.gpu = GpuUnit::Warp;
      else if (accept("gpu_thread")) tag.gpu = GpuUnit::Thread;
      else if (accept("ignore")) tag.races = Races::Ignore;
      else if (accept("atomics")) tag.races = Races::Atomics;
      else if (accept("temporary")) tag.races = Races::Temporary;
      else if (accept("vector")) tag.vector = true;
      else if (accept("unroll ")) tag.unrolled = count();
      else
        fail(
            "How a loop runs should stand here: cpu, gpu_block, gpu_warp, gpu_thread, ignore, atomics, temporary, "
            "vector or unroll");
      skip_blanks();
    } while (accept(","));
    expect(']');
    return tag;
  }

  int count() {
    skip_blanks();
    int value = 0;
    size_t begin = at_;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) && at_ - begin < 6; at_++)
      value = 10 * value + (text_[at_] - '0');
    if (value == 0) fail("A number above 0 should stand here");
    return value;
  }

  std::vector<Stmt> statements() {
    std::vector<Stmt> all = {statement()};
    while (skip_blanks(), accept(";")) all.push_back(statement());
    expect(')');
    return all;
  }

  /// The text up to the `,`, `;` or `)` that ends it belongs to index notation.
  Stmt assignment() {
    size_t begin = at_;
    for (int depth = 0; at_ < text_.size(); at_++) {
      char c = text_[at_];
      if (depth == 0 && (c == ',' || c == ';' || c == ')')) break;
      depth += (c == '(') - (c == ')');
    }
    std::string text = trim(text_.substr(begin, at_ - begin));
    std::optional<std::pair<IndexVar, IndexVar>> unless_equal;
    if (size_t found = text.find(unless); found != std::string::npos) {
      unless_equal = equal_variables(text.substr(found + unless.size()));
      text.resize(found);
    }
    const std::string suffix = " if stored";
    bool drops = text.size() > suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
    if (drops) text.resize(text.size() - suffix.size());
    notation::Parsed parsed = notation::parse(text);
    for (const notation::TensorUse& use : parsed.tensors) {
      if (indices_.count(use.name)) continue;  // its value
      auto known = tensors_.find(use.name);
      if (known == tensors_.end()) fail("Unknown tensor '" + use.name + "'");
      if (known->second.order() != use.order) fail("Tensor '" + use.name + "' has the wrong number of indices");
    }
    for (const std::string& name : parsed.index_names) indices_.try_emplace(name, IndexVar(name));
    notation::Statement s = notation::resolve_as_written(parsed, tensors_, indices_);
    return Assign{
        .lhs = s.lhs, .op = s.op, .rhs = s.rhs, .drops_fill = drops, .unless_equal = unless_equal, .prunes = s.prunes};
  }

  /// i = j
  std::pair<IndexVar, IndexVar> equal_variables(const std::string& text) {
    std::vector<std::string> names = split(text, '=');
    for (std::string& name : names) name = trim(name);
    if (names.size() != 2 || !is_identifier(names[0]) || !is_identifier(names[1]))
      fail("Two index variables should stand after 'unless', as in i = j");
    auto var = [&](const std::string& name) { return indices_.try_emplace(name, IndexVar(name)).first->second; };
    return {var(names[0]), var(names[1])};
  }

  IndexVar index_variable() {
    skip_blanks();
    size_t begin = at_;
    while (at_ < text_.size() && is_identifier(text_.substr(begin, at_ - begin + 1))) at_++;
    if (at_ == begin) fail("An index variable should stand here");
    std::string name = text_.substr(begin, at_ - begin);
    return indices_.try_emplace(name, IndexVar(name)).first->second;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
  }
  bool accept(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void expect(char c) {
    skip_blanks();
    if (!accept(std::string(1, c))) fail(std::string("'") + c + "' should stand here");
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(message).at(source_, {static_cast<int>(at_), static_cast<int>(at_) + 1});
  }

  inline static const std::string unless = " unless ";
  Source source_;
  const std::string& text_;
  const std::map<std::string, TensorVar>& tensors_;
  std::map<std::string, IndexVar>& indices_;
  size_t at_ = 0;
};

}  // namespace

Stmt parse(const std::string& text, const std::map<std::string, TensorVar>& tensors,
           std::map<std::string, IndexVar>& indices) {
  return Parser(text, tensors, indices).parse_all();
}

}  // namespace filigree::concrete
