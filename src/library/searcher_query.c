/* searcher_query.c - which segment is searched for, and in which clips. */
#include "library/searcher_data.h"

#include "base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond the longest bridge and tail, what is compared has this much before and behind the query, so that neither windows nor
   the shortest chain meet the ends of the part. */
static const double margin_s = 0.5;

/* ---- clips ------------------------------------------------------------------------------------ */

static int compare_slots(const void *key, const void *slot)
{
    int64_t id = *(const int64_t *)key, other = ((const mry_slot *)slot)->clip.id;
    return (id > other) - (id < other);
}

mry_slot *mry_slot_find(mry_slot *slots, int count, int64_t id)
{
    return count > 0 ? bsearch(&id, slots, (size_t)count, sizeof *slots, compare_slots) : NULL;
}

static mry_slot *find_slot(const marey_searcher *s, int64_t id)
{
    return mry_slot_find(s->slots, s->slot_count, id);
}

/* Is it searched where it was cut from? */
static bool is_in_source(const mry_seek *seek, const mry_slot *slot)
{
    return slot->source && seek->allowed[slot->source - seek->searcher->slots];
}

static marey_status fail_range(const mry_seek *seek, const char *why, int frames,
                               marey_error *error)
{
    return mry_fail(error, MAREY_ERR_REQUEST, seek->name, "frames %d-%d %s, which has %d",
                    seek->start, seek->end, why, frames);
}

static bool is_marked(const marey_mark *marks, int count, int frame)
{
    for (int i = 0; i < count; i++) {
        if (frame >= marks[i].start && frame < marks[i].end) return true;
    }
    return false;
}

/* Frames that nobody captured are no part of a query: none of the index's paths leads through them. */
static marey_status narrow(mry_seek *seek, const marey_mark *marks, int count, int frames,
                           marey_error *error)
{
    if (seek->start < 0 || seek->end > frames)
        return fail_range(seek, "are outside the clip", frames, error);
    if (seek->start >= seek->end)
        return fail_range(seek, "are no segment of the clip", frames, error);
    int start = seek->start, end = seek->end;
    while (start < end && is_marked(marks, count, start)) start++;
    while (start < end && is_marked(marks, count, end - 1)) end--;
    if (start == end)
        return mry_fail(error, MAREY_ERR_REQUEST, seek->name,
                        "none of the frames %d-%d is captured motion", seek->start, seek->end);
    seek->narrowed = start > seek->start;
    seek->start = start;
    seek->end = end;
    return MAREY_OK;
}

