// The command line tool: parses arguments, does what they say, and turns every outcome into an exit code.
#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "arguments.h"
#include "commands.h"
#include "io/output.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/large_stack.h"
#include "support/match.h"
#include "terminal.h"

namespace {

using namespace filigree::tool;

int perform(const std::vector<std::string>& words) {
  choose_colours(colour_choice(words));
  filigree::match_variant(
      parse_arguments(words), [](const RunArguments& arguments) { run(arguments); },
      [](const CompareArguments& arguments) { compare(arguments); },
      [](const TuneArguments& arguments) { tune(arguments); },
      [](const ConvertArguments& arguments) { convert(arguments); },
      [](const InfoArguments& arguments) { info(arguments); }, [](const Message& message) { print(message.text); });
  finish_printing();
  return Success;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    prepare_process();
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    return filigree::on_large_stack([&] {
      use_fault_stack();
      return perform(words);
    });
  } catch (const UsageError& error) {
    print_error(fmt::format("error: {}\n", error.what()));
    if (!error.hint().empty()) print_error(fmt::format("hint: {}\n", error.hint()));
    return WrongUsage;
  } catch (const filigree::io::ReaderGone&) {
    return NobodyReads;
  } catch (const filigree::UserError& error) {
    print_error(error.text(filigree::Wording::CommandLine));
    return UserMistake;
  } catch (const std::bad_alloc&) {
    print_error(
        "error: Memory ran out before a tensor was read, packed or computed\nhint: let the program have more memory\n");
    return UserMistake;
  } catch (const filigree::InternalError& error) {
    print_error(fmt::format("{}\n{}", error.what(), bug_report_request));
    return InternalFailure;
  } catch (const std::exception& error) {
    print_error(fmt::format("internal error: {}\n{}", error.what(), bug_report_request));
    return InternalFailure;
  }
}
