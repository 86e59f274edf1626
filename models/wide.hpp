#pragma once

/// A second copy of a function for processors with AVX, chosen when the program starts. It has the
/// same arithmetic without fused operations, and so the same bits, in fewer instructions.
#if defined(__x86_64__) && defined(__GNUC__)
#define GYRE_WIDE [[gnu::target_clones("avx", "default")]]
#else
#define GYRE_WIDE
#endif
