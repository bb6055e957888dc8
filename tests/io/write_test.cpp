#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <random>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/output.h"
#include "tests/io/text_files.h"

namespace {

enum class MayChange { All, Group, Nothing } may_change = MayChange::All;

}  // namespace

/// In place of the system's: what a user who is not the superuser may do.
extern "C" int fchown(int file, uid_t owner, gid_t group) noexcept {
  bool may = may_change == MayChange::All || (may_change == MayChange::Group && owner == static_cast<uid_t>(-1));
  if (may) return static_cast<int>(syscall(SYS_fchown, file, owner, group));
  errno = EPERM;
  return -1;
}

namespace filigree {
namespace {

using testing_support::listed;

class WriteFile : public testing_support::FileTest {
 protected:
  std::string written(const std::string& name, const AnyTensor& tensor) const {
    write_file(path(name), tensor);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory()), {}), count_files())
        << "something else was left";
    return text_of(name);
  }
  std::string write_error(const std::string& name, const AnyTensor& tensor) const {
    try {
      write_file(path(name), tensor);
    } catch (const UserError& error) {
      return without_directory(error.text());
    }
    return "written";
  }
  std::ptrdiff_t count_files() const {
    std::ptrdiff_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory()))
      count += !entry.path().filename().string().starts_with(".");
    return count;
  }
};

AnyTensor matrix(ElementType type, const std::string& format) {
  Coordinates entries{{3, 4}, {{2, 0, 0}, {1, 3, 0}}, Array(type, 3)};
  entries.values.set(0, Scalar::of(type, std::complex<double>(1.5, -2)));
  entries.values.set(1, Scalar::of(type, std::complex<double>(0.1, 0)));
  entries.values.set(2, Scalar::of(type, std::complex<double>(100, 1)));
  return AnyTensor::pack(entries, parse_format(format, 2));
}

TEST_F(WriteFile, WritesSortedEntries) {
  EXPECT_EQ(written("a.tns", matrix(ElementType::Float64, "csc")), "1 1 100\n1 4 0.1\n3 2 1.5\n");
  EXPECT_EQ(written("a.mtx", matrix(ElementType::Float64, "csc")),
            "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 100\n1 4 0.1\n3 2 1.5\n");
  EXPECT_EQ(
      written("b.mtx", matrix(ElementType::Int8, "csr")),
      "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type int8_t\n3 4 3\n1 1 100\n1 4 0\n3 2 1\n");
  EXPECT_EQ(written("b.tns", matrix(ElementType::Complex64, "csr")),
            "# filigree type=complex64 dimensions=3,4\n1 1 100 1\n1 4 0.1 0\n3 2 1.5 -2\n");
  EXPECT_EQ(written("c.tns", AnyTensor::scalar(Scalar::of(ElementType::Float64, 2.5))), "2.5\n");
  EXPECT_EQ(written("c.ttx", AnyTensor::scalar(Scalar::of(ElementType::Float64, 2.5))),
            "%%MatrixMarket tensor coordinate real general\n1\n2.5\n");
  EXPECT_EQ(written("d.tns", AnyTensor(ElementType::Float64, {2, 0}, Format::sparse(2))),
            "# filigree type=float64 dimensions=2,0\n");
}

