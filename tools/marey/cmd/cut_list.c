/* cut_list.c - finding cuts the way the command line asks for. */
#include "cut_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 100000 };

int cut_list_options(cut_list *list, session *run, const request *asked)
{
    bool given[2];
    *list = (cut_list){ .run = run, .most = 10 };
    int status = read_pair(run, asked, OPTION_AT, false, list->at, given);
    list->at_given = given[0];
    if (status == PROGRAM_DONE) {
        status = read_pair(run, asked, OPTION_NEAR, true, list->near, list->near_given);
    }
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_WITHIN, 0.001, 1e6, &list->within_s);
    }
    if (status == PROGRAM_DONE && request_has(asked, OPTION_WITHIN) &&
        !request_has(asked, OPTION_NEAR)) {
        return session_usage(run, "--within says how far from --near, so --near is needed");
    }
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_COUNT, 1, MOST_CUTS, &list->most);
    }
    if (status != PROGRAM_DONE) return status;
    if (request_has(asked, OPTION_BELOW) && strcmp(asked->values[OPTION_BELOW], "inf") == 0) {
        list->below = INFINITY;
        return PROGRAM_DONE;
    }
    return options_number(run, asked, OPTION_BELOW, 1e-12, 1e12, &list->below);
}

double cut_list_limit(const cut_list *list, const making *of)
{
    if (list->below > 0) return list->below;
    double usual = of->metric.metric->thresholds.cut;
    return usual > 0 ? usual : INFINITY;
}

int making_half(const making *of)
{
    return marey_transition_half(of->all.clips[0], of->half);
}

/* ---- one pair, or one row -------------------------------------------------------------------------- */

/* What the metric says of the two clips. */
typedef struct measures {
    const making *of;
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid; /* for metrics whose cells depend on each other */
} measures;

static void measures_free(measures *m)
{
    marey_grid_free(m->grid);
    for (int side = 0; side < 2; side++) marey_features_free(m->features[side]);
    marey_layout_free(m->layout);
}

static marey_status measures_make(measures *m, const making *of, marey_error *error)
{
    *m = (measures){ .of = of };
    marey_status status = marey_layout_build_bodies(of->run->ctx, materials_list(&of->all), 2,
                                                    &of->metric, &m->layout, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        status = marey_features_build(m->layout, of->all.clips[side], &m->features[side], error);
    }
    if (status == MAREY_OK && of->metric.metric->whole_grid) {
        status = marey_grid_build(of->run->ctx, m->features[0], m->features[1], &m->grid, error);
    }
    return status;
}

static double cost_of(const measures *m, const int *rows)
{
    if (!m->grid) return marey_distance(m->features[0], rows[0], m->features[1], rows[1]);
    marey_rows cost = marey_grid_cost(m->grid);
    return cost.values[(size_t)rows[0] * cost.stride + (size_t)rows[1]];
}

static void take_one(cut_list *list, const measures *m, const int *frames)
{
    int rows[2] = { marey_features_row(m->features[0], frames[0]),
                    marey_features_row(m->features[1], frames[1]) };
    list->cuts[0] = (marey_cut){ frames[0], frames[1], cost_of(m, rows) };
    list->count = 1;
}

/* One frame is named: the rows of the other side at which there is room for a transition. */
static void room_in(const cut_list *list, const measures *m, int side, int near, int *first,
                    int *last)
{
    const marey_clip *clip = m->of->all.clips[side];
    double fps = marey_clip_fps(clip), own = marey_clip_fps(m->of->all.clips[0]);
    int half = (int)lround(making_half(m->of) * fps / own), frames = marey_clip_frames(clip);
    int low = half, high = frames - 1 - half;
    if (list->near_given[side]) {
        int within = (int)lround((list->within_s > 0 ? list->within_s : 0.5) * fps);
        if (near - within > low) low = near - within;
        if (near + within < high) high = near + within;
    }
    *first = low < frames ? marey_features_row(m->features[side], low) : 1;
    *last = high >= 0 ? marey_features_row(m->features[side], high) : 0;
}

