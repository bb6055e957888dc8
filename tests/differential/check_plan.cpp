#include "tests/differential/check_plan.h"

#include "compiler/pipeline.h"
#include "ir/print.h"
#include "plan/text.h"
#include "support/diagnostic.h"

namespace filigree::differential {

std::string check_plan(const concrete::Program& program) {
  plan::Plan made = plan::make_plan(program);
  std::string text = plan::to_string(made);
  try {
    plan::Plan again = plan::parse(text);
    if (plan::to_string(again) != text)
      return "printed and parsed, the plan is another:\n" + text + "---\n" + plan::to_string(again);
    if (!(again == made) || plan::hash(again) != plan::hash(made))
      return "printed and parsed, the plan is not equal:\n" + plan::canonical_text(made) + "---\n" +
             plan::canonical_text(again);
    std::string code = ir::print(compiler::generate(made, {})), code_again = ir::print(compiler::generate(again, {}));
    if (code != code_again)
      return "the plan makes other code when it is parsed:\n" + text + "---\n" + code + "---\n" + code_again;
  } catch (const UserError& error) {
    return "a plan cannot be parsed: " + std::string(error.what()) + "\n" + text;
  }
  return {};
}

}  // namespace filigree::differential
