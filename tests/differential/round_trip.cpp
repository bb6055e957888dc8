// Matrices through every ordered pair (F, G) of formats with compiled copies: dcsr -> F -> G -> coordinates.  What is
// not zero must come out as it went in.  A format that cannot hold a matrix must say so: a triangle of a matrix that is
// none, half of one that is not symmetric, diagonals that would explode.  Each kernel is compiled once and run on all
// matrices.
//
//   round_trip                              every pair, on generated matrices and on those in ../shared/data/matrices
//   round_trip --pairs 60 --generated       60 pairs, on generated matrices only
//   round_trip --from dia --to ell --only bcsstk13.mtx.gz      one pair on one matrix again
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "compiler/kernel.h"
#include "io/files.h"
#include "tests/differential/check_kernel.h"
#include "tests/differential/formats.h"
#include "tests/differential/matrices.h"

namespace filigree::differential {
namespace {

struct Options {
  std::string folder = FILIGREE_MATRICES;
  bool generated = false;  // no files
  std::int64_t pairs = 0;  // how many, picked at random; 0: all
  std::uint64_t seed = 1;
  double work = 2e7;  // values read and written, for each matrix: large ones go through fewer pairs
  std::int64_t most_components =
      1 << 20;  // of a matrix that is stored with every component; twice as many values otherwise
  std::string from, to, only;
  int threads = 2;
  int print = 20;  // failures in full
};

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The named formats and those of dense and compressed levels in both orders.
std::vector<Format> all_formats() {
  std::vector<Format> formats = named_formats_of(2, false);
  for (const char* more : {"hermitian", "symmetric(dcsc)", "coo(nonunique)"}) formats.push_back(parse_format(more, 2));
  for (const Format& format : formats_of(2, true)) {
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
  }
  return formats;
}

/// One compiled copy for each pair of formats and type, made when it is first asked for.
class Kernels {
 public:
  explicit Kernels(const std::vector<Format>& formats)
      : formats_(formats), copies_(2 * formats.size() * formats.size()) {}

  const Kernel& copy(size_t from, size_t to, ElementType type) {
    Copy& copy = copies_[(from * formats_.size() + to) * 2 + is_complex(type)];
    std::call_once(copy.once, [&] {
      IndexVar i("i"), j("j");
      TensorVar in("B", type, formats_[from]), out("A", type, formats_[to]);
      KernelOptions options;
      options.optimization = 1;
      copy.kernel.emplace(Kernel::compile(notation::Statement{notation::Access{out, {i, j}}, std::nullopt,
                                                              notation::Expr(notation::Access{in, {i, j}})},
                                          options));
      count_++;
    });
    return *copy.kernel;
  }
  int count() const { return count_; }

 private:
  struct Copy {
    std::once_flag once;
    std::optional<Kernel> kernel;
  };
  const std::vector<Format>& formats_;
  std::vector<Copy> copies_;
  std::atomic<int> count_ = 0;
};

/// What came of a conversion: a tensor, or the words with which it was refused.
struct Converted {
  std::optional<AnyTensor> tensor;
  std::string refusal;
};

bool is_about_size(const std::string& refusal) {
  return refusal.find(" would take ") != std::string::npos ||
         refusal.find(" of memory, but this machine has ") != std::string::npos;
}

bool stores_the_same(const AnyTensor& a, const AnyTensor& b) {
  return a.level_arrays() == b.level_arrays() && a.values() == b.values();
}

class Campaign {
 public:
  explicit Campaign(const Options& options) : options_(options), formats_(all_formats()), kernels_(formats_) {
    for (const Format& format : formats_) names_.push_back(to_string(format));
    start_ = static_cast<size_t>(std::find(names_.begin(), names_.end(), "dcsr") - names_.begin());
    for (size_t from = 0; from < formats_.size(); from++) {
      for (size_t to = 0; to < formats_.size(); to++) {
        bool asked = (options.from.empty() || names_[from] == options.from) &&
                     (options.to.empty() || names_[to] == options.to);
        if (asked) pairs_.push_back({from, to});
      }
    }
    std::uint64_t seed = options.seed;
    shuffle(pairs_, seed);
    if (options.pairs > 0 && options.pairs < static_cast<std::int64_t>(pairs_.size()))
      pairs_.resize(static_cast<size_t>(options.pairs));
    sources_ = generated_matrices(options.seed);
    if (!options.generated) {
      for (const std::string& path : matrix_files(options.folder))
        sources_.push_back({std::filesystem::path(path).filename().string(), path, {}});
    }
    if (!options.only.empty())
      std::erase_if(sources_, [&](const Source& source) { return source.name != options.only; });
  }

