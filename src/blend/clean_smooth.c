/* clean_smooth.c - filters over the frames of a clip; each looks at the same number of frames on both sides, fewer where the
   clip ends, and takes time linear in the frames whatever their number. */
#include "blend/clean.h"

/* The mean over up to `half` frames on both sides, of each of `width` numbers a frame. Whole windows are summed anew now
   and then, so that nothing is left of what went by long ago. */
void mry_clean_average(const double *from, int frames, int width, int half, double *to)
{
    enum { ANEW = 1024 };
    for (int k = 0; k < width; k++) {
        double sum = 0;
        for (int f = 0; f < frames; f++) {
            int first = f > half ? f - half : 0, last = f + half < frames ? f + half : frames - 1;
            if (f % ANEW == 0) {
                sum = 0;
                for (int i = first; i <= last; i++)
                    sum += from[(size_t)i * (size_t)width + (size_t)k];
            } else {
                if (f + half < frames) sum += from[(size_t)last * (size_t)width + (size_t)k];
                if (f > half) sum -= from[(size_t)(first - 1) * (size_t)width + (size_t)k];
            }
            to[(size_t)f * (size_t)width + (size_t)k] = sum / (last - first + 1);
        }
    }
}

/* The largest over up to `half` frames on both sides. queue: frames whose values fall, the first one the largest. */
void mry_clean_largest(const double *from, int frames, int half, int *queue, double *to)
{
    int head = 0, tail = 0, next = 0;
    for (int f = 0; f < frames; f++) {
        for (; next < frames && next <= f + half; next++) {
            while (tail > head && from[queue[tail - 1]] <= from[next]) tail--;
            queue[tail++] = next;
        }
        if (queue[head] < f - half) head++;
        to[f] = from[queue[head]];
    }
}
