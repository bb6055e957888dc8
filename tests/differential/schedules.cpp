// Random schedules over expressions and formats: whatever is accepted gives the oracle's result.
//
//   schedules --from 1 --to 100000            seeds
//   schedules --seed 17                       one again, with its schedule
//   schedules ... --jit-percent 3             so many also compiled; with --sanitize 1 under the sanitizer this program
//   runs under
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "support/check.h"
#include "tests/differential/expression.h"
#include "tests/differential/random_schedule.h"

namespace filigree::differential {
namespace {

const std::vector<std::string> expressions = {
    "a(i)=b(i)+c(i)",
    "a(i)=b(i)*c(i)*d(i)",
    "s=b(i)*c(i)",
    "a(i)=B(i,j)*c(j)",
    "a(i)=B(j,i)*c(j)+d(i)",
    "A(i,j)=B(i,j)+C(i,j)",
    "A(i,j)=B(i,j)+C(j,i)",
    "A(i,j)=B(i,j)*C(i,j)*D(i,j)",
    "A(i,j)=B(i,k)*C(k,j)",
    "A(i,j)=B(i,j)*C(i,k)*D(k,j)",
    "A(i,j)=b(i)*c(j)",
    "A(i,j)=b(i)+c(j)",
    "A(i,j)=B(i,j,k)*c(k)",
    "A(i,j,k)=B(i,j,l)*C(k,l)",
    "A(i,j)=B(i,k,l)*C(k,j)*D(l,j)",
    "A(i,j,k)=B(i,j,k)+C(i,j,k)",
    "s=B(i,j,k)*C(i,j,k)",
    "A(i,j)=B(i,j)",
    "A(i,j)=B(i,j)*c(i)",
    "A(i,j)=2*B(i,j)",
    "A(i,j)=B(j,i)",
    "A(i,j) or= B(i,k) and C(k,j)",
    "A(i,j) max= B(i,k)*C(k,j)",
    "s=max_over(i,sum(j,B(i,j)*c(j)))",
    "a(i)=sum(j,B(i,j)*2+1)",
    "A(i,j)=B(i,k)*c(k)*D(k,j)+E(i,j)",
    "a(i)=b(i)*(c(i)+d(i))-e(i)",
    "A(i,j)=B(i,k,l,m)*C(k,j)*D(l,j)*E(m,j)",
    "a(i)=B(i,j)*c(j+1)+i",
    "A(i,j)=prune(B(i,j)*(B(i,j)>C(i,j)))",
    "A(i,j)=prune(max(0,sum(k,B(i,k)*C(k,j))))",
    "a(i)=prune(sum(j,B(i,j)*c(j))*(d(i)>1))",
};

struct Counts {
  int passed = 0, failed = 0, compiled = 0;
  std::int64_t commands = 0, refused = 0;
  struct Legal {
    int all = 0, refused = 0;
  };
  std::map<std::string, Legal> legal;                          // by command
  std::map<std::pair<std::string, std::string>, int> reasons;  // by command and diagnostic
};

/// Of commands that published rules allow: how many are refused, and why.
void print_legal(const Counts& counts) {
  Counts::Legal total;
  fmt::print("legal commands, of which refused:\n");
  for (const auto& [command, legal] : counts.legal) {
    fmt::print("  {:12} {:7} {:7}  {:5.1f} %\n", command, legal.all, legal.refused, 100.0 * legal.refused / legal.all);
    total.all += legal.all;
    total.refused += legal.refused;
  }
  fmt::print("  {:12} {:7} {:7}  {:5.1f} %\n", "all", total.all, total.refused,
             100.0 * total.refused / std::max(1, total.all));
  constexpr size_t most_reasons = 25;
  std::vector<std::pair<int, std::string>> reasons;
  for (const auto& [reason, count] : counts.reasons) reasons.push_back({count, reason.first + ": " + reason.second});
  std::sort(reasons.rbegin(), reasons.rend());
  for (size_t n = 0; n < std::min(most_reasons, reasons.size()); n++)
    fmt::print("  {:6}  {}\n", reasons[n].first, reasons[n].second);
}

const Expression& expression(size_t number) {
  constexpr std::int64_t most_combinations = 40'000;
  static std::map<size_t, std::unique_ptr<Expression>> known;
  auto& found = known[number];
  // Every second list has all named formats.
  if (!found) {
    const std::string& text = expressions[number / 2];
    found = number % 2 == 0 ? std::make_unique<Expression>(text, 7, most_combinations)
                            : Expression::with_named_formats(text, 7, most_combinations);
  }
  return *found;
}

/// Formats for the tensors; in every third program such that the result has the pattern of an operand, if some are soon
/// found.
std::int64_t choose_combination(const Expression& chosen, std::mt19937& random) {
  auto any = [&] { return static_cast<std::int64_t>(random()) % chosen.combinations(); };
  std::int64_t combination = any();
  bool wants_shared = random() % 3 == 0;
  for (int tries = 0; wants_shared && tries < 100; tries++) {
    std::int64_t other = any();
    try {
      if (!Kernel::compile(chosen.statement(other), KernelOptions()).program().environment.shared_patterns.empty())
        return other;
    } catch (const UserError&) {  // formats that do not go together
    } catch (const InternalError&) {
      return other;  // it is found again, and reported
    }
  }
  return combination;
}

void check(unsigned seed, int jit_percent, bool sanitize, bool verbose, Counts& counts) {
  std::mt19937 random(seed);
  const Expression& chosen = expression(random() % (2 * expressions.size()));
  std::int64_t combination = choose_combination(chosen, random);
  RandomSchedule schedule;
  std::optional<std::string> wrong;
  try {
    schedule = random_schedule(chosen.statement(combination), 1 + static_cast<int>(random() % 8), random);
  } catch (...) {
    wrong = describe_exception();
  }
  KernelOptions options;
  options.schedule = schedule.commands;
  options.threads = 1 << random() % 3;
  std::string text = schedule.commands.empty() ? "no schedule" : schedule::to_string(schedule.commands);
  if (verbose) fmt::print("{}\n  {}\n  {}\n", chosen.text(), chosen.formats_text(combination), text);
  bool compiles = static_cast<int>(random() % 100) < jit_percent;
  for (auto target : {compiler::Target::Interpret, compiler::Target::Jit}) {
    if (wrong || (target == compiler::Target::Jit && !compiles)) break;
    options.target = target == compiler::Target::Jit && sanitize ? compiler::Target::Cc : target;
    options.sanitize = options.target == compiler::Target::Cc;
    Expression::Outcome outcome = chosen.check(combination, options);
    if (outcome.failure) wrong = outcome.failure->message + "\n" + outcome.failure->details;
    counts.compiled += target == compiler::Target::Jit;
  }
  counts.commands += static_cast<std::int64_t>(schedule.commands.size());
  counts.refused += schedule.refused;
  for (const LegalCommand& command : schedule.legal) {
    counts.legal[command.name].all++;
    counts.legal[command.name].refused += command.refused.has_value();
    if (command.refused) counts.reasons[{command.name, *command.refused}]++;
  }
  (wrong ? counts.failed : counts.passed)++;
  if (wrong)
    fmt::print("FAILED seed {}: {}\n  {}\n  {}\n{}\n", seed, chosen.text(), chosen.formats_text(combination), text,
               *wrong);
}

int run(int argc, char** argv) {
  unsigned from = 1, to = 1000;
  int jit_percent = 0;
  bool verbose = false, sanitize = false;
  for (int n = 1; n + 1 < argc; n += 2) {
    std::string option = argv[n];
    auto value = static_cast<unsigned>(std::strtoul(argv[n + 1], nullptr, 10));
    if (option == "--from") from = value;
    else if (option == "--to") to = value;
    else if (option == "--seed") from = to = value, verbose = true;
    else if (option == "--jit-percent") jit_percent = static_cast<int>(value);
    else if (option == "--sanitize") sanitize = value != 0;
    else {
      std::cerr << "usage: schedules [--from A] [--to B] [--seed S] [--jit-percent P] [--sanitize 1]\n";
      return 2;
    }
  }
  auto start = std::chrono::steady_clock::now();
  Counts counts;
  for (unsigned seed = from; seed <= to && counts.failed < 10; seed++)
    check(seed, jit_percent, sanitize, verbose, counts);
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  fmt::print("seeds {} to {}: {} commands accepted, {} refused, {} programs also compiled; {:.1f} s\n", from, to,
             counts.commands, counts.refused, counts.compiled, taken.count());
  print_legal(counts);
  fmt::print("{} passed, {} failed\n", counts.passed, counts.failed);
  return counts.failed > 0;
}

}  // namespace
}  // namespace filigree::differential

int main(int argc, char** argv) { return filigree::differential::run(argc, argv); }