  int run() {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (int w = 0; w < options_.threads; w++) {
      workers.emplace_back([this] {
        for (size_t number; (number = next_++) < sources_.size();) check(sources_[number], number);
      });
    }
    for (std::thread& worker : workers) worker.join();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{} formats, {} pairs, {} kernels, {} matrices of which {} are from files, {:.1f} s\n", formats_.size(),
               pairs_.size(), kernels_.count(), matrices_.load(), files_.load(), seconds);
    fmt::print("{} round trips passed, {} refused as they must be, {} left out as too large, {} failed\n",
               passed_.load(), refused_.load(), too_large_.load(), failed_.load());
    return failed_ > 0 || passed_ == 0 ? 1 : 0;
  }

 private:
  using Pair = std::pair<size_t, size_t>;

  static void shuffle(std::vector<Pair>& pairs, std::uint64_t seed) {
    for (size_t n = pairs.size(); n > 1; n--) std::swap(pairs[n - 1], pairs[(seed = mix(seed)) % n]);
  }

  void check(const Source& source, size_t number) {
    std::optional<Matrix> matrix = load(source);
    if (!matrix) return;
    auto start = std::chrono::steady_clock::now();
    std::vector<Pair> pairs = pairs_;
    if (options_.from.empty() && options_.to.empty()) {
      shuffle(pairs, options_.seed + number);
      // Complex values have kernels of their own, which take longer to compile than to run.
      if (is_complex(matrix->entries.values.type()) && pairs.size() > 100) pairs.resize(100);
    }
    std::vector<std::optional<Converted>> first(formats_.size());
    size_t done = 0;
    for (double work = 0; done < pairs.size() && work < options_.work; done++) {
      work += static_cast<double>(check_pair(*matrix, first, pairs[done].first, pairs[done].second));
    }
    matrices_++;
    files_ += !source.path.empty();
    if (source.path.empty()) return;
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::lock_guard lock(mutex_);
    fmt::print("{:45} {:9} entries {:5} pairs {:7.1f} s\n", source.name, matrix->entries.count(), done, seconds);
    std::fflush(stdout);
  }

  std::optional<Matrix> load(const Source& source) {
    try {
      Matrix matrix = load_matrix(source);
      if (matrix.entries.order() == 2) return matrix;
    } catch (const UserError& error) {
      fail(source.name, "cannot be read: " + error.text());
    }
    return std::nullopt;
  }

  bool is_too_large(const Matrix& matrix, size_t format) const {
    double components = static_cast<double>(matrix.entries.dimensions[0]) *
                        static_cast<double>(matrix.entries.dimensions[1]);
    return holds_every_component(formats_[format]) && components > static_cast<double>(options_.most_components);
  }

  /// What is mostly padding goes from dcsr there, but no further.
  bool is_padded_too_much(const Converted& converted) const {
    return converted.tensor && converted.tensor->stored() > 2 * options_.most_components;
  }

  /// dcsr -> format, checked when it is first asked for.
  const Converted& from_start(const Matrix& matrix, std::vector<std::optional<Converted>>& first, size_t format) {
    if (first[format]) return *first[format];
    std::string what = fmt::format("{}: dcsr -> {}", matrix.name, names_[format]);
    Converted made;
    if (format == start_) {
      made.tensor = AnyTensor::pack(matrix.entries, formats_[start_]);
    } else {
      made = convert(*from_start(matrix, first, start_).tensor, start_, format, what);
    }
    if (made.tensor) check_entries(matrix, *made.tensor, what);
    bool should = can_hold(formats_[format], matrix);
    if (made.tensor && !should) fail(what, "was not refused");
    if (!made.tensor && should && !is_about_size(made.refusal)) fail(what, "was refused: " + made.refusal);
    first[format] = std::move(made);
    return *first[format];
  }

