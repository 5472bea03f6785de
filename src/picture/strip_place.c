/* strip_place.c - where the figures of a strip stand. Under them runs the axis of time, so each belongs over its own time;
   but motion turns in bursts, and figures must not cover each other. Of all places in a row with enough room between
   them, those with the least sum of squared ways from where the figures belong are taken: with the room that the
   figures before one need subtracted, places only have to rise, which makes it an isotonic regression, and that is
   solved by pooling neighbours that stand in each other's way (Barlow & Brunk 1972). */
#include "picture/strip.h"

#include "picture/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLACED = 64, ENOUGH = 9 };

static const double GAP = 0.06; /* between figures, share of the body's height */
static const double FAR = 0.2;  /* so far from its time a figure says the wrong one, same share */
static const double FULLEST =
    0.8; /* the share of the width that figures take where all are asked for */

static int by_frame(const void *a, const void *b)
{
    return ((const mry_strip_pose *)a)->frame - ((const mry_strip_pose *)b)->frame;
}

/* A row of figures that stand shoulder to shoulder, at a mean place. */
typedef struct pool {
    double sum;
    int count;
} pool;

static double width_of(const mry_strip *strip, const mry_strip_pose *pose)
{
    return pose->box[2] - pose->box[0] + GAP * strip->body.height_cm;
}

/* What the height of the picture allows. */
static double tallest_scale(const mry_strip *strip, const mry_strip_pose *poses, int count)
{
    double above = 0.3 * strip->body.height_cm, below = 0.03 * strip->body.height_cm;
    for (int i = 0; i < count; i++) {
        above = fmax(above, -poses[i].box[1]);
        below = fmax(below, poses[i].box[3]);
    }
    return (strip->layout.bottom - strip->layout.top) / (above + below);
}

/* The scale at which the poses side by side are as wide as that. */
static double scale_for(const mry_strip *strip, const mry_strip_pose *poses, int count,
                        double width)
{
    double wide = 0;
    for (int i = 0; i < count; i++) wide += width_of(strip, &poses[i]);
    return width / wide;
}

/* Over its time, but for figures that would stand out of the picture there. */
static double wanted(const mry_strip *strip, const mry_strip_pose *pose, double scale)
{
    const mry_strip_layout *l = &strip->layout;
    double least = l->left - scale * pose->box[0], most = l->right - scale * pose->box[2];
    return mry_clamp(mry_strip_x(strip, pose->frame), least, fmax(least, most));
}

/* Places poses that are in the order of time and fit at this scale; how far the worst one is from where it
   belongs. */
static double place(const mry_strip *strip, mry_strip_pose *poses, int count, double scale)
{
    const mry_strip_layout *l = &strip->layout;
    double before[MOST_PLACED], used = 0, worst = 0;
    pool pools[MOST_PLACED];
    int open = 0;
    for (int i = 0; i < count; i++) {
        before[i] = used - scale * poses[i].box[0];
        used += scale * width_of(strip, &poses[i]);
        pools[open++] = (pool){ wanted(strip, &poses[i], scale) - before[i], 1 };
        while (open > 1 && pools[open - 1].sum * pools[open - 2].count <
                               pools[open - 2].sum * pools[open - 1].count) {
            pools[open - 2].sum += pools[open - 1].sum;
            pools[open - 2].count += pools[open - 1].count;
            open--;
        }
    }
    double last = l->right - used + scale * GAP * strip->body.height_cm;
    for (int p = 0, i = 0; p < open; p++) {
        double at = mry_clamp(pools[p].sum / pools[p].count, l->left, fmax(last, l->left));
        for (int k = 0; k < pools[p].count; k++, i++) {
            poses[i].x = at + before[i];
            worst = fmax(worst, fabs(poses[i].x - wanted(strip, &poses[i], scale)));
        }
    }
    return worst;
}

static void finish(mry_strip *strip, double scale)
{
    double below = 0.03 * strip->body.height_cm;
    for (int i = 0; i < strip->pose_count; i++) below = fmax(below, strip->poses[i].box[3]);
    strip->scale = scale;
    strip->layout.floor_y = strip->layout.bottom - scale * below;
    place(strip, strip->poses, strip->pose_count, scale);
}

void mry_strip_place_all(mry_strip *strip)
{
    double width = strip->layout.right - strip->layout.left;
    int count = strip->pose_count;
    double scale = fmin(tallest_scale(strip, strip->poses, count),
                        scale_for(strip, strip->poses, count, FULLEST * width));
    qsort(strip->poses, (size_t)count, sizeof *strip->poses, by_frame);
    finish(strip, scale);
}

/* Takes the best poses one by one, but for those that would push figures too far from their times. The first and the
   last frame are the first two, and always shown. taken: room for all. */
static int take(const mry_strip *strip, const mry_strip_pose *ranked, int count, double scale,
                mry_strip_pose *taken)
{
    double width = strip->layout.right - strip->layout.left;
    double far = FAR * strip->body.height_cm * scale;
    mry_strip_pose tried[MOST_PLACED];
    int kept = 0;
    for (int i = 0; i < count; i++) {
        memcpy(tried, taken, (size_t)kept * sizeof *tried);
        tried[kept] = ranked[i];
        qsort(tried, (size_t)kept + 1, sizeof *tried, by_frame);
        if (i > 1 && scale_for(strip, tried, kept + 1, width) < scale) continue;
        if (i > 1 && place(strip, tried, kept + 1, scale) > far) continue;
        memcpy(taken, tried, ((size_t)kept + 1) * sizeof *tried);
        kept++;
    }
    return kept;
}

/* At full height; where only few fit, somewhat smaller. */
void mry_strip_place_some(mry_strip *strip)
{
    static const double shrinks[] = { 1.0, 0.9, 0.8, 0.7 };
    mry_strip_pose taken[MOST_PLACED];
    int count = strip->pose_count, kept = 0;
    double tallest = tallest_scale(strip, strip->poses, count), scale = tallest;
    double width = strip->layout.right - strip->layout.left;
    for (size_t s = 0; s < sizeof shrinks / sizeof *shrinks && kept < ENOUGH && kept < count; s++) {
        scale = shrinks[s] * tallest;
        kept = take(strip, strip->poses, count, scale, taken);
    }
    memcpy(strip->poses, taken, (size_t)kept * sizeof *taken);
    strip->pose_count = kept;
    finish(strip, fmin(scale, scale_for(strip, strip->poses, kept, width)));
}
