/* paths_layout.c - where things are in a picture of ways: one scale for both directions, as large
   as fits; dots and joined moments as far apart as is readable. */
#include "picture/ink.h"
#include "picture/paths_picture.h"
#include "puppet/puppet_data.h"

#include <math.h>
#include <string.h>

enum {
    LEFT = 52,
    RIGHT = 20,
    TITLE = 26,
    KEY = 22,
    BELOW_KEY = 12,
    AXIS = 24,  /* the numbers below the plan, and .. */
    SCALE = 20, /* .. the scale below them: on the plan it would lie on ways */
    PANEL_GAP = 26,
    BOTTOM = 44
};

#define LEAST_CM 200.0   /* what is shown across at least */
#define FLATTEST 0.42    /* the plan's height, in widths .. */
#define TALLEST 0.8      /* .. and at most */
#define PANEL_SHARE 0.14 /* the panel's */
#define EDGE_PX 26.0     /* room for marks at the edge */
#define DOT_PX 30.0      /* from dot to dot, in the mean */
#define MOST_DOTS 60     /* of a way, by default */
#define MOST_JOINS 14

double mry_paths_seconds(const marey_paths_walker *walker)
{
    return (walker->count - 1) / walker->rate;
}

marey_entity mry_paths_at(const marey_paths_walker *walker, double time_s)
{
    double row = fmin(fmax(time_s * walker->rate, 0), walker->count - 1);
    int i = (int)row < walker->count - 1 ? (int)row : walker->count - 2;
    return mry_entity_between(&walker->places[i], &walker->places[i + 1], row - i);
}

void mry_paths_point(const mry_paths_plan *p, const marey_entity *at, double *x, double *y)
{
    *x = p->floor.x + p->floor.width / 2 + (at->x_cm - p->middle[0]) * p->scale;
    *y = p->floor.y + p->floor.height / 2 - (at->y_cm - p->middle[1]) * p->scale;
}

/* The main character is gray, and the palette's own gray is passed over. */
mry_colour mry_paths_colour(int walker)
{
    enum { GRAY = 6 };
    if (walker == 0) return (mry_colour){ 0.42, 0.44, 0.48 };
    return mry_palette(walker - 1 < GRAY ? walker - 1 : walker);
}

bool mry_paths_has_marks_key(const mry_paths_plan *p)
{
    return p->width >= 560;
}

double mry_paths_row_end(const mry_paths_plan *p, int row)
{
    double end = p->floor.x + p->floor.width;
    return row == 0 && mry_paths_has_marks_key(p) ? end - MRY_PATHS_MARKS_KEY_PX : end;
}

double mry_paths_name_px(const char *name)
{
    size_t letters = strlen(name);
    return MRY_PATHS_KEY_LINE + MRY_PATHS_KEY_GAP + fmin(8.0 * (double)letters, MRY_PATHS_NAME_PX);
}

/* A step of a clock that is not less. */
static double clock_step(double least)
{
    static const double steps[] = { 0.1, 0.2, 0.5, 1,   2,   5,    10,   15,  20,
                                    30,  60,  120, 300, 600, 1200, 1800, 3600 };
    enum { COUNT = sizeof steps / sizeof *steps };
    for (int i = 0; i < COUNT; i++) {
        if (steps[i] >= least) return steps[i];
    }
    return ceil(least / 3600) * 3600;
}

void mry_paths_lay_out(mry_paths_plan *p)
{
    double inside = p->width - LEFT - RIGHT;
    p->size = fmin(fmax(sqrt(p->width / 1000.0), 0.6), 2);
    p->title_y = TITLE;
    p->key_y = p->def->title ? TITLE + KEY : TITLE;
    p->floor = (mry_rectangle){ .x = LEFT, .width = inside };
    /* How many lines of names there are, at most. */
    int rows = 1;
    double x = p->floor.x;
    for (int w = 0; w < p->count; w++) {
        if (!p->walkers[w].name) continue;
        double wide = mry_paths_name_px(p->walkers[w].name);
        if (x > p->floor.x && x + wide > mry_paths_row_end(p, rows - 1)) {
            rows++;
            x = p->floor.x;
        }
        x += wide;
    }
    p->key_rows = rows;
    p->floor.y = p->key_y + (p->key_rows - 1) * MRY_PATHS_KEY_ROW + BELOW_KEY;
    /* The plan is as tall as the ways are, within limits. */
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
    for (int w = 0; w < p->count; w++) {
        for (int i = 0; i < p->walkers[w].count; i++) {
            const marey_entity *at = &p->walkers[w].places[i];
            const double place[2] = { at->x_cm, at->y_cm };
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], place[k]);
                high[k] = fmax(high[k], place[k]);
            }
        }
    }
    double cm[2], edge = EDGE_PX * p->size, width = p->floor.width;
    for (int k = 0; k < 2; k++) {
        p->middle[k] = (low[k] + high[k]) / 2;
        cm[k] = fmax(high[k] - low[k], k ? 1 : LEAST_CM);
    }
    double across = (width - 2 * edge) / cm[0];
    double height = fmin(fmax(across * cm[1] + 2 * edge, FLATTEST * width), TALLEST * width);
    p->floor.height = rint(height);
    p->scale = fmin(across, (p->floor.height - 2 * edge) / cm[1]);
    /* Dots as far apart as is readable on the longest way. */
    double longest = 0;
    for (int w = 0; w < p->count; w++) {
        const marey_paths_walker *walker = &p->walkers[w];
        double sum = 0;
        p->seconds = fmax(p->seconds, mry_paths_seconds(walker));
        for (int i = 1; i < walker->count; i++)
            sum += hypot(walker->places[i].x_cm - walker->places[i - 1].x_cm,
                         walker->places[i].y_cm - walker->places[i - 1].y_cm);
        longest = fmax(longest, sum * p->scale);
    }
    double dots = fmin(fmax(longest / (DOT_PX * p->size), 4), MOST_DOTS);
    p->every_s = p->def->every_s > 0 ? p->def->every_s : clock_step(p->seconds / dots);
    double joins = fmax(clock_step(p->seconds / MOST_JOINS), p->every_s);
    p->joins_s = ceil(joins / p->every_s - 1e-9) * p->every_s;
    p->scale_y = p->floor.y + p->floor.height + AXIS + SCALE / 2;
    double end = p->floor.y + p->floor.height + AXIS + SCALE;
    if (p->count > 1) {
        p->panel =
            (mry_rectangle){ LEFT, end + PANEL_GAP, inside, rint(fmax(PANEL_SHARE * inside, 60)) };
        end = p->panel.y + p->panel.height + BOTTOM;
    }
    p->height = (int)end;
}