  /// Returns about how many values were read and written.
  std::int64_t check_pair(const Matrix& matrix, std::vector<std::optional<Converted>>& first, size_t from, size_t to) {
    if (is_too_large(matrix, from) || is_too_large(matrix, to)) {
      too_large_++;
      return 0;
    }
    std::int64_t work = 2 * matrix.entries.count();
    const Converted& source = from_start(matrix, first, from);
    const Converted& expected = from_start(matrix, first, to);
    if (!source.tensor) {
      refused_++;
      return work;
    }
    work += source.tensor->stored();
    if (is_padded_too_much(source) || is_padded_too_much(expected)) {
      too_large_++;
      return work;
    }
    std::string what = fmt::format("{}: dcsr -> {} -> {}", matrix.name, names_[from], names_[to]);
    Converted made = convert(*source.tensor, from, to, what);
    if (!made.tensor) {
      work += source.tensor->stored();
      if (expected.tensor) fail(what, "was refused, though dcsr -> " + names_[to] + " is not: " + made.refusal);
      else refused_++;
      return work;
    }
    bool same = expected.tensor && stores_the_same(*made.tensor, *expected.tensor);
    if (same || check_entries(matrix, *made.tensor, what)) passed_++;
    return work + made.tensor->stored();
  }

  Converted convert(const AnyTensor& tensor, size_t from, size_t to, const std::string& what) {
    Converted made;
    try {
      made.tensor = kernels_.copy(from, to, tensor.type()).run({{"B", tensor}});
      return made;
    } catch (const UserError& error) {
      made.refusal = error.text();
    } catch (...) {
      fail(what, describe_exception());
      made.refusal = "failed";
    }
    return made;
  }

  bool check_entries(const Matrix& matrix, const AnyTensor& made, const std::string& what) {
    try {
      made.validate();
      std::optional<std::string> difference = find_difference(matrix.nonzeros, nonzeros(made.coordinates()));
      if (difference) fail(what, *difference);
      return !difference;
    } catch (...) {
      fail(what, describe_exception());
      return false;
    }
  }

  void fail(const std::string& what, const std::string& message) {
    std::lock_guard lock(mutex_);
    if (failed_++ >= options_.print) return;
    fmt::print("FAILED {}\n  {}\n", what, message);
    std::fflush(stdout);
  }

  Options options_;
  std::vector<Format> formats_;
  std::vector<std::string> names_;
  size_t start_ = 0;
  std::vector<Pair> pairs_;
  std::vector<Source> sources_;
  Kernels kernels_;
  std::mutex mutex_;
  std::atomic<size_t> next_ = 0;
  std::atomic<std::int64_t> passed_ = 0, refused_ = 0, too_large_ = 0;
  std::atomic<int> failed_ = 0, matrices_ = 0, files_ = 0;
};

int usage() {
  std::cerr << "usage: round_trip [--generated] [--folder FOLDER] [--pairs N] [--seed S] [--work N] [--from FORMAT] "
               "[--to FORMAT]\n"
               "                  [--only MATRIX] [--threads T] [--print FAILURES]\n";
  return 2;
}

}  // namespace
}  // namespace filigree::differential

int main(int argc, char** argv) {
  using namespace filigree::differential;
  setenv("FILIGREE_CACHE_SIZE", "0", 0);  // hundreds of kernels that nobody will ask for again
  Options options;
  for (int a = 1; a < argc; a++) {
    std::string option = argv[a];
    if (option == "--generated") {
      options.generated = true;
      continue;
    }
    if (a + 1 == argc) return usage();
    std::string value = argv[++a];
    double number = std::strtod(value.c_str(), nullptr);
    if (option == "--folder") options.folder = value;
    else if (option == "--pairs") options.pairs = static_cast<std::int64_t>(number);
    else if (option == "--seed") options.seed = static_cast<std::uint64_t>(number);
    else if (option == "--work") options.work = number;
    else if (option == "--from") options.from = value;
    else if (option == "--to") options.to = value;
    else if (option == "--only") options.only = value;
    else if (option == "--threads") options.threads = static_cast<int>(number);
    else if (option == "--print") options.print = static_cast<int>(number);
    else return usage();
  }
  return Campaign(options).run();
}
