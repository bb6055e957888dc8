// `filigree convert` and `filigree info`: formats, what they take, and what is refused.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using ConvertTest = ToolTest;

const char* const small_entries = "1 1 1\n1 3 2\n2 2 3\n3 1 4\n3 3 5\n";

/// A star: one full row and one full column, so that every diagonal and every slot is used.
std::string star(int size) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(size) + " " +
                     std::to_string(size) + " " + std::to_string(2 * size - 1) + "\n";
  for (int n = 1; n <= size; n++) text += "1 " + std::to_string(n) + " 2\n";
  for (int n = 2; n <= size; n++) text += std::to_string(n) + " 1 3\n";
  return text;
}

TEST_F(ConvertTest, ChangesTheFileFormat) {
  std::string matrix = write("a.mtx", small_matrix);
  EXPECT_EQ(run_tool({"convert", matrix, path("a.tns")}).code, 0);
  EXPECT_EQ(read_text(path("a.tns")), small_entries);
  EXPECT_EQ(run_tool({"convert", matrix, path("d.tns"), "-f", "dense"}).code, 0);
  EXPECT_EQ(read_text(path("d.tns")), "1 1 1\n1 2 0\n1 3 2\n2 1 0\n2 2 3\n2 3 0\n3 1 4\n3 2 0\n3 3 5\n");
  std::string array = write("array.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n2\n");
  EXPECT_EQ(run_tool({"convert", array, path("c.tns"), "-f=csr"}).code, 0);
  EXPECT_EQ(read_text(path("c.tns")), "1 1 1\n2 2 2\n");
}

TEST_F(ConvertTest, GoesFromEveryFormatToEveryOther) {
  std::string matrix = write("a.mtx", small_matrix);
  for (const char* from : {"csr", "coo(unordered)", "bcsr(2,2)", "dia", "ell", "dok"}) {
    for (const char* to : {"csc", "coo", "hash", "csb(2,2)", "ell"}) {
      Outcome outcome = run_tool({"convert", matrix, path("a.tns"), "--from", from, "-f", to});
      EXPECT_EQ(outcome.code, 0) << from << " " << to << outcome.err;
      std::string entries;
      std::istringstream lines(read_text(path("a.tns")));
      for (std::string line; std::getline(lines, line);) {
        if (!line.ends_with(" 0")) entries += line + "\n";  // padding may become entries
      }
      EXPECT_EQ(entries, small_entries) << from << " " << to;
    }
  }
}

TEST_F(ConvertTest, StaysInTheFormatItStartsFrom) {
  std::string matrix = write("a.mtx", small_matrix);
  EXPECT_EQ(run_tool({"convert", matrix, path("a.tns"), "--from", "csc"}).code, 0);
  EXPECT_EQ(read_text(path("a.tns")), small_entries);
}

TEST_F(ConvertTest, RefusesWhatWouldExplode) {
  std::string matrix = write("star.mtx", star(6000));
  for (const char* format : {"dia", "ell"}) {
    Outcome outcome = run_tool({"convert", matrix, path("a.tns"), "-f", format});
    EXPECT_EQ(outcome.code, 1) << format;
    std::string size = format == std::string("dia") ? "549.3 MiB" : "412.0 MiB";
    EXPECT_EQ(outcome.err.find("error: 'A' (6000 x 6000, 11999 entries) would take " + size + " stored as " + format),
              0u)
        << outcome.err;
    EXPECT_NE(outcome.err.find(
                  "\nhint: its entries do not suit this format; choose another, such as csr, or insist with --force\n"),
              std::string::npos)
        << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path("a.tns")));
    Outcome described = run_tool({"info", matrix, "-f", format});
    EXPECT_EQ(described.code, 1) << format;
    EXPECT_EQ(described.err.find("error: '" + matrix + "' (6000 x 6000, 11999 entries) would take " + size), 0u)
        << described.err;
  }
  Outcome sum = run_tool({"A(i,j) = B(i,j) + C(i,j)", "-f", "A:dia", "-i", "B:" + matrix, "-i", "C:" + matrix});
  EXPECT_EQ(sum.code, 1);
  EXPECT_EQ(sum.err.find("error: 'A' (6000 x 6000, 11999 entries) would take 549.3 MiB stored as dia"), 0u) << sum.err;
  Outcome operand = run_tool({"s = B(i,j)", "-f", "B:dia", "-i", "B:" + matrix});
  EXPECT_EQ(operand.code, 1);
  EXPECT_EQ(operand.err.find("error: 'B' (6000 x 6000, 11999 entries) would take"), 0u) << operand.err;
}

