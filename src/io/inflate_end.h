// The end of unpacking with zlib, for a std::unique_ptr.
#pragma once

#include <zlib.h>

namespace filigree::io {

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace filigree::io
