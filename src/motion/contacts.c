/* contacts.c - foot plants, from the motion alone: where a heel or toe is slow (contact_speed.c), low
   (contact_rest.c) and on the ground (contact_ground.c). Every step is linear in the frames. */
#include "motion/contact_search.h"

#include <assert.h>

static const double SHORTEST_S = 0.08;
static const double BRIDGE_S = 0.05;
static const double USUAL_SIZE = 170; /* cm, of a body that tells nothing of its own */

static bool search_open(mry_arena *tmp, const marey_clip *clip, const marey_contact_def *def,
                        mry_contact_search *s)
{
    *s = (mry_contact_search){ .fps = clip->fps, .size_cm = clip->report.height_cm };
    if (!(s->size_cm > 0)) s->size_cm = USUAL_SIZE;
    s->shortest = (def && def->shortest_s > 0 ? def->shortest_s : SHORTEST_S) * s->fps;
    s->bridge = (def && def->bridge_s > 0 ? def->bridge_s : BRIDGE_S) * s->fps;
    size_t frames = (size_t)clip->frames;
    s->values = MRY_NEW_RAW(tmp, double, MRY_FOOT_POINTS *frames);
    s->line = MRY_NEW_RAW(tmp, int, frames);
    s->on = MRY_NEW_RAW(tmp, uint8_t, frames);
    return s->values && s->line && s->on && mry_feet_build(tmp, clip, &s->feet);
}

static marey_status hand_out(marey_ctx *ctx, const mry_contact_search *s, marey_contacts *out)
{
    marey_contacts found = { .ctx = ctx };
    int count = 0;
    for (int i = 0; i < MRY_FOOT_POINTS; i++) count += s->rests[i].count;
    if (count > 0) {
        found.bytes = (size_t)count * sizeof *found.items;
        found.items = mry_alloc(ctx, found.bytes);
        if (!found.items) return MAREY_ERR_MEMORY;
    }
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        for (int n = 0; n < s->rests[i].count; n++) {
            const mry_rest *rest = &s->rests[i].list[n];
            found.items[found.count++] =
                (marey_contact){ (marey_contact_joint)i, rest->start, rest->end };
        }
    }
    *out = found;
    return MAREY_OK;
}

marey_status marey_contacts_find(const marey_clip *clip, const marey_contact_def *def,
                                 marey_contacts *out)
{
    assert(clip && out);
    mry_contact_search s;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_status status = MAREY_ERR_MEMORY;
    if (search_open(&tmp, clip, def, &s) && mry_contact_measure(&tmp, &s) &&
        mry_contact_find_rests(&tmp, &s) && mry_contact_judge(&tmp, &s)) {
        status = hand_out(clip->mem.ctx, &s, out);
    }
    mry_arena_free(&tmp);
    return status;
}

void marey_contacts_free(marey_contacts *contacts)
{
    if (!contacts || !contacts->ctx) return;
    mry_release(contacts->ctx, contacts->items, contacts->bytes);
    *contacts = (marey_contacts){ 0 };
}
