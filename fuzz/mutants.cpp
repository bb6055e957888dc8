// Programs, formats, schedules and files that are nearly right, through all stages: each ends in a result or in a
// message for its author.
//
//   mutants --programs 200000 --files 200000 --workers 2
//   mutants --loops 50000          loops in concrete notation, which run as they are written or are refused
//   mutants --plans 50000          plans as text, which run without a fault or are refused
//   mutants --program 123          one again, printed
//   mutants --file 123
//   mutants --loop 123
//   mutants --plan 123
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "fuzz/check_program.h"
#include "fuzz/check_texts.h"
#include "fuzz/dice.h"
#include "fuzz/mutate_plan.h"
#include "fuzz/mutate_text.h"
#include "fuzz/random_format.h"
#include "fuzz/random_program.h"
#include "fuzz/workers.h"
#include "compiler/pipeline.h"
#include "io/files.h"
#include "notation/parse.h"
#include "tests/reference/functions.h"

namespace filigree::fuzz {
namespace {

constexpr std::int64_t longest_check = 5'000'000 * (is_sanitized ? 4 : 1);  // microseconds

const std::vector<std::string> format_words = {
    "dense", "compressed", "singleton", "hashed",      "bitmap", "range",     "offset",    "csr",  "coo",
    "dia",   "bcsr(2,2)",  "ell",       "d",           "s",      "i",         "j",         "k",    "->",
    "(",     ")",          ",",         ":",           "/",      "%",         "-",         "#",    "0",
    "1",     "2",          "4",         "99999999999", "full",   "nonunique", "symmetric", "lower"};
const std::vector<std::string> schedule_words = {
    "split",    "reorder", "collapse", "pos",    "precompute", "unroll",   "bound", "parallelize",
    "protocol", "mergeby", "assemble", "divide", "vectorize",  "reformat", "cut",   "i",
    "j",        "k",       "i0",       "f",      "A",          "cpu",      "none",  "atomics",
    "(",        ")",       ",",        "0",      "1",          "4",        "-3",    "99999999999",
    "up",       "down",    "gallop",   "hash",   "merge"};

/// With names of the program, mostly.
std::string random_schedule_text(const std::string& program, Dice& dice) {
  std::string vars, tensor = "T0";
  for (const std::string& token : tokens_of(program)) {
    if (token.size() == 1 && token[0] >= 'i' && token[0] <= 'm') vars += token;
    if (token.size() == 2 && (token[0] == 't' || token[0] == 'T') && dice.chance(50)) tensor = token;
  }
  if (vars.empty()) vars = "i";
  std::string i(1, dice.one_of(vars)), j(1, dice.one_of(vars)), t = tensor;
  std::string text =
      dice.pick({"split({0},v0,v1,2)", "split({0},v0,v1,2),reorder(v1,v0)", "reorder({0},{1})", "collapse({0},{1},f)",
                 "collapse({0},{1},f),split(f,f0,f1,up,2)", "pos({0},p,{2})", "parallelize({0},cpu,none)",
                 "protocol({2},{0},gallop)", "split({0},v0,v1,4),unroll(v1)", "vectorize({0})", "reformat({2},csr)",
                 "split({0},v0,v1,up,3),parallelize(v0,cpu,none)"});
  return fmt::format(fmt::runtime(text), i, j, t);
}

Texts mutated_program(std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x2545f4914f6cdd1du + 7);
  Dice dice(random);
  Program program = render(random_sketch(seed)), other = render(random_sketch(seed + 1));
  Texts texts{mutate_statement(program.expression, other.expression, random), {}, {}, {}, {}, seed};
  for (const ProgramTensor& tensor : program.tensors) {
    if (dice.chance(80)) texts.formats[tensor.name] = to_string(tensor.format);
    if (dice.chance(2)) texts.formats[tensor.name] = mutate_tokens(to_string(tensor.format), format_words, random);
    if (dice.chance(80)) texts.types[tensor.name] = to_string(tensor.type);
  }
  for (const char* name : {"i", "j", "k", "l", "m"}) texts.extents[name] = 3;
  for (const auto& [name, extent] : program.extents) texts.extents[name] = std::max<std::int64_t>(extent, 1);
  if (dice.chance(20)) texts.schedule = random_schedule_text(program.expression, dice);
  if (dice.chance(4))
    texts.schedule = mutate_tokens(random_schedule_text(program.expression, dice), schedule_words, random);
  return texts;
}

const std::vector<std::string> loop_words = {"forall", "where", "sequence", "multi", "i", "j", "k", "t",
                                             "w",      "(",     ")",        ",",     ";", "=", "+", "*",
                                             "+=",     "-=",    "min",      "if",    "[", "]", "1", "unless"};

/// The loops that a stage prints for a random statement, mostly with something changed.
Texts mutated_loops(std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x2545f4914f6cdd1du + 11);
  Dice dice(random);
  Program program = render(random_sketch(seed));
  Texts texts{"forall(i, forall(j, t0(i) += t1(i,j)*t2(j)))", {}, {}, {}, {}, seed};
  try {
    notation::Parsed parsed = notation::parse(program.expression);
    std::map<std::string, TensorVar> vars;
    for (const ProgramTensor& tensor : program.tensors) {
      texts.formats[tensor.name] = to_string(tensor.format);
      texts.types[tensor.name] = to_string(tensor.type);
      vars.emplace(tensor.name, TensorVar(tensor.name, tensor.type, tensor.format));
    }
    std::map<std::string, std::string> printed;
    compiler::PipelineOptions options;
    options.observer = [&](const compiler::StageReport& report) { printed[report.stage] = report.text; };
    compiler::plan(notation::resolve(parsed, vars), options);
    std::string stage = printed[dice.chance(50) ? "concrete" : "assemble"];
    texts.program = stage.substr(0, stage.find('\n'));
  } catch (const UserError&) {}
  if (dice.chance(75)) texts.program = mutate_tokens(texts.program, loop_words, random);
  for (const char* name : {"i", "j", "k", "l", "m"}) texts.extents[name] = 3;
  for (const auto& [name, extent] : program.extents) texts.extents[name] = std::max<std::int64_t>(extent, 1);
  if (dice.chance(20)) texts.schedule = random_schedule_text(texts.program, dice);
  return texts;
}

