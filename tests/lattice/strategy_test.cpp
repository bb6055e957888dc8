// Which strategies are chosen, and which are valid.
#include "lattice/strategy.h"

#include <gtest/gtest.h>

#include "concrete/workspace.h"
#include "support/text.h"
#include "tensor/compose.h"
#include "tests/concrete/from_text.h"
#include "tests/level/orders.h"

namespace filigree::lattice {
namespace {

using Requests = std::vector<ProtocolRequest>;

/// One loop over vectors, by level format; operands are named in the order of the lattice.
struct Loop {
  Loop(const std::string& text, const std::map<std::string, level::FormatPtr>& formats)
      : stmt(parse(text, formats)), lattice(build_lattice(*stmt.as<concrete::Forall>(), {})) {}

  static Stmt parse(const std::string& text, const std::map<std::string, level::FormatPtr>& formats) {
    std::map<std::string, TensorVar> tensors;
    for (const char* name : {"r", "a", "b", "c", "d"}) {
      auto format = formats.find(name);
      tensors.emplace(name, TensorVar(name, ElementType::Float64,
                                      Format({{0, format == formats.end() ? level::compressed() : format->second}})));
    }
    std::map<std::string, IndexVar> indices;
    return concrete::parse("forall(i, " + text + ")", tensors, indices);
  }

  /// "a step, b gallop", then what else there is to say.
  std::string strategy(const Requests& requests = {}) const {
    Strategy chosen = choose_strategy(lattice, requests);
    std::vector<std::string> parts;
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      if (chosen.used >> k & 1)
        parts.push_back(lattice.operands[k].tensor.name() + " " + concrete::to_string(chosen.protocols[k]));
    }
    bool has_lengths = std::find(chosen.by_length.begin(), chosen.by_length.end(), true) != chosen.by_length.end();
    return join(parts, ", ") + (has_lengths ? "; by length" : "") + (chosen.over_universe ? "; over the universe" : "");
  }

  std::string error(const Requests& requests) const {
    try {
      return strategy(requests);
    } catch (const UserError& error) {
      return error.text();
    }
  }

  Stmt stmt;
  Lattice lattice;
};

std::string strategy(const std::string& text, const std::map<std::string, level::FormatPtr>& formats = {},
                     const Requests& requests = {}) {
  return Loop(text, formats).strategy(requests);
}
std::string error(const std::string& text, const std::map<std::string, level::FormatPtr>& formats,
                  const Requests& requests) {
  return Loop(text, formats).error(requests);
}

const auto compressed = level::compressed(), dense = level::dense(), scattered = level::scattered(),
           decreasing = level::decreasing(), shuffled = level::shuffled(), repeated = level::repeated();

TEST(ChooseStrategy, DecidesIntersectionsByLength) {
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)"), "a step, b step; by length");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)*c(i)"), "a step, b step, c step; by length");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"b", dense}}), "a step");
}

TEST(ChooseStrategy, LocatesWhatCanBe) {
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"b", scattered}}), "a step, b locate");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"a", scattered}, {"b", scattered}}), "a step, b locate");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)*c(i)", {{"c", scattered}}), "a step, b step, c locate; by length");
}

TEST(ChooseStrategy, StepsThroughUnions) {
  EXPECT_EQ(strategy("r(i) = a(i) + b(i)"), "a step, b step");
  EXPECT_EQ(strategy("r(i) = a(i) + b(i) + c(i)"), "a step, b step, c step");
}

