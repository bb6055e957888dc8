// Arrays of the suite: large ones start where a huge page does and ask for such pages, whoever reads them.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace suite {

template <class T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}
  T* allocate(std::size_t count) {
    constexpr std::size_t page = std::size_t{2} << 20;
    std::size_t bytes = count * sizeof(T);
    if (bytes < page) return static_cast<T*>(::operator new(bytes));
    std::size_t whole = (bytes + page - 1) / page * page;
    void* block = std::aligned_alloc(page, whole);
    if (block == nullptr) throw std::bad_alloc();
    madvise(block, whole, MADV_HUGEPAGE);
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) {
    if (count * sizeof(T) < std::size_t{2} << 20) ::operator delete(block);
    else std::free(block);
  }
  bool operator==(const HugePages&) const { return true; }
};

template <class T>
using Vector = std::vector<T, HugePages<T>>;

}  // namespace suite
