#include "front/declare.h"

#include <algorithm>

#include <fmt/format.h>

#include "front/declared_sizes.h"
#include "front/pattern_matters.h"
#include "notation/assignment.h"
#include "notation/check.h"
#include "notation/default_format.h"
#include "notation/extents.h"
#include "notation/part_update.h"
#include "notation/syntax.h"

namespace filigree::front {
namespace {

using notation::Access;
using notation::Parsed;
using notation::ParsedProgram;
using notation::TensorUse;

TensorVar variable(const DeclaredTensor& tensor) {
  return TensorVar(tensor.use.name, tensor.type, tensor.format, tensor.fill.cast(tensor.type));
}

/// What is said, or what the file says, or 0.
Scalar fill_of(const DeclaredTensor& tensor, const Stated& stated) {
  std::optional<Scalar> of_file;
  if (tensor.contents && tensor.contents->fill()) of_file = tensor.contents->fill()->cast(tensor.type);
  if (stated.fill && of_file && !(stated.fill->cast(tensor.type) == *of_file)) {
    throw UserError(fmt::format("What '{}' does not store is given as {}, but its file says {}", tensor.use.name,
                                to_string(*stated.fill), to_string(*of_file)))
        .hint("give no fill, or correct the file", "leave --fill out, or correct the file");
  }
  return stated.fill ? *stated.fill : of_file.value_or(Scalar(tensor.type));
}

void choose_operand_format(DeclaredTensor& tensor, const Stated& stated) {
  int order = tensor.use.order;
  if (stated.format) {
    tensor.format = *stated.format;
    tensor.format_reason = "given";
    return;
  }
  double density = stated.density.value_or(1);
  bool dense = order <= 1 || (tensor.contents ? tensor.contents->is_dense() : density == 1);
  tensor.format = dense             ? Format::dense(order)
                  : tensor.contents ? tensor.contents->usual_format()
                                    : Format::sparse(order);
  tensor.format_reason = order == 0        ? ""
                         : order == 1      ? "by default: a vector"
                         : tensor.contents ? "by default: " + tensor.contents->format_reason()
                         : !dense          ? "by default: random entries"
                                           : "by default";
}

void declare_operand(DeclaredTensor& tensor, const Stated& stated) {
  ElementType usual = tensor.use.is_index ? ElementType::Int64 : ElementType::Float64;
  tensor.contents = stated.contents;
  tensor.type = tensor.contents ? tensor.contents->type() : stated.type.value_or(usual);
  if (tensor.contents) tensor.dimensions = tensor.contents->dimensions();
  choose_operand_format(tensor, stated);
  tensor.fill = fill_of(tensor, stated);
}

/// Resolves the statements one after the other, with the tensors as those before leave them.
class StatementDeclarer {
  using Extents = std::map<IndexVar, std::int64_t>;

 public:
  StatementDeclarer(DeclaredProgram& declared, const ProgramNames& names, const ParsedProgram& parsed,
                    const StatedByName& stated, const DeclareOptions& options)
      : declared_(declared), program_(parsed), stated_(stated), options_(options) {
    for (const std::string& index : names.indices) names_.use(index);
    for (const DeclaredTensor& tensor : declared.tensors) {
      names_.use(tensor.use.name);
      if (tensor.is_input) current_.emplace(tensor.use.name, variable(tensor));
      if (tensor.is_input && tensor.dimensions) dimensions_[tensor.use.name] = *tensor.dimensions;
    }
    for (const Parsed& statement : parsed.statements) {
      for (const TensorUse& use : statement.tensors) {
        if (use.is_operand && use.name != statement.tree->lhs.tensor.name) read_by_others_.insert(use.name);
      }
    }
  }

  void operator()(const Parsed& parsed) {
    const std::string& name = parsed.tree->lhs.tensor.name;
    bool has_value = current_.count(name) > 0;
    // Until it is declared, the result is something of its order.
    if (!has_value)
      current_.emplace(name, TensorVar(name, ElementType::Float64,
                                       Format::dense(static_cast<int>(parsed.tree->lhs.indices.size()))));
    notation::Statement statement = notation::resolve(parsed, current_);
    notation::give_extents(statement, declared_.extents);
    if (has_value && options_.splits_updates) statement = add_steps_before(statement);
    DeclaredTensor& result = *std::find_if(declared_.tensors.begin(), declared_.tensors.end(),
                                           [&](const DeclaredTensor& t) { return t.use.name == name; });
    // What is given keeps its type and format.
    statement.lhs.tensor = variable(result.is_input ? result : declare_result(statement, result));
    add(statement);
  }

 private:
  void add(const notation::Statement& statement) {
    note_dimensions(statement);
    current_.insert_or_assign(statement.lhs.tensor.name(), notation::made_by(statement));
    declared_.statements.push_back(statement);
  }

