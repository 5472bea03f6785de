/* ticks.h - round numbers along an axis. Read by plots and plans. */
#ifndef MRY_TICKS_H
#define MRY_TICKS_H

#include <stddef.h>

typedef struct mry_span {
    double low, high;
} mry_span;

/* Counted, since a step may be too small beside a large number to get on by it. */
typedef struct mry_ticks {
    double step, first;
    int count; /* at most 100 */
} mry_ticks;

/* 1, 2 or 5 times a power of ten: the least that is not less. */
double mry_round_step(double least);

/* At most about `most` of them. */
mry_ticks mry_ticks_of(mry_span of, double most);
mry_ticks mry_ticks_by(mry_span of, double step);
double mry_tick_at(const mry_ticks *ticks, int i);
void mry_tick_text(const mry_ticks *ticks, int i, char *text, size_t room);

#endif
