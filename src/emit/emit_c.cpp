// Each kernel is two functions.  The first does the work on plain arrays: their being `restrict`
// parameters is what lets clang keep loads of one array across stores to another, which it does not
// do for local variables.  The second has the signature that all kernels share.  Parallel loops, and the
// parts of what is large, are functions beside them.
#include "emit/emit_c.h"

#include <set>

#include <fmt/format.h>

#include "emit/driver.h"
#include "emit/function_body.h"
#include "emit/helpers.h"
#include "emit/needs.h"
#include "emit/outline.h"
#include "emit/c_statement.h"
#include "ir/rewrite.h"

namespace filigree::emit {
namespace {

using ir::Binding;
using ir::Direction;
using ir::FunctionDef;
using ir::Parameter;

const char* const own_types = R"(typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
#define NULL ((void *)0)
#define INT64_MAX __INT64_MAX__
)";

class FunctionEmitter {
 public:
  FunctionEmitter(const FunctionDef& function, const EmitOptions& options, std::set<std::string>& helpers)
      : function_(function),
        options_(options),
        helpers_(helpers),
        work_name_(function.name + "_arrays"),
        names_({function.name, work_name_}) {}
  std::string run();

 private:
  bool is_out(const Parameter& p) const { return p.direction == Direction::Out; }
  bool uses_runtime() const {
    return needs_.allocates || needs_.parallel || threads_ || (needs_.sorts && !options_.standalone);
  }
  std::vector<std::vector<std::string>> parameters();
  std::string results();
  std::string work_function();
  std::string entry_function();

  const FunctionDef& function_;
  const EmitOptions& options_;
  std::set<std::string>& helpers_;
  std::string work_name_;
  ir::Names names_;
  Needs needs_;
  ir::VarSet constants_;                             // the arrays that are only read
  const Parameter* threads_ = nullptr;               // stands for the number of threads
  std::vector<std::string> results_;                 // by tensor: the parameter for its Out arrays, or ""
  std::vector<std::vector<const Parameter*>> used_;  // by tensor: the other parameters that matter
};

std::string FunctionEmitter::run() {
  collect_needs(function_.body, needs_, helpers_);
  ir::VarSet read = ir::variables_read(function_.body), written = ir::variables_written(function_.body);
  results_.resize(function_.tensors.size());
  used_.resize(function_.tensors.size());
  ir::VarSet counts;
  for (const Parameter& p : function_.parameters) {
    if (p.count) counts.insert(*p.count);
  }
  for (const Parameter& p : function_.parameters) {
    if (p.direction == Direction::In && p.var.type().kind == ir::Type::Kind::Array) constants_.insert(p.var);
    bool used = read.contains(p.var) || written.contains(p.var) || counts.contains(p.var);
    if (used && p.binding.part == Binding::Part::Threads) threads_ = &p;
    else if (used && !is_out(p)) used_[p.binding.tensor].push_back(&p);
  }
  std::string work = work_function();  // decides on the names of the results first
  return work + "\n" + entry_function();
}

/// Those of each tensor begin a line.
std::vector<std::vector<std::string>> FunctionEmitter::parameters() {
  std::vector<std::vector<std::string>> groups;
  if (uses_runtime()) groups.push_back({"const filigree_runtime *runtime"});
  for (std::size_t n = 0; n < function_.tensors.size(); n++) {
    std::vector<std::string> group;
    for (const Parameter& p : function_.parameters) {
      if (is_out(p) && p.binding.tensor == static_cast<int>(n) && results_[n].empty()) {
        results_[n] = names_.reserve(function_.tensors[n]);
        group.push_back("filigree_array *" + results_[n]);
      }
    }
    for (const Parameter* p : used_[n]) group.push_back(parameter_text(p->var, constants_, names_));
    if (!group.empty()) groups.push_back(std::move(group));
  }
  if (groups.empty()) groups.push_back({"void"});
  return groups;
}

/// What the caller gets.
std::string FunctionEmitter::results() {
  std::string out;
  for (const Parameter& p : function_.parameters) {
    if (!is_out(p)) continue;
    out += fmt::format("  {}[{}] = (filigree_array){{{}, {}}};\n", results_[p.binding.tensor], p.binding.index,
                       names_.of(p.var), names_.of(*p.count));
  }
  return out;
}

std::string FunctionEmitter::work_function() {
  std::string opening = wrapped(fmt::format("static int {}(", work_name_), parameters()) + ") {\n";
  FunctionBody body{function_.name, function_.body, own_memory(function_.body), constants_, uses_runtime(), true};
  if (threads_)
    body.declarations =
        fmt::format("  int64_t {} = runtime->threads > 1 ? runtime->threads : 1;\n", names_.declare(threads_->var));
  for (const Parameter& p : function_.parameters) {
    if (p.count) body.handed_over.push_back(*p.count);
  }
  body.results = [&] { return results(); };
  FileScope scope{function_, options_.standalone, options_.largest_function, helpers_,
                  ir::Names({function_.name, work_name_})};
  BodyText text = print_body(body, scope, names_);
  return text.functions + opening + text.lines + "}\n";
}

std::string FunctionEmitter::entry_function() {
  ir::Names names({function_.name, work_name_});
  std::vector<std::string> arguments;
  if (uses_runtime()) arguments.push_back("runtime");
  std::string out =
      fmt::format("int {}(const filigree_runtime *runtime, filigree_tensor *const *tensors) {{\n", function_.name);
  if (!uses_runtime()) out += "  (void)runtime;\n";
  for (std::size_t n = 0; n < function_.tensors.size(); n++) {
    if (results_[n].empty() && used_[n].empty()) continue;
    std::string tensor = names.reserve(function_.tensors[n]);
    out += fmt::format("  const filigree_tensor *{} = tensors[{}];\n", tensor, n);
    if (!results_[n].empty()) arguments.push_back(tensor + "->arrays");
    for (const Parameter* p : used_[n]) {
      bool dimension = p->binding.part == Binding::Part::Dimension;
      bool count = p->binding.part == Binding::Part::Count;
      arguments.push_back(fmt::format("{}->{}[{}]{}", tensor, dimension ? "dimensions" : "arrays", p->binding.index,
                                      dimension ? ""
                                      : count   ? ".count"
                                                : ".data"));
    }
  }
  return out + wrapped(fmt::format("  return {}(", work_name_), {arguments}) + ");\n}\n";
}

}  // namespace

std::string emit_c(const ir::Module& module, const EmitOptions& options) {
  std::set<std::string> helpers;
  std::string functions;
  for (const FunctionDef& function : module.functions) {
    functions += "\n";
    for (const std::string& line : function.header) functions += line.empty() ? "//\n" : fmt::format("// {}\n", line);
    functions += FunctionEmitter(function, options, helpers).run();
  }
  bool with_main = options.standalone && options.with_main && !module.functions.empty();
  std::string out = options.standalone ? usage_text(module, with_main) + "#include <stddef.h>\n#include <stdint.h>\n"
                                       : own_types;
  out += "\n" + runtime_section("kernel") + helper_text(helpers, options.standalone) + functions;
  if (with_main) out += main_text(module.functions[0]);
  return out;
}

}  // namespace filigree::emit
