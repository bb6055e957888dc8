// Index variables: identity plus a display name; shared by all later stages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/id.h"

namespace filigree {

struct IndexMap;

class IndexVar {
 public:
  /// With a name of its own, one of i, j, k, ...; printers tell apart what has the same one.
  IndexVar();
  explicit IndexVar(std::string name);
  /// An index that follows from others, such as i+1: no loop runs over it.
  IndexVar(std::string name, IndexMap map);
  /// One that no user wrote: extents that are given by name are not for it.
  static IndexVar hidden(std::string name);

  const std::string& name() const { return data_->name; }
  /// Was the name chosen by the user?
  bool is_named() const { return data_->named; }
  /// Does its name come from how many there were before it, because the program gave it none?
  bool is_numbered() const { return data_->numbered; }
  /// What it follows from (notation/variables.h); null if it is free.
  const IndexMap* map() const { return data_->map.get(); }
  Id<struct IndexVarTag> id() const { return data_->id; }
  bool operator==(const IndexVar& other) const { return id() == other.id(); }
  bool operator<(const IndexVar& other) const { return id() < other.id(); }

 private:
  struct Data {
    std::string name;
    Id<IndexVarTag> id;
    std::shared_ptr<const IndexMap> map;
    bool named = true;
    bool numbered = false;
  };
  explicit IndexVar(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}
  std::shared_ptr<const Data> data_;
};

bool contains(const std::vector<IndexVar>& vars, const IndexVar& var);

}  // namespace filigree
