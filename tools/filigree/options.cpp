#include "options.h"

#include <algorithm>

#include "algebra/element_type.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::tool {
namespace {

const std::vector<Command> statements = {Command::Run, Command::Einsum};  // one statement, or what subscripts mean
const std::vector<Command> kernels = {Command::Run, Command::Einsum, Command::Compare, Command::Tune};
const std::vector<Command> files = {Command::Convert, Command::Info};
const std::vector<Command> all = {Command::Run,     Command::Einsum, Command::Compare, Command::Tune,
                                  Command::Convert, Command::Info,   Command::Help};
const std::vector<Command> working = {Command::Run,  Command::Einsum,  Command::Compare,
                                      Command::Tune, Command::Convert, Command::Info};

const std::vector<std::string> format_words = {"dense",
                                               "sparse",
                                               "csr",
                                               "csc",
                                               "dcsr",
                                               "dcsc",
                                               "csf",
                                               "coo",
                                               "coo_aos",
                                               "dia",
                                               "ell",
                                               "dok",
                                               "hash",
                                               "bitmap",
                                               "bcsr(4,4)",
                                               "csb(4,4)",
                                               "mode_generic(4,4)",
                                               "lower",
                                               "upper",
                                               "symmetric",
                                               "skew",
                                               "hermitian"};

std::vector<std::string> type_words() {
  std::vector<std::string> words;
  for (ElementType type : all_element_types()) words.push_back(to_string(type));
  return words;
}

std::vector<std::string> stage_words() {
  std::vector<std::string> words = printable_stages();
  words.push_back("all");
  return words;
}

std::vector<Option> tensor_options() {
  return {
      {"input",
       'i',
       "T:FILE",
       Group::Tensors,
       kernels,
       "read T; also T:NUMBER, T:ones, T:zeros, T:random(DENSITY,SEED)",
       "The name tells the file format: see the topic 'files'.  T:- is standard input, and T:-.csv says in which "
       "format it is.  A scalar takes a number, true or false.  Random values lie between 0 and 1, and are 1 to 9 for "
       "integers; "
       "one seed gives the same values everywhere.  The arrays of a layout are read from T:NAME=FILE,NAME=FILE,..., or "
       "from "
       "a .npz file that has them.  A result may have an input, too: += and the like start from it.",
       "TENSOR:FILE",
       {"A:matrix.mtx", "x:ones"},
       {"ones", "zeros", "random"},
       true},
      {"output",
       'o',
       "T:FILE",
       Group::Tensors,
       statements,
       "write T to a file instead of showing it",
       "T:- is standard output, and T:-.csv says in which format.  T may be a temporary that other statements read.",
       "TENSOR:FILE",
       {"y:y.tns"},
       {},
       true},
      {"format",
       'f',
       "T:FORMAT",
       Group::Tensors,
       {Command::Run, Command::Einsum, Command::Tune},
       "how T is stored, such as csr; see the topic 'formats'",
       "Without it, vectors and array files are dense, and coordinate files are compressed in every level.  Results "
       "are dense where the expression reaches every coordinate.",
       "TENSOR:FORMAT",
       {"A:csr"},
       format_words},
      {"format",
       'f',
       "T:FORMAT",
       Group::Tensors,
       {Command::Compare},
       "how T is stored; each further one for T is an alternative",
       "Every combination of the alternatives is timed.",
       "TENSOR:FORMAT",
       {"A:csr"},
       format_words},
      {"format",
       'f',
       "FORMAT",
       Group::Tensors,
       {Command::Convert},
       "the format to convert to",
       "Without it, the format that the conversion starts from.",
       "FORMAT",
       {"csr"},
       format_words},
      {"format",
       'f',
       "FORMAT",
       Group::Tensors,
       {Command::Info},
       "what the file takes in this format",
       "Without it, dense for an array file, and compressed in every level for a coordinate file.",
       "FORMAT",
       {"csr"},
       format_words},
      {"from",
       0,
       "FORMAT",
       Group::Tensors,
       {Command::Convert},
       "the format to convert from",
       "Without it, dense for an array file, and compressed in every level for a coordinate file.",
       "FORMAT",
       {"csr"},
       format_words},
      {"type",
       't',
       "T:TYPE",
       Group::Tensors,
       kernels,
       "the element type of T, such as float32; see the topic 'types'",
       "Without it the file decides, else float64.  The type of a result follows from its expression.",
       "TENSOR:TYPE",
       {"A:float32"},
       type_words()},
      {"fill",
       0,
       "T:VALUE",
       Group::Tensors,
       kernels,
       "the value of what T does not store; 0 unless given",
       "",
       "TENSOR:VALUE",
       {"A:inf"},
       {"0", "inf", "-inf"}},
      {"base",
       0,
       "BASE",
       Group::Tensors,
       kernels,
       "coordinates in text files count from BASE, 0 or 1; T:BASE for one file",
       "Without it, from 0 in edge lists and from 1 in other files.  With the name of a tensor it is about the file "
       "that the tensor is read from or written to.",
       "0, 1 or TENSOR:0",
       {"A:0"},
       {"0", "1"}},
      {"base",
       0,
       "BASE",
       Group::Tensors,
       files,
       "coordinates in the file count from BASE, 0 or 1",
       "For 'convert' it is about IN, and as in 0,1 about IN and OUT.",
       "0 or 1",
       {"0"},
       {"0", "1"}},
      {"dimension",
       'd',
       "i:SIZE",
       Group::Tensors,
       kernels,
       "the extent of an index variable; T:10,20 for all of a tensor",
       "Needed where no file tells it.",
       "VARIABLE:SIZE or TENSOR:SIZES",
       {"i:100", "A:10,20"},
       {},
       false,
       {"dimensions"}},
  };
}

std::vector<Option> running_options() {
  return {
      {"concrete",
       0,
       "",
       Group::Running,
       {Command::Run},
       "EXPR is loops, as in forall(i, forall(j, y(i) += A(i,j)*x(j)))",
       "They are concrete index notation, in which --print concrete shows loops, and run as they are written.  -f "
       "gives their workspaces formats, too."},
      {"plan",
       0,
       "FILE",
       Group::Running,
       {Command::Run},
       "run the plan in FILE, as --print plan shows it, in place of EXPR; - is standard input",
       "The plan says what is computed, how tensors are stored and how loops run, so that -f, -t, --fill and -s have "
       "no place beside it.  Whatever is wrong with it is told with its line and column.",
       "FILE",
       {"spmv.plan", "-"},
       {},
       true},
      {"schedule",
       's',
       "COMMANDS",
       Group::Running,
       statements,
       "how to run; 'serial' for plain loops; see the topic 'schedules'",
       "Several are one list.  Without it loops and a schedule are chosen for the operands, which 'auto' asks for by "
       "name; 'default' keeps the loops that the statement alone tells.",
       "COMMANDS",
       {"'parallelize(i, cpu)'"},
       {"serial", "auto", "default"}},
      {"schedule",
       's',
       "COMMANDS",
       Group::Running,
       {Command::Compare},
       "how to run; each further one is an alternative",
       "'serial' is plain loops, 'auto' what is chosen for the operands, and 'default' that with the loops that the "
       "statement alone tells.",
       "COMMANDS",
       {"serial"},
       {"serial", "auto", "default"}},
      {"target",
       0,
       "HOW",
       Group::Running,
       {Command::Run, Command::Einsum, Command::Compare, Command::Tune, Command::Convert},
       "compile in this process (jit, the default), with cc, or interpret",
       "cc is the system's C compiler.  The interpreter checks every access to memory, and is slow.",
       "HOW",
       {"cc"},
       {"jit", "cc", "interpret"}},
      {"threads",
       0,
       "N",
       Group::Running,
       working,
       "threads that read files and run kernels; all cores by default",
       "A conversion is done by one thread by default.",
       "N",
       {"4"}},
      {"deterministic", 0, "", Group::Running, kernels, "the same bits on any number of threads",
       "A schedule that cannot give that is refused."},
      {"strict", 0, "", Group::Running, kernels, "sums are added up one number after the other",
       "Without it, and without a schedule, sums over dense dimensions are added up in the lanes of vectors."},
      {"force", 0, "", Group::Running, working, "store what takes memory out of all proportion, too",
       "Without it a format that does not suit the entries is refused with the size that it would take."},
      {"time",
       0,
       "N",
       Group::Running,
       statements,
       "run N times after one to warm up; times go to stderr",
       "",
       "N",
       {"20"}},
      {"time",
       0,
       "N",
       Group::Running,
       {Command::Compare, Command::Tune},
       "rounds; in each, every alternative runs once",
       "Without it there are as many as fit in two seconds: 3 at least and 1000 at most.",
       "N",
       {"20"}},
  };
}

std::vector<Option> showing_options() {
  return {
      {"show",
       0,
       "N",
       Group::Showing,
       statements,
       "entries of a result to show, or 'all'",
       "Without it a result of up to 100 entries is shown whole, and of a larger one the first 10.",
       "N",
       {"20", "all"},
       {"all"}},
      {"print",
       0,
       "STAGE",
       Group::Showing,
       statements,
       "show a stage: notation, concrete, schedule, assemble, lattice, plan, ir, c, all",
       "Several may be given with commas.  Without inputs nothing is run then.  frontier, which all leaves out, shows "
       "the "
       "ways to compute the statement that no other way beats, as JSON; with --explain, in words.",
       "STAGE",
       {"c"},
       stage_words(),
       false,
       {},
       true},
      {"explain", 0, "", Group::Showing, statements, "what was decided and why: formats, loops, temporaries"},
      {"emit",
       0,
       "FILE.c",
       Group::Showing,
       statements,
       "write the kernel as C that compiles alone",
       "",
       "FILE.c",
       {"kernel.c"},
       {},
       true},
      {"main", 0, "", Group::Showing, statements, "with a main function, for --emit and --print c",
       "--print c then prints the whole file."},
      {"json", 0, "", Group::Showing, {Command::Compare, Command::Tune}, "print the times as JSON instead of a table"},
      {"svg",
       0,
       "FILE.svg",
       Group::Showing,
       {Command::Tune},
       "draw what was estimated against what was measured",
       "",
       "FILE.svg",
       {"ways.svg"},
       {},
       true},
      {"quiet", 'q', "", Group::Showing, working, "no line on the terminal about what takes long",
       "Work that takes longer than a second is told on stderr if that is a terminal; the line is gone when the work "
       "is done."},
      {"color",
       0,
       "WHEN",
       Group::Showing,
       all,
       "colours: auto (on terminals), always or never",
       "auto heeds NO_COLOR and TERM=dumb.",
       "WHEN",
       {"never"},
       {"auto", "always", "never"},
       false,
       {"colour"}},
  };
}

std::vector<Option> general_options() {
  return {
      {"help", 'h', "[TOPIC]", Group::General, all, "this text, or one about a topic", "", "TOPIC", {"formats"}},
      {"version", 'V', "", Group::General, all, "the version"},
      {"completion",
       0,
       "SHELL",
       Group::General,
       {Command::Run},
       "print completion for bash, zsh or fish",
       "For one session: source <(filigree --completion bash).",
       "SHELL",
       {"bash"},
       {"bash", "zsh", "fish"}},
      {"man", 0, "", Group::General, {Command::Run}, "print the manual page", "filigree --man | man -l - shows it."},
  };
}

bool answers_to(const Option& option, const std::string& name) {
  return option.name == name || std::find(option.aliases.begin(), option.aliases.end(), name) != option.aliases.end();
}

}  // namespace

