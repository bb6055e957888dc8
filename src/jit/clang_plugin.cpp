// C text -> relocatable object, by clang's libraries; see clang_plugin.h.
#include "jit/clang_plugin.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "jit/clang_plugin_link.h"

namespace filigree::jit {
namespace {

constexpr const char* kernel_file = "kernel.c";

struct Host {
  std::string triple, cpu;
  std::vector<std::string> features;  // "+avx2", "-sse4a"
};

const Host& host() {
  static const Host value = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    Host found{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), {}};
    for (const auto& feature : llvm::sys::getHostCPUFeatures())
      found.features.push_back((feature.second ? "+" : "-") + feature.first().str());
    return found;
  }();
  return value;
}

/// The arguments clang's driver would give its compiler proper; the driver itself wants a file system.
std::vector<std::string> frontend_arguments(const filigree_clang_request& request) {
  std::vector<std::string> arguments = {
      "-triple", host().triple, "-emit-obj", "-x", "c", "-std=gnu11", "-main-file-name", kernel_file, "-nostdsysteminc",
      "-nobuiltininc", "-w", "-ferror-limit", "20", "-fbracket-depth", "4096", "-mrelocation-model", "pic",
      "-pic-level", "2", "-disable-llvm-verifier", "-discard-value-names",
      // Kernels need a way out of C++ callbacks (parallel_for) and profilers a way up the stack.
      "-funwind-tables=2", "-fwrapv",
      // Product and quotient by the formulas, so that no compiler runtime library is needed.
      "-complex-range=basic", request.contract_floats ? "-ffp-contract=on" : "-ffp-contract=off",
      "-O" + std::to_string(request.optimization), "-target-cpu", host().cpu};
  for (const std::string& feature : host().features) {
    arguments.push_back("-target-feature");
    arguments.push_back(feature);
  }
  if (request.optimization >= 2) {
    arguments.push_back("-vectorize-loops");
    arguments.push_back("-vectorize-slp");
  }
  if (request.vector_width > 0) arguments.push_back("-mprefer-vector-width=" + std::to_string(request.vector_width));
  arguments.push_back(kernel_file);
  return arguments;
}

/// Loops whose number of iterations is not known now stay as they are, unless the text says how often to unroll them.
/// Rows are short, so unrolled loops run their remainders most of the time, and every copy of a loop within a loop has
/// to be learned by the processor's predictors.
struct KeepLoops : llvm::PassInfoMixin<KeepLoops> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.count")) continue;
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
    }
    return llvm::PreservedAnalyses::all();
  }
};

/// Gives up what an exception leaves behind.
template <class Owned>
class Abandoned {
 public:
  explicit Abandoned(std::unique_ptr<Owned>& owned) : owned_(owned), failures_(std::uncaught_exceptions()) {}
  ~Abandoned() {
    if (std::uncaught_exceptions() > failures_) (void)owned_.release();
  }
  Abandoned(const Abandoned&) = delete;
  Abandoned& operator=(const Abandoned&) = delete;

 private:
  std::unique_ptr<Owned>& owned_;
  int failures_;
};

bool compile_to_object(const filigree_clang_request& request, std::string& object, std::string& diagnostics) {
  const std::vector<std::string> arguments = frontend_arguments(request);
  std::vector<const char*> argument_pointers;
  for (const std::string& argument : arguments) argument_pointers.push_back(argument.c_str());

  llvm::raw_string_ostream diagnostics_stream(diagnostics);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions;
  clang::TextDiagnosticPrinter printer(diagnostics_stream, options.get());

  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(kernel_file, 0,
                 llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(request.text, request.text_size), kernel_file));

  // Not destroyed where memory runs out: it is in no state for that.
  auto owned = std::make_unique<clang::CompilerInstance>();
  Abandoned<clang::CompilerInstance> abandoned(owned);
  clang::CompilerInstance& compiler = *owned;
  compiler.setVerboseOutputStream(llvm::nulls());  // else "1 error generated" goes to standard error
  compiler.createDiagnostics(&printer, /*ShouldOwnClient=*/false);
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), argument_pointers,
                                                 compiler.getDiagnostics()))
    return false;
  compiler.createFileManager(files);
  compiler.getCodeGenOpts().PassBuilderCallbacks.push_back([](llvm::PassBuilder& passes) {
    passes.registerVectorizerStartEPCallback(
        [](llvm::FunctionPassManager& manager, llvm::OptimizationLevel) { manager.addPass(KeepLoops()); });
  });

  llvm::SmallString<0> bytes;
  compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(bytes));
  clang::EmitObjAction action;
  if (!compiler.ExecuteAction(action)) return false;
  object.assign(bytes.data(), bytes.size());
  return true;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Null if there is no memory.
char* copy_bytes(const std::string& bytes) {
  char* copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy != nullptr) std::memcpy(copy, bytes.c_str(), bytes.size() + 1);
  return copy;
}

void finish(filigree_clang_result* result, filigree_clang_status status, const std::string& diagnostics) {
  result->status = status;
  result->diagnostics = copy_bytes(diagnostics);
}

void compile_and_link(const filigree_clang_request& request, filigree_clang_result* result) {
  std::string object, diagnostics;
  auto start = std::chrono::steady_clock::now();
  const bool compiled = compile_to_object(request, object, diagnostics);
  result->compile_ms = milliseconds_since(start);
  if (!compiled) return finish(result, filigree_clang_rejected_text, diagnostics);
  start = std::chrono::steady_clock::now();
  std::vector<std::string> libraries;
  if (has_undefined_symbols(object)) {
    if (request.libm_path != nullptr) libraries.push_back(request.libm_path);
    if (request.libc_path != nullptr) libraries.push_back(request.libc_path);
  }
  LinkResult linked = link_shared_object(object, libraries);
  result->link_ms = milliseconds_since(start);
  if (!linked.ok)
    return finish(result, linked.ran_out ? filigree_clang_ran_out : filigree_clang_failed_to_link,
                  diagnostics + linked.diagnostics);
  result->bytes = copy_bytes(linked.bytes);
  result->size = linked.bytes.size();
  finish(result, result->bytes != nullptr ? filigree_clang_ok : filigree_clang_ran_out,
         diagnostics + linked.diagnostics);
}

/// LLVM ends the process when memory runs out, or anything else goes wrong that it does not expect.  These let it go
/// on, with an error.
void throw_out_of_memory(void*, const char*, bool) { throw std::bad_alloc(); }
void throw_fatal_error(void*, const char* reason, bool) { throw std::runtime_error(reason); }

void handle_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_bad_alloc_error_handler(throw_out_of_memory);
    llvm::install_fatal_error_handler(throw_fatal_error);
  });
}

void compile(const filigree_clang_request* request, filigree_clang_result* result) {
  *result = {};
  try {
    handle_errors();
    compile_and_link(*request, result);
  } catch (const std::bad_alloc&) {
    result->status = filigree_clang_ran_out;
  } catch (const std::exception& error) {
    finish(result, filigree_clang_rejected_text, error.what());
  }
}

void release(filigree_clang_result* result) {
  std::free(result->bytes);
  std::free(result->diagnostics);
  *result = {};
}

}  // namespace
}  // namespace filigree::jit

/// Debian's clang archives name Polly, whose archives are not shipped; kernels do without it.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING, [](llvm::PassBuilder&) {}};
}

extern "C" __attribute__((visibility("default"))) const filigree_clang_interface* filigree_clang(void) {
  static const filigree_clang_interface interface = {FILIGREE_CLANG_ABI, FILIGREE_PLUGIN_VERSION,
                                                     filigree::jit::compile, filigree::jit::release};
  return &interface;
}
