#include "arguments.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "file_settings.h"
#include "io/files.h"
#include "notation/einsum.h"
#include "operand_order.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "version.h"

namespace filigree::tool {
namespace {

/// Lines for all help texts; docs/formats.md says more.
const std::string formats_help =
    R"(  any tensor     dense, sparse (csf), coo, coo_aos, dok, hash, bitmap; in blocks bcsr(4,2), csb(4,2), mode_generic(4,2)
  matrices       csr, csc, dcsr, dcsc, dia, ell; packed triangles lower, upper; one half of symmetric,
                 skew, hermitian, also as symmetric(dcsr)
  properties     csr(unordered), csr(decreasing), coo(nonunique), coo(unordered,nonunique)
  letters        one per level, as in TACO: d dense, s compressed, h hashed, b bitmap; ds, ds:1,0, sss:2,0,1
  maps           '(i,j) -> (i: dense, j: compressed)'; a level stores i, a part i/4 or i%4, a diagonal
                 j-i, or a count #i
)";

/// docs/files.md says more.
const std::string files_help =
    R"(  .mtx .ttx      Matrix Market, matrices and tensors       .tns   FROSTT, coordinates and a value per line
  .el .edges .txt .csv .tsv   edge lists: u v or u v w, from 0 on; each of these also with .gz
  .npy .npz      NumPy's arrays, SciPy's sparse matrices
)";

constexpr const char* help_hint = "filigree --help lists all options";

const std::string run_help =
    R"(Filigree compiles tensor algebra in index notation to one fused kernel, and runs it.

usage: filigree 'EXPR' [options]
       filigree einsum SUBSCRIPTS T... [options]                       the same, with subscripts such as ik,kj->ij
       filigree convert IN OUT [-f FORMAT] [--from FORMAT] [--force]   from one format and file to another
       filigree info FILE [-f FORMAT] [--force]                        what is in a file, and what it takes

EXPR is a statement such as 'y(i) = A(i,j) * x(j)'; variables on the right only are summed.  Below a function,
a power, a comparison or a denominator a sum is written out: 'n = sqrt(sum(i, r(i)^2))'.  Several statements,
separated by ';', run in order, each on what those before it left.
Without inputs the generated C is printed.  With inputs the kernel is run and the result printed, or
written where -o says; of several statements, the results that no later one reads.

tensors and index variables (T is the name of a tensor; options may be repeated)
  -f T:FORMAT    how T is stored; formats are listed below
  -t T:TYPE      element type: bool, int8 to int64, uint8 to uint64, float32, float64, complex64, complex128
  --fill T:inf   the value of what T does not store; 0 unless given
  -d i:100       extent of an index variable;  -d T:10,20 the dimensions of a tensor
  -i T:FILE      read T; a result that += or the like starts from, too; files are listed below
  -i T:-         read T from standard input, in the format its beginning shows; T:-.csv says which
  -i T:NUMBER    the value of a scalar; also true and false, of type bool unless -t says otherwise
  -i T:ones, T:zeros, T:random(DENSITY,SEED)   random values, 1 to 9 for integers; the same for a seed
  -o T:FILE      write T, which may also be read by other statements
  -o T:-         write T to standard output: a matrix as .mtx, others as .tns; T:-.csv says which
  --base 0       coordinates in text files count from 0;  --base T:0 those in T's file, read or written
  -s SCHEDULE    how to run, a list of commands: reorder, split, collapse, pos, coord, cut, precompute, reformat,
                 parallelize, vectorize, unroll, bound, protocol; without it one is made for the operands, which
                 -s serial turns off, and -s auto asks for

what to do
  --time N       run N times after one to warm up; prints the times on stderr
  --threads N    threads that read files and that kernels run on; all cores by default
  --target jit|cc|interpret    compile in this process (default), with the system's C compiler, or
                 run in the bounds-checking interpreter
  --deterministic  the same bits on any number of threads; schedules that cannot give that are refused
  --force        store tensors even if that takes memory out of all proportion to their entries
  --print STAGE  notation, concrete, schedule, assemble, lattice, ir, c or all; several with commas
  --emit FILE.c  write the C kernel to a file that compiles alone
  --main         with a main function, for --emit and --print c (which then prints the whole file)
  --explain      what was decided: formats, loops, temporaries
  --help, --version