/// A plan, and what is said about it.
struct MutatedPlan {
  std::string text, original;
  std::map<std::string, std::vector<std::int64_t>> dimensions;
  Texts texts;
};

/// The plan of a random statement, mostly with something changed.
MutatedPlan mutated_plan(std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x2545f4914f6cdd1du + 13);
  MutatedPlan mutated;
  for (std::uint64_t n = seed; mutated.text.empty(); n += 1000003) {  // programs with plans of their own
    Sketch sketch = random_sketch(n);
    sketch.split_seed = 0;
    Program program = render(sketch);
    mutated = {plan_text(program, random), {}, {}, {}};
    for (const ProgramTensor& tensor : program.tensors) {
      if (tensor.is_read) mutated.dimensions[tensor.name] = tensor.dimensions;
    }
    mutated.texts.extents = program.extents;
    mutated.texts.seed = seed;
  }
  mutated.original = mutated.text;
  if (seed % 10 != 0) mutated.text = mutate_plan(mutated.text, random);
  return mutated;
}

std::string describe(const Texts& texts) {
  std::string text = texts.program;
  for (const auto& [name, format] : texts.formats) text += fmt::format("\n  -f {}:{}", name, format);
  for (const auto& [name, type] : texts.types) text += fmt::format("\n  -t {}:{}", name, type);
  for (const auto& [name, extent] : texts.extents) text += fmt::format("\n  -d {}:{}", name, extent);
  return texts.schedule.empty() ? text : text + "\n  -s " + texts.schedule;
}

// --- Files -----------------------------------------------------------------------------------------

struct MutatedFile {
  std::string bytes, extension;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string gzipped(const std::string& bytes, const std::string& path) {
  gzFile file = gzopen(path.c_str(), "wb1");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return bytes_of(path);
}

/// A small tensor, written as a file whose bytes are then changed; some are packed after that.
MutatedFile mutated_file(std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15u + 3);
  Dice dice(random);
  std::string extension = dice.pick({".mtx", ".mtx", ".tns", ".tns", ".el", ".csv", ".npy", ".npz"});
  int order = extension == ".tns" || extension == ".npy" ? static_cast<int>(1 + dice.upto(3)) : 2;
  ElementType type = dice.pick({ElementType::Float64, ElementType::Float64, ElementType::Int64, ElementType::Float32,
                                ElementType::Complex128, ElementType::Bool, ElementType::UInt8});
  Coordinates entries;
  entries.coordinate.resize(static_cast<std::size_t>(order));
  for (int d = 0; d < order; d++) entries.dimensions.push_back(static_cast<std::int64_t>(1 + dice.upto(6)));
  std::int64_t count = static_cast<std::int64_t>(dice.upto(8));
  entries.values = Array(type, count);
  for (std::int64_t n = 0; n < count; n++) {
    for (std::size_t d = 0; d < entries.coordinate.size(); d++)
      entries.coordinate[d].push_back(
          static_cast<std::int64_t>(dice.upto(static_cast<std::size_t>(entries.dimensions[d]))));
    entries.values.set(n, Scalar::of(type, static_cast<std::int64_t>(dice.upto(5))));
  }
  std::string path = fmt::format("{}/{}-seed{}", scratch_folder(), getpid(), extension), packed = path + ".gz";
  try {
    write_file(path,
               AnyTensor::pack(entries, extension == ".npz" && dice.chance(60)
                                            ? parse_format(dice.pick({"csr", "csc", "coo", "dia", "bcsr(2,2)"}), 2)
                                            : random_plain_format(order, random)));
  } catch (const UserError&) {
    std::ofstream(path) << "1 1 1\n";  // a kind of file that cannot hold it
  }
  std::string bytes = mutate_bytes(bytes_of(path), random);
  std::filesystem::remove(path);
  bool packs = dice.chance(15) && (extension == ".mtx" || extension == ".tns" || extension == ".el");
  if (!packs) return {bytes, extension};
  bytes = gzipped(bytes, packed);
  std::filesystem::remove(packed);
  return {dice.chance(50) ? mutate_bytes(bytes, random) : bytes, extension + ".gz"};
}

