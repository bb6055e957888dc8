// Every assignment of formats to a list of expressions, against the oracle, through the interpreter; a rotating part
// also through the JIT.  Values and stored pattern must both be right.
//
//   combinations                      everything
//   combinations --sample 50          about every 50th combination, picked by hash and rotation
//   combinations --expression 11 --only 1234 --jit-percent 100     one combination again
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/differential/expression.h"

namespace filigree::differential {
namespace {

const std::vector<std::string> expressions = {
    "a(i)=b(i)+c(i)",
    "a(i)=b(i)*c(i)*d(i)",
    "a(i)=b(i)*c(i)+d(i)",
    "s=b(i)*c(i)",
    "a(i)=B(i,j)*c(j)",
    "a(i)=B(j,i)*c(j)+d(i)",
    "A(i,j)=B(i,j)+C(i,j)",
    "A(i,j)=B(i,j)+C(j,i)",
    "A(i,j)=B(i,j)*C(i,j)*D(i,j)",
    "A(i,j)=B(i,k)*C(k,j)",
    "A(i,j)=B(k,i)*B(k,j)",
    "A(i,l)=B(i,j)*C(j,k)*D(k,l)",
    "A(i,j)=B(i,j)*C(i,k)*D(k,j)",
    "A(i,j)=(B(i,k)+C(i,k))*D(k,j)",
    "A(i,j)=b(i)*c(j)",
    "A(i,j)=B(i,j,k)*c(k)",
    "A(i,j,k)=B(i,j,l)*C(k,l)",
    "A(i,j)=B(i,k,l)*C(k,j)*D(l,j)",
    "A(i,j,k)=B(i,j,k)+C(i,j,k)",
    "s=B(i,j,k)*C(i,j,k)",
    "A(j,k,l,m)=X(i,j,k)*Y(i,l,m)",
    // Copies, and unions that reach every coordinate.
    "A(i,j)=B(i,j)",
    "A(i,j)=B(j,i)",
    "A(i,j)=b(i)+c(j)",
    "A(i,j)=max(B(i,j),C(i,j))-D(i,j)/2",
    // Other operators and semirings.
    "A(i,j)=select(B(i,j)>C(i,j),B(i,j),D(j,i))",
    "A(i,j)=(B(i,j)==C(i,j)) or D(i,j)",
    "A(i,j)=B(i,j)//2+C(i,j)%3",
    "A(i,j) or= B(i,k) and C(k,j)",
    "A(i,j) max= B(i,k)*C(k,j)",
    "a(i)=all(j,B(i,j)) xor any(j,C(i,j)*d(j))",
    "a(i)=sum(j,abs(B(i,j))+2*(c(j)>1))",
    // What equals the fill is left out.
    "A(i,j)=prune(B(i,j)*(B(i,j)>C(i,j)))",
    "A(i,j)=prune(max(0,sum(k,B(i,k)*C(k,j))))",
};

/// With every named format: kernels, unions, copies and vectors.
const std::vector<std::string> named_expressions = {
    "y(i)=B(i,j)*x(j)",
    "A(i,j)=B(i,j)+C(i,j)",
    "A(i,j)=B(i,j)*C(i,j)",
    "A(i,j)=B(i,k)*C(k,j)",
    "A(i,j)=B(i,j)*C(i,k)*D(k,j)",
    "A(i,j)=B(i,j)",
    "A(i,j)=B(j,i)",
    "a(i)=b(i)+c(i)",
    "a(i)=b(i)*c(i)",
    "a(i)=b(i)*c(i)+d(i)",
    "s=b(i)*c(i)",
    "A(i,j,k)=B(i,j,k)+C(i,j,k)",
    "s=B(i,j,k)*C(i,j,k)",
    "A(i,j)=B(i,j,k)*c(k)",
    "A(i,j,k)=B(i,j,k)",
    "A(i,j)=select(B(i,j)>C(i,j),B(i,j),D(j,i))",
    "A(i,j) or= B(i,k) and C(k,j)",
    "a(i)=max_over(j,B(i,j)*c(j))",
    "A(i,j)=(B(i,j)==0) xor C(i,j)",
    "A(i,j)=max(B(i,j),C(j,i))-D(i,j)/2",
    "y(i)=B(i,j)*x(j)+z(i)",
    "A(i,j,k,l)=B(i,j,k,l)",
    // Indices that follow from index variables.
    "a(i)=B(i,i)",
    "s=B(i,i)",
    "A(i,j)=B(i+1,j)",
    "A(i,j)=B(i,j+2)+C(j,i)",
    "a(j)=B(2,j)",
    "A(i,j)=B(i(1,4),j(0,5,2))",
    "A(i,j)=B(i({2,0,2}),j)",
    "a(i)=B(2*i,j)*c(j)",
    "a(i)=b(i+k)*c(k)",
    "A(x,y)=B(x+u,y+v)*W(u,v)",
    "a(i)=pad(b(i+k-1))*c(k)+d(i)",
    "A(i,j)=pad(B(i-1,j+1))+C(i,j)",
    "A(i,i)=b(i)",
    "A(i+1,2*j)=B(i,j)",
    "A(2,j)=b(j)",
    "a(i+k)+=b(i)*c(k)",
    "A(i(1,4),j)=B(i,j)*C(i,j)",
    "A(i,j)=B(i,j)*i-j",
    "s=i*B(i,j)",
    "A(i)=B(i,i,j)",
    "a(i({1,0,3}))=b(i)",
    "A(i,j)=pad(B(3-i,j))*C(i,j)",
    // Windows into sorted levels.
    "a(i)=B(i+1,j(1,4))*c(j)",
    "A(i,j)=pad(B(i+1,j-1))*C(j,i)",
    "A(i,j)=pad(B(i-1,j+1))-B(i,j)",
    "A(i,j)=(j<=i)*pad(B(i,j+1))+C(i,j)",
    "a(i)=b(i(2,5))+c(i)",
    // Conditions on index variables.
    "A(i,j)=select(j<=i,B(i,j),0)",
    "A(i,j)=(j>i)*(B(i,j)+C(i,j))",
    "A(i,j)=select(2*j<i+1,B(i,j),C(i,j))",
    "A(i,j)=(i+1==j)*B(i,j)",
    "A(i,j)=(i!=j)*B(i,j)",
    "A(i,j)=(j>=i-1)*(j<=i+1)*B(i,j)*C(i,j)",
    "s=(j<i)*(k<j)*B(i,j)*C(i,k)*D(j,k)",
    "a(i)=sum(j,select(i<3 and j>=2*i,B(i,j),0))",
    "A(i,j)=(3*j<=2*i)+B(i,j)",
    "a(i)=max_over(j,(j<=i)*B(i,j)-1)",
    "A(i,j)=(j<=i)*sum(k,B(i,k)*C(k,j))",
    "A(i,j)=B(i,j)*(i<j or 2*i==j)",
    // Three dimensions, of which two may be stored as a diagonal.
    "A(i,j,k)=2*B(i,j,k)",
    "A(i,j,k)=B(i,j,k)*C(i,j,k)",
    "A(i,j,k)=B(i,j,k)+C(k,i,j)",
    "A(i,j,k)=B(i,j,k)*C(i,j)",
    "A(i,j,k)=B(i,j,l)*C(l,k)",
    "A(k,j)=B(i,j,k)*c(i)",
    "A(i,j,k)=max(B(i,j,k),C(i,j,k))",
    "A(i,j,k)=B(i,j,l)+C(i,j,k)",
    "A(i,j,k)=B(i,j,k)*(j>i)",
    // What equals the fill is left out.
    "A(i,j)=prune(B(i,j)*(B(i,j)>C(i,j)))",
    "a(j)=prune(max(0,sum(i,B(i,j)*c(i))))",
    "a(i)=prune(b(i))",
    "A(i,j)=prune(B(i,j))",
    "A(i+1,j)=prune(relu(B(i,j)))",
};

struct Options {
  bool named = false;          // all named formats instead of dense and compressed levels
  std::vector<size_t> chosen;  // expressions, all if empty
  std::int64_t sample = 1;
  int jit_percent = 5;
  unsigned rotation = 0;
  std::int64_t only = -1;
  std::int64_t limit = 5000;
  int threads = 2;
  int print = 10;                // failures in full
  bool system_compiler = false;  // instead of the JIT
  bool sanitize = false;
};

std::uint64_t hash(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 1) * 0xbf58476d1ce4e5b9u ^ (c + 1) * 0x94d049bb133111ebu;
  x ^= x >> 31, x *= 0xd6e8feb86659fd93u, x ^= x >> 29;
  return x;
}

class Campaign {
 public:
  explicit Campaign(const Options& options) : options_(options) {
    for (size_t e = 0; e < texts().size(); e++) {
      if (options.chosen.empty() || std::find(options.chosen.begin(), options.chosen.end(), e) != options.chosen.end())
        add(e);
    }
  }

