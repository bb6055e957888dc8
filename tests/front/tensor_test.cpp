// Tensors that hold data: what is assigned, when it is computed, and what is told if it cannot be.
#include "front/tensor.h"

#include <algorithm>
#include <atomic>
#include <ranges>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "front/kernels.h"
#include "tests/front/message_of.h"

namespace filigree {
namespace {

using formats::compressed, formats::coo, formats::csc, formats::csr, formats::dense;

template <class T>
std::string text(const T& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

TEST(Tensor, IsAssignedAndRead) {
  Tensor<double> A({2, 2}, csr), B({2, 3}, csr), C({3, 2}, csc);
  IndexVar i, j, k;
  B.insert({0, 1}, 2);
  B.insert({1, 2}, 3);
  C.insert({1, 0}, 5);
  C.insert({2, 1}, 7);
  A(i, j) = B(i, k) * C(k, j);
  EXPECT_EQ(A.at(0, 0), 10);
  EXPECT_EQ(A(1, 1), 21);
  EXPECT_EQ(A({1, 0}), 0);
  EXPECT_EQ(A.stored(), 2);
}

TEST(Tensor, TakesDimensionsFromWhatIsAssigned) {
  Tensor<double> y(Format{dense});
  Tensor<double> B({{1, 2, 0}, {0, 0, 4}}, csr);
  IndexVar i, j;
  EXPECT_EQ(message_of([&] { y.at(0); }), "A tensor has no value and no dimensions yet");
  y(i) = B(i, j);
  EXPECT_EQ(y.dimensions(), std::vector<std::int64_t>{2});
  EXPECT_EQ(y(1), 4);
}

TEST(Tensor, AddsUpWhatIsInsertedAndReplacesWhatIsSet) {
  for (const ChosenFormat& format : {ChosenFormat(dense), ChosenFormat(csr), ChosenFormat(coo),
                                     ChosenFormat(formats::bcsr(2, 2)), ChosenFormat("hash")}) {
    Tensor<float> A({3, 4}, format);
    A.insert({0, 1}, 2);
    A.insert({0, 1}, 3);
    A.insert({2, 3}, 1);
    EXPECT_EQ(A.at(0, 1), 5);
    A.insert({0, 1}, 4);
    A.insert({1, 1}, 4);
    EXPECT_EQ(A.at(0, 1), 9);
    A.set({0, 1}, 1);
    A.set({0, 1}, 7);
    EXPECT_EQ(A.at(0, 1), 7);
    EXPECT_EQ(A.at(1, 1), 4);
    EXPECT_EQ(A.at(2, 3), 1);
    EXPECT_EQ(A.at(2, 2), 0);
  }
}

TEST(Tensor, AddsWhatIsInsertedToWhatIsStored) {
  for (const char* format : {"dense", "symmetric", "csr", "coo", "hash"}) {
    bool reads_between = false;
    do {
      Tensor<double> A({4, 4}, format, 2);
      A.insert({0, 0}, 1);
      if (reads_between) A.evaluate();
      A.insert({1, 1}, 1);
      if (reads_between) A.evaluate();
      A.insert({1, 1}, 5);
      A.set({3, 3}, 7);
      double start = A.format().stores_all() ? 2 : 0;
      EXPECT_EQ(A.at(0, 0), start + 1) << format << reads_between;
      EXPECT_EQ(A.at(1, 1), start + 6) << format << reads_between;
      EXPECT_EQ(A.at(3, 3), 7) << format;
      EXPECT_EQ(A.at(2, 2), 2) << format;
      reads_between = !reads_between;
    } while (reads_between);
  }
}

TEST(Tensor, IsARange) {
  using Iterator = Tensor<double>::Iterator;
  static_assert(std::input_iterator<Iterator> && std::ranges::input_range<const Tensor<double>>);
  Tensor<double> A({{1, 0}, {0, 2}}, csr), empty({3}, Format{compressed});
  double sum = 0;
  auto add = [&](const Component<double>& component) { sum += component.value; };
  Iterator end = A.end();  // before begin
  std::for_each(A.begin(), end, add);
  std::ranges::for_each(A, add);
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(std::distance(A.begin(), A.end()), 2);
  EXPECT_EQ(std::ranges::count_if(A, [](const Component<double>& component) { return component.coordinates[0] == 1; }),
            1);
  EXPECT_EQ(empty.begin(), empty.end());
  EXPECT_NE(A.begin(), A.end());
  Iterator at = A.begin();
  EXPECT_EQ((*at++).value, 1);
  EXPECT_EQ(at->value, 2);
}

TEST(Tensor, IsReadByThreadsOnceItIsEvaluated) {
  for (int round = 0; round < 20; round++) {
    Tensor<double> A({300, 3}, csr);
    for (int n = 0; n < 300; n++) A.insert({n, n % 3}, 1);
    Tensor<double> nothing({4}), copy = A;
    A.evaluate();
    nothing.evaluate();
    std::vector<std::jthread> threads;
    std::atomic<std::int64_t> stored = 0;
    for (int t = 0; t < 4; t++)
      threads.emplace_back(
          [&, t] { stored += (t % 2 ? A : copy).stored() + static_cast<std::int64_t>(nothing.at(1)); });
    threads.clear();
    EXPECT_EQ(stored, 1200);
  }
}

TEST(Tensor, IsReadFromAFileWithItsFill) {
  Tensor<double> A({3, 4}, csr, 5);
  A.insert({0, 1}, 2);
  A.insert({2, 3}, 4);
  for (const char* name : {"fill.npz", "fill.mtx"}) {
    std::string path = testing::TempDir() + name;
    write(path, A);
    for (const ChosenFormat& format : {ChosenFormat(csr), ChosenFormat(csc), ChosenFormat("dense")}) {
      Tensor<double> B = read<double>(path, format);
      EXPECT_EQ(B.fill(), 5) << name;
      EXPECT_EQ(B.at(0, 1), 2) << name;
      EXPECT_EQ(B.at(0, 0), 5) << name;
    }
    EXPECT_EQ(read<float>(path, csr).at(2, 3), 4);
  }
}

TEST(Tensor, HasEveryElementType) {
  auto check = []<class T>(std::type_identity<T>) {
    Tensor<T> x({3}, Format{compressed}), y({3});
    IndexVar i;
    x.insert({1}, T(1));
    y(i) = x(i) * x(i);
    EXPECT_EQ(y.at(1), T(1));
    EXPECT_EQ(y.at(0), T(0));
    int count = 0;
    for (const auto& [coordinates, value] : x) {
      EXPECT_EQ(coordinates, std::vector<std::int64_t>{1});
      EXPECT_EQ(value, T(1));
      count++;
    }
    EXPECT_EQ(count, 1);
  };
  check(std::type_identity<bool>{});
  check(std::type_identity<std::int8_t>{});
  check(std::type_identity<std::uint16_t>{});
  check(std::type_identity<int>{});
  check(std::type_identity<long long>{});
  check(std::type_identity<std::uint64_t>{});
  check(std::type_identity<float>{});
  check(std::type_identity<double>{});
  check(std::type_identity<std::complex<float>>{});
  check(std::type_identity<std::complex<double>>{});
}

TEST(Tensor, OfOrderZeroNeedsNoParentheses) {
  Tensor<double> s, x = Tensor<double>::vector({1, 2, 3}), y = Tensor<double>::vector({4, 5, 6});
  IndexVar i;
  s = sum(i, x(i) * y(i));
  EXPECT_EQ(s.item(), 32);
  EXPECT_EQ(static_cast<double>(s), 32);
  y(i) = s * x(i) + 2 * s;
  EXPECT_EQ(y.at(1), 128);
  s += 10;
  EXPECT_EQ(s.item(), 42);
  s = 1.5;
  EXPECT_EQ(s.item(), 1.5);
  EXPECT_EQ(text(s), "1.5");
}

TEST(Assignment, IsComputedWhenItIsReadAsIfItWereAtOnce) {
  Tensor<double> x({2}), y({2}), z({2});
  IndexVar i;
  x.insert({0}, 1);
  y(i) = x(i) + 1;
  z(i) = y(i) * 2;
  x.insert({0}, 100);  // y is from before
  EXPECT_EQ(z.at(0), 4);
  EXPECT_EQ(y.at(0), 2);
  EXPECT_EQ(x.at(0), 101);
  x(i) = y(i);
  y(i) = x(i) + z(i);  // x reads the old y, y the new x
  EXPECT_EQ(x.at(0), 2);
  EXPECT_EQ(y.at(0), 6);
  x(i) = x(i) + y(i);
  x(i) = x(i) + y(i);
  EXPECT_EQ(x.at(0), 14);
}

TEST(Assignment, KeepsWhatItReads) {
  Tensor<double> y({2});
  IndexVar i;
  {
    Tensor<double> x = Tensor<double>::vector({1, 2});
    y(i) = x(i);
  }
  EXPECT_EQ(y.at(1), 2);
}

TEST(Assignment, OfLongChainsDoesNotNestWithoutEnd) {
  std::vector<Tensor<double>> chain(3000, Tensor<double>({1}));
  IndexVar i;
  for (size_t n = 1; n < chain.size(); n++) chain[n](i) = chain[n - 1](i) + 1;
  EXPECT_EQ(chain.back().at(0), 2999);
}

TEST(Assignment, CopiesAreTensorsOfTheirOwn) {
  Tensor<double> x = Tensor<double>::vector({1, 2}), y = x;
  IndexVar i;
  y(i) += x(i);
  EXPECT_EQ(x.at(1), 2);
  EXPECT_EQ(y.at(1), 4);
  Tensor<double> z({2});
  z(i) = y(i);
  Tensor<double> w = z;
  z.values()[0] = 100;
  EXPECT_EQ(w.at(0), 2);
  Tensor<double> moved = std::move(w);
  EXPECT_EQ(moved.at(1), 4);
  EXPECT_EQ(message_of([&] { w.at(0); }), "This tensor was moved away");
}

TEST(Assignment, TakesNumbersAsIndices) {
  Tensor<double> A({{1, 2}, {3, 4}}), column({2});
  IndexVar i;
  column(i) = A(i, 1);
  EXPECT_EQ(column.at(0), 2);
  A(i, 0) += column(i);
  EXPECT_EQ(A.at(1, 0), 7);
  EXPECT_EQ(A.at(1, 1), 4);
}

TEST(Assignment, TakesIndicesFromTensorsAndAroundTheEnd) {
  auto x = Tensor<double>::vector({10, 20, 30, 40});
  auto p = Tensor<int>::vector({3, 1, 1});
  Tensor<double> y({3}), histogram({4}), z(Format{dense}), shifted({4});
  IndexVar i;
  y(i) = x(at(p(i)));
  EXPECT_EQ(y.at(0), 40);
  EXPECT_EQ(y.at(2), 20);
  z(i) = x(at(p(i)));
  EXPECT_EQ(z.dimensions(), std::vector<std::int64_t>{3});
  histogram(at(p(i))) += y(i);
  histogram(at(p(i))) += y(i);
  EXPECT_EQ(histogram.at(1), 80);
  shifted(i) = wrap(x(i + 1));
  EXPECT_EQ(shifted.at(3), 10);
  p.set({0}, 0);
  y(i) = x(at(p(i)));
  EXPECT_EQ(y.at(0), 10);
  Tensor<double> sparse({4}, Format{compressed});
  sparse(i) = prune(x(i) * (x(i) > 25));
  EXPECT_EQ(sparse.stored(), 2);
}

TEST(Kernels, AreCompiledOncePerStatement) {
  Tensor<double> x = Tensor<double>::vector({1, 2}), y({2});
  auto step = [&](double size) {
    IndexVar i;  // another one each time
    y(i) = y(i) + size * x(i);
    y.evaluate();
  };
  step(0.3);
  size_t before = front::kept_kernels();
  for (int n = 0; n < 50; n++) step(0.1 * n + 0.01);
  EXPECT_EQ(front::kept_kernels(), before);
  EXPECT_NEAR(y.at(1), 2 * (0.3 + 0.1 * 49 * 25 + 0.5), 1e-12);
}

TEST(Kernels, OfOtherOptionsAreOthers) {
  IndexVar i("i");
  TensorVar y("y", ElementType::Float64, Format::dense(1)), x("x", ElementType::Float64, Format::dense(1));
  size_t before = (front::kernel_for((y(i) = 3 * x(i)), {}), front::kept_kernels());
  KernelOptions failing;
  failing.fail_allocation_after = 0;
  front::kernel_for((y(i) = 3 * x(i)), failing);
  EXPECT_EQ(front::kept_kernels(), before + 1);
}

TEST(Kernels, KeepFillsWhereNumbersAreAdded) {
  Tensor<double> x({4}, Format{compressed}), y({4}, Format{compressed});
  x.insert({2}, 1);
  IndexVar i;
  y(i) = 0.25 * x(i) + 0.15;
  EXPECT_EQ(y.at(2), 0.4);
  EXPECT_EQ(y.at(0), 0.15);
  EXPECT_EQ(y.stored(), 1);
  EXPECT_EQ(y.fill(), 0.15);
  Tensor<double> z({4}, Format{compressed});
  z(i) = y(i) + x(i);  // its operand's fill is known before it is evaluated
  y(i) = x(i);
  EXPECT_EQ(z.at(2), 1.4);
  EXPECT_EQ(z.at(3), 0.15);
}

TEST(Borrowed, MemoryIsReadWrittenAndKeptAlive) {
  auto memory = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3});
  std::weak_ptr<std::vector<double>> watch = memory;
  double* data = memory->data();
  {
    Tensor<double> x = Tensor<double>::borrow(data, {3}, memory);
    memory.reset();
    EXPECT_FALSE(watch.expired());
    IndexVar i;
    x(i) = x(i) * 2;
    x.evaluate();
    EXPECT_EQ(data[2], 6);
    Tensor<double> y = Tensor<double>::vector({1, 1, 1});
    x(i) = y(i) + 0.5;
    x.evaluate();
    EXPECT_EQ(data[0], 1.5);
    x(i) += y(i);
    x.evaluate();
    EXPECT_EQ(data[0], 2.5);
    Tensor<double> copy = x;
    data[0] = 7;
    EXPECT_EQ(copy.at(0), 2.5);
    EXPECT_EQ(x.at(0), 7);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Borrowed, MemoryGetsEveryUpdate) {
  IndexVar i;
  std::vector<double> memory = {8, 6, 4};
  Tensor<double> y = Tensor<double>::borrow(memory.data(), {3}), x = Tensor<double>::vector({2, 3, 4}),
                 s({3}, Format{compressed});
  s.insert({1}, 5);
  y(i) /= x(i);
  y.evaluate();
  EXPECT_EQ(memory, (std::vector<double>{4, 2, 1}));
  y(i) *= s(i);
  y.evaluate();
  EXPECT_EQ(memory, (std::vector<double>{0, 10, 0}));
  max_assign(y(i), x(i));
  y.evaluate();
  EXPECT_EQ(memory, (std::vector<double>{2, 10, 4}));
}

TEST(Borrowed, MemoryGetsUpdatesOfOtherTypes) {
  IndexVar i;
  std::vector<float> memory = {1, 2};
  Tensor<float> y = Tensor<float>::borrow(memory.data(), {2});
  Tensor<double> x = Tensor<double>::vector({0.5, 0.25});
  y(i) += x(i);
  y.evaluate();
  EXPECT_EQ(memory, (std::vector<float>{1.5, 2.25}));
  EXPECT_EQ(y.at(1), 2.25F);
}

TEST(Borrowed, MemoryThatOperandsShareIsReadBeforeItIsWritten) {
  IndexVar i;
  std::vector<double> memory = {1, 2, 3, 4};
  Tensor<double> y = Tensor<double>::borrow(memory.data() + 1, {3}), x = Tensor<double>::borrow(memory.data(), {3});
  y(i) += x(i);
  y.evaluate();
  EXPECT_EQ(memory, (std::vector<double>{1, 3, 5, 7}));
  y(i) = 2 * x(i);
  y.evaluate();
  EXPECT_EQ(memory, (std::vector<double>{1, 2, 6, 10}));
}

TEST(Borrowed, SparseResultsMustHaveTheIndexThatIsThere) {
  std::vector<std::int32_t> positions = {0, 2}, coordinates = {0, 2};
  std::vector<double> values = {10, 20};
  auto array = [](std::vector<std::int32_t>& v) {
    return Array::borrow(ElementType::Int32, v.data(), static_cast<std::int64_t>(v.size()));
  };
  auto x = Tensor<double>::borrow({3}, Format{compressed}, {{array(positions), array(coordinates)}}, values);
  auto same = Tensor<double>::from_coordinates({3}, {{0, 2}}, {1, 2}, Format{compressed}),
       other = Tensor<double>::from_coordinates({3}, {{0, 1}}, {1, 2}, Format{compressed});
  IndexVar i;
  x(i) += same(i);
  x.evaluate();
  EXPECT_EQ(values, (std::vector<double>{11, 22}));
  x(i) = x(2 - i);
  EXPECT_EQ(message_of([&] { x.evaluate(); }), "no error");
  EXPECT_EQ(values, (std::vector<double>{22, 11}));
  x(i) = other(i);
  EXPECT_EQ(message_of([&] { x.evaluate(); }),
            "The memory that the tensor borrows is for other components than this result stores");
  EXPECT_EQ(values, (std::vector<double>{22, 11}));
}

TEST(Borrowed, SparseArraysTakeNoMoreThanTheirComponents) {
  std::vector<std::int32_t> positions = {0, 1}, coordinates = {1};
  std::vector<double> values = {10, -1};
  auto array = [](std::vector<std::int32_t>& v) {
    return Array::borrow(ElementType::Int32, v.data(), static_cast<std::int64_t>(v.size()));
  };
  auto x = Tensor<double>::borrow({3}, Format{compressed}, {{array(positions), array(coordinates)}},
                                  std::span(values).first(1));
  auto larger = Tensor<double>::from_coordinates({3}, {{1, 2}}, {1, 2}, Format{compressed});
  IndexVar i;
  x.insert({1}, 5);
  x.evaluate();
  EXPECT_EQ(values, (std::vector<double>{15, -1}));
  x(i) = larger(i);
  EXPECT_THROW(x.evaluate(), UserError);
  EXPECT_EQ(values, (std::vector<double>{15, -1}));
}

TEST(Borrowed, MemoryMustBeThere) {
  double one = 1;
  EXPECT_EQ(message_of([&] { Tensor<double>::borrow(nullptr, {3}); }), "The memory to borrow is a null pointer");
  EXPECT_EQ(message_of([&] { Tensor<double>::borrow(&one, {-3}); }), "'tensor' has a negative dimension: -3");
  std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(message_of([&] { Tensor<double>::borrow(&one, {large, large}); }),
            "No memory has as many components as a dense tensor of 1099511627776 x 1099511627776");
  EXPECT_THROW(Tensor<double>::borrow({large, large}, Format::dense(2), {{}, {}}, std::span<double>(&one, 1)),
               UserError);
  Tensor<double> empty = Tensor<double>::borrow(nullptr, {large, 0, large});
  EXPECT_TRUE(empty.begin() == empty.end());
}

TEST(Borrowed, IndexArraysMustBeThere) {
  std::vector<double> values = {1};
  std::vector<std::int32_t> positions = {0, 1};
  Array begins = Array::borrow(ElementType::Int32, positions.data(), 2);
  EXPECT_EQ(message_of([&] {
              Tensor<double>::borrow({3}, Format{compressed}, {{begins, Array::borrow(ElementType::Int32, nullptr, 1)}},
                                     values);
            }),
            "The memory to borrow is a null pointer");
  EXPECT_EQ(message_of([&] { Tensor<double>::borrow({3}, Format{compressed}, {{begins, Array()}}, values); }),
            "Array 'crd' of level 1 of 'tensor' holds float64, but must hold int32 or int64");
  EXPECT_EQ(
      message_of([&] {
        Tensor<double>::borrow({3}, Format{compressed}, {{Array(ElementType::Int32, 0), Array(ElementType::Int32, 0)}},
                               {});
      }),
      "The array 'pos' of level 1 of 'tensor' has 0 elements, but needs 2: one more than there are positions above");
  EXPECT_EQ(message_of([&] {
              Tensor<double>::borrow({1}, Format{dense}, {{}}, std::span<double>(static_cast<double*>(nullptr), 1));
            }),
            "The memory to borrow is a null pointer");
  char bytes[24] = {};
  double* odd = reinterpret_cast<double*>(bytes + (reinterpret_cast<std::uintptr_t>(bytes) % 8 == 1 ? 2 : 1));
  EXPECT_EQ(message_of([&] { Tensor<double>::borrow(odd, {2}); }),
            "The memory to borrow is not aligned: elements of float64 start at multiples of 8 bytes");
}

TEST(Borrowed, SparseArraysAreCheckedAndUsed) {
  std::vector<std::int32_t> positions = {0, 2, 2, 4}, columns = {0, 2, 1, 3};
  std::vector<double> values = {10, 20, 30, 40};
  auto array = [](std::vector<std::int32_t>& v) {
    return Array::borrow(ElementType::Int32, v.data(), static_cast<std::int64_t>(v.size()));
  };
  auto A = Tensor<double>::borrow({3, 4}, csr, {{}, {array(positions), array(columns)}}, values);
  EXPECT_EQ(A.at(2, 1), 30);
  Tensor<double> y({3});
  IndexVar i, j;
  y(i) = A(i, j);
  EXPECT_EQ(y.at(2), 70);
  A(i, j) = A(i, j) * 2;
  A.evaluate();
  EXPECT_EQ(values[3], 80);
}

TEST(Results, GoIntoTheCallersMemory) {
  Tensor<double> A({{1, 2}, {3, 4}}, csc), B({2, 2}, csc);
  IndexVar i, j;
  B(i, j) = 2 * A(i, j);
  std::vector<double> memory(4);
  B.evaluate_into(memory);
  EXPECT_EQ(memory, (std::vector<double>{2, 4, 6, 8}));
  std::vector<double> small(3);
  EXPECT_EQ(message_of([&] { B.evaluate_into(small); }),
            "There is memory for 3 components, but the tensor has 4 (2 x 2)");
  Tensor<double> s;
  s = A(i, j);
  std::vector<double> one(1);
  s.evaluate_into(one);
  EXPECT_EQ(one[0], 10);
}

TEST(Errors, SayWhatIsWrong) {
  Tensor<double> A("A", {2, 3}, csr), x("x", {2}), y("y", {2});
  Tensor<float> f({2});
  IndexVar i, j;
  EXPECT_EQ(message_of([&] { y(i) = A(i, j) * x(j); }),
            "Index variable 'j' has two extents: dimension 2 of 'A' has 3 but dimension 1 of 'x' has 2");
  EXPECT_EQ(message_of([&] { y(i) = A(i); }), "'A' has 2 dimensions but is used with 1 index");
  EXPECT_EQ(message_of([&] { A.at(0); }), "'A' has 2 dimensions, but 1 coordinate is given");
  EXPECT_EQ(message_of([&] { A.at(0, 3); }), "The coordinates (0,3) are outside of 'A': dimension 2 has 3 coordinates");
  EXPECT_EQ(message_of([&] { A.insert({2, 0}, 1); }),
            "The coordinates (2,0) are outside of 'A': dimension 1 has 2 coordinates");
  EXPECT_EQ(message_of([&] { Tensor<double>({2, 3}, Format{dense}); }),
            "The format dense is for tensors of order 1, not 2");
  EXPECT_EQ(message_of([&] { Tensor<float>(AnyTensor(ElementType::Float64, {2}, Format::dense(1))); }),
            "The elements of the tensor are float64, not float32");
  EXPECT_EQ(message_of([&] { y = x(i); }), "'y' has 1 dimension but is used with 0 indices");
  TensorVar v("v", ElementType::Float64, Format::dense(1));
  EXPECT_EQ(message_of([&] { y(i) = v(i); }), "'v' is a tensor variable: it holds no data");
  Tensor<double> z(Format{dense, dense});
  EXPECT_EQ(message_of([&] { z(i, j) = x(i); }),
            "The size of dimension 2 of the tensor does not follow from the right side");
  EXPECT_EQ(y.at(1), 0);
}

TEST(Errors, OfAnEvaluationAreToldWheneverTheValueIsNeeded) {
  Tensor<double> B({2, 2}), D({2, 2}, formats::lower);
  IndexVar i, j;
  B.insert({0, 1}, 1);
  D(i, j) = B(i, j);  // nothing above the diagonal can be stored
  std::string first = message_of([&] { D.evaluate(); });
  EXPECT_NE(first, "no error");
  EXPECT_EQ(message_of([&] { D.at(0, 0); }), first);
  B.insert({0, 1}, -1);
  D(i, j) = B(j, i);
  EXPECT_EQ(message_of([&] { D.evaluate(); }), "no error");
}

TEST(Printing, WritesSmallOnesOutAndShortensOthers) {
  Tensor<double> A({3, 4}, csr), x({30}, Format{compressed});
  A.insert({0, 0}, 1);
  A.insert({0, 2}, 2.5);
  A.insert({2, 1}, -3);
  EXPECT_EQ(text(A), "3 x 4, float64, csr, 3 stored\n1   .  2.5  .\n.   .    .  .\n.  -3    .  .\n");
  for (int n = 0; n < 12; n++) x.insert({2 * n}, n);
  EXPECT_EQ(text(x).substr(0, 51), "30, float64, sparse, 12 stored\n(0)  0\n(2)  1\n(4)  2");
  EXPECT_NE(text(x).find("... and 2 more\n"), std::string::npos);
}

TEST(Components, AreFoundInEveryFormat) {
  Tensor<double> A({5, 5});
  for (int n = 0; n < 5; n++) {
    A.insert({n, n}, n + 1);
    if (n > 0) A.insert({n, n - 1}, 10 * n), A.insert({n - 1, n}, 10 * n);
  }
  for (const char* format : {"csr", "csc", "dcsr", "coo", "coo(unordered)", "coo_aos", "bcsr(2,2)", "csb(2,3)", "dia",
                             "ell", "hash", "dok", "bitmap", "symmetric", "(i,j) -> (j: dense, i: dense)"}) {
    Tensor<double> B = A.converted(format);
    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < 5; j++) EXPECT_EQ(B.at(i, j), A.at(i, j)) << format << " " << i << "," << j;
    }
  }
}

}  // namespace
}  // namespace filigree