// --- Campaign --------------------------------------------------------------------------------------

enum Counter { parsed, resolved, lowered, ran, read };

struct Options {
  std::uint64_t programs = 0, files = 0, loops = 0, plans = 0, from = 1;
  int workers = 2;
};

class Mutants {
 public:
  explicit Mutants(const Options& options) : options_(options) {}

  int run() {
    scratch_folder();
    auto start = std::chrono::steady_clock::now();
    try_texts("program", options_.programs, check_program_of, lowered, 30);
    try_texts("loop", options_.loops, check_loops_of, ran, 10);
    try_texts("plan", options_.plans, check_plan_of, ran, 15);
    if (options_.files > 0) {
      Workers workers({options_.from, options_.from + options_.files - 1, options_.workers, longest_check},
                      check_file_of, [this](const Finding& finding) { show(finding, "file"); });
      workers.run();
      fmt::print("{} files: {} could be read; at most {:.1f} s for one (--file {})\n", options_.files,
                 workers.counted(read), workers.longest_seconds(), workers.longest_seed());
      require_most("files", "read", workers.counted(read), options_.files, 10);
    }
    fmt::print("{} mutants, {} failed, {:.0f} s\n",
               options_.programs + options_.files + options_.loops + options_.plans, failed_,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return failed_ > 0 ? 1 : 0;
  }

 private:
  /// At least `percent` of them must get to a stage.
  void try_texts(const std::string& what, std::uint64_t count, void (*check)(std::uint64_t, Worker&), Counter stage,
                 std::uint64_t percent) {
    if (count == 0) return;
    Workers workers({options_.from, options_.from + count - 1, options_.workers, longest_check}, check,
                    [&](const Finding& finding) { show(finding, what); });
    workers.run();
    fmt::print("{} {}s: {} parsed, {} resolved, {} lowered, {} ran; at most {:.1f} s for one (--{} {})\n", count, what,
               workers.counted(parsed), workers.counted(resolved), workers.counted(lowered), workers.counted(ran),
               workers.longest_seconds(), what, workers.longest_seed());
    require_most(what + "s", stage == ran ? "run" : "lowered", workers.counted(stage), count, percent);
  }

  static void check_program_of(std::uint64_t seed, Worker& worker) {
    TextOutcome outcome = check_program_texts(mutated_program(seed));
    for (int stage = 0; stage < static_cast<int>(outcome.reached); stage++) worker.count(stage);
    if (outcome.wrong) worker.tell(Verdict{Verdict::Kind::Wrong, *outcome.wrong}.category());
  }

  static void check_loops_of(std::uint64_t seed, Worker& worker) {
    TextOutcome outcome = check_loops_text(mutated_loops(seed));
    for (int stage = 0; stage < static_cast<int>(outcome.reached); stage++) worker.count(stage);
    if (outcome.wrong) worker.tell(Verdict{Verdict::Kind::Wrong, *outcome.wrong}.category());
  }

  static void check_plan_of(std::uint64_t seed, Worker& worker) {
    MutatedPlan plan = mutated_plan(seed);
    TextOutcome outcome = check_plan_text(plan.text, plan.original, plan.dimensions, plan.texts);
    for (int stage = 0; stage < static_cast<int>(outcome.reached); stage++) worker.count(stage);
    if (outcome.wrong) worker.tell(Verdict{Verdict::Kind::Wrong, *outcome.wrong}.category());
  }

  static void check_file_of(std::uint64_t seed, Worker& worker) {
    MutatedFile file = mutated_file(seed);
    bool was_read = false;
    std::optional<std::string> wrong = check_file(file.bytes, file.extension, seed, was_read);
    if (was_read) worker.count(read);
    if (wrong) worker.tell(Verdict{Verdict::Kind::Wrong, *wrong}.category());
  }

  /// Mutants that are all refused at once would show nothing.
  void require_most(const std::string& what, const char* done, std::uint64_t count, std::uint64_t all,
                    std::uint64_t percent) {
    if (all < 1000 || 100 * count >= percent * all) return;
    failed_++;
    fmt::print("FAILED only {} of {} {} are {}\n", count, all, what, done);
  }

  void show(const Finding& finding, const std::string& what) {
    failed_++;
    if (categories_[finding.category]++ > 0) return;  // the first of its kind
    fmt::print("FAILED {}\nagain: mutants --{} {}\n\n", finding.category, what, finding.seed);
    std::fflush(stdout);
  }

  Options options_;
  std::map<std::string, int> categories_;
  std::uint64_t failed_ = 0;
};

int show_program(std::uint64_t seed) {
  Texts texts = mutated_program(seed);
  fmt::print("{}\n", describe(texts));
  std::fflush(stdout);
  TextOutcome outcome = check_program_texts(texts);
  fmt::print("reached stage {}; {}\n{}", static_cast<int>(outcome.reached), outcome.wrong.value_or("nothing wrong"),
             outcome.refusal.empty() ? "" : "refused: " + outcome.refusal + "\n");
  return outcome.wrong ? 1 : 0;
}

int show_loops(std::uint64_t seed) {
  Texts texts = mutated_loops(seed);
  fmt::print("{}\n", describe(texts));
  std::fflush(stdout);
  TextOutcome outcome = check_loops_text(texts);
  fmt::print("reached stage {}; {}\n{}", static_cast<int>(outcome.reached), outcome.wrong.value_or("nothing wrong"),
             outcome.refusal.empty() ? "" : "refused: " + outcome.refusal + "\n");
  return outcome.wrong ? 1 : 0;
}

int show_plan(std::uint64_t seed) {
  MutatedPlan plan = mutated_plan(seed);
  fmt::print("{}\n", plan.text);
  std::fflush(stdout);
  TextOutcome outcome = check_plan_text(plan.text, plan.original, plan.dimensions, plan.texts);
  fmt::print("reached stage {}; {}\n{}", static_cast<int>(outcome.reached), outcome.wrong.value_or("nothing wrong"),
             outcome.refusal.empty() ? "" : "refused: " + outcome.refusal + "\n");
  return outcome.wrong ? 1 : 0;
}

int show_file(std::uint64_t seed) {
  MutatedFile file = mutated_file(seed);
  std::string path = fmt::format("mutant-{}{}", seed, file.extension);
  std::ofstream(path, std::ios::binary) << file.bytes;
  fmt::print("written to {}\n", path);
  std::fflush(stdout);
  bool was_read = false;
  std::optional<std::string> wrong = check_file(file.bytes, file.extension, seed, was_read);
  fmt::print("{}; {}\n", was_read ? "read" : "refused", wrong.value_or("nothing wrong"));
  return wrong ? 1 : 0;
}

int usage() {
  std::cerr << "usage: mutants [--programs N] [--files N] [--loops N] [--plans N] [--from SEED] [--workers N] | "
               "--program SEED | --file SEED | --loop SEED | --plan SEED\n";
  return 2;
}

int main(int argc, char** argv) {
  reference::add_functions();
  Options options;
  for (int a = 1; a < argc; a += 2) {
    if (a + 1 == argc) return usage();
    std::string option = argv[a];
    std::uint64_t number = std::strtoull(argv[a + 1], nullptr, 10);
    if (option == "--programs") options.programs = number;
    else if (option == "--files") options.files = number;
    else if (option == "--loops") options.loops = number;
    else if (option == "--plans") options.plans = number;
    else if (option == "--from") options.from = number;
    else if (option == "--workers") options.workers = static_cast<int>(number);
    else if (option == "--program") return show_program(number);
    else if (option == "--file") return show_file(number);
    else if (option == "--loop") return show_loops(number);
    else if (option == "--plan") return show_plan(number);
    else return usage();
  }
  return Mutants(options).run();
}

}  // namespace
}  // namespace filigree::fuzz

int main(int argc, char** argv) { return filigree::fuzz::main(argc, argv); }