bool Option::belongs_to(Command command) const {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

std::string Option::spelling() const {
  std::string text = letter != 0 ? std::string("-") + letter + ", " : "    ";
  return text + "--" + name + (is_switch() ? "" : " " + argument);
}

const std::vector<CommandRow>& all_commands() {
  static const std::vector<CommandRow> rows = {
      {Command::Run, "", "filigree 'EXPR' [options]", "compute EXPR; without data, print its C",
       "EXPR is a statement such as 'y(i) = A(i,j) * x(j)'.  Index variables on the right only are summed.  Below a\n"
       "function, a power, a comparison or a denominator a sum is written out: 'n = sqrt(sum(i, r(i)^2))'.  Several "
       "statements,\n"
       "separated by ';', run in order, each on what those before it left.\n\n"
       "When everything that EXPR needs is given, it is run.  Results are shown, or written where -o says.  Of "
       "several\n"
       "statements, those results are shown that no later one reads.  Without data, the generated C is printed.\n"},
      {Command::Einsum, "einsum", "filigree einsum SUBSCRIPTS T... [options]",
       "the same, with subscripts such as ik,kj->ij",
       "Computes what the subscripts mean for the operands T..., as NumPy's einsum does.  The result is called R.\n"
       "Otherwise it is like filigree 'EXPR'.\n"},
      {Command::Compare, "compare", "filigree compare 'EXPR' [options]", "time several formats or schedules of EXPR",
       "Times EXPR in every combination of the alternatives: several -f for one tensor, and several -s.  In each round "
       "every\n"
       "alternative runs once, so that all of them see the same machine.  Prints a table, the fastest first: the "
       "median, the\n"
       "fastest run, the spread (how far the middle half of the runs is apart), what the inputs take in memory, and "
       "how many\n"
       "times slower than the first.  All results are checked against each other.  An alternative that is refused is "
       "listed\n"
       "with the reason.\n"},
      {Command::Tune, "tune", "filigree tune 'EXPR' [options]", "find the fastest way to run EXPR on this machine",
       "Times EXPR in every way that is known for these inputs: its own loops, several statements with temporaries, "
       "and "
       "loops\n"
       "of its frontier; then schedules of the fastest loops that differ in constant factors.  All results are\n"
       "checked against each other.  Prints a table, the fastest first, and keeps the\n"
       "fastest way in the folder of compiled kernels: later runs on this machine with inputs of about these sizes "
       "take "
       "it.\n"
       "FILIGREE_TUNED=0 in the environment turns that off.\n"},
      {Command::Convert, "convert", "filigree convert IN OUT [options]", "from one format and file to another",
       "Reads a tensor from one file, converts it with the compiled copy A(..) = B(..), and writes it to another file. "
       " The\n"
       "names of the files tell their formats: see filigree help files; - is standard input or output.  Entries are "
       "sorted and\n"
       "duplicates summed.\n"
       "Everything that the format stores is written: dense writes every component, dia every component of its "
       "diagonals.\n"
       "Other formats leave out the zeros of an array file.\n"},
      {Command::Info, "info", "filigree info FILE [options]", "what is in a file, and what it takes",
       "Prints what the file says about itself, dimensions, element type and entries; whether a matrix is symmetric; "
       "the range\n"
       "of the values; rows and columns without entries.  Then what the entries take when they are stored: how many "
       "values,\n"
       "how many of them are padding, and for each level its positions, how many of them each position above has on "
       "average\n"
       "and at most, and the bytes of its arrays.\n"},
      {Command::Help, "help", "filigree help [TOPIC]", "more about a command or a topic",
       "Prints a text about a command or a topic.\n"},
  };
  return rows;
}

const CommandRow& row_of(Command command) {
  for (const CommandRow& row : all_commands()) {
    if (row.command == command) return row;
  }
  throw InternalError("tool", "a command without a row");
}

const std::vector<Option>& all_options() {
  static const std::vector<Option> options = [] {
    std::vector<Option> list;
    for (const std::vector<Option>& group : {tensor_options(), running_options(), showing_options(), general_options()})
      list.insert(list.end(), group.begin(), group.end());
    return list;
  }();
  return options;
}

std::vector<const Option*> options_of(Command command) {
  std::vector<const Option*> found;
  for (const Option& option : all_options()) {
    if (option.belongs_to(command)) found.push_back(&option);
  }
  return found;
}

const Option* find_option(Command command, const std::string& name) {
  for (const Option* option : options_of(command)) {
    if (answers_to(*option, name)) return option;
  }
  return nullptr;
}

const Option* find_option(Command command, char letter) {
  for (const Option* option : options_of(command)) {
    if (letter != 0 && option->letter == letter) return option;
  }
  return nullptr;
}

const Option& option(Command command, const std::string& name) {
  const Option* found = find_option(command, name);
  internal_check(found != nullptr, "tool", "an option that is not in the table");
  return *found;
}

std::string heading_of(Group group, Command command) {
  switch (group) {
    case Group::Tensors:
      return command == Command::Convert || command == Command::Info ? "formats" : "tensors and index variables";
    case Group::Running: return "how to run";
    case Group::Showing: return "what to show";
    case Group::General: return "general";
  }
  throw InternalError("tool", "a group without a heading");
}

const std::vector<std::string>& printable_stages() {
  static const std::vector<std::string> stages = {"notation", "concrete", "schedule", "assemble", "lattice", "plan",
                                                  "ir",       "c",        "frontier", "layout",   "space"};
  return stages;
}

}  // namespace filigree::tool
