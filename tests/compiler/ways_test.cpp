// Kernels run in another way where that is less work.
#include <gtest/gtest.h>

#include "compiler/tuned.h"
#include "compiler/way_program.h"
#include "support/temporary.h"
#include "tests/concrete/from_text.h"

namespace filigree {
namespace {

const concrete::Formats csr = {{"B", "csr"}, {"C", "csr"}};

Array array_of(const std::vector<double>& values) {
  Array out(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++)
    out.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, values[n]));
  return out;
}

AnyTensor matrix(std::int64_t rows, std::int64_t columns, int every, const char* format) {
  Coordinates entries{{rows, columns}, {{}, {}}, {}};
  std::vector<double> values;
  for (std::int64_t i = 0, n = 0; i < rows; i++) {
    for (std::int64_t j = 0; j < columns; j++, n++) {
      if (n % every != 0) continue;
      entries.coordinate[0].push_back(i);
      entries.coordinate[1].push_back(j);
      values.push_back(static_cast<double>(1 + n % 5));
    }
  }
  entries.values = array_of(values);
  return AnyTensor::pack(entries, parse_format(format, 2));
}

AnyTensor vector(std::int64_t size) {
  Coordinates entries{{size}, {{}}, {}};
  std::vector<double> values;
  for (std::int64_t i = 0; i < size; i++) {
    entries.coordinate[0].push_back(i);
    values.push_back(static_cast<double>(i % 3));
  }
  entries.values = array_of(values);
  return AnyTensor::pack(entries, Format::dense(1));
}

/// The statements of the kernels that two runs make.
std::vector<std::string> runs(const std::string& text, const concrete::Formats& formats, const Arguments& operands,
                              KernelOptions options = {}) {
  std::vector<std::string> seen;
  options.target = compiler::Target::Interpret;
  options.observer = [&](const compiler::StageReport& report) {
    if (report.stage == "notation") seen.push_back(report.text.substr(0, report.text.size() - 1));
  };
  Kernel kernel = Kernel::compile(concrete::statement(text, formats), options);
  seen.clear();
  kernel.run(operands);
  kernel.run(operands);
  return seen;
}

class Ways : public testing::Test {
 protected:
  AnyTensor b = matrix(200, 200, 7, "csr"), c = matrix(200, 200, 5, "csr"), d = vector(200);
  Arguments operands = {{"B", b}, {"C", c}, {"d", d}};
  const std::string text = "y(i) = B(i,j)*C(j,k)*d(k)", first = "w(j) = sum(k, C(j,k)*d(k))";
  notation::Statement statement = concrete::statement(text, csr);

  static KernelOptions interpreted() {
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    return options;
  }
};

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void expect_equal(const AnyTensor& a, const AnyTensor& b) {
  ASSERT_EQ(a.values().count(), b.values().count());
  for (std::int64_t p = 0; p < a.values().count(); p++)
    EXPECT_EQ(to_string(a.values().get(p)), to_string(b.values().get(p))) << p;
}

TEST_F(Ways, AreTakenOnceForOperandsOfOneSize) {
  std::vector<std::string> seen = runs(text, csr, operands);
  EXPECT_TRUE(compiler::ways_of(Kernel::compile(statement, interpreted()), operands).takes_other);
  for (const std::string& one : seen)
    EXPECT_LE(std::count(seen.begin(), seen.end(), one), 4) << "it is planned, and lowered for the operands, once";
}

TEST_F(Ways, AreNotLookedAtForLittleWork) {
  AnyTensor small_b = matrix(20, 20, 7, "csr"), small_c = matrix(20, 20, 5, "csr"), small_d = vector(20);
  EXPECT_FALSE(has(runs(text, csr, {{"B", small_b}, {"C", small_c}, {"d", small_d}}), first));
}

TEST_F(Ways, AreNotTakenWhereOthersDecide) {
  KernelOptions strict, serial, own, scheduled;
  strict.strict = true;
  serial.automatic = false;
  own.make_loops = compiler::own_loops();
  scheduled.schedule = schedule::parse("reorder(i,j,k)", "test");
  for (const KernelOptions& options : {strict, serial, own, scheduled})
    EXPECT_FALSE(has(runs(text, csr, operands, options), first));
}

