// Expressions may nest hundreds deep, and every stage walks them by recursion.  What does so runs on a stack of known
// size, whatever the limit of this process or the thread that calls is.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace filigree {

/// Calls `call(closure)` on a stack that is large enough for every stage: on the caller's if that is, else on another.
/// Throws UserError if there is no memory for one.  `call` must not throw.
void call_on_large_stack(void (*call)(void*), void* closure);

/// What `action` returns, or throws, run on a large stack.  It may run on another thread, while this one waits.
template <class Action>
auto on_large_stack(const Action& action) -> decltype(action()) {
  using Result = decltype(action());
  using Kept = std::conditional_t<std::is_void_v<Result>, bool, std::remove_cvref_t<Result>>;
  static_assert(!std::is_reference_v<Result>);
  struct Call {
    const Action& action;
    std::optional<Kept> result = {};
    std::exception_ptr failure = {};
  } call{action};
  call_on_large_stack(
      [](void* closure) {
        Call& own = *static_cast<Call*>(closure);
        try {
          if constexpr (std::is_void_v<Result>) own.action();
          else own.result.emplace(own.action());
        } catch (...) {
          own.failure = std::current_exception();
        }
      },
      &call);
  if (call.failure) std::rethrow_exception(std::move(call.failure));
  if constexpr (!std::is_void_v<Result>) return std::move(*call.result);
}

}  // namespace filigree
