#include "fuzz/campaign.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "fuzz/check_frontier.h"
#include "fuzz/isolate.h"
#include "fuzz/random_format.h"
#include "fuzz/random_text.h"
#include "fuzz/shrink.h"
#include "fuzz/unclear_sums.h"
#include "fuzz/workers.h"

namespace filigree::fuzz {
namespace {

constexpr std::int64_t longest_check = 20'000'000 * slowed_down;  // microseconds
constexpr int most_shrunk = 40;                                   // failures of one category
constexpr std::uint64_t plans_every = 8;                          // programs, one whose plan is printed and parsed

enum Stage { interpreting, compiling };
enum Counter { refused, compiled, texts, sums, frontiers, members };

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options),
        workers_(
            {options.from, options.to + options.texts + options.sums + options.frontiers, options.workers,
             longest_check},
            [this](std::uint64_t seed, Worker& worker) { check(seed, worker); },
            [this](const Finding& finding) { handle(finding); }) {}

  int run() {
    auto start = std::chrono::steady_clock::now();
    workers_.run();
    return report(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

 private:
  // --- In a worker ---------------------------------------------------------------------------------

  void check(std::uint64_t seed, Worker& worker) const {
    if (seed <= options_.to) check_seed(seed, worker);
    else if (seed <= options_.to + options_.texts) check_random_text(seed, worker);
    else if (seed <= options_.to + options_.texts + options_.sums) check_sums(seed, worker);
    else check_frontiers(seed, worker);
  }

  void check_seed(std::uint64_t seed, Worker& worker) const {
    Program program = render(random_sketch(seed));
    for (auto target : {compiler::Target::Interpret, compiler::Target::Jit}) {
      bool compiles = target == compiler::Target::Jit;
      worker.enter(compiles ? compiling : interpreting);
      if (compiles && seed * 2654435761u % 1000 >= 10 * options_.jit_percent) return;
      Verdict verdict = check_program(program, target, {!compiles && seed % plans_every == 0});
      if (compiles) worker.count(compiled);
      if (verdict.kind == Verdict::Kind::Refused) worker.count(refused);
      if (verdict.kind == Verdict::Kind::Wrong) worker.tell(verdict.category());
      if (verdict.kind != Verdict::Kind::Right) return;
    }
  }

  static void check_random_text(std::uint64_t seed, Worker& worker) {
    worker.count(texts);
    if (std::optional<std::string> wrong = check_text(random_text(seed))) worker.tell("text: " + *wrong);
  }

  static void check_sums(std::uint64_t seed, Worker& worker) {
    std::optional<Sketch> sketch = unclear_sketch(seed);
    Verdict verdict = sketch ? check_unclear(*sketch) : Verdict{Verdict::Kind::Refused};
    if (verdict.kind != Verdict::Kind::Refused) worker.count(sums);
    if (verdict.kind == Verdict::Kind::Wrong) worker.tell(verdict.category());
  }

  void check_frontiers(std::uint64_t seed, Worker& worker) const {
    std::optional<Sketch> sketch = frontier_sketch(seed);
    if (!sketch) return;
    size_t run = 0;
    Verdict verdict = check_program(render(*sketch), compiler::Target::Interpret, {false, options_.members, &run});
    if (run > 0) worker.count(frontiers);
    for (size_t n = 0; n < run; n++) worker.count(members);
    if (verdict.kind == Verdict::Kind::Wrong) worker.tell(verdict.category());
  }

  // --- In this process -----------------------------------------------------------------------------

  void handle(const Finding& finding) {
    auto [seed, stage, category] = finding;
    bool compiled = stage == compiling;
    failed_++;
    if (categories_[category]++ >= most_shrunk) return;
    bool is_frontier = seed > options_.to + options_.texts + options_.sums,
         is_sum = seed > options_.to + options_.texts && !is_frontier;
    if (is_sum && category.starts_with("sums")) {
      fmt::print("FAILED {}\nagain: fuzz --sum {}\n\n", check_unclear(*unclear_sketch(seed)).message, seed);
      std::fflush(stdout);
      return;
    }
    if (seed > options_.to && !is_sum && !is_frontier) {
      fmt::print("FAILED {}\nfor the text: '{}'\n\n", category, random_text(seed));
      std::fflush(stdout);
      return;
    }
    auto target = compiled ? compiler::Target::Jit : compiler::Target::Interpret;
    Sketch sketch = is_sum ? *unclear_sketch(seed) : is_frontier ? *frontier_sketch(seed) : random_sketch(seed);
    CheckOptions how{true, is_frontier ? options_.members : 0};
    auto fails_alike = [&](const Sketch& candidate) {
      Verdict verdict = check_isolated(render(candidate), target, how);
      return verdict.kind == Verdict::Kind::Wrong && verdict.category().substr(0, category.size()) == category;
    };
    for (int barriers = 0; is_sum && barriers < 6 && !fails_alike(sketch); barriers++) sketch.barriers = barriers;
    if (options_.shrinks) sketch = shrink(sketch, fails_alike, category == hang().category() ? 30 : 3000);
    if (shapes_[category + shape_of(sketch)]++ >= options_.keep) return;
    Program program = render(sketch);
    std::string message = check_isolated(program, target, how).message;
    std::string again = is_sum        ? fmt::format("fuzz --sum {}", seed)
                        : is_frontier ? fmt::format("fuzz --frontier {} --members {}", seed, options_.members)
                                      : fmt::format("fuzz --seed {}{}", seed, compiled ? " --jit-percent 100" : "");
    fmt::print("FAILED {}\n{}again: {}\n\n", message, to_text(program), again);
    std::fflush(stdout);
    store(seed,
          "# " + message.substr(0, message.find('\n')) + "\n# " + again + "\n" + to_text(program) + "\n[result]\n");
  }

  /// Operators and special level formats: what fails alike with the same ones is probably one bug.
  static std::string shape_of(const Sketch& sketch) {
    std::set<std::string> operators;
    for_each_node(sketch.right, [&](const Node& node) {
      if (node.kind == Node::Kind::Access) add_levels(sketch.tensors.at(node.text).format, "", operators);
      else
        operators.insert(node.kind == Node::Kind::Literal ? "1" : node.kind == Node::Kind::Variable ? "i" : node.text);
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
      if (!index.is_variable())
        names.insert(whose + (!index.list.empty() ? "list"
                              : index.window      ? "window"
                                                  : fmt::format("sum of {}", index.terms.size())));
    }
    if (are_plain(indices)) return;
    if (std::all_of(indices.begin(), indices.end(), [](const Index& index) { return index.is_variable(); }))
      names.insert(whose + "diagonal");
  }

  void store(std::uint64_t seed, const std::string& text) const {
    if (options_.store.empty()) return;
    std::filesystem::create_directories(options_.store);
    std::ofstream(options_.store + "/seed_" + std::to_string(seed) + ".case") << text;
  }

  int report(double seconds) const {
    std::uint64_t programs = options_.to + 1 - options_.from;
    for (const auto& [category, count] : categories_) fmt::print("failed {} times: {}\n", count, category);
    fmt::print(
        "{} programs (seeds {} to {}), {} of them also compiled, {} refused by the notation's checks; {} texts; {} "
        "unclear sums; {} frontiers with {} loops; {:.1f} s, at most {:.1f} s for one\n",
        programs, options_.from, options_.to, workers_.counted(compiled), workers_.counted(refused),
        workers_.counted(texts), workers_.counted(sums), workers_.counted(frontiers), workers_.counted(members),
        seconds, workers_.longest_seconds());
    fmt::print("{} passed, {} failed\n",
               programs + workers_.counted(texts) + workers_.counted(sums) + workers_.counted(frontiers) -
                   workers_.counted(refused) - failed_,
               failed_);
    return failed_ > 0 ? 1 : 0;
  }

  CampaignOptions options_;
  Workers workers_;
  std::map<std::string, int> categories_, shapes_;
  std::uint64_t failed_ = 0;
};

}  // namespace

int run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

}  // namespace filigree::fuzz
