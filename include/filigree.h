// Filigree's public interface: all that a program needs to write index notation, store tensors, compile and run.
#pragma once

#include "algebra/user_function.h"    // add_function: functions of your own in index notation
#include "compiler/kernel.h"          // Kernel: compile once, run many times
#include "compiler/planned_kernel.h"  // PlannedKernel: a kernel of a plan, as text or changed
#include "compiler/program.h"         // Program: several statements, each on the results of those before
#include "concrete/written.h"         // Written: loops of your own, for Kernel::compile
#include "front/compile.h"            // compile(text, formats), einsum
#include "front/tensor.h"             // Tensor<T>: tensors that hold data and know what is assigned to them
#include "io/files.h"                 // read_file, write_file
#include "layouts/build.h"            // layouts of your own, put together with C++ operators
#include "notation/build.h"           // expressions with C++ operators: y(i) = A(i,j) * x(j)
#include "notation/parse.h"           // expressions as text
#include "plan/text.h"                // plans as text
#include "polyhedral/use_layout.h"    // use_layout, make_tensor: layouts as formats, and tensors of their arrays
#include "schedule/schedule.h"        // Schedule: how to run, as text or as commands
#include "support/check.h"            // InternalError
#include "support/diagnostic.h"       // UserError
#include "tensor/any_tensor.h"        // AnyTensor: elements of any type
#include "tensor/format.h"            // Format, parse_format; level::Format and level::add for formats of your own
#include "tensor/formats.h"           // formats::csr, formats::bcsr(4, 4), ...
#include "tensor/named_format.h"      // add_named_format
