/* ticks.c - round numbers along an axis. */
#include "picture/ticks.h"

#include <math.h>
#include <stdio.h>

double mry_round_step(double least)
{
    double power = pow(10, floor(log10(least))), share = least / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

mry_ticks mry_ticks_by(mry_span of, double step)
{
    mry_ticks t = { .step = step, .first = ceil(of.low / step) * step };
    t.count = (int)fmin(floor((of.high - t.first) / t.step + 1e-9) + 1, 100);
    return t;
}

mry_ticks mry_ticks_of(mry_span of, double most)
{
    return mry_ticks_by(of, mry_round_step((of.high - of.low) / fmax(most, 1)));
}

double mry_tick_at(const mry_ticks *ticks, int i)
{
    return ticks->first + i * ticks->step;
}

void mry_tick_text(const mry_ticks *ticks, int i, char *text, size_t room)
{
    double at = mry_tick_at(ticks, i);
    snprintf(text, room, "%.6g", fabs(at) < 1e-9 * ticks->step ? 0 : at);
}
