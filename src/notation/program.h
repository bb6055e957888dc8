// Several statements in order: each reads what those before it have left, by name.
//
//   T(i,j) = B(i,k)*C(k,j); y(i) = T(i,j)*x(j)      B, C and x are given, T is a temporary, y is the result
//   x(i) = A(i,j)*x(j); x(i) = x(i)/2               x is given, and assigned twice
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "notation/notation.h"

namespace filigree::notation {

/// The tensor that a complete statement makes, with the fill that follows from its right side.
TensorVar made_by(const Statement& statement);

/// A statement that is to run, and which of the written ones it does, counted from 0.
struct Step {
  Statement statement;
  std::vector<size_t> origins;
  std::vector<std::string> remarks = {};  // how it came about, for --explain
};

/// The statements with every operand as the statement before has left it: of the fill that it has then.  Where `op=`
/// has an old value to start from, because an earlier statement assigns or reads the tensor or it is among the `given`
/// ones, that is an operand.
///
///   s = a(i)*b(i); s += c      ->   s = sum(i, a(i)*b(i)); s = s + c
///
/// An old value that is updated in part takes several steps (part_update.h).
/// Throws UserError where a tensor is assigned with another type or format than it is read with.
/// Requires: complete statements, as `resolve` and C++ operators make them.
std::vector<Step> link(const std::vector<Statement>& statements, const std::set<std::string>& given);
std::vector<Statement> statements_of(const std::vector<Step>& steps);

// --- Questions about linked statements -----------------------------------------------------------

bool reads(const Statement& statement, const std::string& tensor);
bool assigns(const Statement& statement, const std::string& tensor);
/// Tensors that are read before a statement assigns them, in the order in which they are read first.
std::vector<TensorVar> inputs(const std::vector<Statement>& statements);
/// Results that no later statement reads, in order.
std::vector<std::string> unread_results(const std::vector<Statement>& statements);
/// The first access to the tensor in `expr`; null if there is none.
const Expr* find_access(const Expr& expr, const std::string& tensor);

/// The steps whose values somebody reads or asks for.
std::vector<Step> used_steps(const std::vector<Step>& linked, const std::set<std::string>& outputs);

// --- Sizes ------------------------------------------------------------------------------------------

/// What is known of sizes, by name: a negative dimension is unknown.
struct KnownSizes {
  std::map<std::string, std::vector<std::int64_t>> inputs;   // dimensions of tensors before the first statement
  std::map<std::string, std::vector<std::int64_t>> results;  // dimensions wherever the tensor is assigned
  std::map<std::string, std::int64_t> extents;  // of index variables, in every statement that has one of that name
};

struct ProgramSizes {
  std::vector<std::map<IndexVar, std::int64_t>> extents;    // per statement
  std::map<std::string, std::vector<std::int64_t>> inputs;  // dimensions of all that is read before it is assigned
};

/// As infer_extents, for linked statements: what one says about a tensor holds for all that read or assign the same
/// value of it, before and after.  Throws UserError where two disagree; what nothing tells is left out, or negative.
ProgramSizes infer_sizes(const std::vector<Statement>& statements, const KnownSizes& known);

/// The same for statements that come one after the other.  What one more tells is found in time that does not depend on
/// how many there are, unless it tells something about them.
class SizeInference {
 public:
  explicit SizeInference(KnownSizes known);
  ~SizeInference();
  void add(const Statement& statement);
  /// Of the statement that was added last.
  const std::map<IndexVar, std::int64_t>& last_extents();
  ProgramSizes sizes();

 private:
  class Finder;
  std::unique_ptr<Finder> finder_;
};

/// The extents by name, and the result's dimensions by dimension_name: the names of indices that follow from others are
/// not unique.
std::map<std::string, std::int64_t> by_name(const Statement& statement,
                                            const std::map<IndexVar, std::int64_t>& extents);

/// "T(i,j) = ...; y(i) = ...": text that parse_program reads back.
std::string to_string(const std::vector<Statement>& statements);

}  // namespace filigree::notation