  /// Of the statements that make the new value of an old one, adds all but the last, which is the result.
  notation::Statement add_steps_before(const notation::Statement& statement) {
    std::vector<notation::Statement> statements = notation::with_old_values(statement, names_);
    for (size_t n = 0; n + 1 < statements.size(); n++) {
      const TensorVar& made = statements[n].lhs.tensor;
      DeclaredTensor declared;
      declared.use.name = made.name();
      declared.use.order = made.order();
      declared.type = made.type();
      declared.format = made.format();
      declared.fill = made.fill();
      declared.format_reason = fmt::format("what '{}' changes", notation::to_string(statement.lhs));
      declared_.tensors.push_back(declared);
      add(statements[n]);
    }
    return statements.back();
  }

  const Stated& stated(const std::string& name) const {
    static const Stated nothing;
    auto found = stated_.find(name);
    return found == stated_.end() ? nothing : found->second;
  }

  /// Of what is assigned: `-=` of a bool is a negative number, and several bools add up to one.
  static ElementType assigned_type(const notation::Statement& statement) {
    notation::Statement assigned = statement;
    const TensorVar& left = statement.lhs.tensor;  // its type, which is not known yet, says nothing
    assigned.lhs.tensor =
        TensorVar(left.name(), statement.rhs.type(), left.format(), left.fill().cast(statement.rhs.type()));
    assigned = notation::as_assignment(assigned);
    std::optional<Operator> op = notation::accumulation(assigned);
    ElementType type = notation::signed_right_side(assigned).type();
    return op ? reduced_type(*op, type) : type;
  }

  /// Its type and format may follow from the right-hand side.
  DeclaredTensor declare_result(const notation::Statement& statement, DeclaredTensor& known) {
    DeclaredTensor result = known;
    const std::string& name = result.use.name;
    result.type = stated(name).type.value_or(assigned_type(statement));
    if (stated(name).format) {
      result.format = *stated(name).format;
      result.format_reason = "given";
    } else {
      notation::DefaultFormat chosen = notation::default_format(statement, hints(statement), is_temporary(name));
      result.format = chosen.format;
      result.format_reason = chosen.reason.empty() ? "" : "by default: " + chosen.reason;
    }
    result.fill = fill_of(result, stated(name));
    if (!stated(name).format && is_temporary(name) && is_read_by_value(result)) {
      result.format = Format::dense(1);
      result.format_reason = "by default: a vector that is looked up, of which only the values matter";
    }
    check_result_fill(statement, result);
    auto assigns_it = [&](const notation::Statement& earlier) { return notation::assigns(earlier, name); };
    bool is_first = std::none_of(declared_.statements.begin(), declared_.statements.end(), assigns_it);
    if (is_first) {
      known = result;
      return result;
    }
    bool is_listed = std::any_of(declared_.tensors.begin(), declared_.tensors.end(), [&](const DeclaredTensor& t) {
      return t.use.name == name && t.type == result.type && t.format == result.format;
    });
    if (!is_listed) declared_.tensors.push_back(result);
    return result;
  }

  /// A vector with a place for each coordinate, of which nobody needs to know which components are stored.
  bool is_read_by_value(const DeclaredTensor& made) const {
    const std::vector<Level>& levels = made.format.levels();
    if (levels.size() != 1 || made.format.stores_all() || !levels[0].format->locate()) return false;
    std::map<std::string, TensorVar> tensors = current_;
    tensors.insert_or_assign(made.use.name, variable(made));
    for (const Parsed& parsed : program_.statements) {
      for (const TensorUse& use : parsed.tensors)
        tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, Format::dense(use.order)));
    }
    try {
      return std::none_of(program_.statements.begin(), program_.statements.end(), [&](const Parsed& parsed) {
        bool reads = std::any_of(parsed.tensors.begin(), parsed.tensors.end(),
                                 [&](const TensorUse& use) { return use.is_operand && use.name == made.use.name; });
        return reads && pattern_matters(notation::resolve(parsed, tensors), made.use.name);
      });
    } catch (const UserError&) {  // is told when that statement is declared
      return false;
    }
  }

  /// Is it read by other statements, and not asked for?
  bool is_temporary(const std::string& name) const {
    return options_.outputs.count(name) == 0 && read_by_others_.count(name) > 0;
  }

  /// The sizes that data and people tell.  Where they disagree nothing is known: that is told once all statements are
  /// there, and sizes that files leave open have been widened.
  notation::SizeHints hints(const notation::Statement& statement) {
    notation::SizeHints hints;
    for (const DeclaredTensor& tensor : declared_.tensors) {
      if (tensor.contents) hints.entries[tensor.use.name] = tensor.contents->count();
    }
    try {
      if (disagree_) return hints;
      std::optional<Extents> extents = extents_of_operands(statement);
      hints.extents = extents ? *extents : extents_among_all(statement);
    } catch (const UserError&) {
      disagree_ = true;
    }
    return hints;
  }

