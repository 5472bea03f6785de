/* kernel_avx2.c - the hot loops for x86-64 with AVX2 and FMA: 6 x 16 sums in 12 of 16 registers. */
#include "kernel/kernel.h"

#ifdef __AVX2__

#include <immintrin.h>

#define KERNEL_NAME "avx2"
#define LANES 8
#define MR 6
#define VECTORS 2
#define SPREAD(a, p) const float *a##_all = (p);
#define AT(a, r) a##_all[r]
#define LEAST(a, b) ((vec)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define MOST(a, b) ((vec)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define ROOT(a) ((vec)_mm256_sqrt_ps((__m256)(a)))
#define FLOATS(p)                                                                                  \
    ((vec)_mm256_cvtepi32_ps(                                                                      \
        _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))))
#define NONE(v) _mm256_testz_si256((__m256i)(v), (__m256i)(v))
#define BITS(v) (unsigned)_mm256_movemask_ps((__m256)(v))

#include "kernel/kernel_body.h"

#endif

const mry_kernel *mry_kernel_avx2(void)
{
#ifdef __AVX2__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &kernel;
#endif
    return NULL;
}
