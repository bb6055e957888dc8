// Exit codes and messages for what is wrong with a command line, an expression or a file.
#include "run_tool.h"

namespace filigree::tool {
namespace {

using Errors = ToolTest;

struct Wrong {
  std::vector<std::string> arguments;
  int code;
  std::string message;
};

void expect(const Wrong& wrong) {
  Outcome outcome = run_tool(wrong.arguments);
  std::string command;
  for (const std::string& argument : wrong.arguments) command += "'" + argument + "' ";
  EXPECT_EQ(outcome.code, wrong.code) << command << outcome.err;
  EXPECT_EQ(outcome.err, wrong.message) << command;
  EXPECT_EQ(outcome.out, "") << command;
}

const std::string spmv = "y(i) = A(i,j)*x(j)";

TEST_F(Errors, FormatsThatDoNotSuitNeedForce) {
  std::vector<std::string> command = {spmv,      "-f", "A:dia",   "-i", "A:random(0.000005,1)", "-i", "x:ones", "-d",
                                      "i:20000", "-d", "j:20000", "-o", "y:" + path("y.tns")};
  Outcome refused = run_tool(command);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("stored as dia, "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("or insist with --force"), std::string::npos) << refused.err;
  command.push_back("--force");
  Outcome forced = run_tool(command);
  EXPECT_EQ(forced.code, 0) << forced.err;
}

TEST_F(Errors, WrongUsageEndsInTwo) {
  expect({{},
          2,
          "error: No expression is given\nhint: for example filigree 'y(i) = A(i,j) * x(j)' -f A:csr; filigree --help "
          "lists all options\n"});
  expect({{spmv, "--tiem", "3"}, 2, "error: Unexpected argument '--tiem'\nhint: did you mean --time?\n"});
  expect({{spmv, "-z"}, 2, "error: Unexpected argument '-z'\nhint: filigree --help lists all options\n"});
  expect({{spmv, "-f"}, 2, "error: -f needs a value\nhint: for example -f A:csr\n"});
  expect({{spmv, "--time"}, 2, "error: --time needs a value\nhint: for example --time 20\n"});
  expect({{spmv, "--time", "soon"}, 2, "error: --time needs a number from 1 to 1000000, found 'soon'\n"});
  expect({{spmv, "--time", "0"}, 2, "error: --time needs a number from 1 to 1000000, found '0'\n"});
  expect(
      {{spmv, "--print", "lattices"}, 2, "error: --print does not know 'lattices'\nhint: did you mean 'lattice'?\n"});
  expect({{spmv, "--target", "gpu"}, 2, "error: --target does not know 'gpu'\nhint: it takes jit, cc, interpret\n"});
  expect({{spmv, "-f", "A"}, 2, "error: -f needs TENSOR:FORMAT, found 'A'\nhint: for example -f A:csr\n"});
  expect({{spmv, "-i", ":a.mtx"},
          2,
          "error: -i needs TENSOR:FILE, found ':a.mtx'\nhint: for example -i A:matrix.mtx or -i x:ones\n"});
  expect({{spmv, "-d", "i:ten"},
          2,
          "error: -d i:ten is not a size\nhint: sizes are whole numbers from 0 on, as in -d i:100 or -d A:10,20\n"});
  expect({{spmv, "-d", "i:99999999999999999999"},
          2,
          "error: -d i:99999999999999999999 is more than the largest 64-bit integer\nhint: sizes are whole numbers "
          "from 0 on, as in -d i:100 or -d A:10,20\n"});
  expect({{spmv, "-f", "A:csr", "-f", "A:csc"}, 2, "error: -f is given twice for 'A': csr and csc\n"});
  expect({{"y(i)", "=", "A(i,j)*x(j)"},
          2,
          "error: Unexpected argument '='\nhint: put the expression in quotes, so that the shell leaves it whole\n"});
  expect({{"infoo", "a.mtx"}, 2, "error: Unexpected argument 'a.mtx'\nhint: did you mean 'filigree info'?\n"});
  expect({{"a.mtx"},
          2,
          "error: 'a.mtx' is a file, not an expression\nhint: filigree info a.mtx tells what is in it; filigree 's = "
          "sum(i, j, A(i,j))' -i A:a.mtx reads it\n"});
  expect({{spmv, "a.mtx", "x.npy"},
          2,
          "error: Unexpected argument 'a.mtx'\nhint: say which tensor it is for, as in -i A:a.mtx\n"});
  expect({{spmv, "A:a.mtx"},
          2,
          "error: Unexpected argument 'A:a.mtx'\nhint: an option is missing in front of it, as in -i A:a.mtx or -f "
          "A:a.mtx\n"});
  expect({{spmv, "-i", "a.mtx"}, 2, "error: -i needs TENSOR:FILE, found 'a.mtx'\nhint: for example -i A:a.mtx\n"});
  expect({{"convert", "a.mtx"}, 2, "error: A file name is missing\nhint: filigree convert IN OUT [-f FORMAT]\n"});
  expect({{"convert", "a.mtx", "b.mtx", "--from", "csr", "--from", "csc"},
          2,
          "error: --from is given twice: csr and csc\n"});
  expect({{"info", "a.mtx", "--from", "csr"},
          2,
          "error: Unexpected argument '--from'\nhint: it is an option of 'filigree convert'; filigree info --help "
          "lists those that are known here\n"});
  expect({{"info"}, 2, "error: A file name is missing\nhint: filigree info FILE [-f FORMAT]\n"});
}

TEST_F(Errors, SubscriptsAreChecked) {
  expect(
      {{"einsum"}, 2, "error: No subscripts are given\nhint: filigree einsum 'ik,kj->ij' B C -i B:b.mtx -i C:c.mtx\n"});
  expect({{"einsum", "ij->ji", "sum", "-i", "sum:ones"},
          1,
          "error: 'sum' is a function and cannot be the name of an operand\n  in operands, column 1:\n    sum\n    "
          "^^^\nhint: give the operand another name\n"});
  expect({{"einsum", "ij,j->i", "A", "R"},
          1,
          "error: 'R' is the name of the result and cannot be the name of an operand\n  in operands, column 3:\n    A "
          "R\n      ^\nhint: give the operand another name\n"});
  expect({{"einsum", "ij->k", "B"},
          1,
          "error: No operand has the label 'k'\n  in subscripts, column 5:\n    ij->k\n        ^\n"});
}

TEST_F(Errors, SchedulesAreChecked) {
  expect({{spmv, "-f", "A:csr", "-s", "protocol(A, j, galop)"},
          1,
          "error: Unknown strategy 'galop'\n  in -s, column 16:\n    protocol(A, j, galop)\n                   "
          "^^^^^\nhint: did you mean 'gallop'?\n"
          "hint: there are: step, locate, seqiter, gallop, binary, hash, scan\n"});
  expect({{spmv, "-f", "A:csr", "-s", "protocol(B, j, gallop)"},
          1,
          "error: The statement does not read a tensor 'B'\n  in -s, column 10:\n    protocol(B, j, gallop)\n          "
          "   ^\n"
          "note: the loops are\n  forall i\n    forall j\n      y(i) += A(i,j)*x(j)\nhint: there are: A, x\n"});
  expect({{spmv, "-f", "A:csr", "-s", "protocol(A, j, gallop)"},
          1,
          "error: Level 2 of 'A' (compressed) cannot be reached by 'gallop' in the loop over 'j': no other operand can "
          "drive it"
          "\n  in -s, column 1:\n    protocol(A, j, gallop)\n    ^^^^^^^^^^^^^^^^^^^^^^\nhint: valid there: step\n"});
  expect({{spmv, "-s"}, 2, "error: -s needs a value\nhint: for example -s 'parallelize(i, cpu)'\n"});
}

TEST_F(Errors, NamesAreChecked) {
  expect({{spmv, "-f", "Ax:csr"}, 1, "error: -f Ax:csr names no tensor of the expression\nhint: did you mean 'A'?\n"});
  expect({{spmv, "-i", "matrix:ones"},
          1,
          "error: -i matrix:ones names no tensor of the expression\nhint: there are 'y', 'A', 'x'\n"});
  expect(
      {{spmv, "-o", "Y:y.tns"}, 1, "error: -o Y:y.tns names no tensor of the expression\nhint: did you mean 'y'?\n"});
  expect({{"a(i) = b(i+s)", "-i", "s:2"},
          1,
          "error: -i s:2 is for a tensor, but 's' is an index variable of the expression\n"
          "hint: indices of tensors are sums of integers and index variables, not of scalars; -d says an index "
          "variable's extent\n"});
  expect(
      {{spmv, "-d", "k:3"},
       1,
       "error: -d k:3 names no index variable or tensor of the expression\nhint: there are 'i', 'j', 'y', 'A', 'x'\n"});
  expect({{spmv, "-f", "A:csrr"},
          1,
          "error: Unknown format 'csrr'\n  in -f A, column 1:\n    csrr\n    ^^^^\nhint: did you mean 'csr'?\nhint: "
          "formats for a matrix are: dense, sparse, csr, csc, dcsr, dcsc, "
          "csf, coo, coo_aos, dia, ell, hash, dok, lower, upper, bitmap\nhint: in blocks: bcsr(4,4), "
          "mode_generic(4,4), csb(4,4)\n"
          "hint: half of a matrix: symmetric, skew, hermitian, also as in symmetric(dcsr)\n"
          "hint: or one letter per level (d is dense, s compressed), such as ds; or a map, such as (i,j) -> (i: dense, "
          "j: compressed)\n"});
  expect({{spmv, "-t", "A:flaot"},
          1,
          "error: Unknown element type 'flaot' of 'A'\nhint: did you mean 'float32' or 'float64'?\n"});
  expect({{spmv, "-t", "A:text"},
          1,
          "error: Unknown element type 'text' of 'A'\nhint: types are bool, int8, int16, int32, int64, uint8, uint16, "
          "uint32, uint64, "
          "float32, float64, complex64, complex128\n"});
  expect({{spmv, "-t", "A:flot"},
          1,
          "error: Unknown element type 'flot' of 'A'\nhint: did you mean 'float32' or 'float64'?\n"});
  expect({{spmv, "-t", "A:integer"},
          1,
          "error: Unknown element type 'integer' of 'A'\nhint: did you mean 'int32' or 'int64'?\n"});
  expect({{spmv, "-t", "A:flot64"}, 1, "error: Unknown element type 'flot64' of 'A'\nhint: did you mean 'float64'?\n"});
  expect({{spmv, "-i", "y:ones"},
          1,
          "error: 'y' is assigned and not read, so it takes no input\nhint: -o y:FILE writes it; += and the like start "
          "from what is given\n"});
  expect({{spmv, "-i", "A:onees", "-i", "x:ones"},
          1,
          "error: Cannot tell what 'onees' is, given for 'A'\nhint: did you mean 'ones'?\n"});
  expect({{spmv, "-i", "x:3", "-i", "A:ones"},
          1,
          "error: 'x' has 1 dimension, but '3' is a scalar's value\nhint: give a file, or ones, zeros or "
          "random(DENSITY,SEED), as in -i x:ones\n"});
}

TEST_F(Errors, FillsAreChecked) {
  expect({{"a(i) = b(i)", "--fill", "c:1"},
          1,
          "error: --fill c:1 names no tensor of the expression\nhint: there are 'a', 'b'\n"});
  expect({{"a(i) = s*b(i)", "--fill", "s:1"}, 1, "error: --fill s:1: 's' is a scalar, which has no fill\n"});
  expect({{"a(i) = b(i)", "--fill", "b:foo"},
          1,
          "error: 'foo', given for 'b', is not a number\nhint: values are written as 2, -1.5, 1e-3, inf, 1+2i, true or "
          "false\n"});
}

TEST_F(Errors, ControlBytesAreNotEchoed) {
  expect({{"y = b(i) \x1b[31m c(i)"},
          1,
          "error: Unexpected byte 0x1b\n  in expression, column 10:\n    y = b(i) ?[31m c(i)\n             ^\n"});
  expect(
      {{spmv, "\x1b[31m"},
       2,
       "error: Unexpected argument '?[31m'\nhint: put the expression in quotes, so that the shell leaves it whole\n"});
}

TEST_F(Errors, WhatIsMissingIsNamed) {
  expect({{spmv, "-i", "A:ones"},
          1,
          "error: No input is given for 'x'\nhint: give a file or values, as in -i x:FILE.tns or -i x:ones\n"});
  expect({{"y(i) = s*A(i,j)*x(j)", "-i", "A:ones"},
          1,
          "error: No inputs are given for 's', 'x'\nhint: give files, values or numbers, as in -i s:2.5 -i x:ones\n"});
  expect({{spmv, "-o", "y:y.tns"},
          1,
          "error: No inputs are given for 'A', 'x'\nhint: give files, values or numbers, as in -i A:FILE.tns -i "
          "x:ones\n"});
  expect({{spmv, "-i", "A:nowhere.mtx"},
          1,
          "error: No input is given for 'x'\nhint: give a file or values, as in -i x:FILE.tns or -i x:ones\n"});
  expect({{"a(i) = s*b(i)", "-i", "b:ones"},
          1,
          "error: No input is given for 's'\nhint: give a number, as in -i s:2.5\n"});
  expect({{spmv, "-i", "A:ones", "-i", "x:ones"},
          1,
          "error: The sizes of 'i', 'j' are unknown: no input tells\nhint: give them, as in -d i:100 -d j:100\n"});
  expect({{"y(i) = A(i,j)*x(jj)", "-i", "A:ones", "-i", "x:ones", "-d", "A:2,2"},
          1,
          "error: The size of 'jj' is unknown: no input tells\nhint: did you mean 'j'?\nhint: give it, as in -d "
          "jj:100\n"});
  expect({{"A(i,j) = b(i)", "-i", "b:ones", "-d", "i:3"},
          1,
          "error: The size of 'j' is unknown: no input tells\nhint: give it, as in -d j:100\n"});
}

TEST_F(Errors, SizesAreChecked) {
  std::string matrix = write("a.mtx", small_matrix);
  expect({{spmv, "-i", "A:" + matrix, "-i", "x:ones", "-d", "j:5"},
          1,
          "error: Index variable 'j' has two extents: 5 was given but dimension 2 of 'A' has 3\n  in expression, "
          "column 8:\n    y(i) = A(i,j)*x(j)\n           ^^^^^^\n"});
  expect({{spmv, "-d", "A:10", "-i", "A:ones", "-i", "x:ones"},
          1,
          "error: -d A:10 gives 1 size, but 'A' has 2 dimensions\n"});
  expect({{spmv, "-d", "i:1,2", "-i", "A:ones", "-i", "x:ones"},
          1,
          "error: -d i:1,2 gives 2 sizes, but 'i' is one index variable\n"});
}

TEST_F(Errors, SizesOfIndicesNameWhatIsWritten) {
  expect({{"y(i) = x(p(i))", "-i", "p:zeros", "-i", "x:ones", "-d", "p:3"},
          1,
          "error: The size of dimension 1 of 'x' is unknown: no input tells\nhint: give it, as in -d x:100\n"});
  expect({{"s = j^2", "-d", "j:4"},
          1,
          "error: -d j:4 gives a size, but 'j' is a scalar here: an index variable is an index of a tensor, or a "
          "reduction names it\n"
          "  in expression, column 5:\n    s = j^2\n        ^\nhint: to sum over it, write s = sum(j, j^2)\n"});
  EXPECT_EQ(run_tool({"s = sum(j, j^2)", "-d", "j:4"}).out, "14\n");
  expect({{"y(i) = x(p(i)) + z(i)", "-i", "p:zeros", "-i", "x:ones", "-i", "z:ones", "-d", "p:3", "-d", "x:4", "-d",
           "z:5"},
          1,
          "error: Index variable 'i' has two extents: dimension 1 of 'p' has 3 but dimension 1 of 'z' has 5\n"
          "  in expression, column 18:\n    y(i) = x(p(i)) + z(i)\n                     ^^^^\n"});
}

TEST_F(Errors, FilesOfAnotherOrderTellWhatToWrite) {
  std::string matrix = write("a.mtx", small_matrix), entries = write("a.tns", "1 1 2\n3 2 4\n"),
              edges = write("a.el", "0 1\n");
  expect({{"y = A*x", "-i", "A:" + matrix, "-i", "x:2"},
          1,
          "error: " + matrix +
              ": The file holds a tensor with 2 dimensions (3 x 3), but 'A' is used without indices\nhint: write "
              "A(i,j)\n"});
  expect({{"y(i) = A(i)", "-i", "A:" + edges},
          1,
          "error: " + edges + ": An edge list is a matrix, but 'A' is used with 1 index\nhint: write A(i,j)\n"});
  expect({{"y(i) = A(i)", "-i", "A:" + entries},
          1,
          "error: " + entries +
              ":1: Expected 2 numbers (1 coordinate and a value), found 3\nhint: the file holds a tensor with another "
              "number of dimensions; write A(i,j)\n"});
}

TEST_F(Errors, CompilersThatAreMissingHaveAnother) {
  std::vector<std::string> command = {"s = b(i)", "-i", "b:ones", "-d", "i:3"}, with_cc = command;
  with_cc.insert(with_cc.end(), {"--target", "cc"});
  Outcome plugin = run_tool(command, {.environment = {"FILIGREE_PLUGIN=/nowhere.so", "FILIGREE_CACHE_SIZE=0"}});
  EXPECT_EQ(plugin.code, 1);
  EXPECT_NE(
      plugin.err.find("hint: set FILIGREE_PLUGIN to its path, or compile with the system's compiler, --target cc\n"),
      std::string::npos)
      << plugin.err;
  Outcome compiler = run_tool(with_cc, {.environment = {"CC=nonesuch", "FILIGREE_CACHE_SIZE=0"}});
  EXPECT_EQ(compiler.code, 1);
  EXPECT_NE(compiler.err.find("or compile in this process, --target jit\n"), std::string::npos) << compiler.err;
}

TEST_F(Errors, WhatCannotFitIsRefused) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"A(i,j) = b(i)*c(j)", "-i", "b:ones", "-i", "c:ones", "-d", "i:1000000", "-d", "j:1000000000"},
           {"A(i,j) = b(i)", "-i", "b:ones", "-d", "i:1000", "-d", "j:1000000000000000000"},
           {"a(i) = b(i)", "-i", "b:zeros", "-d", "i:9223372036854775807"},
           {"A(i,j) = b(i)*c(j)", "-f", "A:sparse", "-i", "b:ones", "-i", "c:ones", "-d", "i:1000000000000000000", "-d",
            "j:1000000000000000000"},
           {"s = A(i,j)", "-i", "A:random(0.5,1)", "-d", "A:1000000000000000000,1000000000000000000"},
           {"s = A(i,j,k)", "-i", "A:random(1e-60,1)", "-d",
            "A:1000000000000000000,1000000000000000000,1000000000000000000"}}) {
    Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments[0] << outcome.err << outcome.out;
    EXPECT_EQ(outcome.err.find("error: "), 0u) << outcome.err;
  }
}

