#include "polyhedral/solver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>

#include "jit/cache.h"
#include "polyhedral/solver_plugin.h"
#include "support/check.h"
#include "support/plugin_paths.h"

namespace filigree::polyhedral {
namespace {

/// Z3's own count: the same question ends the same way on every machine.
constexpr unsigned most_steps = 200'000;

/// Raised when questions or answers change their form.
constexpr const char* version = "filigree proof 1\n";

std::atomic<int> asked = 0;

/// Null if there is none: then nothing is proven.  Opened once.
const filigree_solver_interface* plugin() {
  static const filigree_solver_interface* const opened = []() -> const filigree_solver_interface* {
    if (!is_built_with_solver()) return nullptr;
    for (const std::string& path :
         plugin_paths("libfiligree_solver.so", "FILIGREE_SOLVER_PLUGIN", FILIGREE_SOLVER_INSTALL_DIR)) {
      if (path.find('/') != std::string::npos && access(path.c_str(), F_OK) != 0) continue;
      void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
      if (handle == nullptr) continue;
      auto entry = reinterpret_cast<decltype(&filigree_solver)>(dlsym(handle, "filigree_solver"));
      if (entry != nullptr && entry()->abi == FILIGREE_SOLVER_ABI) return entry();
    }
    return nullptr;
  }();
  return opened;
}

std::string taken(const filigree_solver_interface& solver, char* text) {
  std::string out = text != nullptr ? text : "";
  if (text != nullptr) solver.release(text);
  return out;
}

Result ask(const std::string& smt) {
  const filigree_solver_interface* solver = plugin();
  if (!solver) return {Answer::Unknown, "Z3 is not there"};
  asked++;
  char* text = nullptr;
  filigree_solver_answer answer = solver->solve(smt.c_str(), most_steps, &text);
  std::string said = taken(*solver, text);
  internal_check(answer != filigree_solver_failed, "polyhedral", "Z3 cannot read a question", said + "\n" + smt);
  return {answer == filigree_solver_unsatisfiable ? Answer::Unsatisfiable
          : answer == filigree_solver_satisfiable ? Answer::Satisfiable
                                                  : Answer::Unknown,
          std::move(said)};
}

/// Answers by their questions.  On disk they are texts of the cache of kernels, which takes the same care of them.
class Known {
 public:
  Result find_or_ask(const std::string& smt) {
    const jit::Digest key = jit::Sha256().add_field(version).add_field(smt).finish();
    {
      std::lock_guard lock(mutex_);
      if (auto found = answers_.find(key); found != answers_.end()) return found->second;
    }
    std::optional<Result> stored = load(key);
    Result result = stored ? *stored : ask(smt);
    if (result.answer == Answer::Unknown) return result;
    if (!stored && disk_)
      disk_->store_text(key, (result.answer == Answer::Unsatisfiable ? "unsat\n" : "sat\n") + result.text);
    std::lock_guard lock(mutex_);
    if (answers_.size() > most_kept) answers_.clear();
    answers_.emplace(key, result);
    return result;
  }

 private:
  static constexpr size_t most_kept = 10000;

  std::optional<Result> load(const jit::Digest& key) const {
    std::optional<std::string> text = disk_ ? disk_->load_text(key) : std::nullopt;
    if (!text) return std::nullopt;
    if (text->starts_with("unsat\n")) return Result{Answer::Unsatisfiable, text->substr(6)};
    if (text->starts_with("sat\n")) return Result{Answer::Satisfiable, text->substr(4)};
    return std::nullopt;
  }

  std::mutex mutex_;
  std::map<jit::Digest, Result> answers_;
  std::optional<jit::DiskCache> disk_ = jit::DiskCache::from_environment();
};

}  // namespace

bool is_built_with_solver() { return FILIGREE_HAS_SOLVER; }

Result solve(const std::string& smt) {
  static Known known;
  return known.find_or_ask(smt);
}

int questions_asked() { return asked; }

std::optional<SimplifiedSet> simplify(const std::string& set, const std::string& context) {
  const filigree_solver_interface* solver = plugin();
  if (!solver) return std::nullopt;
  int empty = 0;
  char* error = nullptr;
  char* text = solver->simplify(set.c_str(), context.c_str(), &empty, &error);
  std::string why = taken(*solver, error);
  internal_check(text != nullptr, "polyhedral", "isl cannot read a set", why + "\n" + set);
  return SimplifiedSet{taken(*solver, text), empty != 0};
}

}  // namespace filigree::polyhedral
