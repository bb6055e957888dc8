// fork(): a child process has only the thread that called it.  Locks and half-made things of other threads stay as they
// were, for ever.
//
// So it is counted which threads are inside of the compiler, its caches, a kernel or a file.  If none but the one that
// calls fork is, the child can go on as its parent would.  Otherwise it is told so, before it waits for a thread that
// does not exist.
#pragma once

namespace filigree {

/// Held by a thread while it is inside.  May be nested.
class Inside {
 public:
  /// Throws UserError in a child that was forked while another thread was inside.
  Inside();
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace filigree