TEST_F(Errors, FilesAreNamed) {
  Outcome missing = run_tool({spmv, "-i", "A:" + path("none.mtx"), "-i", "x:ones"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err.find("error: "), 0u) << missing.err;
  EXPECT_NE(missing.err.find("none.mtx"), std::string::npos) << missing.err;
  expect({{"a(i) = b(i)", "-i", "b:ones", "-d", "i:3", "-o", "a:" + path("a.doc")},
          1,
          "error: Cannot tell from the name '" + path("a.doc") +
              "' which file format to write\n"
              "hint: known extensions are .mtx, .ttx, .tns, .el, .edges, .txt, .csv, .tsv, each also with .gz, and "
              ".npy, .npz\n"});
  expect({{"a(i) = b(i)", "-i", "b:ones", "-d", "i:3", "-o", "a:" + path("no/a.tns")},
          1,
          "error: Cannot write '" + path("no/a.tns") + "': there is no directory '" + path("no") +
              "'\nhint: create the directory first\n"});
  std::string broken = write("broken.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n");
  Outcome cut = run_tool({"s = A(i,j)", "-i", "A:" + broken});
  EXPECT_EQ(cut.code, 1);
  EXPECT_EQ(cut.err.find("error: " + broken + ":"), 0u) << cut.err;
}

TEST_F(Errors, SyntaxIsPointedAt) {
  Outcome outcome = run_tool({"y(i) = A(i,j) * "});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err.find("error: "), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find("^"), std::string::npos) << outcome.err;
}