/// In {a, b, c} all step; in {a, b}, when c is at its end, lengths decide.
TEST(ChooseStrategy, DecidesForEachPointThatIsAnIntersection) {
  Loop loop("r(i) = a(i)*b(i) + c(i)", {});
  ASSERT_EQ(loop.lattice.points.size(), 3u);
  EXPECT_EQ(choose_strategy(loop.lattice, {}).by_length, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(loop.strategy(), "a step, b step, c step; by length");
  EXPECT_EQ(choose_strategy(loop.lattice, {{"b", "i", Protocol::Gallop}}).by_length,
            (std::vector<bool>{false, false, false}));
  Loop two("r(i) = a(i)*b(i) + c(i)*d(i)", {{"d", scattered}});
  Strategy chosen = choose_strategy(two.lattice, {});
  for (size_t p = 0; p < two.lattice.points.size(); p++)
    EXPECT_EQ(chosen.by_length[p], two.lattice.points[p].present == 0b0011u);
}

TEST(ChooseStrategy, FollowsTheUniverse) {
  EXPECT_EQ(strategy("r(i) = a(i) + b(i)", {{"b", dense}}), "a seqiter; over the universe");
  EXPECT_EQ(strategy("r(i) = a(i) + b(i) + c(i)", {{"b", dense}, {"c", scattered}}),
            "a seqiter, c locate; over the universe");
}

/// P0 figure 11: one operand of each order.
TEST(ChooseStrategy, SearchesWhatIsInAnotherOrder) {
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)*c(i)", {{"a", shuffled}, {"b", decreasing}}), "a hash, b seqiter, c step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)*c(i)*d(i)", {{"a", decreasing}}),
            "a seqiter, b step, c step, d step; by length");
  EXPECT_EQ(strategy("r(i) = a(i) + b(i)", {{"b", dense}, {"a", decreasing}}), "a seqiter; over the universe");
}

TEST(ChooseStrategy, LetsTheUniverseDriveWhereNoOperandIsInOrder) {
  EXPECT_EQ(strategy("r(i) = a(i) + b(i)", {{"a", decreasing}}), "a seqiter, b seqiter; over the universe");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"a", decreasing}, {"b", shuffled}}), "a seqiter, b hash; over the universe");
  EXPECT_EQ(strategy("r(i) = a(i)", {{"a", shuffled}}), "a step");
}

TEST(ChooseStrategy, DoesWhatIsAsked) {
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {}, {{"b", "i", Protocol::Gallop}}), "a step, b gallop");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {}, {{"a", "i", Protocol::Gallop}, {"b", "i", Protocol::Gallop}}),
            "a gallop, b gallop");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {}, {{"a", "i", Protocol::Step}}), "a step, b step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {}, {{"b", "j", Protocol::Gallop}}), "a step, b step; by length");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i) + c(i)", {}, {{"b", "i", Protocol::Hash}}), "a step, b hash, c step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i) + a(i)", {}, {{"b", "i", Protocol::Scan}}), "a step, b scan");
  EXPECT_EQ(strategy("r(i) = a(i) + b(i)", {{"b", dense}}, {{"a", "i", Protocol::Gallop}}),
            "a gallop; over the universe");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"b", decreasing}}, {{"b", "i", Protocol::SeqIter}}), "a step, b seqiter");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"b", scattered}}, {{"b", "i", Protocol::Step}}), "a step, b step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"b", scattered}}, {{"a", "i", Protocol::Binary}}), "a binary, b step");
}

TEST(ChooseStrategy, FollowsFromRunToRun) {
  auto level_of = [](const std::string& format) { return compose(parse_format(format, 1), {0})->levels()[0].format; };
  level::FormatPtr blocks = level_of("(i) -> (i/4: compressed, i%4: dense)");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"a", blocks}}), "a seqiter, b step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"a", blocks}, {"b", level_of("(i) -> (i/2: compressed, i%2: dense)")}}),
            "a seqiter, b step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)*c(i)", {{"b", blocks}}), "a step, b seqiter, c step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"a", blocks}, {"b", shuffled}}), "a step, b hash")
      << "what follows needs coordinates that increase";
  EXPECT_EQ(strategy("r(i) = a(i) + b(i)", {{"a", blocks}}), "a step, b step");
  EXPECT_EQ(strategy("r(i) = a(i) + b(i)", {{"a", blocks}, {"b", dense}}), "a seqiter; over the universe");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"a", blocks}}, {{"a", "i", Protocol::Gallop}}), "a gallop, b step");
  EXPECT_EQ(strategy("r(i) = a(i)*b(i)", {{"a", blocks}}, {{"a", "i", Protocol::Binary}}), "a binary, b step");
  EXPECT_EQ(error("r(i) = a(i)*b(i)", {{"a", blocks}}, {{"a", "i", Protocol::Gallop}, {"b", "i", Protocol::Gallop}}),
            "error: Level 1 of 'a' (composed) cannot be reached by 'gallop' in the loop over 'i': its coordinates come "
            "in runs, which can only follow, so another operand has to step\n"
            "hint: valid there: step\n");
}

