// Arrays of layouts that are given: by name from .npy files, or in an archive.
#include "run_tool.h"

namespace filigree::tool {
namespace {

class LayoutArrays : public ToolTest {
 protected:
  /// An array of int64, made by the tool itself.
  std::string integers(const std::string& name, const std::vector<int>& values) const {
    std::string text;
    for (size_t n = 0; n < values.size(); n++) text += std::to_string(n + 1) + " " + std::to_string(values[n]) + "\n";
    std::string from = write(name + ".tns", text), to = path(name + ".npy"), size = std::to_string(values.size());
    Outcome made = run_tool(
        {"p(i) = q(i)", "-t", "q:int64", "-d", "q:" + size, "-i", "q:" + from, "-f", "p:dense", "-o", "p:" + to});
    EXPECT_EQ(made.code, 0) << made.err;
    return name + "=" + to;
  }
  Outcome run(const std::string& arrays, const std::vector<std::string>& more = {"-d", "A:3,4"}) const {
    std::vector<std::string> arguments = {
        "y(i) = A(i,j)*x(j)", "-f", jagged, "-i", "A:" + arrays, "-i", "x:ones", "-f", "y:dense"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tool(arguments);
  }

  const std::string jagged =
      "A:layout jagged(rows, columns) { arrays perm(rows), start(diagonals + 1), col(entries), vals(entries)\n"
      "[d, k] -> [i, j] : 0 <= d < diagonals and 0 <= k < rows and start(d) + k < start(d + 1) and i = perm(k)\n"
      "and j = col(start(d) + k) value vals(start(d) + k) where 0 <= perm(a) < rows where 0 <= col(a) < columns\n"
      "where a != a' -> perm(a) != perm(a') }";
};

TEST_F(LayoutArrays, AreReadByName) {
  std::string perm = integers("perm", {2, 0, 1}), start = integers("start", {0, 2, 3}),
              col = integers("col", {1, 0, 2}), vals = integers("vals", {4, 2, 3});
  std::string rest = "," + start + "," + col + "," + vals;
  Outcome all = run(perm + rest);
  EXPECT_EQ(all.out, "# y: 3, float64, dense, 3 stored (100%), 24 B\n1 2\n2 0\n3 7\n") << all.err;
  EXPECT_EQ(run(perm + rest, {"-d", "A:3,4", "-t", "A:float32", "-t", "x:float32"}).out.substr(0, 15),
            "# y: 3, float32");
  EXPECT_EQ(run(perm + rest, {"-d", "x:4"}).err,
            "error: The arrays of 'A' do not tell how large its dimension 'columns' is\n"
            "hint: state the dimensions, too, as in -d A:rows,columns\n");
  EXPECT_EQ(run(perm + "," + start).err, "error: Arrays of the layout 'jagged' are missing: col, vals\n");
  EXPECT_EQ(run("prm" + perm.substr(4) + rest).err,
            "error: The layout 'jagged' has no array 'prm'\nhint: did you mean 'perm'?\n");
  EXPECT_EQ(run(perm + rest, {"-d", "A:3,2"}).err,
            "error: The arrays of 'A' are not those of the layout 'jagged'\n"
            "note: '0 <= col(a) < columns' does not hold at a = 2\n");
  EXPECT_EQ(run(perm + "," + perm + rest).err, "error: The array 'perm' of 'A' is given twice\n");
  EXPECT_EQ(run(perm + ",start").err.substr(0, 40), "error: Cannot read 'perm=" + path("").substr(0, 15));
  EXPECT_EQ(run_tool({"y(i) = A(i,j)*x(j)", "-f", "A:csr", "-i", "A:" + perm, "-i", "x:ones"}).err,
            "error: 'A' is given by its arrays, but nothing says what they mean\n"
            "hint: say the layout they are of, as in -f 'A: layout FILE'\n");
}

}  // namespace
}  // namespace filigree::tool