files
)" + files_help + R"(
formats
)" + formats_help + R"(
Without -f, vectors and array files are dense, coordinate files compressed in every level, and results
dense where the expression reaches every coordinate.  Without -t the file decides, else float64.

exit codes: 0 success, 1 an error in the input, 2 wrong usage, 70 a bug in Filigree
)";

const std::string convert_help =
    R"(usage: filigree convert IN OUT [-f FORMAT] [--from FORMAT] [--force]

Reads a tensor from one file, converts it with the compiled copy A(..) = B(..), and writes it to another
file; the extensions say in which file format.  - is standard input or output.  Entries are sorted and
duplicates summed.  Everything that FORMAT stores is written: dense writes every component, dia every
component of its diagonals; other formats leave out the zeros of an array file.

  -f FORMAT      the format of A; without it, that of B
  --from FORMAT  the format of B; without it, dense for an array file, and compressed in every level for
                 a coordinate file
  --base 1       what coordinates in IN count from, 0 or 1;  --base 0,1 those in IN and in OUT
  --force        convert even if that takes memory out of all proportion to the entries
  --threads N    threads that read the file, all cores by default, and that convert it, one by default
  --target jit|cc|interpret    how the conversion is compiled

files
)" + files_help + R"(
formats
)" + formats_help;

const std::string info_help =
    R"(usage: filigree info FILE [-f FORMAT] [--force]

Prints dimensions, element type and entries, and what they take when they are stored: how many values,
how many of them are padding, and for each level its positions, how many of them each position above has
on average and at most, and the bytes of its arrays.

  -f FORMAT      as stored in this format; otherwise dense for an array file and compressed in
                 every level for a coordinate file
  --base 0       coordinates in the file count from 0
  --force        even if that takes memory out of all proportion to the entries
  --threads N    threads that read the file

formats
)" + formats_help;

/// What CLI11 and the user's spelling leave to do: "-f=A:ds" comes as "=A:ds".
std::string without_equals_sign(const std::string& text) { return text.starts_with('=') ? text.substr(1) : text; }

struct SettingSyntax {
  const char* option;
  const char* what;  // "TENSOR:FORMAT"
  const char* example;
};

Setting parse_setting(const SettingSyntax& syntax, const std::string& given) {
  std::string text = without_equals_sign(given);
  size_t colon = text.find(':');
  std::string name = trim(text.substr(0, colon));
  std::string value = colon == std::string::npos ? "" : trim(text.substr(colon + 1));
  if (!is_identifier(name) || value.empty()) {
    throw UsageError(fmt::format("{} needs {}, found '{}'", syntax.option, syntax.what, text), fmt::format("for example {}", syntax.example));
  }
  return {syntax.option, name, value};
}

const SettingSyntax formats_setting{"-f", "TENSOR:FORMAT", "-f A:csr"}, dimensions_setting{"-d", "VARIABLE:SIZE or TENSOR:SIZES", "-d i:100 or -d A:10,20"},
    inputs_setting{"-i", "TENSOR:FILE", "-i A:matrix.mtx or -i x:ones"};

