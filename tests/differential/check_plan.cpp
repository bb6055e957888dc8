#include "tests/differential/check_plan.h"

#include "compiler/pipeline.h"
#include "ir/print.h"
#include "plan/text.h"
#include "plan/verify.h"
#include "support/diagnostic.h"

namespace filigree::differential {

namespace {

std::string check_plan_for(const concrete::Program& program, const plan::Purpose& purpose) {
  plan::Plan made = plan::make_plan(program, purpose);
  if (std::optional<std::string> problem = plan::find_problem(made))
    return purpose.mode == plan::Mode::Grow ? "the plan is not one: " + *problem
                                            : "";  // not every result has all modes
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

/// Looks operands up much sooner than usual.
class Searching : public policy::Policy {
 public:
  policy::Lookups lookups() const override {
    policy::Lookups all = policy::usual().lookups();
    all.search_ratio = 1;
    return all;
  }
};

}  // namespace

std::string check_plan(const concrete::Program& program) {
  const Searching searching;
  std::vector<plan::Purpose> purposes(4);
  purposes[1].parallel = true;
  purposes[2].parallel = purposes[2].deterministic = true;
  purposes[2].policy = &searching;
  purposes[3].mode = plan::Mode::Values;
  for (const plan::Purpose& purpose : purposes) {
    if (std::string wrong = check_plan_for(program, purpose); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace filigree::differential