TEST_F(ConvertTest, ForceInsists) {
  std::string matrix = write("star.mtx", star(3500));
  EXPECT_EQ(run_tool({"info", matrix, "-f", "dia"}).code, 1);
  Outcome described = run_tool({"info", matrix, "-f", "dia", "--force"});
  EXPECT_EQ(described.code, 0) << described.err;
  EXPECT_NE(described.out.find("stored       24496500\npadding      24489501, 99.97% of what is stored\n"),
            std::string::npos)
      << described.out;
  Outcome sum =
      run_tool({"A(i,j) = B(i,j) + C(i,j)", "-f", "A:dia", "-i", "B:" + matrix, "-i", "C:" + matrix, "--force"});
  EXPECT_EQ(sum.code, 0) << sum.err;
  Outcome operand = run_tool({"s = B(i,j)", "-f", "B:dia", "-i", "B:" + matrix, "--force"});
  EXPECT_EQ(operand.code, 0) << operand.err;
  EXPECT_EQ(operand.out, "17497\n");
  EXPECT_EQ(run_tool({"convert", matrix, path("a.tns"), "--from", "ell", "-f", "csr"}).code, 1);
  EXPECT_EQ(run_tool({"convert", matrix, path("a.tns"), "--from", "ell", "-f", "csr", "--force"}).code, 0);
}

TEST_F(ConvertTest, SaysWhyAFormatCannotHoldAMatrix) {
  std::string matrix = write("a.mtx", small_matrix);
  auto expect = [&](const std::string& format, const std::string& message) {
    Outcome outcome = run_tool({"convert", matrix, path("a.tns"), "-f", format});
    EXPECT_EQ(outcome.code, 1) << format;
    EXPECT_EQ(outcome.err.find(message), 0u) << outcome.err;
  };
  expect("csf3", "error: Unknown format 'csf3'");
  expect("symmetric", "error: 'A' is not symmetric: the entry at (2, 0) is 4, its mirror image 2\n");
  expect("skew", "error: 'A' is not skew-symmetric: the entry at (0, 0) on the diagonal is 1\n");
  expect("lower", "error: ");
  Outcome from = run_tool({"convert", matrix, path("a.tns"), "--from", "upper"});
  EXPECT_EQ(from.code, 1);
  EXPECT_EQ(from.err.find("error: The entry of '" + matrix + "' at (2, 0) cannot be stored as upper\n"), 0u)
      << from.err;
}

TEST_F(ConvertTest, InfoDescribesAFile) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome outcome = run_tool({"info", matrix, "-f", "csr"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "file         " + matrix +
                             "\n"
                             "field        real, coordinate, general\n"
                             "dimensions   3 x 3\n"
                             "type         float64\n"
                             "entries      5\n"
                             "density      55.56%\n"
                             "symmetry     of the pattern only: values and their mirror images differ by up to 2\n"
                             "range        1 to 5; 0 zeros\n"
                             "empty        0 of 3 rows, 0 of 3 columns\n"
                             "format       csr, (i,j) -> (i: dense, j: compressed)\n"
                             "stored       5\n"
                             "level 1      i: dense, 3 positions under 1, 3 each, at most 3; 0 B\n"
                             "level 2      j: compressed, 5 positions under 3, 1.667 each, at most 2; 36 B: pos 16 B "
                             "(4 int32), crd 20 B (5 int32)\n"
                             "values       40 B\n"
                             "memory       76 B\n");
}

/// The lines about storage, without those about the file.
std::string storage_of(const std::string& matrix, const std::string& format) {
  Outcome outcome = run_tool({"info", matrix, "-f", format});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  size_t at = outcome.out.find("format ");
  return at == std::string::npos ? outcome.out : outcome.out.substr(at);
}

