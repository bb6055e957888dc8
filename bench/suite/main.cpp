// Runs kernels of the suite and prints a line of JSON for each pair of kernel and data.  bench/run makes tables of
// these.
//
//   bench_suite [--list] [--kernel NAME]... [--data NAME]... [--threads N] [--seconds S] [--size X] [--cpu-time]
//   [--alone] [--file PATH]...
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <fmt/format.h>
#include <malloc.h>

#include "measure.h"

namespace {

using namespace suite;

struct Options {
  std::vector<std::string> kernels, data, files;
  int threads = 1;
  double seconds = 1, size = 1;
  bool is_list = false, alone = false, of_processor = false;
};

Options read_options(int count, char** words) {
  Options options;
  auto next = [&](int& n) {
    return n + 1 < count ? words[++n] : (fmt::print(stderr, "{} needs a value\n", words[n]), std::exit(2), words[n]);
  };
  for (int n = 1; n < count; n++) {
    std::string word = words[n];
    if (word == "--list") options.is_list = true;
    else if (word == "--cpu-time") options.of_processor = true;
    else if (word == "--alone") options.alone = true;
    else if (word == "--kernel") options.kernels.push_back(next(n));
    else if (word == "--data") options.data.push_back(next(n));
    else if (word == "--file") options.files.push_back(next(n));
    else if (word == "--threads") options.threads = std::atoi(next(n));
    else if (word == "--seconds") options.seconds = std::atof(next(n));
    else if (word == "--size") options.size = std::atof(next(n));
    else fmt::print(stderr, "unknown option {}\n", word), std::exit(2);
  }
  return options;
}

bool is_asked(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() ||
         std::any_of(list.begin(), list.end(), [&](const std::string& word) { return name.find(word) != name.npos; });
}

void run(const Kernel& kernel, const std::string& data, const Options& options) {
  Race race;
  race.data = data;
  race.size = options.size * kernel.size;
  race.threads = options.threads;
  race.alone = options.alone;
  try {
    kernel.enter(race);
    std::vector<Times> times = measure(race, options.seconds, options.of_processor && options.threads == 1);
    std::string contenders;
    for (std::size_t c = 0; c < times.size(); c++) {
      contenders += fmt::format(R"({}{{"name": "{}", "peer": {}, "least": {:.6g}, "median": {:.6g}, "spread": {:.3g}, )"
                                R"("runs": {}, "agrees": {}}})",
                                c == 0 ? "" : ", ", race.contenders[c].name, race.contenders[c].is_peer, times[c].least,
                                times[c].median, times[c].spread, times[c].runs, times[c].agrees);
    }
    std::string label = data.substr(data.rfind('/') + 1);
    fmt::print(
        R"({{"kernel": "{}", "data": "{}", "threads": {}, "entries": {:.0f}, "bytes": {:.0f}, "contenders": [{}]}})"
        "\n",
        kernel.name, label, options.threads, race.entries, race.bytes, contenders);
  } catch (const std::exception& error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '"', '\'');
    std::replace(text.begin(), text.end(), '\n', ' ');
    fmt::print(R"({{"kernel": "{}", "data": "{}", "threads": {}, "error": "{}"}})"
               "\n",
               kernel.name, data, options.threads, text);
  }
  std::fflush(stdout);
  malloc_trim(0);
}

}  // namespace

int main(int count, char** words) {
  Options options = read_options(count, words);
  Kernels kernels;
  add_vector_kernels(kernels);
  add_dense_kernels(kernels);
  add_product_kernels(kernels);
  add_union_kernels(kernels);
  add_copy_kernels(kernels);
  add_tensor_kernels(kernels);
  if (!options.is_list)
    fmt::print(R"({{"stream": {:.4g}, "threads": {}}})"
               "\n",
               stream_bandwidth(options.threads), options.threads),
        std::fflush(stdout);
  for (const Kernel& kernel : kernels) {
    if (!is_asked(options.kernels, kernel.name)) continue;
    std::vector<std::string> data = kernel.data;
    // Files are for kernels that take matrices as they are.
    if (std::find(data.begin(), data.end(), "files") != data.end()) {
      data.erase(std::find(data.begin(), data.end(), "files"));
      data.insert(data.end(), options.files.begin(), options.files.end());
    }
    for (const std::string& name : data) {
      if (!is_asked(options.data, name)) continue;
      if (options.is_list) fmt::print("{}\t{}\n", kernel.name, name);
      else run(kernel, name, options);
    }
  }
}
