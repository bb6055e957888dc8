#include "relation/variable.h"

#include <algorithm>
#include <atomic>

namespace filigree {
namespace {

/// i, j, ..., n, i1, j1, ...
std::string usual_name(unsigned number) {
  constexpr unsigned letters = 6;
  std::string name(1, static_cast<char>('i' + number % letters));
  return number < letters ? name : name + std::to_string(number / letters);
}

}  // namespace

IndexVar::IndexVar() {
  static std::atomic<unsigned> count = 0;
  data_ = std::make_shared<const Data>(Data{usual_name(count++), Id<IndexVarTag>::fresh(), nullptr, false, true});
}

IndexVar::IndexVar(std::string name)
    : data_(std::make_shared<const Data>(Data{std::move(name), Id<IndexVarTag>::fresh(), nullptr})) {}

IndexVar IndexVar::hidden(std::string name) {
  return IndexVar(Data{std::move(name), Id<IndexVarTag>::fresh(), nullptr, false});
}

bool contains(const std::vector<IndexVar>& vars, const IndexVar& var) {
  return std::find(vars.begin(), vars.end(), var) != vars.end();
}

}  // namespace filigree
