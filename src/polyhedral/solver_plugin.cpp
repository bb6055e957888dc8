// The plug-in's side: Z3 and isl by their C interfaces.
#include "polyhedral/solver_plugin.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <z3.h>

#include <cstdlib>
#include <cstring>

namespace {

char* copy_of(const char* text) { return text != nullptr ? strdup(text) : nullptr; }

void release(char* text) { std::free(text); }

/// Errors are looked at where they can occur.
void ignore(Z3_context, Z3_error_code) {}

filigree_solver_answer ask(Z3_context context, Z3_solver solver, const char* smt, unsigned steps, char** text) {
  filigree_solver_answer answer = filigree_solver_failed;
  Z3_solver_inc_ref(context, solver);
  Z3_params params = Z3_mk_params(context);
  Z3_params_inc_ref(context, params);
  Z3_params_set_uint(context, params, Z3_mk_string_symbol(context, "rlimit"), steps);
  Z3_solver_set_params(context, solver, params);
  Z3_solver_from_string(context, solver, smt);
  if (Z3_get_error_code(context) != Z3_OK) {
    *text = copy_of(Z3_get_error_msg(context, Z3_get_error_code(context)));
  } else {
    Z3_lbool result = Z3_solver_check(context, solver);
    answer = result == Z3_L_FALSE  ? filigree_solver_unsatisfiable
             : result == Z3_L_TRUE ? filigree_solver_satisfiable
                                   : filigree_solver_unknown;
    if (result == Z3_L_UNDEF) *text = copy_of(Z3_solver_get_reason_unknown(context, solver));
    if (result == Z3_L_TRUE) {
      Z3_model model = Z3_solver_get_model(context, solver);
      if (model != nullptr) {
        Z3_model_inc_ref(context, model);
        *text = copy_of(Z3_model_to_string(context, model));
        Z3_model_dec_ref(context, model);
      }
    }
  }
  Z3_params_dec_ref(context, params);
  Z3_solver_dec_ref(context, solver);
  return answer;
}

/// One context for each question: then what was asked before does not change how this one ends.  The plain solver takes
/// a tenth of the time that the one with all of Z3's tactics takes to begin, and answers nearly everything.
filigree_solver_answer solve(const char* smt, unsigned steps, char** text) {
  *text = nullptr;
  Z3_config config = Z3_mk_config();
  Z3_set_param_value(config, "model", "true");
  Z3_context context = Z3_mk_context(config);
  Z3_del_config(config);
  Z3_set_error_handler(context, ignore);
  filigree_solver_answer answer = ask(context, Z3_mk_simple_solver(context), smt, steps, text);
  if (answer == filigree_solver_unknown) {
    release(*text);
    *text = nullptr;
    answer = ask(context, Z3_mk_solver(context), smt, steps, text);
  }
  Z3_del_context(context);
  return answer;
}

char* simplify(const char* set, const char* context, int* empty, char** error) {
  isl_ctx* ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  *error = nullptr;
  *empty = 0;
  isl_set* given = isl_set_read_from_str(ctx, set);
  isl_set* known = isl_set_read_from_str(ctx, context);
  char* text = nullptr;
  if (given == nullptr || known == nullptr) {
    *error = copy_of(isl_ctx_last_error_msg(ctx) != nullptr ? isl_ctx_last_error_msg(ctx) : "isl cannot read the set");
    isl_set_free(given);
    isl_set_free(known);
  } else {
    given = isl_set_coalesce(isl_set_intersect_params(given, isl_set_copy(known)));
    *empty = isl_set_is_empty(given) == isl_bool_true;
    given = isl_set_gist_params(isl_set_remove_redundancies(given), known);
    text = isl_set_to_str(given);
    isl_set_free(given);
  }
  isl_ctx_free(ctx);
  return text;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const filigree_solver_interface* filigree_solver(void) {
  static const filigree_solver_interface interface = {FILIGREE_SOLVER_ABI, solve, simplify, release};
  return &interface;
}
