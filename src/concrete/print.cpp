#include <algorithm>

#include "concrete/concrete.h"
#include "support/text.h"

namespace filigree::concrete {
namespace {

std::string assign_text(const Assign& n) {
  std::string op;
  if (n.op) op = facts(*n.op).symbol;
  return notation::to_string(n.lhs) + " " + op + "= " +
         (n.prunes ? "prune(" + notation::to_string(n.rhs) + ")" : notation::to_string(n.rhs)) +
         (n.drops_fill ? " if stored" : "") +
         (n.unless_equal ? " unless " + n.unless_equal->first.name() + " = " + n.unless_equal->second.name() : "");
}

std::string joined(const std::vector<Stmt>& statements) {
  std::vector<std::string> parts;
  for (const Stmt& s : statements) parts.push_back(to_string(s));
  return join(parts, "; ");
}

std::string lines(const std::vector<Stmt>& statements) {
  std::string out;
  for (size_t i = 0; i < statements.size(); i++) out += (i ? "and then\n" : "") + indent(to_lines(statements[i]), 2);
  return out;
}

}  // namespace

std::string to_string(const LoopTag& tag) {
  static const char* const units[] = {"gpu_block", "gpu_warp", "gpu_thread"};
  static const char* const strategies[] = {"none", "ignore", "atomics", "temporary"};
  std::vector<std::string> words;
  if (tag.parallel) words.push_back("cpu");
  if (tag.gpu) words.push_back(units[static_cast<int>(*tag.gpu)]);
  if (tag.races != Races::None) words.push_back(strategies[static_cast<int>(tag.races)]);
  if (tag.vector) words.push_back("vector");
  if (tag.unrolled > 0) words.push_back("unroll " + std::to_string(tag.unrolled));
  return join(words, ", ");
}

std::string to_string(const Stmt& stmt) {
  return match(
      stmt,
      [&](const Forall& n) {
        std::string tag = n.tag.is_plain() ? "" : " [" + to_string(n.tag) + "]";
        return "forall(" + n.var.name() + tag + ", " + to_string(n.body) + ")";
      },
      [&](const Where& n) { return "where(" + to_string(n.consumer) + ", " + to_string(n.producer) + ")"; },
      [&](const Sequence& n) { return "sequence(" + joined(n.statements) + ")"; },
      [&](const Multi& n) { return "multi(" + joined(n.statements) + ")"; },
      [&](const Assign& n) { return assign_text(n); });
}

std::string to_lines(const Stmt& stmt) {
  return match(
      stmt, [&](const Forall& n) { return "forall " + n.var.name() + "\n" + indent(to_lines(n.body), 2); },
      [&](const Where& n) { return to_lines(n.consumer) + "where\n" + indent(to_lines(n.producer), 2); },
      [&](const Sequence& n) { return "in sequence\n" + lines(n.statements); },
      [&](const Multi& n) { return "together\n" + lines(n.statements); },
      [&](const Assign& n) { return assign_text(n) + "\n"; });
}

std::string describe_loops(const Stmt& stmt, const std::vector<IndexVar>& marked,
                           const std::map<IndexVar, std::string>& names) {
  std::string out = "the loops are";
  for (const std::string& line : split(trim(to_lines(stmt)), '\n')) {
    out += "\n  " + line;
    for (const auto& [var, name] : names) {
      if (trim(line) == "forall " + var.name()) out += " (" + name + ")";
    }
    bool is_marked = std::any_of(marked.begin(), marked.end(),
                                 [&](const IndexVar& var) { return trim(line) == "forall " + var.name(); });
    if (is_marked) out += "    <-- here";
  }
  return out;
}

}  // namespace filigree::concrete
