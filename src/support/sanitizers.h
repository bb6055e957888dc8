// Is this compiled with a sanitizer that watches memory?  Such programs are slow, map terabytes of shadow memory, and
// handle faults themselves.
#pragma once

namespace filigree {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC's
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
inline constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);  // clang's
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace filigree