TEST_F(WriteFile, WritesVectorsAsColumns) {
  AnyTensor dense(ElementType::Float32, {2}, Format::dense(1));
  EXPECT_EQ(written("a.mtx", dense),
            "%%MatrixMarket matrix array real general\n%%GraphBLAS type float\n%filigree order=1\n2 1\n0\n0\n");
  EXPECT_EQ(written("a.ttx", dense), "%%MatrixMarket tensor array real general\n%%GraphBLAS type float\n2\n0\n0\n");
  AnyTensor sparse = AnyTensor::pack({{5}, {{3}}, Array(ElementType::Int64, 1)}, Format::sparse(1));
  EXPECT_EQ(written("b.mtx", sparse),
            "%%MatrixMarket matrix coordinate integer general\n%filigree order=1\n5 1 1\n4 1 0\n");
  EXPECT_EQ(written("b.ttx", sparse), "%%MatrixMarket tensor coordinate integer general\n5 1\n4 0\n");
  EXPECT_EQ(read_file(path("b.mtx")).dimensions, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(read_file(path("b.mtx"), {.order = 1}).dimensions, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(read_file(path("b.mtx"), {.order = 2}).dimensions, (std::vector<std::int64_t>{5, 1}));
  AnyTensor column(ElementType::Float64, {2, 1}, Format::dense(2));
  EXPECT_EQ(written("c.mtx", column), "%%MatrixMarket matrix array real general\n2 1\n0\n0\n");
}

bool same_bits(const Scalar& a, const Scalar& b) {
  return a == b && std::signbit(a.as_double()) == std::signbit(b.as_double()) &&
         std::signbit(a.as_complex().imag()) == std::signbit(b.as_complex().imag());
}

TEST_F(WriteFile, ReadsBackExactly) {
  std::mt19937_64 random(11);
  std::vector<std::vector<std::int64_t>> shapes = {{}, {4}, {0}, {3, 4}, {1, 1}, {2, 0}, {2, 3, 2}, {2, 1, 2, 3}};
  for (ElementType type : all_element_types()) {
    for (const auto& shape : shapes) {
      for (bool dense : {false, true}) {
        for (const char* extension : {".tns", ".mtx", ".ttx", ".tns.gz", ".ttx.gz"}) {
          int order = static_cast<int>(shape.size());
          if (extension == std::string(".mtx") && order != 1 && order != 2) continue;
          AnyTensor empty(type, shape, dense ? Format::dense(order) : Format::sparse(order));
          Coordinates entries = AnyTensor(type, shape, Format::dense(order)).coordinates();
          for (std::int64_t n = 0; n < entries.count(); n++) {
            double parts[2];
            for (double& part : parts) {
              std::uint64_t bits = random();
              std::memcpy(&part, &bits, sizeof part);
              if (n % 5 == 0) part = static_cast<double>(static_cast<std::int64_t>(bits % 200) - 100) / 8;
            }
            if (is_floating(type) || is_complex(type)) {
              if (n == 1) parts[0] = -0.0;
              if (n == 2) parts[0] = std::numeric_limits<double>::infinity();
              entries.values.set(n, Scalar::of(type, std::complex<double>(parts[0], parts[1])));
            } else {
              entries.values.set(n, Scalar::of(type, static_cast<std::int64_t>(random())));
            }
          }
          AnyTensor tensor = AnyTensor::pack(entries, empty.format());
          std::string file = path(std::string("t") + extension);
          write_file(file, tensor);
          SCOPED_TRACE(to_string(type) + " order " + std::to_string(order) + extension +
                       (dense ? " dense" : " sparse"));
          Coordinates back = read_file(file);
          ASSERT_EQ(back.dimensions, shape);
          ASSERT_EQ(back.values.type(), type);
          AnyTensor again = AnyTensor::pack(back, tensor.format());
          ASSERT_EQ(again.stored(), tensor.stored());
          for (std::int64_t n = 0; n < tensor.stored(); n++) {
            Scalar before = tensor.values().get(n), after = again.values().get(n);
            if (before.is_nan()) {
              ASSERT_TRUE(after.is_nan());
            } else {
              ASSERT_TRUE(same_bits(before, after)) << to_string(before) << " " << to_string(after);
            }
          }
        }
      }
    }
  }
}

TEST_F(WriteFile, TellsAFillInAComment) {
  AnyTensor tensor = AnyTensor::pack({{2, 2}, {{1}, {0}}, Array(ElementType::Int64, 1)}, Format::sparse(2));
  tensor.set_fill(Scalar::of(ElementType::Int64, std::int64_t{7}));
  EXPECT_EQ(written("a.mtx", tensor),
            "%%MatrixMarket matrix coordinate integer general\n%filigree fill=7\n2 2 1\n2 1 0\n");
  EXPECT_EQ(written("a.tns", tensor), "# filigree type=int64 dimensions=2,2 fill=7\n2 1 0\n");
  AnyTensor vector = AnyTensor::pack({{3}, {{1}}, Array(ElementType::Float64, 1)}, Format::sparse(1));
  vector.set_fill(Scalar::of(ElementType::Float64, -std::numeric_limits<double>::infinity()));
  EXPECT_EQ(written("v.mtx", vector),
            "%%MatrixMarket matrix coordinate real general\n%filigree order=1\n%filigree fill=-inf\n3 1 1\n2 1 0\n");
  EXPECT_EQ(written("v.ttx", vector), "%%MatrixMarket tensor coordinate real general\n%filigree fill=-inf\n3 1\n2 0\n");
  AnyTensor dense = AnyTensor::pack({{1}, {{0}}, Array(ElementType::Float64, 1)}, Format::dense(1));
  dense.set_fill(Scalar::of(ElementType::Float64, 2.0));
  EXPECT_EQ(written("d.tns", dense), "1 0\n");  // everything is there
}

TEST_F(WriteFile, AFillOfAnyTypeReadsBack) {
  for (ElementType type : all_element_types()) {
    for (const char* extension : {".tns", ".mtx", ".ttx", ".tns.gz", ".npz"}) {
      for (std::complex<double> value :
           {std::complex<double>(1, 0), std::complex<double>(0.1, -2.5),
            std::complex<double>(std::numeric_limits<double>::infinity(), 3), std::complex<double>(std::nan(""), 0)}) {
        if (!is_complex(type) && (value.imag() != 0 || !is_floating(type)) && value != 1.0)
          value = is_floating(type) ? std::complex<double>(value.real()) : std::complex<double>(1);
        AnyTensor tensor = AnyTensor::pack({{3, 4}, {{1}, {0}}, Array(type, 1)}, Format::sparse(2));
        tensor.set_fill(Scalar::of(type, value));
        SCOPED_TRACE(to_string(type) + extension + " " + to_string(tensor.fill()));
        std::string file = path(std::string("fill") + extension);
        write_file(file, tensor);
        Contents back = read_contents(file);
        ASSERT_TRUE(back.fill().has_value());
        AnyTensor again = back.pack(Format::sparse(2), "again", false, back.fill());
        EXPECT_TRUE(again.fill() == tensor.fill() || (again.fill().is_nan() && tensor.fill().is_nan()));
        EXPECT_EQ(again.dimensions(), tensor.dimensions());
        EXPECT_EQ(again.type(), type);
        EXPECT_EQ(again.stored(), 1);
      }
    }
  }
}

TEST_F(WriteFile, AFillThatIsNoneIsAnError) {
  auto error = [&](const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
    try {
      read_contents(path(name));
    } catch (const UserError& wrong) {
      return wrong.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(error("a.tns", "# filigree type=int64 dimensions=2 fill=inf\n1 1\n"),
            "Expected an integer as the fill, found 'inf'");
  EXPECT_EQ(error("a.tns", "# filigree type=int8 fill=300\n1 1\n"), "The fill '300' does not fit in int8");
  EXPECT_EQ(error("a.tns", "# filigree fill=1x\n1 1\n"), "Expected a number as the fill, found '1x'");
  EXPECT_EQ(error("a.mtx", "%%MatrixMarket matrix coordinate complex general\n%filigree fill=1;2\n1 1 1\n1 1 1 0\n"),
            "Expected real and imaginary part as the fill, found '1;2'");
  EXPECT_EQ(error("a.mtx", "%%MatrixMarket matrix coordinate real general\n%filigree fill=\n1 1 1\n1 1 1\n"),
            "The value behind 'fill=' is missing");
  std::ofstream(path("b.tns")) << "# filigree fill=inf\n2 1\n";
  EXPECT_THROW(read_file(path("b.tns")), UserError);
}

TEST_F(WriteFile, ExpandsAFillThatTheFileCannotTell) {
  AnyTensor tensor = AnyTensor::pack({{2, 2}, {{1}, {0}}, Array(ElementType::Int64, 1)}, Format::sparse(2));
  tensor.set_fill(Scalar::of(ElementType::Int64, std::int64_t{7}));
  EXPECT_EQ(written("a.el", tensor), "# filigree base=0 type=int64 dimensions=2,2\n0 0 7\n0 1 7\n1 0 0\n1 1 7\n");
  AnyTensor large(ElementType::Float64, {100000, 100000}, Format::sparse(2));
  large.set_fill(Scalar::of(ElementType::Float64, std::numeric_limits<double>::infinity()));
  EXPECT_EQ(write_error("b.el", large),
            "error: Cannot write 'b.el': what is not stored is inf, so all 100000 x 100000 components (1e+10) would "
            "have to be written\n"
            "hint: this kind of file holds no fill; use one that does: .tns, .mtx, .ttx or .npz\n");
  EXPECT_FALSE(std::filesystem::exists(path("b.el")));
}

AnyTensor symmetric(const std::string& format, ElementType type, std::complex<double> below, std::complex<double> above,
                    std::complex<double> diagonal) {
  Coordinates entries{{3, 3}, {{2, 0, 1}, {0, 2, 1}}, Array(type, 3)};
  for (int n = 0; n < 3; n++) entries.values.set(n, Scalar::of(type, n == 0 ? below : n == 1 ? above : diagonal));
  return AnyTensor::pack(entries, parse_format(format, 2));
}

TEST_F(WriteFile, WritesOneHalfOfSymmetricMatrices) {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  for (const char* format : {"symmetric", "symmetric(dcsr)", "symmetric(csc)", "symmetric(coo)", "symmetric(bcsr(2,2))",
                             "symmetric(lower)"}) {
    SCOPED_TRACE(format);
    AnyTensor tensor = symmetric(format, ElementType::Float64, 5, 5, 7);
    std::string text = written("a.mtx", tensor);
    EXPECT_EQ(text.substr(0, 51), banner + "real symmetric\n3 3");
    EXPECT_EQ(listed(AnyTensor::pack(read_file(path("a.mtx")), Format::sparse(2)).coordinates()),
              listed(tensor.coordinates()));
  }
  EXPECT_EQ(written("b.mtx", symmetric("symmetric(dcsr)", ElementType::Int64, 5, 5, 7)),
            banner + "integer symmetric\n3 3 2\n2 2 7\n3 1 5\n");
  EXPECT_EQ(written("b.mtx", symmetric("skew(dcsr)", ElementType::Float64, 5, -5, 0)),
            banner + "real skew-symmetric\n3 3 1\n3 1 5\n");
  EXPECT_EQ(written("b.mtx", symmetric("hermitian(dcsr)", ElementType::Complex128, {1, 2}, {1, -2}, 3)),
            banner + "complex hermitian\n3 3 2\n2 2 3 0\n3 1 1 2\n");
  EXPECT_EQ(written("b.mtx", symmetric("hermitian(dcsr)", ElementType::Float64, 5, 5, 7)),
            banner + "real symmetric\n3 3 2\n2 2 7\n3 1 5\n");
  EXPECT_EQ(written("b.tns", symmetric("symmetric(dcsr)", ElementType::Float64, 5, 5, 7)), "1 3 5\n2 2 7\n3 1 5\n");
  // A diagonal that computing has left other than 0, such as NaN, cannot be in a skew-symmetric file.
  AnyTensor odd = symmetric("skew(dcsr)", ElementType::Float64, 5, -5, 0);
  odd.values().set(0, Scalar::of(ElementType::Float64, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(written("c.mtx", odd).substr(0, 45), banner + "real general");
}

TEST_F(WriteFile, WalksStorageInAnyOrder) {
  std::vector<std::int64_t> shape = {3, 4, 2};
  Coordinates entries{shape, {{2, 0, 1, 2, 0}, {1, 3, 0, 3, 3}, {0, 1, 1, 1, 0}}, Array(ElementType::Float64, 5)};
  for (int n = 0; n < 5; n++) entries.values.set(n, Scalar::of(ElementType::Float64, n + 1.0));
  for (const char* format :
       {"sss", "sss:2,0,1", "dds", "coo", "coo(unordered)", "hash", "dok", "bitmap", "bcsr(2,2,2)", "coo_aos"}) {
    EXPECT_EQ(written("a.tns", AnyTensor::pack(entries, parse_format(format, 3))).substr(0, 12),
              format == std::string("bcsr(2,2,2)") ? "1 1 1 0\n1 1 " : "1 4 1 5\n1 4 ")
        << format;
  }
  Coordinates all = AnyTensor(ElementType::Float64, shape, Format::dense(3)).coordinates();
  for (std::int64_t n = 0; n < all.count(); n++)
    all.values.set(n, Scalar::of(ElementType::Float64, static_cast<double>(n)));
  std::string expected_tns = written("rows.tns", AnyTensor::pack(all, parse_format("ddd", 3))),
              expected_ttx = written("rows.ttx", AnyTensor::pack(all, parse_format("ddd", 3)));
  for (const char* format : {"ddd:2,1,0", "ddd:1,2,0"}) {
    EXPECT_EQ(written("b.tns", AnyTensor::pack(all, parse_format(format, 3))), expected_tns) << format;
    EXPECT_EQ(written("b.ttx", AnyTensor::pack(all, parse_format(format, 3))), expected_ttx) << format;
  }
}

TEST_F(WriteFile, RefusesWhatItCannotWrite) {
  AnyTensor cube(ElementType::Float64, {2, 2, 2}, Format::sparse(3));
  EXPECT_EQ(write_error("a.mtx", cube),
            "error: Cannot write 'a.mtx': a .mtx file holds a matrix or a vector, but the tensor has 3 dimensions\n"
            "hint: use the extension .tns or .ttx\n");
  EXPECT_EQ(write_error("a.doc", cube).substr(0, 41), "error: The extension '.doc' of 'a.doc' is");
  EXPECT_EQ(write_error("a.txt", cube),
            "error: Cannot write 'a.txt': an edge list holds a real matrix, but the tensor has 3 dimensions\nhint: use "
            "the extension .tns or .ttx\n");
  EXPECT_EQ(write_error("missing/a.tns", cube),
            "error: Cannot write 'missing/a.tns': there is no directory 'missing'\nhint: create the directory first\n");
  std::filesystem::create_directory(directory() / "d.tns");
  EXPECT_EQ(write_error("d.tns", cube),
            "error: Cannot write 'd.tns': is a directory\nhint: choose another place, or make room there\n");
  make("file.tns", "1 1\n");
  EXPECT_EQ(write_error("file.tns/a.tns", cube),
            "error: Cannot write 'file.tns/a.tns': not a directory\nhint: a part of the path is a file, not a "
            "directory; choose another place\n");
}

TEST_F(WriteFile, ReplacesWhatALinkPointsTo) {
  make("real.tns", "1 1\n");
  std::filesystem::permissions(path("real.tns"), std::filesystem::perms(0640));
  std::filesystem::create_symlink("real.tns", path("link.tns"));
  write_file(path("link.tns"), AnyTensor::scalar(Scalar::of(ElementType::Float64, 3.0)));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.tns")));
  EXPECT_EQ(text_of("real.tns"), "3\n");
  EXPECT_EQ(std::filesystem::status(path("real.tns")).permissions(), std::filesystem::perms(0640));
}

TEST_F(WriteFile, WritesToDevicesDirectly) {
  std::filesystem::create_symlink("/dev/null", path("null.tns"));
  write_file(path("null.tns"), AnyTensor::scalar(Scalar::of(ElementType::Float64, 3.0)));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(WriteFile, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  std::filesystem::create_symlink("/dev/full", path("full.tns"));
  EXPECT_EQ(
      write_error("full.tns", AnyTensor::scalar(Scalar::of(ElementType::Float64, 3.0))),
      "error: Cannot write 'full.tns': no space left on device\nhint: choose another place, or make room there\n");
}

TEST_F(WriteFile, GivesWhatAGroupMayDoToNoOther) {
  AnyTensor tensor = AnyTensor::scalar(Scalar::of(ElementType::Float64, 3.0));
  gid_t other = getegid() + 1;
  auto written_over = [&](MayChange may) {
    make("a.tns", "1\n");
    std::string name = path("a.tns");
    struct stat facts = {};
    if (chown(name.c_str(), static_cast<uid_t>(-1), other) != 0 || chmod(name.c_str(), 0664) != 0) return facts;
    may_change = may;
    write_file(name, tensor);
    may_change = MayChange::All;
    stat(name.c_str(), &facts);
    return facts;
  };
  struct stat all = written_over(MayChange::All);
  if (all.st_gid != other) GTEST_SKIP() << "this user cannot give files to another group";
  EXPECT_EQ(all.st_mode & 0777, 0664u);
  struct stat group = written_over(MayChange::Group);
  EXPECT_EQ(group.st_gid, other);
  EXPECT_EQ(group.st_mode & 0777, 0664u);
  struct stat nothing = written_over(MayChange::Nothing);
  EXPECT_NE(nothing.st_gid, other);
  EXPECT_EQ(nothing.st_mode & 0777, 0604u);
}

TEST_F(WriteFile, LeavesNothingUnfinished) {
  make("a.tns", "1 1\n");
  {
    io::OutputFile file(path("a.tns"));
    file.text().append(std::string_view("half of"));
  }
  EXPECT_EQ(text_of("a.tns"), "1 1\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory()), {}), 1);
  io::OutputFile file(path("a.tns"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory()), {}), 2);
  std::signal(SIGUSR1, [](int) { remove_unfinished_files(); });
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory()), {}), 1);
}

}  // namespace
}  // namespace filigree