static int by_cost(const void *left, const void *right)
{
    const marey_cut *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

/* Of minima nearer to each other than half a transition only the best stays. */
static void thin_out(cut_list *list, buffer *minima, int half)
{
    marey_cut *all = (marey_cut *)(void *)minima->bytes;
    int count = (int)(minima->used / sizeof *all);
    if (count > 1) qsort(all, (size_t)count, sizeof *all, by_cost);
    for (int i = 0; i < count && list->count < list->most; i++) {
        bool apart = true;
        for (int k = 0; k < list->count && apart; k++) {
            apart =
                abs(all[i].a - list->cuts[k].a) > half || abs(all[i].b - list->cuts[k].b) > half;
        }
        if (apart) list->cuts[list->count++] = all[i];
    }
}

/* Local minima of a row or a column of the grid. */
static marey_status take_row(cut_list *list, const measures *m, int fixed, int frame, int near,
                             marey_error *error)
{
    int free_side = 1 - fixed, rows[2], first, last;
    double limit = cut_list_limit(list, m->of), before = INFINITY;
    buffer minima = buffer_make(&list->run->host->def);
    rows[fixed] = marey_features_row(m->features[fixed], frame);
    room_in(list, m, free_side, near, &first, &last);
    rows[free_side] = first;
    double now = first <= last ? cost_of(m, rows) : INFINITY;
    for (int row = first; row <= last; row++) {
        rows[free_side] = row + 1;
        double next = row < last ? cost_of(m, rows) : INFINITY;
        if (now < before && now <= next && now < limit) {
            marey_cut cut = { frame, frame, now };
            *(free_side ? &cut.b : &cut.a) = marey_features_frame(m->features[free_side], row);
            buffer_bytes(&minima, (const char *)&cut, sizeof cut);
        }
        before = now;
        now = next;
    }
    bool failed = minima.failed;
    if (!failed) thin_out(list, &minima, making_half(m->of));
    buffer_free(&minima);
    if (!failed) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* ---- all ------------------------------------------------------------------------------------------- */

/* The frames that are named, by --at or by addresses, in frames of the clips. */
static marey_status find_named(const cut_list *list, const making *of, int *frames, bool *named,
                               marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        named[side] = list->at_given || of->all.items[side].centre_given;
        frames[side] = of->all.items[side].centre;
        if (list->at_given) {
            status = material_find(&of->all, side, list->at[side], "--at", &frames[side], error);
        }
    }
    return status;
}

static marey_status find_near(const cut_list *list, const making *of, int *near, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        near[side] = 0;
        if (!list->near_given[side]) continue;
        status = material_find(&of->all, side, list->near[side], "--near", &near[side], error);
    }
    return status;
}

/* A clip and itself: the library then leaves out where hardly any time is skipped. */
static bool is_same(const material *a, const material *b)
{
    return strcmp(a->source.name, b->source.name) == 0 && a->source.start == b->source.start &&
           a->source.end == b->source.end;
}

static marey_status find_all(cut_list *list, const making *of, const int *near, marey_error *error)
{
    const materials *all = &of->all;
    marey_cuts_def def = { .metric = &of->metric,
                           .half = making_half(of),
                           .below = cut_list_limit(list, of),
                           .near_given = { list->near_given[0], list->near_given[1] },
                           .near = { near[0], near[1] },
                           .within_s = list->within_s };
    int found = 0, same = is_same(&all->items[0], &all->items[1]);
    marey_status status = marey_cuts_find(of->run->ctx, all->clips[0], all->clips[same ? 0 : 1],
                                          &def, (int)list->most, list->cuts, &found, error);
    if (status == MAREY_OK) list->count = found < list->most ? found : (int)list->most;
    return status;
}

static marey_status find_row(cut_list *list, const making *of, const int *frames, const bool *named,
                             const int *near, marey_error *error)
{
    measures m;
    marey_status status = measures_make(&m, of, error);
    if (status == MAREY_OK && named[0] && named[1]) {
        take_one(list, &m, frames);
    } else if (status == MAREY_OK) {
        int fixed = named[0] ? 0 : 1;
        status = take_row(list, &m, fixed, frames[fixed], near[1 - fixed], error);
    }
    measures_free(&m);
    return status;
}

static marey_status find(cut_list *list, const making *of, marey_error *error)
{
    int frames[2], near[2];
    bool named[2];
    marey_status status = find_named(list, of, frames, named, error);
    if (status == MAREY_OK) status = find_near(list, of, near, error);
    if (status != MAREY_OK) return status;
    return named[0] || named[1] ? find_row(list, of, frames, named, near, error)
                                : find_all(list, of, near, error);
}

/* What would have to be allowed. */
static marey_status find_cheapest(cut_list *list, const making *of, marey_error *error)
{
    cut_list open = *list;
    open.below = INFINITY;
    open.most = 1;
    list->cheapest = INFINITY;
    marey_status status = find(&open, of, error);
    if (status == MAREY_OK && open.count > 0) list->cheapest = open.cuts[0].cost;
    return status;
}

marey_status cut_list_find(cut_list *list, const making *of, marey_error *error)
{
    list->bytes = (size_t)list->most * sizeof *list->cuts;
    list->cuts = session_resize(of->run, NULL, 0, list->bytes);
    if (!list->cuts) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    marey_status status = find(list, of, error);
    return status == MAREY_OK && list->count == 0 ? find_cheapest(list, of, error) : status;
}

void cut_list_free(cut_list *list)
{
    if (list->cuts) session_resize(list->run, list->cuts, list->bytes, 0);
}