TEST_F(Ways, GiveTheSameResult) {
  KernelOptions own = interpreted();
  own.make_loops = compiler::own_loops();
  AnyTensor expected = Kernel::compile(statement, own).run(operands);
  expect_equal(Kernel::compile(statement, interpreted()).run(operands), expected);
  compiler::Ways ways = compiler::ways_of(Kernel::compile(statement, own), operands, {0, 0});
  EXPECT_TRUE(std::any_of(ways.others.begin(), ways.others.end(), [](const auto& way) {
    return !way.candidate.empty();
  })) << "the frontier of this statement is small";
  for (const compiler::Way& way : ways.others) {
    SCOPED_TRACE(compiler::text_of(way));
    expect_equal(compiler::program_of(way, interpreted()).run(operands).at("y"), expected);
  }
}

TEST_F(Ways, SayWhy) {
  Kernel kernel = Kernel::compile(statement, interpreted());
  compiler::Ways ways = compiler::ways_of(kernel, operands);
  ASSERT_TRUE(ways.own);
  EXPECT_TRUE(ways.takes_other);
  EXPECT_EQ(ways.others[0].schedule, "precompute(C(j,k)*d(k), j, j, w)");
  EXPECT_TRUE(std::any_of(ways.others.begin(), ways.others.end(),
                          [](const compiler::Way& way) { return way.statements.size() == 2; }));
  EXPECT_NE(ways.reason.find("times less work"), std::string::npos) << ways.reason;
  EXPECT_EQ(compiler::ways_of(kernel, operands, {1e12}).reason.substr(0, 30), "its own loops are little work:");
}

TEST_F(Ways, AreTextThatReadsBack) {
  Kernel kernel = Kernel::compile(statement, interpreted());
  for (const compiler::Way& way : compiler::ways_of(kernel, operands, {0, 0}).others) {
    std::string text = compiler::text_of(way);
    std::optional<compiler::Way> again = compiler::way_of_text(text, statement);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(compiler::text_of(*again), text);
    expect_equal(compiler::program_of(*again, interpreted()).run(operands).at("y"),
                 compiler::program_of(way, interpreted()).run(operands).at("y"));
  }
  EXPECT_EQ(compiler::text_of({}), "own\n");
  EXPECT_TRUE(compiler::way_of_text("own\n", statement)->statements.empty());
  for (const char* wrong : {"", "csr: w(i,j) = B(i,j)*D(i,j)\n", "dense: y(i) = B(i,j)*d(j)\n", "nothing\n"})
    EXPECT_FALSE(compiler::way_of_text(wrong, statement)) << wrong;
}

TEST_F(Ways, AreKeptWhenTuned) {
  Temporary folder(PathKind::Folder, "/tmp", 0700);
  ASSERT_TRUE(folder.is_open());
  setenv("FILIGREE_CACHE", folder.path().c_str(), 1);
  autoschedule::KnownInputs inputs = compiler::known_inputs(statement, operands);
  EXPECT_FALSE(compiler::tuned_way(statement, inputs));
  ASSERT_TRUE(compiler::keep_tuned(statement, inputs, {}));
  EXPECT_TRUE(compiler::tuned_way(statement, inputs)->statements.empty());
  EXPECT_FALSE(has(runs(text, csr, operands), first)) << "its own loops were found to be faster";
  inputs.stored["B"] *= 4;
  EXPECT_FALSE(compiler::tuned_way(statement, inputs));
  inputs.stored["B"] /= 4;
  setenv("FILIGREE_TUNED", "0", 1);
  EXPECT_FALSE(compiler::tuned_way(statement, inputs));
  unsetenv("FILIGREE_TUNED");
  unsetenv("FILIGREE_CACHE");
}

TEST(LoopsOf, GivesNoneForTextThatIsNotReadBack) {
  notation::Statement statement = concrete::statement("y(i) = B(i,j)*C(j,k)*d(k)", csr);
  compiler::Way way{{statement}, "forall(i, y(a(i)) = d(l(i)) - 0 2)"};
  EXPECT_FALSE(compiler::loops_of(way)(statement));
}