TEST(ChooseStrategy, SaysWhyNotAndWhatInstead) {
  EXPECT_EQ(
      error("r(i) = a(i)*b(i)", {}, {{"b", "i", Protocol::Locate}}),
      "error: Level 1 of 'b' (compressed) cannot be reached by 'locate' in the loop over 'i': it has no random access\n"
      "hint: valid there: step, seqiter, gallop, binary, hash, scan\n");
  EXPECT_EQ(error("r(i) = a(i)*b(i)", {{"b", shuffled}}, {{"b", "i", Protocol::Gallop}}),
            "error: Level 1 of 'b' (shuffled) cannot be reached by 'gallop' in the loop over 'i': its coordinates are "
            "not sorted in an array\n"
            "hint: valid there: hash, scan\n");
  EXPECT_EQ(error("r(i) = a(i)*b(i)", {{"b", decreasing}}, {{"b", "i", Protocol::Gallop}}),
            "error: Level 1 of 'b' (decreasing) cannot be reached by 'gallop' in the loop over 'i': its coordinates do "
            "not increase, as those of the loop do\n"
            "hint: valid there: seqiter, binary, hash, scan\n");
  EXPECT_EQ(error("r(i) = a(i)*b(i)", {{"b", shuffled}}, {{"b", "i", Protocol::SeqIter}}),
            "error: Level 1 of 'b' (shuffled) cannot be reached by 'seqiter' in the loop over 'i': its coordinates are "
            "not sorted\n"
            "hint: valid there: hash, scan\n");
  EXPECT_EQ(error("r(i) = a(i)*b(i)", {{"b", decreasing}}, {{"b", "i", Protocol::Step}}),
            "error: Level 1 of 'b' (decreasing) cannot be reached by 'step' in the loop over 'i': its coordinates do "
            "not increase\n"
            "hint: valid there: seqiter, binary, hash, scan\n");
  EXPECT_EQ(error("r(i) = a(i)*b(i)", {{"b", repeated}}, {{"b", "i", Protocol::Hash}}),
            "error: Level 1 of 'b' (repeated) cannot be reached by 'hash' in the loop over 'i': it may have a "
            "coordinate twice\n"
            "hint: valid there: step\n");
  EXPECT_EQ(error("r(i) = a(i) + b(i)", {}, {{"b", "i", Protocol::Gallop}}),
            "error: Level 1 of 'b' (compressed) cannot be reached by 'gallop' in the loop over 'i': the loop has work "
            "where no other operand is present, so this one has to step\n"
            "hint: valid there: step\n");
  EXPECT_EQ(error("r(i) = a(i)*b(i)", {}, {{"a", "i", Protocol::Hash}, {"b", "i", Protocol::Binary}}),
            "error: Level 1 of 'a' (compressed) cannot be reached by 'hash' in the loop over 'i': some operand has to "
            "step, and no other does\n"
            "hint: valid there: step\n");
  EXPECT_EQ(error("r(i) = a(i) + b(i)", {{"b", dense}}, {{"a", "i", Protocol::Step}}),
            "error: Level 1 of 'a' (compressed) cannot be reached by 'step' in the loop over 'i': the loop visits "
            "every coordinate of the dimension, so nothing else drives it\n"
            "hint: valid there: seqiter, gallop, binary, hash, scan\n");
}

TEST(CheckStrategies, RefusesARequestThatNoLoopIsAbout) {
  concrete::Program program = concrete::concretized("y(i) = A(i,j)*x(j)", {{"A", "csr"}});
  auto error_with = [&](const ProtocolRequest& request) {
    program.environment.protocols = {request};
    try {
      check_strategies(program);
    } catch (const UserError& error) {
      return error.text();
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_with({"x", "j", Protocol::Hash}),
            "error: Level 1 of 'x' (dense) cannot be reached by 'hash' in the loop over 'j': every coordinate is found "
            "where it is looked up\nhint: valid there: locate\n");
  EXPECT_EQ(error_with({"x", "j", Protocol::Locate}), "no error");
  EXPECT_EQ(error_with({"x", "i", Protocol::Locate}), "error: 'x' is not read in a loop over 'i'\n");
  EXPECT_EQ(error_with({"A", "j", Protocol::Step}), "no error");
}

}  // namespace
}  // namespace filigree::lattice
