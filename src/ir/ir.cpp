#include "ir/ir.h"

#include "support/check.h"

namespace filigree::ir {

Var::Var(std::string name, Type type)
    : data_(std::make_shared<const Data>(Data{std::move(name), type, Id<VarTag>::fresh()})) {}

Expr::Expr(const Var& var) : Expr(VarRef{var}) {}

const ExprKind& Expr::kind() const { return node_->kind; }
ElementType Expr::type() const { return node_->type; }

bool operator==(const Expr& a, const Expr& b) {
  return a.node_ == b.node_ || (a.type() == b.type() && a.kind() == b.kind());
}

Stmt::Stmt() {
  static const std::shared_ptr<const Node> empty = std::make_shared<const Node>(Node{StmtKind(Block{})});
  node_ = empty;
}

const StmtKind& Stmt::kind() const { return node_->kind; }

bool operator==(const Stmt& a, const Stmt& b) { return a.node_ == b.node_ || a.kind() == b.kind(); }

bool For::operator==(const For& other) const {
  bool same_units = units == other.units || (units && other.units && *units == *other.units);
  return var == other.var && begin == other.begin && end == other.end && body == other.body && loop == other.loop &&
         unrolled == other.unrolled && same_units;
}

bool Stmt::is_empty() const {
  const Block* block = as<Block>();
  return block && block->statements.empty();
}

ElementType type_of(const ExprKind& kind) {
  return std::visit(Overloaded{
                        [](const Literal& n) { return n.value.type(); },
                        [](const VarRef& n) { return n.var.type().element; },
                        [](const Apply& n) {
                          std::vector<ElementType> types;
                          for (const Expr& operand : n.operands) types.push_back(operand.type());
                          return result_type(n.op, types);
                        },
                        [](const Load& n) { return n.array.type().element; },
                        [](const Cast& n) { return n.type; },
                        [](const Call&) { return ElementType::Int64; },
                    },
                    kind);
}

bool is_on_array(Function function) {
  return function == Function::Sort || function == Function::Search || function == Function::SearchDown ||
         function == Function::SearchPath || function == Function::Gallop || function == Function::Scattered ||
         function == Function::HashFind;
}

std::string function_name(Function function) {
  switch (function) {
    case Function::Sort: return "sort";
    case Function::SortSegment: return "sort_segment";
    case Function::HashFind: return "hash_find";
    case Function::Search: return "search";
    case Function::SearchDown: return "search_down";
    case Function::SearchPath: return "search_path";
    case Function::Gallop: return "gallop";
    case Function::Scattered: return "scattered";
    case Function::Fetch: return "fetch";
    case Function::TableInsert: return "table_insert";
    case Function::TableAppend: return "table_append";
    case Function::TableFind: return "table_find";
    case Function::TableSize: return "table_size";
    case Function::TableFinish: return "table_finish";
    case Function::TableBegin: return "table_begin";
    case Function::TableCoordinate: return "table_coordinate";
    case Function::TablePosition: return "table_position";
    case Function::TableClear: return "table_clear";
  }
  throw InternalError("ir", "unknown runtime function");
}

}  // namespace filigree::ir
