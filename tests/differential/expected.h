// The operands of data sets, packed, and what the oracle makes of them.
#pragma once

#include "tests/differential/check_kernel.h"
#include "tests/differential/data_sets.h"

namespace filigree::differential {

/// By data set.
struct Expected {
  std::vector<std::map<std::string, AnyTensor>> packed;
  std::vector<reference::Box> results;

  Expected() = default;
  Expected(const notation::Statement& statement, const std::map<std::string, TensorVar>& vars,
           const std::vector<DataSet>& data) {
    for (const DataSet& set : data) {
      packed.emplace_back();
      reference::Operands boxes;
      for (const auto& [name, entries] : set.operands) {
        packed.back().emplace(name, AnyTensor::pack(entries, vars.at(name).format(), Duplicates::Error, name));
        boxes.emplace(name, reference::box_of(packed.back().at(name)));
      }
      results.push_back(reference::stored_in(reference::evaluate(statement, boxes, {}), statement.lhs.tensor.format()));
    }
  }
};

}  // namespace filigree::differential
