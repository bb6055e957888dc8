// Many programs, checked by worker processes; this process collects what they find, shrinks it and prints it.
#pragma once

#include <cstdint>
#include <string>

namespace filigree::fuzz {

struct CampaignOptions {
  std::uint64_t from = 1, to = 1000;  // seeds, `to` included
  unsigned jit_percent = 0;           // of the programs, also compiled
  int workers = 2;
  int keep = 1;  // failures printed of one category and with the same operators
  bool shrinks = true;
  std::string store;            // a directory for failing cases, if any
  std::uint64_t texts = 0;      // random texts for the parsers
  std::uint64_t sums = 0;       // statements whose sums have no clear place (unclear_sums.h)
  std::uint64_t frontiers = 0;  // statements of which members of the frontier are run (check_frontier.h)
  size_t members = 12;          // of each frontier, at most
};

/// 0 if nothing failed, else 1.
int run_campaign(const CampaignOptions& options);

}  // namespace filigree::fuzz
