#include "jit/compile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <fstream>
#include <sstream>
#include <thread>

#include "jit/clang.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "tests/jit/kernels.h"

namespace filigree::jit {
namespace {

using namespace testing;

const std::vector<double> spmv_result = {102, 0, 30};

bool clang_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  std::stringstream text;
  text << maps.rdbuf();
  return text.str().find("libfiligree_clang") != std::string::npos;
}

std::string internal_error_of(const std::string& text, const CompileOptions& options) {
  try {
    compile(text, options);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

class CompileWith : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    if (GetParam() == Target::Jit && clang_version().empty()) GTEST_SKIP() << "built without clang";
    options.target = GetParam();
    options.use_disk_cache = false;
  }
  CompileOptions options;
};

INSTANTIATE_TEST_SUITE_P(Targets, CompileWith, ::testing::Values(Target::Jit, Target::SystemCompiler),
                         [](const auto& target) { return target.param == Target::Jit ? "Jit" : "SystemCompiler"; });

TEST_P(CompileWith, RunsAKernelAtEveryOptimization) {
  for (int optimization : {0, 1, 2, 3}) {
    options.optimization = optimization;
    EXPECT_EQ(run_spmv(compile(spmv_text, options).function<Kernel>("kernel")), spmv_result);
  }
}

TEST_P(CompileWith, FindsFunctionsOfTheMathAndCLibraries) {
  const std::string text = R"(
    double exp(double); double pow(double, double); double sin(double); float cosf(float); double fmax(double, double);
    void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
    double mathematics(double x) { return exp(x) + pow(x, 1.5) + sin(x) + cosf((float)x) + fmax(x, 2.0); }
    void clear(double *x, long n) { for (long i = 0; i < n; i++) x[i] = 0; }
    void copy(double *restrict x, const double *restrict y, long n) { for (long i = 0; i < n; i++) x[i] = y[i]; }
    void move(double *x, long n) { __builtin_memmove(x, x + 1, n * 8); }
  )";
  const Library library = compile(text, options);
  const double x = 0.75;
  EXPECT_DOUBLE_EQ(library.function<double(double)>("mathematics")(x),
                   std::exp(x) + std::pow(x, 1.5) + std::sin(x) + std::cos(static_cast<float>(x)) + 2.0);
  std::vector<double> from(1000, 3.0), to(1000, 1.0);
  library.function<void(double*, const double*, long)>("copy")(to.data(), from.data(), 1000);
  EXPECT_EQ(to, from);
  library.function<void(double*, long)>("clear")(to.data(), 999);
  library.function<void(double*, long)>("move")(to.data(), 999);
  EXPECT_EQ(to[997], 0.0);
  EXPECT_EQ(to[998], 3.0);
}

TEST_P(CompileWith, ComplexArithmeticNeedsNoLibrary) {
  const std::string text = R"(
    void arithmetic(_Complex double *x, _Complex float *y) { x[0] = x[0] * x[1] / x[2]; y[0] = y[0] * y[1] / y[2]; }
  )";
  std::complex<double> x[] = {{1, 2}, {3, -4}, {0.5, 0.25}};
  std::complex<float> y[] = {{1, 2}, {3, -4}, {0.5f, 0.25f}};
  const std::complex<double> expected = x[0] * x[1] / x[2];
  compile(text, options).function<void(std::complex<double>*, std::complex<float>*)>("arithmetic")(x, y);
  EXPECT_NEAR(std::abs(x[0] - expected), 0.0, 1e-14);
  EXPECT_NEAR(std::abs(std::complex<double>(y[0]) - expected), 0.0, 1e-5);
}

TEST_P(CompileWith, ContractionCanBeTurnedOff) {
  const std::string text = "double multiply_add(double a, double b, double c) { return a * b + c; }";
  const double a = 1 + 0x1p-30, b = 1 - 0x1p-30;
  options.contract_floats = false;
  EXPECT_EQ(compile(text, options).function<double(double, double, double)>("multiply_add")(a, b, -1.0), 0.0);
}

