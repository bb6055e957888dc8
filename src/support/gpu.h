// What every GPU has.
#pragma once

namespace filigree {

constexpr int warp_size = 32;  // threads that run in step: its lanes
/// So many threads in a block, so many bytes for its shared arrays.
constexpr int most_threads_in_block = 1024, most_shared_bytes = 48 * 1024;

}  // namespace filigree
