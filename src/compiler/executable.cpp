#include "compiler/executable.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "compiler/pipeline.h"
#include "ir/host_functions.h"
#include "jit/compile.h"
#include "support/large_stack.h"
#include "support/memory.h"

namespace filigree::compiler {
namespace {

using Entry = int(const filigree_runtime*, filigree_tensor* const*);

/// What kernels hand back to the functions they call.
struct Context {
  MemoryLimit& limit;
  int threads;
  std::int64_t fail_allocation_after;
  std::atomic<std::int64_t> allocations = 0;
  std::mutex mutex = {};  // for `limit.refused`
};

bool is_within_limit(void* given, std::int64_t bytes) {
  Context& context = *static_cast<Context*>(given);
  MemoryLimit& limit = context.limit;
  bool chosen_to_fail = context.fail_allocation_after >= 0 && bytes > 0 &&
                        context.allocations++ == context.fail_allocation_after;
  if (bytes > limit.most_bytes)
    std::atomic_ref(limit.exceeded).store(true, std::memory_order_relaxed);  // by any of its threads
  return bytes <= limit.most_bytes && !chosen_to_fail;
}

void* resize(void* context, void* block, std::int64_t bytes) {
  return is_within_limit(context, bytes) ? resize_block(block, static_cast<size_t>(bytes)) : nullptr;
}

void* zeroed(void* context, std::int64_t bytes) {
  return is_within_limit(context, bytes)
             ? zeroed_block(static_cast<size_t>(bytes), static_cast<const Context*>(context)->threads)
             : nullptr;
}

void note_refused(void* given, const char* array, std::int64_t count, std::int64_t size) {
  Context& context = *static_cast<Context*>(given);
  std::lock_guard lock(context.mutex);
  context.limit.refused = {array ? array : "", static_cast<double>(count) * static_cast<double>(size)};
}

void run_loop(void* context, std::int64_t count, LoopBody* body, void* closure) {
  parallel_for(static_cast<const Context*>(context)->threads, count, body, closure);
}

class Native : public Executable {
 public:
  Native(const ir::FunctionDef& function, const ExecutableOptions& options)
      : library_(compile(function, options)),
        threads_(options.thread_count()),
        fail_allocation_after_(options.fail_allocation_after) {
    entry_ = library_.function<Entry>(function.name);
    for (const ir::Parameter& parameter : function.parameters) {
      if (parameter.direction == ir::Direction::Out)
        outputs_.push_back({parameter.binding, parameter.var.type().element});
    }
  }

  ir::Status run(std::span<ir::TensorView> tensors, MemoryLimit& limit) const override {
    std::vector<std::vector<filigree_array>> arrays(tensors.size());
    std::vector<filigree_tensor> views(tensors.size());
    std::vector<filigree_tensor*> pointers(tensors.size());
    for (size_t t = 0; t < tensors.size(); t++) {
      for (const ir::ArrayView& array : tensors[t].arrays) arrays[t].push_back({array.data, array.count});
      views[t] = {tensors[t].dimensions.data(), arrays[t].data()};
      pointers[t] = &views[t];
    }
    Context context{limit, threads_, fail_allocation_after_};
    filigree_runtime runtime{resize, &context, &ir::host_functions, threads_, run_loop, zeroed, note_refused};
    auto status = static_cast<ir::Status>(entry_(&runtime, pointers.data()));
    if (status != ir::Status::Ok) return status;
    for (const Output& output : outputs_) {
      const filigree_array& array = arrays[output.binding.tensor][output.binding.index];
      tensors[output.binding.tensor].arrays[output.binding.index] = {output.type, array.data, array.count};
    }
    return status;
  }

 private:
  struct Output {
    ir::Binding binding;
    ElementType type;
  };

  static jit::Library compile(const ir::FunctionDef& function, const ExecutableOptions& options) {
    std::string text = emit(function, {.standalone = false});
    jit::CompileOptions how;
    how.target = options.target == Target::Cc ? jit::Target::SystemCompiler : jit::Target::Jit;
    how.optimization = std::min(options.optimization, worthwhile_optimization(text));
    how.contract_floats = options.contract_floats;
    how.sanitize = options.sanitize;
    return jit::compile(text, how);
  }

  /// Compilers take time out of proportion for very long functions, such as those of sums of a thousand sparse tensors:
  /// longer than any run.
  static int worthwhile_optimization(const std::string& text) {
    constexpr size_t long_text = 160 << 10, very_long_text = 400 << 10;
    return text.size() > very_long_text ? 0 : text.size() > long_text ? 1 : 3;
  }

  jit::Library library_;
  int threads_;
  std::int64_t fail_allocation_after_;
  Entry* entry_;
  std::vector<Output> outputs_;
};

class Interpreted : public Executable {
 public:
  Interpreted(const ir::FunctionDef& function, const ExecutableOptions& options)
      : interpreter_(function),
        options_{.threads = options.thread_count(),
                 .fail_allocation_after = options.fail_allocation_after,
                 .step_limit = options.step_limit,
                 .observe_parallel = options.observe_parallel} {}
  ir::Status run(std::span<ir::TensorView> tensors, MemoryLimit& limit) const override {
    ir::InterpretOptions options = options_;
    options.ran_out = [&](const std::string& array, double bytes) { limit.refused = {array, bytes}; };
    return on_large_stack(
        [&] { return interpreter_.run(tensors, options); });  // it follows expressions by recursion, as stages do
  }

 private:
  ir::Interpreter interpreter_;
  ir::InterpretOptions options_;
};

}  // namespace

std::unique_ptr<const Executable> make_executable(const ir::FunctionDef& function, const ExecutableOptions& options) {
  if (options.target == Target::Interpret) return std::make_unique<Interpreted>(function, options);
  return std::make_unique<Native>(function, options);
}

}  // namespace filigree::compiler
