#include "jit/processor.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>
#endif

namespace filigree::jit {
namespace {

#if defined(__x86_64__)

/// The registers LLVM and gcc look at for names and features, without those that differ between the
/// cores of one machine (such as leaf 1's ebx, which holds the core's number).
std::string processor() {
  struct Leaf {
    unsigned leaf, subleaf;
    bool eax, ebx, ecx, edx;
  };
  constexpr Leaf leaves[] = {{0x0, 0, false, true, true, true},         {0x1, 0, true, false, true, true},
                             {0x7, 0, false, true, true, true},         {0x7, 1, true, true, true, true},
                             {0xd, 1, true, false, false, false},       {0x14, 0, false, true, false, false},
                             {0x19, 0, false, true, false, false},      {0x24, 0, false, true, false, false},
                             {0x80000001, 0, false, false, true, true}, {0x80000008, 0, false, true, false, false}};
  std::string text = "x86-64";
  bool os_saves_vectors = false;
  for (const Leaf& leaf : leaves) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid_count(leaf.leaf, leaf.subleaf, &eax, &ebx, &ecx, &edx)) continue;
    if (leaf.leaf == 1) os_saves_vectors = (ecx >> 27 & 1) != 0;
    text += fmt::format(" {:x}.{}:{:x},{:x},{:x},{:x}", leaf.leaf, leaf.subleaf, leaf.eax ? eax : 0, leaf.ebx ? ebx : 0,
                        leaf.ecx ? ecx : 0, leaf.edx ? edx : 0);
  }
  if (os_saves_vectors) {
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    text += fmt::format(" xcr0:{:x}", low);
  }
  return text;
}

#else

/// The kernel's feature words and the first processor of /proc/cpuinfo.
std::string processor() {
  std::string text = fmt::format("hwcap:{:x},{:x} ", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
  const int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char block[4096];
  const ssize_t count = read(file, block, sizeof block);
  close(file);
  if (count > 0) {
    const std::string info(block, static_cast<std::size_t>(count));
    text += info.substr(0, info.find("\n\n"));
  }
  return text;
}

#endif

}  // namespace

const std::string& processor_fingerprint() {
  // Kernels are bound to symbol versions of the C library, so another one is another machine.
  static const std::string fingerprint = processor() + " glibc " + gnu_get_libc_version();
  return fingerprint;
}

}  // namespace filigree::jit