TEST_P(CompileWith, NotANumberSurvivesOptimization) {
  const std::string text = "int is_nan(double x) { return x != x; } double zero(double x) { return x * 0.0; }";
  const Library library = compile(text, options);
  EXPECT_EQ(library.function<int(double)>("is_nan")(NAN), 1);
  EXPECT_TRUE(std::isnan(library.function<double(double)>("zero")(INFINITY)));
}

TEST_P(CompileWith, AVectorWidthCanBePreferred) {
  options.vector_width = 128;
  EXPECT_EQ(run_spmv(compile(spmv_text, options).function<Kernel>("kernel")), spmv_result);
}

TEST_P(CompileWith, RejectedTextIsAnInternalErrorWithTheDiagnostic) {
  const std::string error = internal_error_of("int f(void) { return undeclared_name; }", options);
  EXPECT_NE(error.find("internal error in jit"), std::string::npos) << error;
  EXPECT_NE(error.find("undeclared_name"), std::string::npos) << error;
  EXPECT_NE(error.find("kernel.c:1:22"), std::string::npos) << error;
}

TEST_P(CompileWith, AnUnknownFunctionIsAnInternalErrorThatNamesIt) {
  const std::string error = internal_error_of(
      "int filigree_no_such_function(int); int f(int x) { return filigree_no_such_function(x); }", options);
  EXPECT_NE(error.find("filigree_no_such_function"), std::string::npos) << error;
}

TEST_P(CompileWith, AMissingSymbolIsAnInternalErrorThatNamesIt) {
  const Library library = compile(spmv_text, options);
  try {
    library.symbol("kernel_two");
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("kernel_two"), std::string::npos);
  }
}

TEST_P(CompileWith, TheSameTextIsCompiledOnceInAProcess) {
  forget_compiled_kernels();
  CompileReport first, second, changed, again;
  const Library one = compile(spmv_text, options, &first), two = compile(spmv_text, options, &second);
  EXPECT_EQ(first.origin, Origin::Compiler);
  EXPECT_EQ(second.origin, Origin::MemoryCache);
  EXPECT_TRUE(one == two);
  EXPECT_EQ(first.key, second.key);
  compile(spmv_text + " ", options, &changed);
  EXPECT_EQ(changed.origin, Origin::Compiler);
  EXPECT_NE(changed.key, first.key);
  options.use_memory_cache = false;
  compile(spmv_text, options, &again);
  EXPECT_EQ(again.origin, Origin::Compiler);
}

TEST_P(CompileWith, EveryOptionIsPartOfTheKey) {
  std::vector<std::string> keys;
  for (int variation = 0; variation < 4; variation++) {
    CompileOptions varied = options;
    if (variation == 1) varied.optimization = 1;
    if (variation == 2) varied.contract_floats = false;
    if (variation == 3) varied.vector_width = 256;
    CompileReport report;
    compile("int f(void) { return 1; }", varied, &report);
    for (const std::string& key : keys) EXPECT_NE(key, report.key);
    keys.push_back(report.key);
  }
}

TEST_P(CompileWith, ALibraryOutlivesTheCache) {
  const Library library = compile("int seven(void) { return 7; }", options);
  forget_compiled_kernels();
  EXPECT_EQ(library.function<int()>("seven")(), 7);
}

