// Copies between formats, packing, and files.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

#include "libraries.h"
#include "textbook.h"

namespace suite {

namespace {

/// The same entries in another order.
Entries shuffled(const Entries& entries) {
  std::vector<std::size_t> order(entries.value.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(3));
  Entries made = entries;
  for (std::size_t n = 0; n < order.size(); n++) {
    made.value[n] = entries.value[order[n]];
    for (std::size_t d = 0; d < made.coordinate.size(); d++) made.coordinate[d][n] = entries.coordinate[d][order[n]];
  }
  return made;
}

void from_entries(Race& race, bool is_shuffled) {
  auto entries =
      std::make_shared<const Entries>(is_shuffled ? shuffled(entries_of(race.matrix())) : entries_of(race.matrix()));
  const char* format = is_shuffled ? "coo(unordered)" : "coo";
  race.filigree({.text = "A(i,j) = B(i,j)",
                 .declared = {{"A", "csr"}, {"B", format}},
                 .operands = {{"B", is_shuffled ? as_listed(*entries) : stored(*entries, "coo")}}});
  by_hand(race, [entries, t = race.threads] { return textbook::by_rows(*entries, t); });
  enter_libraries(race,
                  {.operation = is_shuffled ? Operation::FromEntries : Operation::FromSorted, .entries = entries});
}

void transpose(Race& race) {
  auto a = std::make_shared<const Matrix>(race.matrix());
  race.filigree(
      {.text = "A(i,j) = B(i,j)", .declared = {{"A", "csc"}, {"B", "csr"}}, .operands = {{"B", stored(*a, "csr")}}});
  if (race.alone) return;
  auto result = std::make_shared<std::optional<Matrix>>();
  race.peer({.name = "by hand",
             .run = [a, result, t = race.threads] { result->emplace(textbook::transpose(*a, t)); },
             .answer = [result] { return answer_of(transposed(**result)); },
             .before = [result] { result->reset(); }});
  enter_libraries(race, {.operation = Operation::Transpose, .matrices = {a}});
}

/// To a format that peers do not have, or not in this process: by hand only.
void to_format(Race& race, const char* format) {
  auto a = std::make_shared<const Matrix>(race.matrix());
  race.filigree(
      {.text = "A(i,j) = B(i,j)", .declared = {{"A", format}, {"B", "csr"}}, .operands = {{"B", stored(*a, "csr")}}});
  std::string name(format);
  if (name == "dia") {
    enter_libraries(race, {.operation = Operation::ToDiagonals, .matrices = {a}});
  } else {
    enter_libraries(race, {.operation = Operation::ToBlocks, .matrices = {a}});
  }
}

/// A file for the time of this process.
class File {
 public:
  explicit File(const Matrix& a) {
    char folder[] = "/tmp/filigree-suite-XXXXXX";
    folder_ = mkdtemp(folder);
    filigree::write_file(path(), *stored(a, "csr"));
  }
  ~File() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return folder_ + "/matrix.mtx"; }

 private:
  std::string folder_;
};

void read(Race& race) {
  auto file = std::make_shared<File>(race.matrix());
  auto result = std::make_shared<std::optional<filigree::AnyTensor>>();
  race.bytes = static_cast<double>(std::filesystem::file_size(file->path()));
  race.contenders.push_back(
      {.name = "filigree",
       .run =
           [file, result, t = race.threads] {
             filigree::ReadOptions options;
             options.progress = false;
             options.threads = t;
             *result = filigree::read_contents(file->path(), options).pack(filigree::parse_format("csr", 2), "A");
           },
       .answer = [result] { return answer_of(**result); },
       .before = [result] { result->reset(); },
       .is_peer = false});
  enter_libraries(race, {.operation = Operation::ReadFile, .file = file->path()});
}

}  // namespace

void add_copy_kernels(Kernels& list) {
  list.push_back(
      {"coo to csr, shuffled", {"uniform", "banded", "power"}, [](Race& race) { from_entries(race, true); }});
  list.push_back({"coo to csr, sorted", {"uniform", "banded", "power"}, [](Race& race) { from_entries(race, false); }});
  list.push_back({"csr to csc", {"uniform", "banded", "power", "files"}, transpose});
  list.push_back({"csr to bcsr", {"blocks"}, [](Race& race) { to_format(race, "bcsr(4,4)"); }});
  list.push_back({"csr to dia", {"banded"}, [](Race& race) { to_format(race, "dia"); }});
  list.push_back({"reading .mtx into csr", {"uniform", "banded"}, read});
}

}  // namespace suite