Settings parse_settings(const SettingSyntax& syntax, const std::vector<std::string>& texts) {
  Settings settings;
  for (const std::string& text : texts) {
    Setting setting = parse_setting(syntax, text);
    if (const Setting* earlier = find(settings, setting.name)) {
      throw UsageError(fmt::format("{} is given twice for '{}': {} and {}", setting.option, setting.name, earlier->value, setting.value));
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

int parse_count(const char* option, const std::string& given, int least, int most) {
  long long count = 0;
  if (!parse_int64(trim(without_equals_sign(given)), count) || count < least || count > most) {
    throw UsageError(fmt::format("{} needs a number from {} to {}, found '{}'", option, least, most, given));
  }
  return static_cast<int>(count);
}

UsageError unknown_word(const char* option, const std::string& word, const std::vector<std::string>& words) {
  std::optional<std::string> guess = did_you_mean(word, words);
  return UsageError(fmt::format("{} does not know '{}'", option, word),
                    guess ? fmt::format("did you mean '{}'?", *guess) : "it takes " + join(words, ", "));
}

compiler::Target parse_target(const std::string& given) {
  std::string name = lower_case(trim(given));
  if (name == "jit") return compiler::Target::Jit;
  if (name == "cc") return compiler::Target::Cc;
  if (name == "interpret") return compiler::Target::Interpret;
  throw unknown_word("--target", given, {"jit", "cc", "interpret"});
}

std::vector<std::string> parse_stages(const std::vector<std::string>& given) {
  std::vector<std::string> words = printable_stages();
  words.push_back("all");
  std::vector<std::string> asked;
  for (const std::string& list : given) {
    for (const std::string& part : split(list, ',')) {
      std::string word = lower_case(trim(part));
      if (std::find(words.begin(), words.end(), word) == words.end()) throw unknown_word("--print", word, words);
      asked.push_back(word);
    }
  }
  auto is_asked = [&](const std::string& stage) { return std::find(asked.begin(), asked.end(), stage) != asked.end(); };
  std::vector<std::string> stages;
  for (const std::string& stage : printable_stages()) {
    if (is_asked(stage) || is_asked("all")) stages.push_back(stage);
  }
  return stages;
}

/// Options as texts, straight from CLI11.
struct Texts {
  std::vector<std::string> words;  // without a dash
  std::vector<std::string> formats, types, fills, dimensions, inputs, outputs, print;
  std::vector<std::string> schedules, time, threads, emit, target, from, bases;
  bool with_main = false, explain = false, deterministic = false, force = false, help = false, version = false;
};

void add_values(CLI::App& app, const char* name, std::vector<std::string>& values) {
  app.add_option(name, values)->allow_extra_args(false)->take_all();
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  std::string what = error.what();
  std::vector<std::string> extras = app.remaining();
  if (!extras.empty()) return fmt::format("Unexpected argument '{}'", extras[0]);
  bool lacks_value = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch);
  return lacks_value ? what.substr(0, what.find(':')) + " needs a value" : what;
}

std::string usage_hint(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& extra : app.remaining()) {
    if (!extra.starts_with("--")) continue;
    if (auto guess = did_you_mean(extra.substr(0, extra.find('=')), names)) return fmt::format("did you mean {}?", *guess);
  }
  return help_hint;
}

/// Single values that were given more than once are refused, not silently dropped.
std::optional<std::string> single(const char* option, const std::vector<std::string>& values) {
  if (values.size() > 1) throw UsageError(fmt::format("{} is given twice: {} and {}", option, values[0], values[1]));
  return values.empty() ? std::nullopt : std::optional(without_equals_sign(values[0]));
}

/// TACO's long options have one dash; the short options of that letter would swallow them.
std::string with_two_dashes(const std::string& word) {
  for (const char* name : {"-time", "-help", "-version", "-print", "-threads", "-target", "-force", "-from", "-base"}) {
    std::string start(name);
    if (word == start || word.starts_with(start + "=")) return "-" + word;
  }
  return word;
}

enum class Command { Run, Einsum, Convert, Info };

Texts parse_texts(std::vector<std::string> words, Command command) {
  Texts texts;
  CLI::App app;
  app.set_help_flag();
  app.allow_windows_style_options(false);
  app.add_option("words", texts.words);
  app.add_flag("-h,--help", texts.help);
  app.add_flag("--version", texts.version);
  add_values(app, "-f", texts.formats);
  add_values(app, "--threads", texts.threads);
  add_values(app, "--target", texts.target);
  add_values(app, "--base", texts.bases);
  app.add_flag("--force", texts.force);
  if (command == Command::Convert) add_values(app, "--from", texts.from);
  if (command == Command::Run || command == Command::Einsum) {
    add_values(app, "-t", texts.types);
    add_values(app, "--fill", texts.fills);
    add_values(app, "-d", texts.dimensions);
    add_values(app, "-i", texts.inputs);
    add_values(app, "-o", texts.outputs);
    add_values(app, "-s", texts.schedules);
    add_values(app, "--time", texts.time);
    add_values(app, "--print", texts.print);
    add_values(app, "--emit", texts.emit);
    app.add_flag("--main", texts.with_main);
    app.add_flag("--explain", texts.explain);
    app.add_flag("--deterministic", texts.deterministic);
  }
  // A standard stream with an extension is a file, though it begins like an option.
  const std::string mark(1, '\0');
  for (std::string& word : words) word = is_standard_stream(word) && word != "-" ? mark + word : with_two_dashes(word);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(app, error), usage_hint(app));
  }
  for (std::string& word : texts.words) word = word.starts_with(mark) ? word.substr(1) : word;
  return texts;
}

