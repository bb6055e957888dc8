// The C interface of the plug-in that holds clang, LLVM and LLD: C text in, an ELF shared object out.
//
// Opening clang costs several milliseconds and tens of megabytes, so Filigree itself never links it:
// `clang_loader.h` opens the plug-in the first time a kernel is in no cache.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Raised with every change to the structs or functions below; a plug-in of another version is refused.
#define FILIGREE_CLANG_ABI 2

typedef struct filigree_clang_request {
  const char* text;
  size_t text_size;
  int optimization;       // 0 to 3
  int contract_floats;    // a * b + c of one expression may be fused
  int vector_width;       // preferred vector width in bits; 0: what LLVM prefers for this processor
  const char* libm_path;  // files of the running process: references to libm and libc are bound to
  const char* libc_path;  //   their newest symbol versions; may be null
} filigree_clang_request;

typedef enum filigree_clang_status {
  filigree_clang_ok,
  filigree_clang_rejected_text,   // diagnostics say why, which may be that something ran out
  filigree_clang_failed_to_link,  // the same
  filigree_clang_ran_out,         // of memory, or of what diagnostics name
} filigree_clang_status;

typedef struct filigree_clang_result {
  filigree_clang_status status;
  char* bytes;  // the shared object
  size_t size;
  char* diagnostics;  // zero-terminated; null if there was no memory for them
  double compile_ms;
  double link_ms;
} filigree_clang_result;

typedef struct filigree_clang_interface {
  int abi;
  const char* version;  // must equal what Filigree was configured with: cache keys contain it
  /// Safe to call from many threads at once.
  void (*compile)(const filigree_clang_request* request, filigree_clang_result* result);
  void (*release)(filigree_clang_result* result);
} filigree_clang_interface;

/// The only symbol the plug-in exports.
const filigree_clang_interface* filigree_clang(void);

#ifdef __cplusplus
}
#endif
