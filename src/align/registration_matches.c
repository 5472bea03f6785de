/* registration_matches.c - the plants of all motions on the common time, and which of them are the same plant. Kovar &
   Gleicher 2003, 4.4; matches.c decides. */
#include "align/registration_data.h"

#include "align/matches.h"
#include "base/fail.h"

#include <string.h>

static marey_status check(const marey_contacts *contacts, int motion, marey_error *error)
{
    for (int i = 0; i < contacts->count; i++) {
        const marey_contact *now = &contacts->items[i], *was = now - 1;
        bool sound = (unsigned)now->joint < MAREY_CONTACT_JOINT_COUNT && now->start < now->end;
        if (sound && i > 0)
            sound = was->joint < now->joint || (was->joint == now->joint && was->end <= now->start);
        if (!sound)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "the plants of motion %d are not sorted by joint and start, without "
                            "overlaps, or one is empty",
                            motion + 1);
    }
    return MAREY_OK;
}

/* The plants of one point of one motion; what the curve does not reach is left out. */
static mry_spans map_plants(const marey_registration *of, int motion, marey_contact_joint joint,
                            const marey_contacts *contacts, mry_span *room)
{
    double rows_per_frame = of->fps / marey_clip_fps(of->clips[motion]);
    mry_spans spans = { 0, room };
    for (int i = 0; i < contacts->count; i++) {
        const marey_contact *plant = &contacts->items[i];
        if (plant->joint != joint) continue;
        double start = (plant->start - 0.5) * rows_per_frame;
        double end = (plant->end - 0.5) * rows_per_frame;
        mry_span span = { marey_registration_find(of, motion, start),
                          marey_registration_find(of, motion, end) };
        if (span.start < span.end) room[spans.count++] = span;
    }
    return spans;
}

static bool keep(marey_registration *of, marey_contact_joint joint, const mry_matches *found)
{
    for (int m = 0; m < found->count; m++) {
        marey_match_span *spans = MRY_NEW_RAW(&of->mem, marey_match_span, of->count);
        if (!spans) return false;
        for (int i = 0; i < of->count; i++) {
            mry_span from = found->spans[m * of->count + i];
            spans[i] = (marey_match_span){ from.start, from.end };
        }
        of->matches[of->match_count++] = (marey_constraint_match){ joint, spans };
    }
    return true;
}

static bool match(marey_registration *of, const marey_contacts *contacts, mry_arena *tmp)
{
    mry_matches found[MAREY_CONTACT_JOINT_COUNT];
    mry_spans motions[MRY_MOST_MOTIONS];
    int total = 0;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int i = 0; i < of->count; i++) {
            mry_span *room = MRY_NEW_RAW(tmp, mry_span, contacts[i].count);
            if (!room) return false;
            motions[i] = map_plants(of, i, (marey_contact_joint)joint, &contacts[i], room);
        }
        if (!mry_matches_find(tmp, motions, of->count, &found[joint])) return false;
        total += found[joint].count;
    }
    of->matches = MRY_NEW_RAW(&of->mem, marey_constraint_match, total);
    if (!of->matches) return false;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        if (!keep(of, (marey_contact_joint)joint, &found[joint])) return false;
    }
    return true;
}

marey_status mry_registration_match(marey_registration *of, const marey_contacts *contacts,
                                    marey_error *error)
{
    marey_contacts own[MRY_MOST_MOTIONS] = { 0 };
    mry_arena tmp = mry_arena_make(of->mem.ctx);
    marey_status status = MAREY_OK;
    for (int i = 0; i < of->count && !status; i++) {
        if (contacts) {
            status = check(&contacts[i], i, error);
        } else if (marey_contacts_find(of->clips[i], NULL, &own[i])) {
            status = mry_fail_memory(error, NULL);
        }
    }
    if (!status && !match(of, contacts ? contacts : own, &tmp))
        status = mry_fail_memory(error, NULL);
    for (int i = 0; i < of->count; i++) marey_contacts_free(&own[i]);
    mry_arena_free(&tmp);
    return status;
}
