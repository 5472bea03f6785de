/* kernel_neon.c - the hot loops for 64-bit ARM: 8 x 12 sums in 24 of 32 registers. */
#include "kernel/kernel.h"

#ifdef __aarch64__

#include <arm_neon.h>

#define KERNEL_NAME "neon"
#define LANES 4
#define MR 8
#define VECTORS 3
#define SPREAD(a, p) vec a##_low = load_any(p), a##_high = load_any((p) + 4);
#define AT(a, r) ((r) < 4 ? a##_low : a##_high)[(r) % 4]
#define LEAST(a, b) ((vec)vminq_f32((float32x4_t)(a), (float32x4_t)(b)))
#define MOST(a, b) ((vec)vmaxq_f32((float32x4_t)(a), (float32x4_t)(b)))
#define ROOT(a) ((vec)vsqrtq_f32((float32x4_t)(a)))
#define NEAR_ROOT(a) ROOT(a)
#define NEAR_ROOT_OFF 1e-6f
#define FLOATS(p) ((vec)vcvtq_f32_s32(vmovl_s16(vld1_s16(p))))
#define FLOATS_8(p) floats_8(p)
#define FLOATS_U8(p) floats_u8(p)
#define DOUBLES(p) ((wide)vcvt_f64_f32(vld1_f32(p)))
#define CHOOSE(mask, a, b) ((wide)vbslq_f64((uint64x2_t)(mask), (float64x2_t)(a), (float64x2_t)(b)))
#define CHOOSE_BITS(mask, a, b)                                                                    \
    ((wide_bits)vbslq_s64((uint64x2_t)(mask), (int64x2_t)(a), (int64x2_t)(b)))
#define NONE(v) (vmaxvq_u32((uint32x4_t)(v)) == 0)
#define BITS(v) bits((uint32x4_t)(v))

static inline float32x4_t floats_8(const int8_t *p)
{
    int8x8_t four = vreinterpret_s8_s32(vld1_dup_s32((const int32_t *)(const void *)p));
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(four))));
}

static inline float32x4_t floats_u8(const uint8_t *p)
{
    uint8x8_t four = vreinterpret_u8_u32(vld1_dup_u32((const uint32_t *)(const void *)p));
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(four))));
}

static inline unsigned bits(uint32x4_t v)
{
    const uint32x4_t weight = { 1, 2, 4, 8 };
    return vaddvq_u32(vandq_u32(v, weight));
}

#include "kernel/kernel_body.h"

#endif

const mry_kernel *mry_kernel_neon(void)
{
#ifdef __aarch64__
    return &kernel;
#else
    return NULL;
#endif
}