TEST_F(ConvertTest, InfoCountsPadding) {
  std::string matrix = write("a.mtx", small_matrix);
  EXPECT_EQ(storage_of(matrix, "dia"),
            "format       dia, (i,j) -> (j-i: compressed, i: range, j: offset)\n"
            "stored       9\n"
            "padding      4, 44.44% of what is stored\n"
            "level 1      j-i: compressed, 3 positions under 1, 3 each, at most 3; 20 B: pos 8 B (2 int32), crd 12 B "
            "(3 int32)\n"
            "level 2      i: range, 9 positions under 3, 3 each, at most 3; 0 B\n"
            "level 3      j: offset, 9 positions under 9, 1 each, at most 1; 0 B\n"
            "values       72 B\n"
            "memory       92 B\n");
  EXPECT_EQ(storage_of(matrix, "ell"),
            "format       ell, (i,j) -> (#i: slots, i: dense, j: singleton(padded))\n"
            "stored       6\n"
            "padding      1, 16.67% of what is stored\n"
            "level 1      #i: slots, 2 positions under 1, 2 each, at most 2; 4 B: n 4 B (1 int32)\n"
            "level 2      i: dense, 6 positions under 2, 3 each, at most 3; 0 B\n"
            "level 3      j: singleton(padded), 6 positions under 6, 1 each, at most 1; 24 B: crd 24 B (6 int32)\n"
            "values       48 B\n"
            "memory       76 B\n");
  EXPECT_EQ(storage_of(matrix, "bcsr(2,2)"),
            "format       bcsr(2,2), (i,j) -> (i/2: dense, j/2: compressed, i%2: dense, j%2: dense)\n"
            "stored       16\n"
            "padding      11, 68.75% of what is stored\n"
            "level 1      i/2: dense, 2 positions under 1, 2 each, at most 2; 0 B\n"
            "level 2      j/2: compressed, 4 positions under 2, 2 each, at most 2; 28 B: pos 12 B (3 int32), crd 16 B "
            "(4 int32)\n"
            "level 3      i%2: dense, 8 positions under 4, 2 each, at most 2; 0 B\n"
            "level 4      j%2: dense, 16 positions under 8, 2 each, at most 2; 0 B\n"
            "values       128 B\n"
            "memory       156 B\n");
}

TEST_F(ConvertTest, InfoSaysThatHalfIsStored) {
  std::string matrix = write("s.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n3 3 5\n");
  EXPECT_EQ(storage_of(matrix, "symmetric"),
            "format       symmetric, symmetric (i,j) -> (i: dense, j: compressed)\n"
            "stored       3\n"
            "half         only the 3 entries on and below the diagonal are stored; the others are their mirror images\n"
            "level 1      i: dense, 3 positions under 1, 3 each, at most 3; 0 B\n"
            "level 2      j: compressed, 3 positions under 3, 1 each, at most 2; 28 B: pos 16 B (4 int32), crd 12 B (3 "
            "int32)\n"
            "values       24 B\n"
            "memory       52 B\n");
}

TEST_F(ConvertTest, InfoCountsDuplicates) {
  std::string tensor = write("t.tns", "1 1 2\n2 2 3\n1 1 4\n");
  Outcome merged = run_tool({"info", tensor, "-f", "coo"});
  EXPECT_NE(merged.out.find("entries      3\nduplicates   1\n"), std::string::npos) << merged.out << merged.err;
  EXPECT_NE(merged.out.find("\nstored       2\nlevel 1"), std::string::npos) << merged.out;
  Outcome kept = run_tool({"info", tensor, "-f", "coo(nonunique)"});
  EXPECT_NE(kept.out.find("\nstored       3\nlevel 1"), std::string::npos) << kept.out << kept.err;
}

TEST_F(ConvertTest, HelpNamesEveryFormat) {
  std::string help = run_tool({"--help", "formats"}).out;
  for (const char* word :
       {"dense",     "sparse", "csr", "csc",  "dcsr", "dcsc",  "csf",   "coo",    "bcsr(4,2)", "mode_generic(4,2)",
        "csb(4,2)",  "dia",    "ell", "hash", "dok",  "lower", "upper", "bitmap", "symmetric", "skew",
        "hermitian", "--force"}) {
    EXPECT_NE(help.find(word), std::string::npos) << word << " in\n" << help;
  }
  EXPECT_NE(run_tool({"convert", "--help"}).out.find("--from FORMAT"), std::string::npos);
}

}  // namespace
}  // namespace filigree::tool