TEST_F(Ways, DoNotMixReductionsInsideOfOthersWithThese) {
  // The sum over j is of what the inner one comes to for each j: the two do not become one.
  notation::Statement nested = concrete::statement("y(i) = sum(j, max(sum(k, B(i,j)*C(j,k)), d(i)))", csr);
  KernelOptions own = interpreted();
  own.make_loops = compiler::own_loops();
  Kernel kernel = Kernel::compile(nested, own);
  AnyTensor expected = kernel.run(operands);
  size_t candidates = 0;
  for (const compiler::Way& way : compiler::ways_of(kernel, operands, {0, 0}).others) {
    candidates += !way.candidate.empty();
    SCOPED_TRACE(compiler::text_of(way));
    expect_equal(compiler::program_of(way, interpreted()).run(operands).at("y"), expected);
  }
  EXPECT_GT(candidates, 0u);
}

TEST(WaysOfRowsThatAreEmpty, StoreNothingForThem) {
  // The numbers come to stand beside each other in a candidate: they are one, which is the fill of y.
  notation::Statement around = concrete::statement("y(i) = 2 + B(i,j) + 3", {{"B", "csr"}, {"y", "s"}});
  KernelOptions own;
  own.target = compiler::Target::Interpret;
  own.make_loops = compiler::own_loops();
  Kernel kernel = Kernel::compile(around, own);
  AnyTensor b = matrix(12, 3, 7, "csr");
  Arguments operands{{"B", b}};
  AnyTensor expected = kernel.run(operands);
  EXPECT_LT(expected.stored(), 12);
  size_t candidates = 0;
  for (const compiler::Way& way : compiler::ways_of(kernel, operands, {0, 0}).others) {
    candidates += !way.candidate.empty();
    SCOPED_TRACE(compiler::text_of(way));
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    EXPECT_EQ(compiler::program_of(way, options).run(operands).at("y").stored(), expected.stored());
  }
  EXPECT_GT(candidates, 0u);
}

/// The statement in its own loops and in every other way, whatever is less work.
void expect_the_same_in_all_ways(const std::string& text, const concrete::Formats& formats, const Arguments& operands) {
  KernelOptions own;
  own.target = compiler::Target::Interpret;
  own.make_loops = compiler::own_loops();
  Kernel kernel = Kernel::compile(concrete::statement(text, formats), own);
  AnyTensor expected = kernel.run(operands);
  own.make_loops = nullptr;
  for (const compiler::Way& way : compiler::ways_of(kernel, operands, {0, 0}).others) {
    SCOPED_TRACE(compiler::text_of(way));
    expect_equal(compiler::program_of(way, own).run(operands).at("y"), expected);
  }
}

TEST(WaysOfPartsOnTheirOwn, LeaveVariablesTheirExtents) {
  // B tells how far i runs: d alone would say that it is further.
  AnyTensor b = matrix(2, 3, 2, "dd"), d = vector(6).converted(parse_format("s", 1), "d");
  expect_the_same_in_all_ways("y = sum(j, B(i,j)) - d(i+1)", {{"B", "dd"}, {"d", "s"}}, {{"B", b}, {"d", d}});
}

TEST(WaysOfFlags, CountThemInTheTypeOfTheWhole) {
  // Each point with one of both counts: a sum of flags alone would be a flag.
  AnyTensor b = vector(6), c = vector(6), d = vector(6);
  expect_the_same_in_all_ways("y = sum(i, (b(i) or c(i))*d(j))", {}, {{"b", b}, {"c", c}, {"d", d}});
}

TEST(MayHaveWays, LeavesSmallAndOtherStatementsAlone) {
  auto may = [](const std::string& text) {
    return compiler::may_have_ways(concrete::statement(text, {{"B", "csr"}, {"C", "csr"}}));
  };
  EXPECT_TRUE(may("y(i) = B(i,j)*C(j,k)*d(k)"));
  EXPECT_FALSE(may("y(i) = B(i,j)*x(j)"));
  EXPECT_FALSE(may("y(i) += B(i,j)*C(j,k)*d(k)"));
  EXPECT_FALSE(may("y(i) = B(i,j)*C(j,k)*y(k)"));
  EXPECT_FALSE(may("A(i,l) = B(i,j)*C(j,k)*d(k)"));
}

}  // namespace
}  // namespace filigree