TEST_P(CompileWith, ThreadsCompileAtOnce) {
  options.optimization = GetParam() == Target::Jit ? 3 : 0;
  const int per_thread = GetParam() == Target::Jit ? 12 : 3;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int thread = 0; thread < 4; thread++)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < per_thread; i++) {
        // Every other text is the same for all threads.
        const int value = i % 2 == 0 ? i : 100 * (thread + 1) + i;
        const std::string sum = "exp(x) + " + std::to_string(value);
        const Library library = compile("double exp(double); double f(double x) { return " + sum + "; }", options);
        if (library.function<double(double)>("f")(0) != 1.0 + value) wrong[thread]++;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_P(CompileWith, ManyLibrariesWithTheSameSymbolStayApart) {
  options.optimization = 0;
  std::vector<Library> libraries;
  const int count = GetParam() == Target::Jit ? 100 : 5;
  for (int i = 0; i < count; i++)
    libraries.push_back(compile("int f(void) { return " + std::to_string(i) + "; }", options));
  for (int i = 0; i < count; i++) EXPECT_EQ(libraries[i].function<int()>("f")(), i);
}

TEST(CompileJit, NeedsNoProgramHeaderOrWritableDirectory) {
  if (clang_version().empty()) GTEST_SKIP() << "built without clang";
  const ScopedVariable path("PATH", ""), cc("CC", "/nonexistent/cc"), temporary("TMPDIR", "/nonexistent"),
      cache("FILIGREE_CACHE", "/proc/nonexistent");
  CompileReport report;
  EXPECT_EQ(run_spmv(compile(spmv_text + "// no program", {}, &report).function<Kernel>("kernel")), spmv_result);
  EXPECT_EQ(report.origin, Origin::Compiler);
}

TEST(CompileJit, TextWithAnIncludeIsRejected) {
  if (clang_version().empty()) GTEST_SKIP() << "built without clang";
  EXPECT_NE(internal_error_of("#include <stdio.h>\n", {}).find("'stdio.h' file not found"), std::string::npos);
}

TEST(CompileJit, BuiltWithoutClangItSaysSo) {
  if (!clang_version().empty()) GTEST_SKIP() << "built with clang";
  try {
    compile("int f(void) { return 0; }");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(error.text().find("Filigree was built without clang's libraries"), std::string::npos);
    EXPECT_EQ(error.hints().size(), 1u);
  }
}

// A fresh process, as threadsafe death tests are: in this one the plug-in may be open already.
TEST(CompileJitDeathTest, AMissingPluginIsAUserErrorWithAHint) {
  if (clang_version().empty()) GTEST_SKIP() << "built without clang";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto compile_without_plugin = [] {
    const ScopedVariable plugin("FILIGREE_PLUGIN", "/nonexistent/plugin.so");
    CompileOptions options;
    options.use_disk_cache = false;
    try {
      compile("int f(void) { return 0; }", options);
    } catch (const UserError& error) {
      std::fputs(error.what(), stderr);
      std::exit(3);
    }
    std::exit(0);
  };
  EXPECT_EXIT(compile_without_plugin(), ::testing::ExitedWithCode(3),
              "Cannot open the plug-in that compiles kernels(.|\n)*/nonexistent/plugin.so: no such file(.|\n)*"
              "hint: set FILIGREE_PLUGIN to its path");
}

TEST(CompileJitDeathTest, AForeignLibraryIsNoPlugin) {
  if (clang_version().empty()) GTEST_SKIP() << "built without clang";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const SharedDirectory directory;
  const auto compile_with_foreign_library = [&] {
    CompileOptions options;
    options.target = Target::SystemCompiler;
    CompileReport report;
    const ScopedVariable cache("FILIGREE_CACHE", directory.path());
    compile("int f(void) { return 0; }", options, &report);
    const ScopedVariable plugin("FILIGREE_PLUGIN", directory.path() + "/" + report.key + ".so");
    try {
      compile("int f(void) { return 0; }");
    } catch (const UserError& error) {
      std::fputs(error.what(), stderr);
    }
    std::exit(3);
  };
  EXPECT_EXIT(compile_with_foreign_library(), ::testing::ExitedWithCode(3), "is no plug-in of Filigree");
}

TEST(CompileJitDeathTest, AFreshProcessLoadsFromDiskWithoutClang) {
  if (clang_version().empty()) GTEST_SKIP() << "built without clang";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const SharedDirectory directory;
  const auto compile_and_leave = [&](Origin expected) {
    const ScopedVariable cache("FILIGREE_CACHE", directory.path());
    CompileReport report;
    const Library library = compile(spmv_text, {}, &report);
    const bool right = run_spmv(library.function<Kernel>("kernel")) == spmv_result && report.origin == expected &&
                       clang_is_loaded() == (expected == Origin::Compiler);
    std::fprintf(stderr, "loaded in %.3f ms\n", report.total_ms);
    std::exit(right ? 0 : 1);
  };
  EXPECT_EXIT(compile_and_leave(Origin::Compiler), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compile_and_leave(Origin::DiskCache), ::testing::ExitedWithCode(0), "loaded in [0-9]\\.");
}

}  // namespace
}  // namespace filigree::jit