  /// As far as all statements up to this one, which is the next to be added, tell them.
  Extents extents_among_all(const notation::Statement& statement) {
    if (!sizes_) sizes_ = std::make_unique<notation::SizeInference>(told_sizes(declared_));
    for (; sized_ < declared_.statements.size(); sized_++) sizes_->add(declared_.statements[sized_]);
    sizes_->add(statement);
    sized_++;
    return sizes_->last_extents();
  }

  /// If people and the tensors that a statement reads tell all its extents, no other statement is needed for that.
  std::optional<Extents> extents_of_operands(const notation::Statement& statement) const {
    notation::Statement assigned = notation::as_assignment(statement);
    std::map<TensorVar, std::vector<std::int64_t>> dimensions;
    for (const Access& access : notation::accesses(assigned.rhs)) {
      if (access.tensor.selection()) return std::nullopt;
      auto known = dimensions_.find(access.tensor.name());
      if (known != dimensions_.end()) dimensions[access.tensor] = known->second;
    }
    Extents given;
    for (const IndexVar& var : notation::index_vars(assigned)) {
      if (auto extent = declared_.extents.find(var.name()); var.is_named() && extent != declared_.extents.end())
        given[var] = extent->second;
    }
    Extents extents = notation::infer_extents(assigned, dimensions, given);
    for (const IndexVar& var : notation::index_vars(assigned)) {
      if (!extents.contains(var)) return std::nullopt;
    }
    return extents;
  }

  /// What is made has the extents of its indices.
  void note_dimensions(const notation::Statement& statement) {
    const Access& left = statement.lhs;
    dimensions_.erase(left.tensor.name());
    bool is_plain = std::none_of(left.indices.begin(), left.indices.end(),
                                 [](const IndexVar& index) { return index.map() != nullptr; });
    if (disagree_ || !is_plain) return;
    try {
      std::optional<Extents> extents = extents_of_operands(statement);
      if (!extents) return;
      std::vector<std::int64_t>& dimensions = dimensions_[left.tensor.name()];
      for (const IndexVar& index : left.indices) dimensions.push_back(extents->at(index));
    } catch (const UserError&) {
      disagree_ = true;
    }
  }

  /// A fill that is given must be the one that follows from the expression, where one does.
  void check_result_fill(notation::Statement statement, const DeclaredTensor& result) const {
    if (!stated(result.use.name).fill) return;
    statement.lhs.tensor = variable(result);
    Scalar fill = notation::made_by(statement).fill();
    if (fill == result.fill.cast(result.type)) return;
    throw UserError(fmt::format("What '{}' does not store is given as {}, but {} follows from the expression",
                                result.use.name, to_string(result.fill), to_string(fill)))
        .hint("give no fill; that of a result is the expression with every operand at its fill",
              "leave --fill out; the fill of a result is the expression with every operand at its fill");
  }

  DeclaredProgram& declared_;
  const ParsedProgram& program_;
  const StatedByName& stated_;
  const DeclareOptions& options_;
  FreshNames names_;
  std::map<std::string, TensorVar> current_;                     // with the value it has at this point
  std::map<std::string, std::vector<std::int64_t>> dimensions_;  // of those values, where they are known
  bool disagree_ = false;                                        // sizes that were told
  std::unique_ptr<notation::SizeInference> sizes_;               // of the first statements
  size_t sized_ = 0;                                             // so many of them
  std::set<std::string> read_by_others_;                         // by statements that do not assign it
};

}  // namespace

const DeclaredTensor* DeclaredProgram::find(const std::string& name) const {
  auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const DeclaredTensor& t) { return t.use.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

DeclaredProgram declare(const ParsedProgram& program, const ProgramNames& names, const StatedByName& stated,
                        const DeclareOptions& options) {
  DeclaredProgram declared;
  declared.extents = options.extents;
  for (const ProgramNames::Tensor& name : names.tensors) {
    DeclaredTensor& tensor = declared.tensors.emplace_back();
    tensor.use = name.use;
    tensor.is_input = name.is_input;
    auto said = stated.find(name.use.name);
    if (said != stated.end()) tensor.dimensions = said->second.dimensions;
    if (tensor.is_input) declare_operand(tensor, said == stated.end() ? Stated() : said->second);
  }
  StatementDeclarer declare_statement(declared, names, program, stated, options);
  for (const Parsed& statement : program.statements) declare_statement(statement);
  widen_implied_dimensions(declared);
  return declared;
}

}  // namespace filigree::front