/// filigree einsum ik,kj->ij B C: the expression that the words mean.
std::string einsum_expression(const Texts& texts) {
  const std::vector<std::string>& words = texts.words;
  const char* usage = "filigree einsum 'ik,kj->ij' B C -i B:b.mtx -i C:c.mtx";
  if (words.empty()) throw UsageError("No subscripts are given", usage);
  std::vector<std::string> operands(words.begin() + 1, words.end());
  for (const std::string& name : operands) {
    if (!is_identifier(name)) throw UsageError(fmt::format("'{}' is not a name for an operand", name), usage);
  }
  std::vector<std::optional<int>> orders;
  bool has_dots = words[0].find('.') != std::string::npos;  // only then it matters how many dimensions operands have
  for (size_t n = 0; n < operands.size() && has_dots; n++) {
    orders.push_back(operand_order(operands[n], parse_settings(dimensions_setting, texts.dimensions), parse_settings(inputs_setting, texts.inputs), parse_settings(formats_setting, texts.formats)));
  }
  return notation::from_einsum(words[0], operands, "R", orders);
}

RunArguments run_arguments(const Texts& texts) {
  if (texts.words.empty()) {
    throw UsageError("No expression is given", "for example filigree 'y(i) = A(i,j) * x(j)' -f A:csr; " + std::string(help_hint));
  }
  if (texts.words.size() > 1) {
    throw UsageError(fmt::format("Unexpected argument '{}'", texts.words[1]), "put the expression in quotes, so that the shell leaves it whole");
  }
  RunArguments arguments;
  arguments.expression = texts.words[0];
  arguments.formats = parse_settings(formats_setting, texts.formats);
  arguments.types = parse_settings({"-t", "TENSOR:TYPE", "-t A:float32"}, texts.types);
  arguments.fills = parse_settings({"--fill", "TENSOR:VALUE", "--fill A:inf"}, texts.fills);
  arguments.dimensions = parse_settings(dimensions_setting, texts.dimensions);
  arguments.inputs = parse_settings(inputs_setting, texts.inputs);
  arguments.outputs = parse_settings({"-o", "TENSOR:FILE", "-o y:y.tns"}, texts.outputs);
  for (const Setting& setting : arguments.dimensions) parse_sizes(setting);
  std::vector<std::string> bases;
  for (const std::string& text : texts.bases) {
    if (text.find(':') != std::string::npos) bases.push_back(text);
    else if (arguments.base) throw UsageError(fmt::format("--base is given twice: {} and {}", *arguments.base, text));
    else arguments.base = parse_base(text);
  }
  arguments.bases = parse_settings({"--base", "0, 1 or TENSOR:0", "--base A:0"}, bases);
  for (const Setting& setting : arguments.bases) parse_base(setting.value);
  if (!texts.schedules.empty()) {
    std::vector<std::string> commands;
    for (const std::string& text : texts.schedules) commands.push_back(without_equals_sign(text));
    arguments.schedule = join(commands, ", ");
  }
  if (auto count = single("--time", texts.time)) arguments.time = parse_count("--time", *count, 1, 1000000);
  if (auto count = single("--threads", texts.threads)) arguments.threads = parse_count("--threads", *count, 1, 4096);
  if (auto target = single("--target", texts.target)) arguments.target = parse_target(*target);
  arguments.emit = single("--emit", texts.emit);
  arguments.print = parse_stages(texts.print);
  arguments.with_main = texts.with_main;
  arguments.explain = texts.explain;
  arguments.deterministic = texts.deterministic;
  arguments.force = texts.force;
  return arguments;
}