  int run() {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (int w = 0; w < options_.threads; w++) watched_.emplace_back();
    for (int w = 0; w < options_.threads; w++)
      workers.emplace_back([this, w] { work(watched_[static_cast<size_t>(w)]); });
    std::jthread watch([this](std::stop_token stop) { watchdog(stop); });
    for (std::thread& worker : workers) worker.join();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report(seconds);
  }

 private:
  struct Entry {
    size_t number;
    std::unique_ptr<Expression> expression;
    std::atomic<int> combinations = 0, failed = 0;
    std::atomic<std::int64_t> microseconds = 0;
  };
  struct Job {
    Entry* entry;
    std::int64_t combination;
  };
  struct Watched {
    std::atomic<size_t> job = 0;
    std::atomic<std::int64_t> since = 0;  // 0: idle
  };

  const std::vector<std::string>& texts() const { return options_.named ? named_expressions : expressions; }

  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void add(size_t number) {
    entries_.push_back(std::make_unique<Entry>());
    Entry& entry = *entries_.back();
    entry.number = number;
    entry.expression = options_.named
                           ? Expression::with_named_formats(texts()[number], 1 + options_.rotation, options_.limit)
                           : std::make_unique<Expression>(texts()[number], 1 + options_.rotation, options_.limit);
    for (std::int64_t c = 0; c < entry.expression->combinations(); c++) {
      bool picked = hash(number, static_cast<std::uint64_t>(c), options_.rotation) %
                        static_cast<std::uint64_t>(options_.sample) ==
                    0;
      if (options_.only >= 0 ? c == options_.only : picked) jobs_.push_back({&entry, c});
    }
  }

