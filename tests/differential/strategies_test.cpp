// Every strategy gives the oracle's result: all mixes of protocols that are valid, on inputs that reach the corners.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "notation/parse.h"
#include "tests/differential/expected.h"

namespace filigree::differential {
namespace {

struct Example {
  std::string text;
  std::map<std::string, std::string> formats;  // dense if not given
};

const std::vector<Example> examples = {
    {"s = a(i)*b(i)", {{"a", "s"}, {"b", "s"}}},
    {"r(i) = a(i)*b(i)", {{"r", "s"}, {"a", "s"}, {"b", "s"}}},
    {"r(i) = a(i)*b(i)*c(i)", {{"r", "s"}, {"a", "s"}, {"b", "s"}, {"c", "s"}}},
    {"s = a(i)*b(i)*c(i)", {{"a", "s"}, {"b", "s"}, {"c", "s"}}},
    {"r(i) = a(i)*b(i) + c(i)", {{"r", "s"}, {"a", "s"}, {"b", "s"}, {"c", "s"}}},
    {"r(i) = a(i)*b(i) + c(i)*d(i)", {{"r", "s"}, {"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}}},
    {"r(i) = (a(i) + b(i))*c(i)", {{"r", "s"}, {"a", "s"}, {"b", "s"}, {"c", "s"}}},
    {"r(i) = a(i)*b(i) + a(i)", {{"r", "s"}, {"a", "s"}, {"b", "s"}}},
    {"r(i) = a(i)*b(i) + c(i)", {{"a", "s"}, {"b", "s"}}},
    {"r(i) = a(i) + b(i)", {{"a", "s"}, {"b", "s"}}},
    {"y(i) = A(i,j)*x(j)", {{"A", "csr"}, {"x", "s"}}},
    {"y(i) = A(i,j)*x(j)", {{"y", "s"}, {"A", "dcsr"}, {"x", "s"}}},
    {"R(i,j) = A(i,j)*B(i,j)", {{"R", "csr"}, {"A", "csr"}, {"B", "csr"}}},
    {"R(i,j) = A(i,j)*B(i,j)", {{"R", "dcsr"}, {"A", "dcsr"}, {"B", "dcsr"}}},
    {"R(i,j) = A(i,j)*B(i,j) + C(i,j)", {{"R", "dcsr"}, {"A", "dcsr"}, {"B", "dcsr"}, {"C", "dcsr"}}},
    {"R(i,j) = A(i,j)*B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "dcsr"}, {"C", "csr"}}},
    {"s = A(i,j)*B(i,j)*C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "dcsr"}}},
    {"R(i,j) = A(i,k)*B(k,j)", {{"R", "csr"}, {"A", "csr"}, {"B", "csc"}}},
    {"R(i,j) = A(i,k)*B(k,j)", {{"R", "dcsr"}, {"A", "dcsr"}, {"B", "dcsr"}}},
    {"R(i,j) = A(i,j)*B(i,j)", {{"R", "csr"}, {"A", "bcsr(2,3)"}, {"B", "csr"}}},
    {"R(i,j) = A(i,j)*B(i,j)", {{"R", "dcsr"}, {"A", "bcsr(2,3)"}, {"B", "bcsr(4,2)"}}},
    {"R(i,j) = A(i,j)*B(i,j)",
     {{"R", "csr"}, {"A", "(i,j) -> (i/2: compressed, j/3: compressed, i%2: dense, j%3: dense)"}, {"B", "dcsr"}}},
    {"R(i,j) = A(i,j)*B(i,j)", {{"R", "csr"}, {"A", "ell"}, {"B", "dia"}}},
    {"R(i,j) = A(i,j)*B(j,i)", {{"R", "csr"}, {"A", "csr"}, {"B", "dia"}}},
    {"R(i,j) = A(i,j)*B(i,j)", {{"R", "csr"}, {"A", "bcsr(3,1)"}, {"B", "dcsr"}}},
    {"R(i,j) = A(i,j)*B(i,j) + C(i,j)", {{"R", "csr"}, {"A", "bcsr(2,3)"}, {"B", "ell"}, {"C", "dia"}}},
    {"R(i,j) = A(i,j)*B(i,j) + C(i,j)", {{"A", "bcsr(2,3)"}, {"B", "ell"}, {"C", "dense"}}},
    {"R(i,j) = A(i,k)*B(k,j)", {{"R", "csr"}, {"A", "ell"}, {"B", "bcsr(2,2)"}}},
    {"T(i,j,k) = A(i,j,k)*B(i,j,k)", {{"T", "sss"}, {"A", "sss"}, {"B", "sss"}}},
};

class Runner {
 public:
  explicit Runner(const Example& example) : Runner(example, data_sets(notation::parse(example.text), 7)) {}

  Runner(const Example& example, std::vector<DataSet> data)
      : parsed_(notation::parse(example.text)), data_(std::move(data)) {
    std::map<std::string, TensorVar> vars;
    for (const notation::TensorUse& use : parsed_.tensors) {
      auto given = example.formats.find(use.name);
      Format format = given == example.formats.end() ? Format::dense(use.order)
                                                     : parse_format(given->second, use.order);
      vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, format));
    }
    statement_ = notation::resolve(parsed_, vars);
    expected_ = Expected(*statement_, vars, data_);
    for (const notation::Access& access : notation::accesses(statement_->rhs)) {
      for (const IndexVar& var : access.indices) {
        std::pair<std::string, std::string> place(access.tensor.name(), var.name());
        if (std::find(places_.begin(), places_.end(), place) == places_.end()) places_.push_back(place);
      }
    }
  }

  /// All mixes of protocols if they are few, else some.
  std::vector<schedule::Schedule> schedules() const {
    std::vector<concrete::Protocol> protocols;
    for (const std::string& name : concrete::protocol_names()) protocols.push_back(*concrete::parse_protocol(name));
    size_t count = 1;
    for (size_t n = 0; n < places_.size(); n++) count *= protocols.size() + 1;
    std::mt19937 random(11);
    std::vector<schedule::Schedule> out;
    bool all = count <= 600;
    for (size_t number = 0; number < (all ? count : 600); number++) {
      schedule::Schedule schedule;
      size_t rest = number;
      for (const auto& [tensor, variable] : places_) {
        // Drawn at random, most places are left alone: few mixes of many requests are valid.
        size_t choice = all ? rest % (protocols.size() + 1) : random() % 5 < 3 ? 0 : 1 + random() % protocols.size();
        rest /= protocols.size() + 1;
        if (choice > 0) schedule.push_back(schedule::Protocol{tensor, variable, protocols[choice - 1]});
      }
      out.push_back(schedule);
    }
    return out;
  }

  /// Compiles and runs on all data; false if the schedule is refused.
  bool check(const schedule::Schedule& schedule, compiler::Target target) {
    KernelOptions options;
    options.target = target;
    options.schedule = schedule;
    std::optional<Kernel> kernel;
    try {
      kernel.emplace(Kernel::compile(*statement_, options));
    } catch (const UserError&) {
      return false;
    }
    for (size_t n = 0; n < data_.size(); n++) {
      Arguments arguments;
      for (const auto& [name, tensor] : expected_.packed[n]) arguments.emplace_back(name, tensor);
      auto wrong = check_kernel(*kernel, arguments, {}, expected_.results[n]);
      EXPECT_FALSE(wrong) << notation::to_string(*statement_) << " with " << schedule::to_string(schedule) << " on "
                          << data_[n].name << ": " << *wrong;
    }
    return true;
  }

 private:
  notation::Parsed parsed_;
  std::vector<DataSet> data_;
  std::optional<notation::Statement> statement_;
  Expected expected_;
  std::vector<std::pair<std::string, std::string>> places_;
};

TEST(Strategies, AllGiveTheOraclesResult) {
  int valid = 0, tried = 0;
  for (const Example& example : examples) {
    Runner runner(example);
    int before = valid;
    for (const schedule::Schedule& schedule : runner.schedules()) {
      tried++;
      valid += runner.check(schedule, compiler::Target::Interpret);
      if (HasFailure()) return;
    }
    EXPECT_GT(valid - before, 1) << example.text;
  }
  fmt::print("{} of {} schedules are valid\n", valid, tried);
}

/// Entries of a cube, each with a chance of one in `one_in`.
Coordinates random_entries(int order, std::int64_t extent, unsigned one_in, std::mt19937& random) {
  Coordinates entries;
  entries.dimensions.assign(static_cast<size_t>(order), extent);
  entries.coordinate.resize(static_cast<size_t>(order));
  std::vector<double> values;
  reference::for_each_coordinate(entries.dimensions, [&](const std::vector<std::int64_t>& at) {
    if (random() % one_in != 0) return;
    for (size_t d = 0; d < at.size(); d++) entries.coordinate[d].push_back(at[d]);
    values.push_back(static_cast<double>(1 + random() % 9));
  });
  entries.values = Array::borrow(ElementType::Float64, values.data(), static_cast<std::int64_t>(values.size())).copy();
  return entries;
}

/// Lengths so unequal that the kernel gallops, in some fibres or in all.
TEST(Strategies, TheDefaultIsRightWhateverTheLengths) {
  std::mt19937 random(5);
  for (const Example& example : examples) {
    notation::Parsed parsed = notation::parse(example.text);
    bool cubes = std::any_of(parsed.tensors.begin(), parsed.tensors.end(),
                             [](const notation::TensorUse& use) { return use.order > 2; });
    if (cubes) continue;
    std::vector<DataSet> data;
    for (size_t number = 0; number < 9; number++) {
      const unsigned one_in[] = {1, 8, 30};
      DataSet set{"lengths " + std::to_string(number), {}};
      size_t choice = number;
      for (const notation::TensorUse& use : parsed.tensors) {
        if (!use.is_operand) continue;
        set.operands.emplace(use.name, random_entries(use.order, 24, one_in[choice % 3], random));
        choice = choice / 3 + number;
      }
      data.push_back(std::move(set));
    }
    EXPECT_TRUE(Runner(example, std::move(data)).check({}, compiler::Target::Interpret)) << example.text;
  }
}

/// Long enough for every branch of the searches; compiled, for the interpreter has searches of its own.
TEST(Strategies, AgreeOnLongVectors) {
  std::mt19937 random(3);
  auto vector_where = [&](std::int64_t extent, const std::function<bool(std::int64_t)>& is_stored) {
    Coordinates entries;
    entries.dimensions = {extent};
    entries.coordinate.resize(1);
    for (std::int64_t i = 0; i < extent; i++) {
      if (is_stored(i)) entries.coordinate[0].push_back(i);
    }
    entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(entries.coordinate[0].size()));
    for (std::int64_t n = 0; n < entries.values.count(); n++)
      entries.values.set(n, Scalar::of(ElementType::Float64, double(n % 7 + 1)));
    return AnyTensor::pack(entries, parse_format("s", 1));
  };
  auto vector = [&](std::int64_t extent, unsigned one_in) {
    return vector_where(extent, [&](std::int64_t) { return random() % one_in == 0; });
  };
  auto every = [&](std::int64_t stride, std::int64_t begin, std::int64_t end) {
    return vector_where(5000, [&](std::int64_t i) { return i >= begin && i < end && (i - begin) % stride == 0; });
  };
  notation::Parsed parsed = notation::parse("r(i) = a(i)*b(i)");
  std::map<std::string, TensorVar> vars;
  for (const char* name : {"r", "a", "b"})
    vars.emplace(name, TensorVar(name, ElementType::Float64, parse_format("s", 1)));
  notation::Statement statement = notation::resolve(parsed, vars);
  std::vector<Kernel> kernels;
  for (const char* text :
       {"protocol(a, i, step)", "protocol(b, i, gallop)", "protocol(a, i, gallop), protocol(b, i, gallop)",
        "protocol(b, i, binary)", "protocol(b, i, seqiter)", "protocol(b, i, hash)", "protocol(b, i, scan)", ""}) {
    KernelOptions options;
    if (*text) options.schedule = schedule::parse(text);
    kernels.push_back(Kernel::compile(statement, options));
  }
  auto compare = [&](const AnyTensor& a, const AnyTensor& b, const std::string& what) {
    Arguments arguments = {{"a", a}, {"b", b}};
    AnyTensor expected = kernels[0].run(arguments);
    for (size_t n = 1; n < kernels.size(); n++) {
      AnyTensor result = kernels[n].run(arguments);
      EXPECT_EQ(result.coordinates().coordinate, expected.coordinates().coordinate) << n << ", " << what;
      EXPECT_EQ(reference::compare(reference::box_of(expected), result, 0), std::nullopt) << n << ", " << what;
    }
  };
  AnyTensor many = vector(5000, 2), even = every(2, 0, 5000), odd = every(2, 1, 5000), low = every(1, 0, 2500),
            high = every(1, 2500, 5000);
  for (int one_in : {1, 2, 5, 30, 200, 3000}) {
    AnyTensor few = vector(5000, one_in);
    compare(few, many, fmt::format("1 in {}", one_in));
    compare(many, few, fmt::format("1 in {}, swapped", one_in));
    compare(few, few, "equal");
  }
  compare(even, odd, "interleaved");
  compare(low, high, "one after the other");
  compare(high, low, "one before the other");
}

}  // namespace
}  // namespace filigree::differential
