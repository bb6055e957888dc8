#include "fuzz/campaign.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "fuzz/isolate.h"
#include "fuzz/random_format.h"
#include "fuzz/random_text.h"
#include "fuzz/shrink.h"
#include "fuzz/unclear_sums.h"

namespace filigree::fuzz {
namespace {

constexpr int most_workers = 64;
constexpr std::int64_t longest_check = 20'000'000 * slowed_down;  // microseconds
constexpr int most_shrunk = 40;                                  // failures of one category

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// In memory that workers and this process share.
struct Shared {
  std::atomic<std::uint64_t> next;
  std::atomic<std::uint64_t> refused, compiled, texts, sums;
  std::atomic<std::int64_t> longest;  // microseconds that a check took
  struct {
    std::atomic<std::uint64_t> seed;
    std::atomic<std::int64_t> since;  // 0: idle
    std::atomic<bool> compiling;
  } worker[most_workers];
};

/// What a worker tells; small enough to be written at once.
struct Finding {
  std::uint64_t seed;
  bool compiled;
  char category[300];
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || pipe(pipe_) != 0) throw std::runtime_error("no shared memory or no pipe");
    fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
    shared_ = new (memory) Shared{};
    shared_->next = options.from;
  }

  int run() {
    std::int64_t start = now();
    workers_.assign(static_cast<std::size_t>(std::clamp(options_.workers, 1, most_workers)), 0);
    for (std::size_t w = 0; w < workers_.size(); w++) start_worker(w);
    while (std::any_of(workers_.begin(), workers_.end(), [](pid_t id) { return id != 0; })) {
      collect(50);
      watch();
    }
    collect(0);
    return report(static_cast<double>(now() - start) * 1e-6);
  }

 private:
  // --- In a worker ---------------------------------------------------------------------------------

  void work(std::size_t w) {
    auto& mine = shared_->worker[w];
    std::uint64_t count = options_.to + 1 - options_.from;
    for (std::uint64_t seed; (seed = shared_->next++) < options_.from + count + options_.texts + options_.sums;) {
      mine.seed = seed;
      mine.since = now();
      if (seed <= options_.to) check_seed(seed, mine.compiling);
      else if (seed <= options_.to + options_.texts) check_random_text(seed);
      else check_sums(seed);
      std::int64_t took = now() - mine.since;
      mine.since = 0;
      for (std::int64_t longest = shared_->longest; took > longest && !shared_->longest.compare_exchange_weak(longest, took);) {
      }
    }
  }

  void check_seed(std::uint64_t seed, std::atomic<bool>& compiling) {
    Program program = render(random_sketch(seed));
    for (auto target : {compiler::Target::Interpret, compiler::Target::Jit}) {
      compiling = target == compiler::Target::Jit;
      if (compiling && seed * 2654435761u % 1000 >= 10 * options_.jit_percent) return;
      Verdict verdict = check_program(program, target);
      if (compiling) shared_->compiled++;
      if (verdict.kind == Verdict::Kind::Refused) shared_->refused++;
      if (verdict.kind == Verdict::Kind::Wrong) tell(seed, compiling, verdict.category());
      if (verdict.kind != Verdict::Kind::Right) return;
    }
  }

  void check_random_text(std::uint64_t seed) {
    shared_->texts++;
    if (std::optional<std::string> wrong = check_text(random_text(seed))) tell(seed, false, "text: " + *wrong);
  }

  void check_sums(std::uint64_t seed) {
    std::optional<Sketch> sketch = unclear_sketch(seed);
    Verdict verdict = sketch ? check_unclear(*sketch) : Verdict{Verdict::Kind::Refused};
    if (verdict.kind != Verdict::Kind::Refused) shared_->sums++;
    if (verdict.kind == Verdict::Kind::Wrong) tell(seed, false, verdict.category());
  }

  void tell(std::uint64_t seed, bool compiled, const std::string& category) const {
    Finding finding{seed, compiled, {}};
    std::strncpy(finding.category, category.c_str(), sizeof finding.category - 1);
    if (write(pipe_[1], &finding, sizeof finding) != sizeof finding) _exit(4);
  }

  // --- In this process -----------------------------------------------------------------------------

  void start_worker(std::size_t w) {
    std::fflush(stdout);
    shared_->worker[w].since = 0;
    workers_[w] = fork();
    if (workers_[w] < 0) throw std::runtime_error("cannot fork");
    if (workers_[w] > 0) return;
    limit_memory();
    work(w);
    _exit(0);
  }

  void collect(int milliseconds) {
    pollfd waiting{pipe_[0], POLLIN, 0};
    poll(&waiting, 1, milliseconds);
    for (Finding finding; read(pipe_[0], &finding, sizeof finding) == sizeof finding;) handle(finding.seed, finding.compiled, finding.category);
  }

  /// Ends workers that hang, replaces those that ended before all seeds were checked.
  void watch() {
    for (std::size_t w = 0; w < workers_.size(); w++) {
      if (workers_[w] == 0) continue;
      auto& state = shared_->worker[w];
      std::int64_t since = state.since;
      bool hangs = since != 0 && now() - since > longest_check;
      if (hangs) kill(workers_[w], SIGKILL);
      int status = 0;
      if (waitpid(workers_[w], &status, hangs ? 0 : WNOHANG) == 0) continue;
      workers_[w] = 0;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      Verdict verdict = hangs ? hang() : WIFSIGNALED(status) ? crash(WTERMSIG(status)) : crash(SIGABRT);
      std::uint64_t seed = state.seed;
      bool compiling = state.compiling;
      start_worker(w);
      handle(seed, compiling, verdict.category());
    }
  }