  void work(Watched& watched) {
    for (size_t job; (job = next_++) < jobs_.size();) {
      watched.job = job;
      watched.since = now();
      check(jobs_[job]);
      watched.since = 0;
    }
  }

  void check(const Job& job) {
    std::int64_t start = now();
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    bool right = check(job, options, "interpreter");
    if (static_cast<int>(
            hash(job.entry->number, static_cast<std::uint64_t>(job.combination), options_.rotation + 1000) % 100) <
        options_.jit_percent) {
      options.target = options_.system_compiler ? compiler::Target::Cc : compiler::Target::Jit;
      options.optimization = 1;
      options.contract_floats = false;
      options.sanitize = options_.sanitize;
      compiled_++;
      right = check(job, options, "compiled") && right;
    }
    job.entry->combinations++;
    if (!right) job.entry->failed++;
    job.entry->microseconds += now() - start;
  }

  bool check(const Job& job, const KernelOptions& options, const char* target) {
    Expression::Outcome outcome = job.entry->expression->check(job.combination, options);
    runs_ += outcome.runs;
    if (!outcome.failure) return true;
    std::lock_guard lock(mutex_);
    std::string text =
        fmt::format("{} {}: {}", texts()[job.entry->number], target, first_line(outcome.failure->message));
    Kind& kind = kinds_[std::regex_replace(text, std::regex("[0-9]+"), "#")];
    if (kind.count++ == 0 && static_cast<int>(kinds_.size()) <= options_.print) {
      fmt::print(
          "FAILED {}\n  {}\n  {}\n  again: combinations{} --expression {} --only {} --rotation {} --jit-percent "
          "100\n{}\n",
          text, job.entry->expression->formats_text(job.combination), outcome.failure->message,
          options_.named ? " --named" : "", job.entry->number, job.combination, options_.rotation,
          outcome.failure->details);
      std::fflush(stdout);
    }
    if (kind.examples.size() < 4) kind.examples.push_back(job.entry->expression->formats_text(job.combination));
    return false;
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  void watchdog(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      for (const Watched& watched : watched_) {
        std::int64_t since = watched.since;
        if (since == 0 || now() - since < 120'000'000) continue;
        const Job& job = jobs_[watched.job];
        fmt::print("FAILED {} hangs\n  {}\n  again: combinations --expression {} --only {} --rotation {}\n",
                   texts()[job.entry->number], job.entry->expression->formats_text(job.combination), job.entry->number,
                   job.combination, options_.rotation);
        std::fflush(stdout);
        _exit(3);
      }
    }
  }

