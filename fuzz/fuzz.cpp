// Random programs against the oracle: interpreter for all, compiled code for some.  A failure is shrunk, printed as
// a .case with its seed, and stored where --store says.
//
//   fuzz --from 1 --to 10000                    many programs
//   fuzz --seed 123 --jit-percent 100           one again
//   fuzz --sum 123                              one statement with an unclear sum again
//   fuzz --frontiers 500 --members 12           statements with that many members of their frontiers each
//   fuzz --frontier 123                         one of these again
//   fuzz --print 123                            the program of a seed, not run
#include <cstdlib>
#include <iostream>

#include "fuzz/campaign.h"
#include "fuzz/random_program.h"
#include "tests/reference/functions.h"

namespace {

int usage() {
  std::cerr << "usage: fuzz [--from SEED] [--to SEED] [--seed SEED] [--print SEED] [--jit-percent P] [--workers N]\n"
               "            [--keep FAILURES_OF_A_KIND] [--store DIRECTORY] [--texts N] [--sums N] [--sum SEED] "
               "[--frontiers N] [--members N] [--frontier SEED] [--no-shrink]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace filigree::fuzz;
  setenv("FILIGREE_CACHE_SIZE", "0", 0);  // kernels that nobody will ask for again
  filigree::reference::add_functions();
  CampaignOptions options;
  for (int a = 1; a < argc; a++) {
    std::string option = argv[a];
    if (option == "--no-shrink") {
      options.shrinks = false;
      continue;
    }
    if (a + 1 == argc) return usage();
    std::string value = argv[++a];
    std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (option == "--from") options.from = number;
    else if (option == "--to") options.to = number;
    else if (option == "--seed") options.from = options.to = number;
    else if (option == "--jit-percent") options.jit_percent = static_cast<unsigned>(number);
    else if (option == "--workers") options.workers = static_cast<int>(number);
    else if (option == "--keep") options.keep = static_cast<int>(number);
    else if (option == "--store") options.store = value;
    else if (option == "--texts") options.texts = number;
    else if (option == "--sums") options.sums = number;
    else if (option == "--frontiers") options.frontiers = number;
    else if (option == "--members") options.members = number;
    else if (option == "--sum" && number > 0) {
      // No programs and no texts: the first seed behind them.
      options.from = number;
      options.to = number - 1;
      options.texts = 0;
      options.sums = 1;
    } else if (option == "--frontier" && number > 0) {
      options.from = number;
      options.to = number - 1;
      options.texts = options.sums = 0;
      options.frontiers = 1;
    } else if (option == "--print") {
      std::cout << to_text(render(random_sketch(number)));
      return 0;
    } else {
      return usage();
    }
  }
  return run_campaign(options);
}
