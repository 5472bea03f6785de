/* kernel_table.c - which kernels this processor can run. */
#include "kernel/kernel.h"

const mry_kernel *mry_kernel_find(int index)
{
    const mry_kernel *all[] = { &mry_kernel_plain, mry_kernel_neon(), mry_kernel_avx2(),
                                mry_kernel_avx512() };
    for (int i = 0, found = 0; i < 4; i++) {
        if (all[i] && found++ == index) return all[i];
    }
    return NULL;
}

const mry_kernel *mry_kernel_best(void)
{
    const mry_kernel *best = &mry_kernel_plain, *next;
    for (int i = 1; (next = mry_kernel_find(i)); i++) best = next;
    return best;
}