  int report(double seconds) const {
    int failed = 0, combinations = 0;
    for (const auto& entry : entries_) {
      fmt::print("{:3} {:40} {:6} combinations {:5} failed {:8.1f} s\n", entry->number, texts()[entry->number],
                 entry->combinations.load(), entry->failed.load(), static_cast<double>(entry->microseconds) * 1e-6);
      failed += entry->failed, combinations += entry->combinations;
    }
    for (const auto& [text, kind] : kinds_) {
      fmt::print("failed {} times: {}\n", kind.count, text);
      for (const std::string& example : kind.examples) fmt::print("    {}\n", example);
    }
    fmt::print("{} combinations, {} of them also compiled, {} runs, {:.1f} s\n", combinations, compiled_.load(),
               runs_.load(), seconds);
    fmt::print("{} passed, {} failed\n", combinations - failed, failed);
    return failed > 0 ? 1 : 0;
  }

  struct Kind {
    int count = 0;
    std::vector<std::string> examples;
  };

  Options options_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<Job> jobs_;
  std::atomic<size_t> next_ = 0;
  std::atomic<int> compiled_ = 0;
  std::atomic<std::int64_t> runs_ = 0;
  std::deque<Watched> watched_;
  std::mutex mutex_;
  std::map<std::string, Kind> kinds_;
};

int usage() {
  std::cerr << "usage: combinations [--named] [--expression N]... [--sample K] [--jit-percent P] [--rotation R] "
               "[--only COMBINATION]\n"
               "                    [--limit COMBINATIONS] [--threads T] [--print FAILURES] [--cc] [--sanitize]\n";
  for (size_t e = 0; e < expressions.size(); e++) std::cerr << e << "  " << expressions[e] << "\n";
  return 2;
}

}  // namespace
}  // namespace filigree::differential

int main(int argc, char** argv) {
  using namespace filigree::differential;
  setenv("FILIGREE_CACHE_SIZE", "0", 0);  // thousands of kernels that nobody will ask for again
  Options options;
  for (int a = 1; a < argc; a++) {
    std::string option = argv[a];
    if (option == "--named") {
      options.named = true, options.limit = 100000;
      continue;
    }
    if (option == "--cc") {
      options.system_compiler = true;
      continue;
    }
    if (option == "--sanitize") {
      options.system_compiler = options.sanitize = true;
      continue;
    }
    if (a + 1 == argc) return usage();
    long number = std::strtol(argv[++a], nullptr, 10);
    if (option == "--expression") options.chosen.push_back(static_cast<size_t>(number));
    else if (option == "--sample") options.sample = std::max(1L, number);
    else if (option == "--jit-percent") options.jit_percent = static_cast<int>(number);
    else if (option == "--rotation") options.rotation = static_cast<unsigned>(number);
    else if (option == "--only") options.only = number;
    else if (option == "--limit") options.limit = number;
    else if (option == "--threads") options.threads = static_cast<int>(number);
    else if (option == "--print") options.print = static_cast<int>(number);
    else return usage();
  }
  return Campaign(options).run();
}
