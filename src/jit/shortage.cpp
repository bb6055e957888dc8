#include "jit/shortage.h"

#include <cerrno>
#include <cstring>

#include "support/text.h"

namespace filigree::jit {
namespace {

struct Shortage {
  const char* what;   // "Memory ran out"
  const char* limit;  // "ulimit -v"
  int error;          // whose text names it
  const char* others[4];
};

constexpr Shortage shortages[] = {
    {"Memory ran out",
     "ulimit -v",
     ENOMEM,
     {"out of memory", "memory exhausted", "failed to map segment", "cannot create shared object descriptor"}},
    {"A file would have been larger than the limit", "ulimit -f", EFBIG, {"File size limit exceeded"}},
    {"Too many files were open", "ulimit -n", EMFILE, {}},
    {"Too many files were open on this machine", "ulimit -n", ENFILE, {}},
    {"No process or thread could be started", "ulimit -u", EAGAIN, {}},
    {"The disk was full", "df", ENOSPC, {}},
    {"The limit of processor time was reached", "ulimit -t", 0, {"CPU time limit exceeded"}},
    {"A program was ended, as it is when memory, stack or time run out,",
     "ulimit -a",
     0,
     {"signal terminated program", "Segmentation fault", "Killed"}},
};

bool names(const std::string& text, const Shortage& shortage) {
  if (shortage.error != 0 && lower_case(text).find(lower_case(std::strerror(shortage.error))) != std::string::npos)
    return true;
  for (const char* other : shortage.others) {
    if (other != nullptr && text.find(other) != std::string::npos) return true;
  }
  return false;
}

const Shortage* find_shortage(const std::string& text) {
  for (const Shortage& shortage : shortages) {
    if (names(text, shortage)) return &shortage;
  }
  return nullptr;
}

std::string more_of(const Shortage& shortage) {
  return "let the program have more (" + std::string(shortage.limit) +
         " shows what there is), or do without a compiler";
}

}  // namespace

bool names_a_shortage(const std::string& text) { return find_shortage(text) != nullptr; }

UserError compiler_ran_out(const std::string& when, const std::string& text) {
  const Shortage* found = find_shortage(text);
  const Shortage& shortage = found != nullptr ? *found : shortages[0];
  UserError error(std::string(shortage.what) + " " + when);
  std::string first_line = trim(text.substr(0, text.find('\n')));
  if (!first_line.empty()) std::move(error).note(first_line);
  return std::move(error).hint(more_of(shortage) + ", as Target::Interpret of the options does",
                               more_of(shortage) + ": --target interpret");
}

UserError cannot_use_temporary(const std::string& what, int error, const std::string& hint) {
  const std::string reason = std::strerror(error);
  UserError failed("Cannot " + what + ": " + lower_case(reason));
  const Shortage* shortage = find_shortage(reason);
  if (shortage == nullptr || error == ENOSPC) return std::move(failed).hint(hint);
  return std::move(failed).hint(more_of(*shortage) + ", as Target::Interpret of the options does",
                                more_of(*shortage) + ": --target interpret");
}

}  // namespace filigree::jit
