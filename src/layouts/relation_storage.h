// What tensors in a layout's format store, on the host: the same nodes, with the same numbers, as generated code
// visits.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "layouts/relation_level.h"
#include "level/whole.h"

namespace filigree::layouts {

/// Dimensions that differ, then what arrays tell: the order in which levels hold them.
std::vector<std::string> size_names(const Layout& layout);
std::vector<std::string> index_arrays(const Layout& layout);
/// How large the variables of a listed term are.
std::vector<Expr> box(const Layout& layout, const Term& term);
/// The conditions of a listed term, but for bounds and equations of coordinates.
std::vector<Formula> listed_tests(const Layout& layout, const Term& term);

class RelationStorage : public level::Storage {
 public:
  RelationStorage(const Usable& usable, size_t number) : usable_(usable), number_(number) {}
  level::Packed pack(const level::Shape& shape, const level::Nodes& nodes) const override;
  double least_size(double extent, double parent_count, double nodes) const override;
  std::int64_t validate(const level::StoredLevel& level, const std::string& where) const override;
  std::int64_t size(const level::StoredLevel& level) const override;
  void for_each_child(const level::StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override;

 private:
  bool is_last() const { return number_ + 1 == usable_.dimensions.size(); }
  const Usable& usable_;
  size_t number_;
};

/// Of the first level.
class RelationWhole : public RelationStorage, public level::Whole {
 public:
  explicit RelationWhole(const Usable& usable) : RelationStorage(usable, 0), whole_(usable) {}
  Arrays pack_whole(const std::vector<std::int64_t>& dimensions,
                    const std::vector<std::vector<std::int64_t>>& coordinates) const override;
  void for_each_entry(const std::vector<std::vector<Array>>& arrays,
                      const std::function<void(const std::vector<std::int64_t>&, std::int64_t)>& visit) const override;

 private:
  const Usable& whole_;
};

}  // namespace filigree::layouts