TEST_F(Errors, LongExpressionsEndWell) {
  std::string chain = "a(i) = b0(i)", deep = "a(i) = ", sum = "a(i) = b(i)";
  for (int n = 1; n < 2400; n++) sum += " + b(i)";
  for (int n = 0; n < 450; n++) deep += "(";
  deep += "b(i)" + std::string(450, ')');
  for (const std::string& expression : {sum, deep}) {
    Outcome outcome = run_tool({expression, "-i", "b:ones", "-d", "i:2"});
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.code << outcome.err.substr(0, 200);
  }
}

TEST_F(Errors, PointAtTheStatementThatIsWrong) {
  std::string matrix = write("a.mtx", small_matrix);
  Outcome read_first = run_tool({"y(i) = T(i,j)*x(j); T(i,j) = A(i,j)", "-i", "x:ones", "-i", "A:" + matrix});
  EXPECT_EQ(read_first.err,
            "error: 'T' is read before it is assigned, and no input is given for it\n  in expression, column 8:\n"
            "    y(i) = T(i,j)*x(j); T(i,j) = A(i,j)\n           ^\nhint: give a file or values, as in -i T:FILE.tns "
            "or -i T:ones\n");
  Outcome given =
      run_tool({"T(i,j) = A(i,j); y(i) = T(i,j)*x(j)", "-i", "x:ones", "-i", "A:" + matrix, "-i", "T:" + matrix});
  EXPECT_EQ(given.err,
            "error: 'T' is assigned before it is read, so it takes no input\n  in expression, column 1:\n    T(i,j) = "
            "A(i,j); y(i) = T(i,j)*x(j)\n    ^\n"
            "hint: leave out -i T:..., or the statement that assigns 'T'\n");
  Outcome extent = run_tool({"T(i,j) = A(i,j); y(i) = T(i,j)*x(j)", "-i", "x:ones", "-d", "x:7", "-i", "A:" + matrix});
  EXPECT_EQ(extent.err,
            "error: Index variable 'j' has two extents: dimension 2 of 'T' has 3 but dimension 1 of 'x' has 7\n  in "
            "expression, column 32:\n"
            "    T(i,j) = A(i,j); y(i) = T(i,j)*x(j)\n                                   ^^^^\n");
}

}  // namespace
}  // namespace filigree::tool
