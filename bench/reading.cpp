// Reads a file into a format again and again; bench/reading.py runs it beside other readers.
//
// usage: bench_reading FILE FORMAT THREADS
//
// Each line of standard input is a turn, for which it prints the milliseconds of reading the text into entries and of
// packing these, the bytes of the tensor, and by how much memory in use exceeded what was in use before, at most.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "io/files.h"

using namespace filigree;

namespace {

double milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// A line of /proc/self/status, such as VmHWM, in bytes; 0 where there is none.
long long status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return 1024 * std::stoll(line.substr(name.size() + 1));
  }
  return 0;
}

/// The greatest use of memory so far is the present one.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: bench_reading FILE FORMAT THREADS\n");
    return 2;
  }
  ReadOptions options;
  options.threads = std::stoi(words[3]);
  options.progress = false;
  for (std::string line; std::getline(std::cin, line);) {
    forget_peak();
    long long before = status("VmRSS");
    double start = milliseconds();
    Contents contents = read_contents(words[1], options);
    double middle = milliseconds();
    Format format = parse_format(words[2], contents.order());
    AnyTensor tensor = std::move(contents).pack(format, "A");
    double end = milliseconds();
    long long bytes = tensor.values().bytes();
    for (const auto& arrays : tensor.level_arrays()) {
      for (const Array& array : arrays) bytes += array.bytes();
    }
    std::printf("%.3f %.3f %lld %lld\n", middle - start, end - middle, bytes, status("VmHWM") - before);
    std::fflush(stdout);
  }
}
