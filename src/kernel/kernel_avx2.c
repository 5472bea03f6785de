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
#define NEAR_ROOT(a) ((vec)near_root((__m256)(a)))
#define NEAR_ROOT_OFF 1e-6f
#define FLOATS(p)                                                                                  \
    ((vec)_mm256_cvtepi32_ps(                                                                      \
        _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))))
#define FLOATS_8(p)                                                                                \
    ((vec)_mm256_cvtepi32_ps(                                                                      \
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
#define FLOATS_U8(p)                                                                               \
    ((vec)_mm256_cvtepi32_ps(                                                                      \
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
#define DOUBLES(p) ((wide)_mm256_cvtps_pd(_mm_loadu_ps(p)))
#define CHOOSE(mask, a, b) ((wide)_mm256_blendv_pd((__m256d)(b), (__m256d)(a), (__m256d)(mask)))
#define CHOOSE_BITS(mask, a, b)                                                                    \
    ((wide_bits)_mm256_blendv_epi8((__m256i)(b), (__m256i)(a), (__m256i)(mask)))
#define NONE(v) _mm256_testz_si256((__m256i)(v), (__m256i)(v))
#define BITS(v) (unsigned)_mm256_movemask_ps((__m256)(v))

static inline __m256 near_root(__m256 a)
{
    __m256 inverse = _mm256_rsqrt_ps(a); /* one step of Newton's makes 12 bits 22 */
    __m256 root = _mm256_mul_ps(a, inverse);
    __m256 off = _mm256_fnmadd_ps(root, inverse, _mm256_set1_ps(1));
    return _mm256_fmadd_ps(_mm256_mul_ps(root, _mm256_set1_ps(0.5f)), off, root);
}

#include "kernel/kernel_body.h"

#endif

const mry_kernel *mry_kernel_avx2(void)
{
#ifdef __AVX2__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &kernel;
#endif
    return NULL;
}
