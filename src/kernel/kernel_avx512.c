/* kernel_avx512.c - the hot loops for x86-64 with AVX-512: 8 x 48 sums in 24 of 32 registers. */
#include "kernel/kernel.h"

#ifdef __AVX512F__

#include <immintrin.h>

#define KERNEL_NAME "avx512"
#define LANES 16
#define MR 8
#define VECTORS 3
#define SPREAD(a, p) const float *a##_all = (p);
#define AT(a, r) a##_all[r]
#define LEAST(a, b) ((vec)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define MOST(a, b) ((vec)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define ROOT(a) ((vec)_mm512_sqrt_ps((__m512)(a)))
#define NEAR_ROOT(a) ((a) * (vec)_mm512_rsqrt14_ps((__m512)(a)))
#define NEAR_ROOT_OFF 6.2e-5f
#define FLOATS(p)                                                                                  \
    ((vec)_mm512_cvtepi32_ps(                                                                      \
        _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(p)))))
#define FLOATS_8(p)                                                                                \
    ((vec)_mm512_cvtepi32_ps(                                                                      \
        _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))))
#define FLOATS_U8(p)                                                                               \
    ((vec)_mm512_cvtepi32_ps(                                                                      \
        _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))))
#define DOUBLES(p) ((wide)_mm512_cvtps_pd(_mm256_loadu_ps(p)))
#define CHOOSE(mask, a, b) ((wide)CHOOSE_BITS(mask, (wide_bits)(a), (wide_bits)(b)))
#define CHOOSE_BITS(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
#define NONE(v) (_mm512_test_epi32_mask((__m512i)(v), (__m512i)(v)) == 0)
#define BITS(v) (unsigned)_mm512_test_epi32_mask((__m512i)(v), (__m512i)(v))

#include "kernel/kernel_body.h"

#endif

const mry_kernel *mry_kernel_avx512(void)
{
#ifdef __AVX512F__
    if (__builtin_cpu_supports("avx512f")) return &kernel;
#endif
    return NULL;
}