/* A clip's marks never change, so they are looked at once. */
static marey_status look_at_marks(marey_searcher *s, mry_slot *slot, marey_error *error)
{
    marey_clip *clip = NULL;
    int count = 0;
    if (slot->mark_count >= 0) return MAREY_OK;
    marey_status status = mry_load_clip(s->library, slot->clip.id, NULL, &clip, error);
    if (status) return status;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    slot->marks = MRY_NEW(&s->mem, marey_mark, count + 1);
    if (slot->marks && count > 0) memcpy(slot->marks, marks, (size_t)count * sizeof *marks);
    if (slot->marks) slot->mark_count = count;
    marey_clip_free(clip);
    return slot->marks ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* The rows of the query, which must be two at least. */
static marey_status find_rows(mry_seek *seek, int number, marey_error *error)
{
    const mry_index_clip *clip = &seek->ruler.clip;
    int start = seek->start - seek->ruler.shift, end = seek->end - seek->ruler.shift;
    marey_segment rows = { number, mry_index_row(clip, start), clip->rows };
    if (end < clip->frames) rows.end = mry_index_row(clip, end);
    /* The nearest row may be at a frame that was left out as not captured. */
    if (seek->narrowed && mry_index_frame(clip, rows.start) < start) rows.start++;
    if (rows.end - rows.start < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, seek->name,
                        "frames %d-%d are too few: %d are the fewest, as the index looks at %.6g "
                        "frames a second of %.6g",
                        seek->start, seek->end, (int)ceil(2 * fmax(clip->fps / clip->rate, 1)),
                        clip->rate, clip->fps);
    seek->query = rows;
    return MAREY_OK;
}

static marey_status open_inside(mry_seek *seek, mry_slot *slot, marey_error *error)
{
    marey_status status = look_at_marks(seek->searcher, slot, error);
    if (!status) status = narrow(seek, slot->marks, slot->mark_count, slot->clip.frames, error);
    if (status) return status;
    seek->ruler = (mry_ruler){ .clip = slot->clip };
    if (is_in_source(seek, slot)) {
        seek->ruler = (mry_ruler){ slot->source->clip, -slot->source_start, slot->clip.frames };
        slot = slot->source;
    }
    return find_rows(seek, (int)(slot - seek->searcher->slots), error);
}

/* ---- a query without webs --------------------------------------------------------------------- */

/* The last frame not behind `frame` that is sampled for a row exactly, so that a part's rows are rows of the clip. */
static int sampled_before(const marey_clip *clip, double rate, int frame)
{
    double rows = fmin(rate / marey_clip_fps(clip), 1);
    for (; frame > 0; frame--) {
        /* Rates of files are rounded: 120 frames a second may be 119.9998. */
        if (fabs(frame * rows - round(frame * rows)) < 0.01) break;
    }
    return frame > 0 ? frame : 0;
}

/* The segment and what bridges and windows reach around it. */
static marey_status take_part(mry_seek *seek, const marey_clip *clip, marey_error *error)
{
    const mry_index_settings *settings = &seek->searcher->settings;
    double tail_s = settings->web.tail_s == 0 ? 1 : fmax(settings->web.tail_s, 0);
    double around = settings->web.bridge_s + tail_s + margin_s;
    double reach = around * marey_clip_fps(clip) +
                   settings->metric.window * fmax(marey_clip_fps(clip) / settings->fps, 1);
    int frames = marey_clip_frames(clip);
    int margin = (int)fmin(ceil(reach), frames);
    int start = seek->start > margin ? seek->start - margin : 0;
    int end = frames - seek->end > margin ? seek->end + margin : frames;
    start = sampled_before(clip, settings->fps, start);
    seek->ruler.shift = start;
    return marey_clip_trim(clip, start, end, &seek->part, error);
}

static marey_status open_outside(mry_seek *seek, const marey_clip *clip, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    marey_status status = narrow(seek, marks, count, marey_clip_frames(clip), error);
    if (!status) status = take_part(seek, clip, error);
    if (!status)
        status = mry_outside_open(s->library, &s->settings, seek->part, &seek->outside, error);
    if (status) return status;
    seek->outside_webs = MRY_NEW(&seek->mem, marey_web *, s->slot_count + 1);
    seek->compared = MRY_NEW(&seek->mem, uint8_t, s->slot_count + 1);
    if (!seek->outside_webs || !seek->compared) return mry_fail_memory(error, NULL);
    seek->ruler.clip = mry_outside_clip(seek->outside);
    seek->fps[s->slot_count] = seek->ruler.clip.rate;
    return find_rows(seek, s->slot_count, error);
}

marey_status mry_seek_open(mry_seek *seek, const marey_query *query, marey_error *error)
{
    marey_library *library = seek->searcher->library;
    marey_named named;
    seek->start = query->start;
    seek->end = query->end;
    if (query->outside) {
        snprintf(seek->name, sizeof seek->name, "%s", marey_clip_name(query->outside));
        return open_outside(seek, query->outside, error);
    }
    marey_status status = mry_clip_find(library, query->clip, false, &named, error);
    if (status) return status;
    seek->id = named.id;
    memcpy(seek->name, named.name, sizeof seek->name);
    mry_slot *slot = find_slot(seek->searcher, named.id);
    if (slot && (slot->clip.rows > 0 || is_in_source(seek, slot)))
        return open_inside(seek, slot, error);
    status = mry_load_clip(library, named.id, named.name, &seek->loaded, error);
    return status ? status : open_outside(seek, seek->loaded, error);
}

void mry_seek_free(mry_seek *seek)
{
    for (int i = 0; seek->outside_webs && i < seek->searcher->slot_count; i++)
        marey_web_free(seek->outside_webs[i]);
    mry_outside_free(seek->outside);
    marey_clip_free(seek->part);
    marey_clip_free(seek->loaded);
    mry_arena_free(&seek->mem);
}

/* ---- where it is searched for ----------------------------------------------------------------- */

static marey_status allow_label(mry_seek *seek, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    int found = 0;
    mry_query rows = mry_query_start(s->library->store,
                                     "SELECT clip FROM label JOIN clip ON clip.id = label.clip"
                                     " WHERE label = ? AND removed = 0");
    mry_bind_text(&rows, 1, seek->def->label);
    while (mry_query_next(&rows)) {
        mry_slot *slot = find_slot(s, mry_column_integer(&rows, 0));
        if (slot) seek->allowed[slot - s->slots] |= 2;
        found++;
    }
    marey_status status = mry_query_end(&rows, error);
    if (status || found > 0) return status;
    return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(s->library->store),
                    "no clip has the label %.100s", seek->def->label);
}

static marey_status allow_clips(mry_seek *seek, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    for (int i = 0; i < seek->def->clip_count; i++) {
        mry_slot *slot = find_slot(s, seek->def->clips[i]);
        if (!slot)
            return mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(s->library->store),
                            "there is no clip #%lld", (long long)seek->def->clips[i]);
        seek->allowed[slot - s->slots] |= 1;
    }
    return MAREY_OK;
}

/* Sources before their cuts, as slots are in the order of their clips' numbers. */
static void allow(mry_seek *seek, int number)
{
    const mry_slot *slot = &seek->searcher->slots[number];
    bool wanted = seek->allowed[number] == 3 && !is_in_source(seek, slot);
    seek->allowed[number] = wanted && slot->clip.rows > 0;
    seek->missing[number] = wanted && slot->clip.rows == 0;
    seek->fps[number] = slot->clip.rate;
}

/* A bit for each question; a clip must have both. */
marey_status mry_seek_restrict(mry_seek *seek, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    const marey_find_def *def = seek->def;
    size_t count = (size_t)s->slot_count + 1;
    uint8_t free = (uint8_t)((def->clip_count > 0 ? 0 : 1) | (def->label ? 0 : 2));
    marey_status status = MAREY_OK;
    seek->allowed = MRY_NEW(&seek->mem, uint8_t, count);
    seek->missing = MRY_NEW(&seek->mem, uint8_t, count);
    seek->fps = MRY_NEW(&seek->mem, double, count);
    if (!seek->allowed || !seek->missing || !seek->fps) return mry_fail_memory(error, NULL);
    memset(seek->allowed, free, count);
    if (def->clip_count > 0) status = allow_clips(seek, error);
    if (!status && def->label) status = allow_label(seek, error);
    for (int i = 0; i < s->slot_count; i++) allow(seek, i);
    seek->allowed[s->slot_count] = 0;
    return status;
}
