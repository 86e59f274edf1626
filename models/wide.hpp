#pragma once

/// A second copy of a function for processors with AVX, chosen when the program starts. It has the
/// same arithmetic without fused operations, and so the same bits, in fewer instructions.
#if defined(__x86_64__) && defined(__GNUC__)
#define GYRE_WIDE [[gnu::target_clones("avx", "default")]]
/// The same where integers become floats: AVX alone has only narrow integers.
#define GYRE_WIDE_INTEGERS [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define GYRE_WIDE
#define GYRE_WIDE_INTEGERS
#endif
