/* blend_make.c - interpolation and continuous control (Kovar & Gleicher 2003, 6.2 and 6.3): from
   the beginning of a registration curve to its end with weights that are given. */
#include "base/fail.h"
#include "base/grow.h"
#include "blend/blend_pose.h"
#include "blend/blender.h"
#include "blend/mixer.h"

#include <marey/blend.h>

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the table of ways to combine frames ----------------------------------------------------- */

static const struct {
    const char *name, *about;
} methods[MAREY_BLEND_METHOD_COUNT] = {
    [MAREY_BLEND_REGISTERED] = { "registered",
                                 "along a registration curve: frames that belong together, laid on "
                                 "each other on the floor" },
    [MAREY_BLEND_UNTIMED] = { "untimed", "frame with frame, laid on each other on the floor" },
    [MAREY_BLEND_LINEAR] = { "linear",
                             "frame with frame, where they are: root positions and joint turns "
                             "averaged" },
};

const char *marey_blend_method_name(marey_blend_method method)
{
    assert(method >= 0 && method < MAREY_BLEND_METHOD_COUNT);
    return methods[method].name;
}

const char *marey_blend_method_about(marey_blend_method method)
{
    assert(method >= 0 && method < MAREY_BLEND_METHOD_COUNT);
    return methods[method].about;
}

/* ---- what blends, transitions and loops hand back -------------------------------------------- */

void marey_made_free(marey_made *made)
{
    if (!made) return;
    marey_clip_free(made->clip);
    marey_contacts_free(&made->contacts);
    *made = (marey_made){ 0 };
}

double marey_jump_ratio(double made_cm_per_s, double inputs_cm_per_s, double fps)
{
    double least = 0.001 * fps;
    if (isnan(made_cm_per_s) || isnan(inputs_cm_per_s)) return NAN;
    return fmax(made_cm_per_s, least) / fmax(inputs_cm_per_s, least);
}

/* ---- without timewarp ------------------------------------------------------------------------ */

/* Registrations frame with frame: the thing to compare with. */

