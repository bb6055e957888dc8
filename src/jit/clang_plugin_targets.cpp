// LLD and clang's driver start every target LLVM was built with; a kernel needs only this machine's.
// In the statically linked plug-in the others are these empty functions instead of 100 MB of code.
#ifdef FILIGREE_FOREIGN_TARGETS

#define FILIGREE_EMPTY_TARGET(target)                     \
  extern "C" void LLVMInitialize##target##TargetInfo() {} \
  extern "C" void LLVMInitialize##target##Target() {}     \
  extern "C" void LLVMInitialize##target##TargetMC() {}   \
  extern "C" void LLVMInitialize##target##AsmPrinter() {} \
  extern "C" void LLVMInitialize##target##AsmParser() {}
FILIGREE_FOREIGN_TARGETS

#endif