  void handle(std::uint64_t seed, bool compiled, const std::string& category) {
    failed_++;
    if (categories_[category]++ >= most_shrunk) return;
    bool is_sum = seed > options_.to + options_.texts;
    if (is_sum && category.starts_with("sums")) {
      fmt::print("FAILED {}\nagain: fuzz --sum {}\n\n", check_unclear(*unclear_sketch(seed)).message, seed);
      std::fflush(stdout);
      return;
    }
    if (seed > options_.to && !is_sum) {
      fmt::print("FAILED {}\nfor the text: '{}'\n\n", category, random_text(seed));
      std::fflush(stdout);
      return;
    }
    auto target = compiled ? compiler::Target::Jit : compiler::Target::Interpret;
    Sketch sketch = is_sum ? *unclear_sketch(seed) : random_sketch(seed);
    auto fails_alike = [&](const Sketch& candidate) {
      Verdict verdict = check_isolated(render(candidate), target);
      return verdict.kind == Verdict::Kind::Wrong && verdict.category().substr(0, sizeof(Finding::category) - 1) == category;
    };
    for (int barriers = 0; is_sum && barriers < 6 && !fails_alike(sketch); barriers++) sketch.barriers = barriers;
    if (options_.shrinks) sketch = shrink(sketch, fails_alike, category == hang().category() ? 30 : 3000);
    if (shapes_[category + shape_of(sketch)]++ >= options_.keep) return;
    Program program = render(sketch);
    std::string message = check_isolated(program, target).message;
    std::string again = is_sum ? fmt::format("fuzz --sum {}", seed) : fmt::format("fuzz --seed {}{}", seed, compiled ? " --jit-percent 100" : "");
    fmt::print("FAILED {}\n{}again: {}\n\n", message, to_text(program), again);
    std::fflush(stdout);
    store(seed, "# " + message.substr(0, message.find('\n')) + "\n# " + again + "\n" + to_text(program) + "\n[result]\n");
  }

  /// Operators and special level formats: what fails alike with the same ones is probably one bug.
  static std::string shape_of(const Sketch& sketch) {
    std::set<std::string> operators;
    for_each_node(sketch.right, [&](const Node& node) {
      if (node.kind == Node::Kind::Access) add_levels(sketch.tensors.at(node.text).format, "", operators);
      else operators.insert(node.kind == Node::Kind::Literal ? "1" : node.kind == Node::Kind::Variable ? "i" : node.text);
      if (node.padded) operators.insert("pad");
      add_forms(node.indices, "", operators);
    });
    add_forms(sketch.left, "r ", operators);
    add_levels(sketch.tensors.at("r").format, "r ", operators);
    std::string shape;
    for (const std::string& op : operators) shape += " " + op;
    return shape;
  }

  static void add_levels(const Format& format, const std::string& whose, std::set<std::string>& names) {
    if (is_dense_and_compressed(format)) return;
    for (const Level& level : format.levels()) {
      if (*level.format != *level::dense()) names.insert(whose + level::to_string(*level.format));
      if (!level.coordinate.plain()) names.insert(whose + "map");
    }
    if (format.symmetry() != Symmetry::None) names.insert(whose + "symmetry");
  }

  static void add_forms(const Indices& indices, const std::string& whose, std::set<std::string>& names) {
    for (const Index& index : indices) {
      if (!index.is_variable()) names.insert(whose + (!index.list.empty() ? "list" : index.window ? "window" : fmt::format("sum of {}", index.terms.size())));
    }
    if (are_plain(indices)) return;
    if (std::all_of(indices.begin(), indices.end(), [](const Index& index) { return index.is_variable(); })) names.insert(whose + "diagonal");
  }

  void store(std::uint64_t seed, const std::string& text) const {
    if (options_.store.empty()) return;
    std::filesystem::create_directories(options_.store);
    std::ofstream(options_.store + "/seed_" + std::to_string(seed) + ".case") << text;
  }

  int report(double seconds) const {
    std::uint64_t programs = options_.to + 1 - options_.from;
    for (const auto& [category, count] : categories_) fmt::print("failed {} times: {}\n", count, category);
    fmt::print("{} programs (seeds {} to {}), {} of them also compiled, {} refused by the notation's checks; {} texts; {} unclear sums; {:.1f} s, at most {:.1f} s for one\n", programs,
               options_.from, options_.to, shared_->compiled.load(), shared_->refused.load(), shared_->texts.load(), shared_->sums.load(), seconds,
               static_cast<double>(shared_->longest) * 1e-6);
    fmt::print("{} passed, {} failed\n", programs + shared_->texts + shared_->sums - shared_->refused - failed_, failed_);
    return failed_ > 0 ? 1 : 0;
  }

  CampaignOptions options_;
  Shared* shared_ = nullptr;
  int pipe_[2] = {};
  std::vector<pid_t> workers_;  // 0: ended
  std::map<std::string, int> categories_, shapes_;
  std::uint64_t failed_ = 0;
};

}  // namespace

int run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

}  // namespace filigree::fuzz
