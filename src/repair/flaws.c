/* flaws.c - the kinds of flaws, and all checks of a clip in a row. */
#include "repair/exam.h"

#include "base/grow.h"
#include "motion/feet.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct flaw_row {
    const char *name, *unit, *about;
} flaw_row;

static const flaw_row rows[MAREY_FLAW_COUNT] = {
    [MAREY_FLAW_FIRST_FRAME] = { "first-frame", "frames",
                                 "the first frame is a pose that the exporter added" },
    [MAREY_FLAW_DROPOUT] = { "dropout", "frames", "tracking was lost and the root is at 0 0 0" },
    [MAREY_FLAW_UNITS] = { "units", "cm", "in these units the body is not as tall as a person" },
    [MAREY_FLAW_UP] = { "up", "percent", "the body stands along an axis that is not up" },
    [MAREY_FLAW_RATE] = { "rate", "fps", "the clip was recorded at another frame rate" },
    [MAREY_FLAW_SPIKE] = { "spike", "cm", "a joint is elsewhere for a few frames" },
    [MAREY_FLAW_STEP] = { "step", "cm", "a joint leaps in one frame and stays there" },
    [MAREY_FLAW_FLIP] = { "flip", "degrees",
                          "a joint turns round in one frame, or bends the wrong way" },
    [MAREY_FLAW_TWIST] = { "twist", "degrees",
                           "a joint turns in one frame, which positions hardly show" },
    [MAREY_FLAW_BEND] = { "bend", "degrees",
                          "a knee or an elbow bends the wrong way most of the time" },
    [MAREY_FLAW_FROZEN] = { "frozen", "s", "the motion stops as no body stops" },
    [MAREY_FLAW_BONE] = { "bone", "percent",
                          "a bone is longer or shorter than that of the other side" },
    [MAREY_FLAW_TILT] = { "tilt", "degrees", "the floor is not level" },
    [MAREY_FLAW_DRIFT] = { "drift", "cm", "the floor rises or sinks during the clip" },
    [MAREY_FLAW_FLOATING] = { "floating", "cm", "the feet stand above the floor" },
    [MAREY_FLAW_SINKING] = { "sinking", "cm", "the feet stand below the floor" },
    [MAREY_FLAW_SLIDE] = { "slide", "cm", "the feet slide while they are planted" },
    [MAREY_FLAW_DUPLICATE] = { "duplicate", "s", "another clip has the same motion" },
};

/* In the order in which they run: a later one may read what earlier ones found. */
static bool (*const checks[])(mry_exam *exam) = {
    mry_check_marks, mry_check_scale, mry_check_frozen, mry_check_jumps, mry_check_bends,
    mry_check_bones, mry_check_rate,  mry_check_floor,  mry_check_harm,
};

const char *marey_flaw_name(marey_flaw_kind kind)
{
    assert(kind >= 0 && kind < MAREY_FLAW_COUNT);
    return rows[kind].name;
}

const char *marey_flaw_unit(marey_flaw_kind kind)
{
    assert(kind >= 0 && kind < MAREY_FLAW_COUNT);
    return rows[kind].unit;
}

const char *marey_flaw_about(marey_flaw_kind kind)
{
    assert(kind >= 0 && kind < MAREY_FLAW_COUNT);
    return rows[kind].about;
}

bool marey_flaw_named(const char *name, marey_flaw_kind *kind)
{
    for (int i = 0; i < MAREY_FLAW_COUNT; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *kind = (marey_flaw_kind)i;
        return true;
    }
    return false;
}

bool marey_flaw_wanted(const marey_flaw *flaw, uint64_t kinds)
{
    const double sure = 0.62; /* feet that float may stand on a platform that is not in the file */
    if (!flaw->mendable || !(kinds >> flaw->kind & 1)) return false;
    return kinds != UINT64_MAX || flaw->certainty >= sure;
}

bool mry_flaw_add(mry_exam *exam, const marey_flaw *flaw)
{
    if (!mry_grow_in(exam->tmp, &exam->flaws, &exam->room, exam->count + 1, sizeof *exam->flaws))
        return false;
    exam->flaws[exam->count++] = *flaw;
    return true;
}

static int by_kind_and_start(const void *a, const void *b)
{
    const marey_flaw *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->joint != y->joint) return x->joint < y->joint ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

marey_status marey_flaws_find(const marey_clip *clip, marey_flaws *out)
{
    assert(clip && out);
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t joints = (size_t)clip->skeleton.joint_count, frames = (size_t)clip->frames;
    double *at = MRY_NEW_RAW(&tmp, double, frames *joints * 3);
    marey_contacts plants = { 0 };
    mry_exam exam = { .clip = clip, .tmp = &tmp, .at = at, .marked = mry_clip_marked(&tmp, clip) };
    bool ok = at && exam.marked && !marey_contacts_find(clip, NULL, &plants);
    if (ok) {
        marey_clip_positions(clip, 0, clip->frames, at);
        exam.plants = plants.items;
        /* Those of feet; hands come last. */
        while (exam.plant_count < plants.count &&
               plants.items[exam.plant_count].joint < MAREY_CONTACT_LEFT_HAND)
            exam.plant_count++;
    }
    for (size_t i = 0; i < sizeof checks / sizeof *checks && ok && !exam.misread; i++)
        ok = checks[i](&exam);
    marey_flaws found = { .ctx = clip->mem.ctx, .rate = exam.rate };
    marey_landmark *marks = NULL;
    int mark_count = 0;
    if (ok) ok = mry_landmarks_find(&exam, &marks, &mark_count);
    /* Flaws, and landmarks behind them. */
    size_t flaw_bytes = (size_t)exam.count * sizeof *found.items;
    size_t mark_bytes = (size_t)mark_count * sizeof *marks;
    if (ok && flaw_bytes + mark_bytes > 0) {
        found.bytes = flaw_bytes + mark_bytes;
        found.items = mry_alloc(clip->mem.ctx, found.bytes);
        ok = found.items != NULL;
    }
    if (ok && exam.count > 0) {
        qsort(exam.flaws, (size_t)exam.count, sizeof *exam.flaws, by_kind_and_start);
        memcpy(found.items, exam.flaws, flaw_bytes);
        found.count = exam.count;
    }
    if (ok && mark_count > 0) {
        found.landmarks = memcpy(found.items + exam.count, marks, mark_bytes);
        found.landmark_count = mark_count;
    }
    marey_contacts_free(&plants);
    mry_arena_free(&tmp);
    if (!ok) return MAREY_ERR_MEMORY;
    *out = found;
    return MAREY_OK;
}

void marey_flaws_free(marey_flaws *flaws)
{
    if (!flaws || !flaws->ctx) return;
    mry_release(flaws->ctx, flaws->items, flaws->bytes);
    *flaws = (marey_flaws){ 0 };
}