marey_status mry_blend_straight(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                const marey_contacts *contacts, const int *centres,
                                marey_registration **out, marey_error *error)
{
    double rows_per_s = clips[0]->fps;
    for (int i = 1; i < count; i++) rows_per_s = fmin(rows_per_s, clips[i]->fps);
    /* How many rows all clips have before their centres, and from them on. */
    int before = MRY_MOST_FRAMES, after = MRY_MOST_FRAMES;
    for (int i = 0; i < count; i++) {
        int centre = centres ? centres[i] : 0; /* rows as features count them */
        int rows =
            (int)floor((clips[i]->frames - 1) / mry_frames_per_row(clips[i], rows_per_s) + 1e-6) +
            1;
        if (centre < before) before = centre;
        if (rows - centre < after) after = rows - centre;
    }
    mry_arena tmp = mry_arena_make(ctx);
    int *parents = MRY_NEW(&tmp, int, count);
    marey_path *paths = MRY_NEW(&tmp, marey_path, count);
    bool room = parents && paths;
    /* All with the first clip, cell after cell along the diagonal. */
    for (int i = 1; room && i < count; i++) {
        int from = centres ? centres[0] - before : 0, to = centres ? centres[i] - before : 0;
        marey_cell *cells = MRY_NEW_RAW(&tmp, marey_cell, before + after);
        for (int k = 0; cells && k < before + after; k++)
            cells[k] = (marey_cell){ from + k, to + k };
        paths[i] = (marey_path){ .count = before + after, .cells = cells };
        room = cells != NULL;
    }
    marey_status status;
    if (room) {
        parents[0] = -1;
        marey_registration_def def = { .reference = 1, .parents = parents, .paths = paths };
        status = marey_registration_build(ctx, clips, count, contacts, &def, out, error);
    } else {
        status = mry_fail_memory(error, clips[0]->name);
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- a run of frames ------------------------------------------------------------------------- */

/* From the one whose place is given, to both sides (5.2 and 5.3). One frame is mixer.c's. */

enum { FRAMES_A_REPORT = 512 };

static void make_frame(mry_mixer *m, mry_blend_run *run, marey_clip *made, int first, int i,
                       int from)
{
    const double *weights = run->weights + (size_t)i * (size_t)m->motions;
    mry_floor *place = &run->places[i];
    mry_mixer_take(m, run->u[i], weights, true);
    if (run->method == MAREY_BLEND_LINEAR) {
        *place = (mry_floor){ 0 };
    } else if (from < 0) {
        *place = run->place;
    } else {
        *place = mry_mixer_place(m, i, run->u[i], from, run->u[from], run->places[from]);
    }
    mry_mixer_mix(m, i, run->u[i], *place, mry_place(made, first + i), mry_turn(made, first + i));
}

bool mry_blend_frames(mry_blend_run *run, marey_clip *made, int first)
{
    mry_arena tmp = mry_arena_make(made->mem.ctx);
    mry_mixer m;
    bool fine = mry_mixer_open(&m, &tmp, run->of, made, run->method, NULL);
    if (fine) make_frame(&m, run, made, first, run->fixed, -1);
    int done = 0;
    for (int way = 1; way >= -1; way -= 2) {
        for (int i = run->fixed + way; fine && i >= 0 && i < run->count; i += way) {
            make_frame(&m, run, made, first, i, i - way);
            if (++done % FRAMES_A_REPORT == 0)
                fine = mry_progress(made->mem.ctx, "blending", done, run->count);
        }
    }
    mry_arena_free(&tmp);
    return fine;
}

/* ---- blends ---------------------------------------------------------------------------------- */

enum { MOST_FRAMES = 10 * 1000 * 1000 };

/* What is left of the curve behind the last frame, in rows, and counts as nothing. */
#define NEARLY 1e-6

typedef struct blend {
    marey_ctx *ctx;
    const marey_registration *of;
    marey_registration *straight; /* owned; NULL if `of` is the one given */
    marey_blend_def def;
    mry_arena tmp;
    int motions;
    double fps;
    double rows_per_frame;
    int key_count;
    double *keys; /* as in the definition, weights summing to 1 */
    int count;    /* frames */
    double *u;    /* room of them */
    int room;
    double *weights;
    marey_made made;
} blend;

/* The weights of a frame. *key is the row they were looked for at last: frames come in order. */
static void weights_at(const blend *b, int64_t frame, int *key, double *out)
{
    size_t width = (size_t)b->motions + 1;
    double time = (double)frame / b->fps;
    while (*key + 1 < b->key_count && b->keys[(size_t)(*key + 1) * width] <= time) ++*key;
    const double *from = b->keys + (size_t)*key * width, *to = from + width;
    bool between = *key + 1 < b->key_count && time > from[0];
    double share = between ? (time - from[0]) / (to[0] - from[0]) : 0;
    for (size_t j = 1; j < width; j++)
        out[j - 1] = between ? from[j] + share * (to[j] - from[j]) : from[j];
}

/* u of every frame. The weights of two frames in a row are held beside each other in `pair`. */
static marey_status find_times(blend *b, marey_error *error)
{
    double *pair = MRY_NEW(&b->tmp, double, 2 * (size_t)b->motions);
    if (!pair) return mry_fail_memory(error, NULL);
    double *from = pair, *to = pair + b->motions, left = 0, last;
    int key = 0;
    double u = 0;
    marey_registration_range(b->of, &u, &last);
    weights_at(b, 0, &key, from);
    while (fabs(left) <= NEARLY) {
        if (b->count == MOST_FRAMES)
            return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                            "the blend would have more than %d frames", (int)MOST_FRAMES);
        if (!mry_grow(b->ctx, &b->u, &b->room, b->count + 1, sizeof *b->u))
            return mry_fail_memory(error, NULL);
        b->u[b->count++] = u;
        weights_at(b, b->count, &key, to);
        u = mry_blend_advance_by(b->of, u, from, to, b->rows_per_frame, &left);
        double *swap = from;
        from = to;
        to = swap;
        if (b->count % 4096 == 0 && mry_cancelled(b->ctx)) return mry_fail_cancelled(error);
    }
    return MAREY_OK;
}

static marey_status make_frames(blend *b, marey_error *error)
{
    const marey_clip *first = marey_registration_clip(b->of, 0);
    size_t count = (size_t)b->count, motions = (size_t)b->motions;
    mry_floor *places = MRY_NEW_RAW(&b->tmp, mry_floor, count);
    b->weights = MRY_NEW_RAW(&b->tmp, double, count *motions);
    b->made.clip = b->weights && places ? mry_clip_make_like(first, b->count, b->fps) : NULL;
    if (!b->made.clip) return mry_fail_memory(error, NULL);
    if (b->fps == first->fps) b->made.clip->source.frame_time = first->source.frame_time;
    b->made.contacts.ctx = b->ctx;
    int key = 0;
    for (int i = 0; i < b->count; i++) weights_at(b, i, &key, b->weights + (size_t)i * motions);
    mry_blend_run run = { .of = b->of,
                          .method = b->def.method,
                          .count = b->count,
                          .u = b->u,
                          .weights = b->weights,
                          .places = places };
    /* It starts where the start of a motion is: the one given, the only one with weight, or the
       first. */
    int placing = 0;
    while (placing < b->motions && !(fabs(b->weights[placing] - 1) < 1e-9)) placing++;
    if (placing == b->motions) placing = 0;
    if (b->def.place_of) placing = b->def.place_of - 1;
    run.place = mry_floor_back(mry_blend_floor(b->of, placing, b->u[0]));
    if (!mry_blend_frames(&run, b->made.clip, 0))
        return mry_cancelled(b->ctx) ? mry_fail_cancelled(error) : mry_fail_memory(error, NULL);
    if (!mry_blend_constraints(&run, 0, &b->made.contacts)) return mry_fail_memory(error, NULL);
    /* What is there to be compared with slides as it slides. */
    if (b->def.method != MAREY_BLEND_REGISTERED) return MAREY_OK;
    return mry_blend_keep_rests(&b->tmp, b->made.clip, &b->made.contacts)
               ? MAREY_OK
               : mry_fail_memory(error, NULL);
}

static marey_status make(blend *b, marey_error *error)
{
    const marey_blend_def *def = &b->def;
    if ((int)def->method < 0 || def->method >= MAREY_BLEND_METHOD_COUNT)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no method %d", (int)def->method);
    if (def->place_of < 0 || def->place_of > b->motions)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the blend cannot start at motion %d: there are 1-%d", def->place_of,
                        b->motions);
    if (def->fps != 0 && !(def->fps >= 0.1 && def->fps <= 10000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "rate must be 0.1 to 10000 Hz, got %g",
                        def->fps);
    /* Constant weights are one row of weights over time. */
    bool constant = def->key_count == 0;
    if (def->key_count < 0 || (constant ? !def->weights : !def->keys))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no weights are given");
    size_t width = (size_t)b->motions + 1;
    b->key_count = constant ? 1 : def->key_count;
    b->keys = MRY_NEW(&b->tmp, double, (size_t)b->key_count *width);
    if (!b->keys) return mry_fail_memory(error, NULL);
    for (int k = 0; k < b->key_count; k++) {
        const double *from = constant ? def->weights : def->keys + (size_t)k * width + 1;
        double *to = b->keys + (size_t)k * width, sum = 0, size = 0;
        to[0] = constant ? 0 : from[-1];
        bool finite = isfinite(to[0]);
        for (int j = 0; j < b->motions; j++) {
            finite = finite && isfinite(from[j]) && fabs(from[j]) < 1e100;
            sum += from[j];
            size += fabs(from[j]);
        }
        if (!finite)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "row %d of the weights has no finite number", k + 1);
        if (!(fabs(sum) > 1e-6 * size))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "the weights of row %d must not sum to 0", k + 1);
        if (k && !(to[0] > to[-(int)width]))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "the times of the weights do not rise at row %d", k + 1);
        for (int j = 0; j < b->motions; j++) to[1 + j] = from[j] / sum;
    }
    if (b->def.method != MAREY_BLEND_REGISTERED) { /* frame with frame instead of along the curve */
        const marey_clip **clips = MRY_NEW_RAW(&b->tmp, const marey_clip *, b->motions);
        if (!clips) return mry_fail_memory(error, NULL);
        for (int j = 0; j < b->motions; j++) clips[j] = marey_registration_clip(b->of, j);
        marey_status status =
            mry_blend_straight(b->ctx, clips, b->motions, NULL, NULL, &b->straight, error);
        if (status) return status;
        b->of = b->straight;
    }
    const marey_clip *first = marey_registration_clip(b->of, 0);
    double rate = marey_registration_fps(b->of);
    b->fps = b->def.fps > 0 ? b->def.fps : first->fps;
    /* as many rows as that motion's own frames have: its rate may be the registration's but for a
       rounding */
    b->rows_per_frame = b->fps == first->fps ? 1 / mry_frames_per_row(first, rate) : rate / b->fps;
    marey_status status = find_times(b, error);
    if (status == MAREY_OK) status = make_frames(b, error);
    /* Without plants there is nothing to hold; for the clean-up, no list would mean that it should
       find some. */
    marey_made *made = &b->made;
    marey_clip *cleaned = NULL;
    if (status || b->def.leave_feet || made->contacts.count == 0) return status;
    status = marey_clip_clean(made->clip, made->contacts.items, made->contacts.count, b->def.clean,
                              &cleaned, &made->clean, error);
    if (status) return status;
    marey_clip_free(made->clip);
    made->clip = cleaned;
    return MAREY_OK;
}

marey_status marey_blend_make(marey_ctx *ctx, const marey_registration *registration,
                              const marey_blend_def *def, marey_made *out, marey_error *error)
{
    blend b = { .ctx = ctx,
                .of = registration,
                .tmp = mry_arena_make(ctx),
                .motions = marey_registration_count(registration) };
    if (def) b.def = *def;
    marey_status status = make(&b, error);
    mry_release(ctx, b.u, (size_t)b.room * sizeof *b.u);
    mry_arena_free(&b.tmp);
    marey_registration_free(b.straight);
    if (status) {
        marey_made_free(&b.made);
        return status;
    }
    *out = b.made;
    return MAREY_OK;
}
