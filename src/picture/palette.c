/* palette.c - colours by number. */
#include "picture/palette.h"

#include <math.h>

/* Of a hue in turns, at one strength and lightness. */
static mry_colour from_hue(double hue, double light)
{
    double part[3];
    for (int i = 0; i < 3; i++) {
        double at = fmod(hue + (3 - i) / 3.0, 1) * 6;
        part[i] = fmin(fmax(fabs(at - 3) - 1, 0), 1);
    }
    mry_colour full = { part[0], part[1], part[2] };
    return mry_colour_mix((mry_colour){ 0.5 * light, 0.5 * light, 0.5 * light }, full, 0.6 * light);
}

mry_colour mry_palette(int number)
{
    static const mry_colour first[] = { { 0.00, 0.45, 0.70 }, { 0.84, 0.37, 0.00 },
                                        { 0.00, 0.62, 0.45 }, { 0.80, 0.47, 0.65 },
                                        { 0.34, 0.71, 0.91 }, { 0.90, 0.62, 0.00 },
                                        { 0.35, 0.35, 0.35 }, { 0.45, 0.25, 0.60 } };
    enum { COUNT = sizeof first / sizeof *first };
    if (number < 0) number = 0;
    if (number < COUNT) return first[number];
    int rest = number - COUNT;
    return from_hue(fmod(rest * 0.61803398875, 1), 0.75 + 0.12 * (rest % 3));
}
