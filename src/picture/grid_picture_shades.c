/* grid_picture_shades.c - which colour stands for which distance. The ramp is made in Oklab (Ottosson 2020), whose first
   coordinate is lightness as it is seen: even steps of it, so that equal differences look equal and the picture can be
   read without seeing colours. */
#include "picture/grid_picture.h"

#include "picture/vec3.h"

static double encode(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

/* Linear sRGB of an Oklab colour; false if no screen shows it. */
static bool from_oklab(double light, double a, double b, double *rgb)
{
    double l = light + 0.3963377774 * a + 0.2158037573 * b;
    double m = light - 0.1055613458 * a - 0.0638541728 * b;
    double s = light - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    bool shown = true;
    for (int k = 0; k < 3; k++) shown &= rgb[k] >= 0 && rgb[k] <= 1;
    return shown;
}

void mry_grid_shades(uint32_t *shades)
{
    for (int i = 0; i < MRY_GRID_SHADES; i++) {
        double t = (double)i / (MRY_GRID_SHADES - 1), light = 0.16 + 0.81 * t;
        double hue = (290 - 185 * t) * M_PI / 180, chroma = 0.06 + 0.22 * t * (1 - 0.75 * t);
        double rgb[3];
        while (!from_oklab(light, chroma * cos(hue), chroma * sin(hue), rgb) && chroma > 1e-3)
            chroma *= 0.97;
        uint32_t shade = 0;
        for (int k = 0; k < 3; k++) {
            shade = shade << 8 | (uint32_t)lround(255 * encode(mry_clamp(rgb[k], 0, 1)));
        }
        shades[i] = shade;
    }
}

/* ---- the range --------------------------------------------------------------------------------- */

enum { BINS = 4096 };

static void find_ends(const mry_grid_plan *plan, float *least, float *greatest)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    for (int i = 0; i < plan->cells.rows; i++) {
        const float *row = plan->cells.values + (size_t)i * plan->cells.stride;
        for (int j = 0; j < plan->cells.cols; j++) {
            *least = row[j] < *least ? row[j] : *least;
            *greatest = row[j] > *greatest ? row[j] : *greatest;
        }
    }
}

static void count_cells(const mry_grid_plan *plan, float least, float factor, int64_t *bins)
{
    for (int i = 0; i < plan->cells.rows; i++) {
        const float *row = plan->cells.values + (size_t)i * plan->cells.stride;
        for (int j = 0; j < plan->cells.cols; j++) bins[(int)(factor * (row[j] - least))]++;
    }
}

bool mry_grid_range(mry_grid_plan *plan, mry_arena *tmp)
{
    int64_t *bins = MRY_NEW(tmp, int64_t, BINS);
    float least, greatest;
    if (!bins) return false;
    find_ends(plan, &least, &greatest);
    double high = greatest, cells = (double)plan->cells.rows * plan->cells.cols;
    plan->high_is_greatest = true;
    if (greatest > least) {
        float factor = (float)((BINS - 1) / ((double)greatest - least));
        double below = 0;
        int bin = 0;
        count_cells(plan, least, factor, bins);
        while (bin < BINS - 1 && (below += (double)bins[bin]) < 0.99 * cells) bin++;
        /* Rounding may put the greatest into the last bin but one. */
        plan->high_is_greatest = bin >= BINS - 2;
        if (!plan->high_is_greatest) high = least + (bin + 1) / (double)factor;
    }
    plan->low = plan->rooted ? sqrt(least) : least;
    plan->high = plan->rooted ? sqrt(high) : high;
    return true;
}
