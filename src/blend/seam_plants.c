/* seam_plants.c - the plants of a clip with a seam: the clips' own, those that the constraint
   matches give, and what a clean-up has to hold. */
#include "base/fail.h"
#include "blend/seam.h"
#include "math/quat.h"
#include "motion/feet.h"

#include <stdlib.h>

/* A foot that is carried further than this within a plant was not planted. Matches go by time alone
   (curves, 4.4): where one motion stands while the other takes a step, the plants before and behind
   the step can end up in one match. */
#define STEP_CM 20.0
/* It is planted as long as it has not come this far. */
#define LEFT_CM 8.0
/* As plants are found: n frames count as n + 1. */
#define SHORTEST_S 0.08

static bool append(marey_contacts *out, marey_contact plant)
{
    size_t need = ((size_t)out->count + 1) * sizeof plant;
    if (need > out->bytes) {
        size_t bytes = out->bytes < 32 * sizeof plant ? 32 * sizeof plant : 2 * out->bytes;
        marey_contact *items = mry_resize(out->ctx, out->items, out->bytes, bytes);
        if (!items) return false;
        out->items = items;
        out->bytes = bytes;
    }
    out->items[out->count++] = plant;
    return true;
}

bool mry_seam_take_plants(const marey_contacts *from, int start, int end, int first,
                          marey_contacts *out)
{
    for (int n = 0; n < from->count; n++) {
        marey_contact plant = from->items[n];
        if (plant.start < start) plant.start = start;
        if (plant.end > end) plant.end = end;
        if (plant.start >= plant.end) continue;
        plant.start += first - start;
        plant.end += first - start;
        if (!append(out, plant)) return false;
    }
    return true;
}