void require_files(const Texts& texts, size_t count, const char* usage) {
  if (texts.words.size() < count) throw UsageError("A file name is missing", usage);
  if (texts.words.size() > count) throw UsageError(fmt::format("Unexpected argument '{}'", texts.words[count]), usage);
}

ConvertArguments convert_arguments(const Texts& texts) {
  require_files(texts, 2, "filigree convert IN OUT [-f FORMAT]");
  ConvertArguments arguments{texts.words[0], texts.words[1], single("-f", texts.formats), single("--from", texts.from), texts.force};
  if (auto count = single("--threads", texts.threads)) arguments.threads = parse_count("--threads", *count, 1, 4096);
  if (auto target = single("--target", texts.target)) arguments.target = parse_target(*target);
  if (auto bases = single("--base", texts.bases)) {
    size_t comma = bases->find(',');
    if (comma != 0) arguments.base = parse_base(bases->substr(0, comma));
    if (comma != std::string::npos) arguments.out_base = parse_base(bases->substr(comma + 1));
  }
  return arguments;
}

InfoArguments info_arguments(const Texts& texts) {
  require_files(texts, 1, "filigree info FILE [-f FORMAT]");
  InfoArguments arguments{texts.words[0], single("-f", texts.formats), texts.force};
  if (auto count = single("--threads", texts.threads)) arguments.threads = parse_count("--threads", *count, 1, 4096);
  if (auto base = single("--base", texts.bases)) arguments.base = parse_base(*base);
  return arguments;
}

}  // namespace

const Setting* find(const Settings& settings, const std::string& name) {
  auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

const std::vector<std::string>& printable_stages() {
  static const std::vector<std::string> stages = {"notation", "concrete", "schedule", "assemble", "lattice", "ir", "c"};
  return stages;
}

std::vector<std::int64_t> parse_sizes(const Setting& setting) {
  std::vector<std::int64_t> sizes;
  for (const std::string& part : split(setting.value, ',')) {
    long long size = 0;
    bool overflow = false;
    if (!parse_int64(trim(part), size, &overflow) || size < 0) {
      throw UsageError(fmt::format("-d {}:{} {}", setting.name, setting.value,
                                   overflow ? "is more than the largest 64-bit integer" : "is not a size"),
                       "sizes are whole numbers from 0 on, as in -d i:100 or -d A:10,20");
    }
    sizes.push_back(size);
  }
  return sizes;
}

Arguments parse_arguments(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string first = words.empty() ? "" : words[0];
  Command command = first == "einsum" ? Command::Einsum : first == "convert" ? Command::Convert : first == "info" ? Command::Info : Command::Run;
  if (command != Command::Run) words.erase(words.begin());
  Texts texts = parse_texts(words, command);
  if (texts.help) return Message{command == Command::Convert ? convert_help : command == Command::Info ? info_help : run_help};
  if (texts.version) return Message{version_text()};
  if (command == Command::Convert) return convert_arguments(texts);
  if (command == Command::Info) return info_arguments(texts);
  if (command == Command::Einsum) texts.words = {einsum_expression(texts)};
  return run_arguments(texts);
}

}  // namespace filigree::tool
