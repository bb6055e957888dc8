// The C interface of the plug-in that holds Z3 and isl: texts in, answers out.
//
// Opening Z3 takes milliseconds and tens of megabytes, so Filigree itself never links it: solver.h opens the plug-in
// the first time a question is in no cache.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Raised with every change to the structs or functions below; a plug-in of another version is refused.
#define FILIGREE_SOLVER_ABI 1

typedef enum filigree_solver_answer {
  filigree_solver_unsatisfiable,
  filigree_solver_satisfiable,  // the text is a model
  filigree_solver_unknown,      // the text says why
  filigree_solver_failed,       // the question could not be read; the text says why
} filigree_solver_answer;

typedef struct filigree_solver_interface {
  int abi;
  /// Z3 on declarations and assertions in SMT-LIB; gives up after `steps` of its own count.  `text` may come back null.
  /// Safe to call from many threads at once, as all of these.
  filigree_solver_answer (*solve)(const char* smt, unsigned steps, char** text);
  /// isl on a set as it writes them, "[n] -> { [i] : 0 <= i < n }": the same set as simple as isl can make it, given
  /// that `context`, a set, holds; or null, and why in `error`.  `empty` says whether nothing is in it.
  char* (*simplify)(const char* set, const char* context, int* empty, char** error);
  void (*release)(char* text);
} filigree_solver_interface;

/// The only symbol the plug-in exports.
const filigree_solver_interface* filigree_solver(void);

#ifdef __cplusplus
}
#endif