static int by_joint(const void *left, const void *right)
{
    const marey_contact *a = left, *b = right;
    if (a->joint != b->joint) return a->joint < b->joint ? -1 : 1;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

void mry_seam_sort_plants(marey_contacts *plants)
{
    if (plants->count > 1)
        qsort(plants->items, (size_t)plants->count, sizeof *plants->items, by_joint);
}

void mry_seam_mend_plants(marey_contacts *plants, int at, const marey_contacts *from, int frame)
{
    int count = 0;
    marey_contact *items = plants->items;
    for (int n = 0; n < plants->count; n++) {
        marey_contact *last = count ? &items[count - 1] : NULL;
        bool touch =
            last && items[n].joint == last->joint && last->end == at && items[n].start == at;
        bool crossed = false; /* one plant that was cut in two between two frames */
        for (int m = 0; touch && m < from->count && !crossed; m++) {
            const marey_contact *plant = &from->items[m];
            crossed = plant->joint == last->joint && plant->start < frame && plant->end > frame;
        }
        if (crossed) {
            last->end = items[n].end;
        } else {
            items[count++] = items[n];
        }
    }
    plants->count = count;
}

static bool meets(const marey_contact *plant, int start, int end)
{
    return plant->start < end && plant->end > start;
}

static bool in_seam(const mry_seam_rounds *seams, const marey_contact *plant)
{
    for (int r = 0; r < seams->rounds; r++) {
        int by = r * seams->period;
        if (meets(plant, seams->start + by, seams->end + by)) return true;
    }
    return false;
}

bool mry_seam_held_plants(const marey_contacts *plants, const mry_seam_rounds *seams, int ease,
                          marey_contacts *out)
{
    mry_arena tmp = mry_arena_make(plants->ctx);
    uint8_t *held = MRY_NEW(&tmp, uint8_t, plants->count + 1);
    bool room = held != NULL, more = room;
    for (int n = 0; n < plants->count && room; n++) {
        for (int m = 0; m < plants->count && !held[n]; m++) {
            const marey_contact *other = &plants->items[m];
            held[n] = meets(&plants->items[n], other->start - ease, other->end + ease) &&
                      in_seam(seams, other);
        }
    }
    /* Holding a heel turns the foot, and a toe that is planted meanwhile would slide. */
    while (more) {
        more = false;
        for (int n = 0; n < plants->count; n++) {
            const marey_contact *plant = &plants->items[n];
            int other_point = mry_foot_other_point((int)plant->joint);
            for (int m = 0; m < plants->count && !held[n]; m++) {
                const marey_contact *other = &plants->items[m];
                if (!held[m] || (int)other->joint != other_point ||
                    !meets(plant, other->start, other->end))
                    continue;
                held[n] = more = true;
            }
        }
    }
    for (int n = 0; n < plants->count && room; n++) {
        if (held[n]) room = append(out, plants->items[n]);
    }
    mry_arena_free(&tmp);
    return room;
}

/* ---- steps that were taken for plants -------------------------------------------------------- */

static double way(const double *places, int first, int second)
{
    return mry_distance3(places + 3 * (size_t)first, places + 3 * (size_t)second);
}

/* Of plants that reach into a seam at [start, end). */
static bool part_at(const mry_feet *feet, int start, int end, int least, marey_contacts *plants)
{
    int count = plants->count;
    for (int n = 0; n < count; n++) {
        marey_contact *plant = &plants->items[n], whole = *plant;
        if (!feet->has[plant->joint] || !meets(plant, start, end)) continue;
        /* The frames inside the seam and, if it has them, one more on each side. */
        const double *at = feet->at[plant->joint];
        int first = plant->start < start - 1 ? start - 1 : plant->start;
        int last = plant->end - 1 > end ? end : plant->end - 1;
        bool steps = false;
        for (int f = first; f <= last && !steps; f++)
            steps = way(at, first, f) > STEP_CM || way(at, last, f) > STEP_CM;
        if (!steps) continue;
        /* What is left of it on both sides; pieces that are too short for a plant are dropped. */
        int leaves = first, comes = last;
        while (leaves <= last && way(at, first, leaves) <= LEFT_CM) leaves++;
        while (comes >= first && way(at, last, comes) <= LEFT_CM) comes--;
        if (comes + 1 < leaves) comes = leaves - 1; /* a fast foot can be near both at once */
        bool before = leaves - whole.start >= least, behind = whole.end - comes - 1 >= least;
        marey_contact second = { whole.joint, comes + 1, whole.end };
        plant->end = before ? leaves : plant->start; /* nothing, unless there is a piece */
        if (!before && behind) *plant = second;
        if (before && behind && !append(plants, second)) return false;
    }
    return true;
}

bool mry_seam_part_plants(const marey_clip *clip, const mry_seam_rounds *seams,
                          marey_contacts *plants)
{
    mry_arena tmp = mry_arena_make(plants->ctx);
    mry_feet feet;
    int least = (int)fmax(1, ceil(SHORTEST_S * clip->fps - 1));
    bool room = mry_feet_build(&tmp, clip, &feet);
    for (int r = 0; r < seams->rounds && room; r++) {
        int by = r * seams->period;
        room = part_at(&feet, seams->start + by, seams->end + by, least, plants);
    }
    mry_arena_free(&tmp);
    int count = 0;
    for (int n = 0; n < plants->count; n++) {
        marey_contact plant = plants->items[n];
        if (plant.start < plant.end) plants->items[count++] = plant;
    }
    plants->count = count;
    mry_seam_sort_plants(plants);
    return room;
}

marey_status mry_seam_clean(const mry_seam_rounds *seams, const marey_clean_def *def,
                            marey_made *made, const char *name, marey_error *error)
{
    marey_contacts held = { .ctx = made->contacts.ctx };
    marey_clip *fresh = NULL;
    double ease_s = def && def->ease_s > 0 ? def->ease_s : 0.2;
    int ease = (int)fmin(ceil(ease_s * made->clip->fps), MRY_MOST_FRAMES);
    bool room = mry_seam_held_plants(&made->contacts, seams, ease, &held);
    if (room && held.count == 0) return MAREY_OK; /* the clean-up would look for plants by itself */
    marey_status status = room ? marey_clip_clean(made->clip, held.items, held.count, def, &fresh,
                                                  &made->clean, error)
                               : mry_fail_memory(error, name);
    marey_contacts_free(&held);
    if (status) return status;
    marey_clip_free(made->clip);
    made->clip = fresh;
    return MAREY_OK;
}
